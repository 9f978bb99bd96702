import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startServer, type Server } from '../bench/child.ts';
import { currentConnection, handshakeConnection, type Connection, type Options } from './clients.ts';
import { here } from './program.ts';
import type { Check } from './main.ts';

/** Where the authorisation server sends a person back to; nobody listens there. */
const redirectUrl = 'http://127.0.0.1:9/callback';
/** How long a token of it counts, in seconds; a service takes it for half a minute longer. */
const tokenSeconds = 2;

/** Starts an authorisation server of somebody else, in a process of its own. */
export function startAuthorizationServer(): Promise<Server> {
  return startServer({
    script: join(here, 'authorization-server.mjs'),
    arguments: [redirectUrl, String(tokenSeconds)],
  });
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

const keyedCall = { name: 'sec_company_profile', arguments: { ticker: 'AAPL' } };

/**
 * With nothing but an address a client is challenged, finds the authorisation server, is let in by a person, and calls a tool
 * that needs a key. `isChallengedAtOnce` tells when the challenge comes: when it connects, or with the call.
 */
async function goThroughFlow(
  connection: (address: string, options: Options) => Connection,
  address: string,
  isChallengedAtOnce: boolean,
): Promise<void> {
  const state = assistant();
  const open = () => connection(address, { authProvider: state.provider as never });
  const call = async ({ client }: Connection) =>
    assert.equal((await client.callTool(keyedCall)).isError, false);
  const first = open();
  const challenged = async () => {
    await first.connect();
    await call(first);
  };
  await assert.rejects(challenged(), /nauthorized/);
  const asked = state.asked();
  assert.ok(asked, 'no authorisation was asked for');
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256');
  assert.match(asked.searchParams.get('resource') ?? '', isChallengedAtOnce ? /\/mcp\/private$/ : /\/mcp$/);
  await first.finish(await letIn(asked));
  const second = open();
  await second.connect();
  await call(second);
  const token = state.provider.tokens()?.access_token ?? '';
  // After its end a token is refused, and the client gets another one by itself.
  await new Promise((resolve) => setTimeout(resolve, (tokenSeconds + 31) * 1000));
  await call(second);
  assert.notEqual(state.provider.tokens()?.access_token, token);
  await second.client.close();
}

/** Tokens of an authorisation server: the whole flow of the official clients. */
export const oauthChecks: readonly Check[] = [
  {
    waits: true,
    name: 'the official clients are let in by an authorisation server, at each address and after the end of a token',
    run: ({ address }) =>
      Promise.all(
        [handshakeConnection, currentConnection].flatMap((connection) => [
          goThroughFlow(connection, `${address}/mcp`, false),
          goThroughFlow(connection, `${address}/mcp/private`, true),
        ]),
      ),
  },
];
