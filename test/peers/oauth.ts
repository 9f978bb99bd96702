import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { Client as HandshakeClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HandshakeTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { here } from './program.ts';
import type { Check } from './main.ts';

/** Where the authorisation server sends a person back to; nobody listens there. */
const redirectUrl = 'http://127.0.0.1:9/callback';
/** How long a token of it counts, in seconds; a service takes it for half a minute longer. */
const tokenSeconds = 2;

/** An authorisation server of somebody else, in a process of its own. */
export interface AuthorizationServer {
  readonly address: string;
  stop(): void;
}

/** Starts the authorisation server. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const child = spawn(process.execPath, ['authorization-server.mjs', redirectUrl, String(tokenSeconds)], {
    cwd: here,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  for (;;) {
    const address = /^listening (\S+)$/m.exec(output)?.[1];
    if (address !== undefined) return { address, stop: () => void child.kill('SIGKILL') };
    if (child.exitCode !== null) throw new Error(`the authorisation server ended: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Tokens {
  access_token: string;
  token_type: string;
  refresh_token?: string | undefined;
}

/** What a client remembers, and whom it asks to let it in. */
function assistant() {
  let verifier = '';
  let tokens: Tokens | undefined;
  let asked: URL | undefined;
  let discovery: unknown;
  return {
    asked: () => asked,
    provider: {
      redirectUrl,
      clientMetadata: { redirect_uris: [redirectUrl], client_name: 'Peers', scope: 'openid filings' },
      clientInformation: () => ({ client_id: 'assistant' }),
      tokens: () => tokens,
      saveTokens: (given: Tokens) => void (tokens = given),
      redirectToAuthorization: (url: URL) => void (asked = url),
      saveCodeVerifier: (given: string) => void (verifier = given),
      codeVerifier: () => verifier,
      saveDiscoveryState: (given: unknown) => void (discovery = given),
      discoveryState: () => discovery,
    },
  };
}

/** Goes through the pages of the authorisation server as a person does. Resolves to what it sends them back with. */
async function letIn(start: URL): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let address = start;
  let form: URLSearchParams | null = null;
  for (let step = 0; step < 20; step++) {
    const answer: Response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === null ? {} : { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split(/=(.*)/) ?? [];
      cookies.set(name, value);
    }
    form = null;
    const location = answer.headers.get('location');
    if (location !== null) {
      address = new URL(location, address);
      if (address.href.startsWith(redirectUrl)) {
        assert.ok(address.searchParams.has('code'), `the authorisation server said ${address.search}`);
        return address.searchParams;
      }
      continue;
    }
    const page = await answer.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    assert.ok(prompt, `a page without a form: ${answer.status} ${page.slice(0, 500)}`);
    form = new URLSearchParams({ prompt, login: 'alice', password: 'any' });
    address = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', address);
  }
  throw new Error('the authorisation server asks for ever');
}

/** A client of the tools that can be let in. */
interface Connection {
  connect(): Promise<void>;
  finish(answer: URLSearchParams): Promise<void>;
  call(): Promise<{ isError?: boolean }>;
  close(): Promise<void>;
}

const keyedCall = { name: 'sec_company_profile', arguments: { ticker: 'AAPL' } };

/**
 * With nothing but an address a client is challenged, finds the authorisation server, is let in by a person, and calls a tool
 * that needs a key. `isChallengedAtOnce` tells when the challenge comes: when it connects, or with the call.
 */
async function goThroughFlow(
  open: (state: ReturnType<typeof assistant>) => Connection,
  isChallengedAtOnce: boolean,
): Promise<void> {
  const state = assistant();
  const first = open(state);
  const challenged = async () => {
    await first.connect();
    await first.call();
  };
  await assert.rejects(challenged(), /nauthorized/);
  const asked = state.asked();
  assert.ok(asked, 'no authorisation was asked for');
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256');
  assert.match(asked.searchParams.get('resource') ?? '', isChallengedAtOnce ? /\/mcp\/private$/ : /\/mcp$/);
  await first.finish(await letIn(asked));
  const second = open(state);
  await second.connect();
  assert.equal((await second.call()).isError, false);
  const token = state.provider.tokens()?.access_token ?? '';
  // After its end a token is refused, and the client gets another one by itself.
  await new Promise((resolve) => setTimeout(resolve, (tokenSeconds + 31) * 1000));
  assert.equal((await second.call()).isError, false);
  assert.notEqual(state.provider.tokens()?.access_token, token);
  await second.close();
}

const name = { name: 'peers', version: '1.0.0' };

function handshakeConnection(address: string, state: ReturnType<typeof assistant>): Connection {
  const client = new HandshakeClient(name);
  const transport = new HandshakeTransport(new URL(address), { authProvider: state.provider as never });
  return {
    // The package's own types do not agree with exact optional members.
    connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
    finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
    call: () => client.callTool(keyedCall) as Promise<{ isError?: boolean }>,
    close: () => client.close(),
  };
}

function currentConnection(address: string, state: ReturnType<typeof assistant>): Connection {
  const client = new CurrentClient(name, { versionNegotiation: { mode: 'auto' } });
  const transport = new CurrentTransport(new URL(address), { authProvider: state.provider as never });
  return {
    connect: () => client.connect(transport),
    finish: (answer) => transport.finishAuth(answer),
    call: () => client.callTool(keyedCall) as Promise<{ isError?: boolean }>,
    close: () => client.close(),
  };
}

/** Tokens of an authorisation server: the whole flow of the official clients. */
export const oauthChecks: readonly Check[] = [
  {
    name: 'the official clients are let in by an authorisation server, at each address and after the end of a token',
    run: ({ address }) =>
      Promise.all(
        [handshakeConnection, currentConnection].flatMap((connection) => [
          goThroughFlow((state) => connection(`${address}/mcp`, state), false),
          goThroughFlow((state) => connection(`${address}/mcp/private`, state), true),
        ]),
      ),
  },
];
