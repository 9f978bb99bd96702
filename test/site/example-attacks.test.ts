// @module-tag slow
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { headersOf, publicKeyText } from '../../build/deliver/post.ts';
import { pythonEnvironment } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { has, needs } from '../support/needs.ts';
import { startForTest } from '../support/programs.ts';
import { secretOf } from '../support/receivers.ts';
import { closeAll, freePort, listen } from '../support/servers.ts';

const examples = fileURLToPath(new URL('../../site/examples/', import.meta.url));
const directory = useDirectories('example-attacks');
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

const receivers = [
  { name: 'receiver.mjs', program: process.execPath },
  { name: 'receiver.py', program: 'python3' },
].filter(({ name }) => name !== 'receiver.py' || has('python'));

/** Starts a receiver with the settings that are given, and waits until it takes a message. */
async function startReceiver(
  { name, program }: (typeof receivers)[number],
  settings: Readonly<Record<string, string>>,
  firstHeaders: () => Readonly<Record<string, string>>,
) {
  const port = await freePort();
  const folder = directory();
  const { child } = startForTest(program, [join(examples, 'webhooks', name)], {
    cwd: folder,
    env: { PORT: String(port), PYTHONPATH: pythonEnvironment.PYTHONPATH, ...settings },
  });
  const post = async (headers = firstHeaders(), body = message.body) =>
    (
      await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(10_000),
      })
    ).status;
  await expect.poll(() => post().catch(() => 0), { timeout: 20_000 }).toBe(204);
  return { port, folder, child, post };
}

const message = { id: '0000000001-26-000001.1', body: '{"type":"filing.new"}' };
const genuine = () => headersOf(message, [secretOf(1)], Date.now());

describe.each(receivers)('$name', (receiver) => {
  it('accepts no message that is altered, old or signed by another, and one of several signatures is enough', async () => {
    const { post } = await startReceiver(receiver, { SECRET: secretOf(1) }, genuine);
    const refused = [
      await post(genuine(), '{"type":"filing.old"}'),
      await post({ ...genuine(), 'webhook-id': 'b.1' }),
      await post(headersOf(message, [secretOf(2)], Date.now())),
      await post(headersOf(message, [secretOf(1)], Date.now() - 400_000)),
    ];
    expect(refused).toEqual([401, 401, 401, 401]);
    const several = headersOf({ ...message, id: 'c.1' }, [secretOf(2), secretOf(1)], Date.now());
    expect(await post(several)).toBe(204);
  });

  it.each([{}, { SECRET: '' }, { SECRET: 'whsec_' }, { SECRET: 'whsec_c2hvcnQ=' }])(
    'does not begin without a secret, with which anybody could sign: %j',
    async (settings) => {
      const { status, signal } = spawnSync(receiver.program, [join(examples, 'webhooks', receiver.name)], {
        cwd: directory(),
        env: { PORT: String(await freePort()), ...settings },
        timeout: 5000,
      });
      expect([status, signal]).toEqual([1, null]);
    },
  );

  it('checks messages with a public key, and keeps no secret', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const signed = (key: KeyObject | null) => headersOf(message, [secretOf(1)], Date.now(), key);
    const settings = { PUBLIC_KEY: publicKeyText(privateKey) };
    const { post } = await startReceiver(receiver, settings, () => signed(privateKey));
    expect(await post(signed(privateKey), '{"type":"filing.old"}')).toBe(401);
    expect(await post(signed(generateKeyPairSync('ed25519').privateKey))).toBe(401);
    expect(await post(signed(null))).toBe(401);
  });

  it('goes on through what anybody can send without a secret', { timeout: 60_000 }, async () => {
    const { port, child, post } = await startReceiver(receiver, { SECRET: secretOf(1) }, genuine);
    const open = async (text: string | Buffer): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      sockets.add(socket);
      socket.on('error', () => {}).resume();
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(text);
      return socket;
    };
    const head = (lines: readonly string[]) => ['POST / HTTP/1.1', 'host: a', ...lines, '', ''].join('\r\n');
    // A connection that says nothing, and one that stops within its body, hold up nobody.
    await open('');
    await open(`${head(['content-length: 10'])}{`);
    expect(await post()).toBe(204);
    const signed = ['webhook-id: x', 'webhook-timestamp: 1', 'content-length: 2'];
    for (const text of [
      // A signature that has other lengths in characters and in bytes.
      Buffer.from(`${head([...signed, `webhook-signature: v1,${'\u00e9'.repeat(44)}`])}{}`, 'latin1'),
      `${head(signed)}{}`,
      `${head(['content-length: -1'])}{}`,
      `${head(['content-length: x'])}{}`,
      `${head(['transfer-encoding: chunked'])}ZZ\r\n`,
      head([]),
      'no HTTP at all\r\n\r\n',
    ]) {
      await open(text);
      expect(await post()).toBe(204);
    }
    const broken = await open(`${head(['content-length: 100'])}{}`);
    broken.destroy();
    expect(await post()).toBe(204);
    // Bodies without an end are cut off.
    for (const framing of ['transfer-encoding: chunked', 'content-length: 100000000000']) {
      const endless = await open(head([framing]));
      let sent = 0;
      const isCut = new Promise<boolean>((resolve) => {
        endless.once('close', () => resolve(true));
        const piece = Buffer.from(`100000\r\n${'x'.repeat(0x100000)}\r\n`);
        const send = (error?: Error | null) => {
          if (error || sent > 100_000_000) return resolve(Boolean(error));
          sent += piece.length;
          endless.write(piece, send);
        };
        send();
      });
      expect(await isCut).toBe(true);
      expect(await post()).toBe(204);
    }
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });
});

it('receiver.mjs writes only into its folder, whatever a message is called', async () => {
  const [receiver] = receivers;
  if (receiver === undefined) throw new Error('there is no receiver');
  const { folder, child, post } = await startReceiver(receiver, { SECRET: secretOf(1) }, genuine);
  for (const id of ['../b', '/b', 'a/b', 'a\\b', ''])
    expect(await post(headersOf({ ...message, id }, [secretOf(1)], Date.now()))).toBe(401);
  expect(readdirSync(join(folder, 'inbox'))).toEqual([`${message.id}.json`]);
  expect(existsSync(join(folder, 'b.json'))).toBe(false);
  expect(child.exitCode).toBeNull();
});

describe('mirror.py', needs('python'), () => {
  const name = 'changes-000000000001.jsonl.gz';
  const entry = { name, url: `/v1/sec/bulk/${name}`, bytes: 10, rows: 1, sha256: 'a'.repeat(64) };

  /** What the program does with a service that answers so, and the requests that came to another origin. */
  async function runAgainst(
    answer: (request: IncomingMessage, response: ServerResponse, elsewhere: string) => void,
  ) {
    const taken: IncomingMessage['headers'][] = [];
    const other = createServer((request, response) => {
      taken.push(request.headers);
      response.end('{}');
    });
    await listen([other]);
    const elsewhere = `http://localhost:${(other.address() as AddressInfo).port}`;
    const server = createServer((request, response) => answer(request, response, elsewhere));
    await listen([server]);
    const home = directory();
    const folder = join(home, 'bulk');
    mkdirSync(folder);
    const { code, stdout, stderr } = await startForTest(
      'python3',
      [
        '-c',
        // Pauses between attempts are left out.
        'import runpy, sys, time; time.sleep = lambda _: None; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name="__main__")',
        join(examples, 'bulk/mirror.py'),
        `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        folder,
      ],
      { cwd: home, env: { KEY: 'a-key-of-a-customer' } },
    ).ended;
    await closeAll([server, other]);
    return { code, printed: stdout + stderr, taken, home, folder };
  }
  const list = (response: ServerResponse, ...entries: readonly object[]) =>
    response.end(JSON.stringify({ data: entries, meta: { nextCursor: 'c' } }));

  it.each(['../x', '/tmp/x', 'a/b', 'a\\b', '..', `../${name}`, `${name}\n`])(
    'takes no file with the name %j',
    async (bad) => {
      const { code, printed, home } = await runAgainst((_, response) =>
        list(response, { ...entry, name: bad }),
      );
      expect([code, printed]).toEqual([
        1,
        expect.stringMatching(/^the list of files has an entry that cannot be right: /),
      ]);
      expect(readdirSync(home)).toEqual(['bulk']);
      expect(readdirSync(join(home, 'bulk'))).toEqual([]);
    },
  );

  it('takes no digest that would be a path', async () => {
    const { code } = await runAgainst((_, response) => list(response, { ...entry, sha256: '../../x' }));
    expect(code).toBe(1);
  });

  it('takes its key to no other origin', async () => {
    const redirected = await runAgainst((_, response, elsewhere) =>
      response.writeHead(307, { location: `${elsewhere}/v1/sec/bulk` }).end(),
    );
    expect([redirected.code, redirected.taken]).toEqual([1, []]);
    const listed = await runAgainst((request, response, elsewhere) =>
      request.url === '/v1/sec/bulk'
        ? list(response, { ...entry, url: `${elsewhere}/x` })
        : response.writeHead(404).end('\u001b[31mno\u0007'),
    );
    expect([listed.code, listed.taken]).toEqual([1, []]);
    expect(listed.printed).toMatch(/404 \[31mno\n$/);
  });

  it('reads no list and no file without end', { timeout: 60_000 }, async () => {
    let sent = 0;
    const flood = (response: ServerResponse) => {
      const piece = Buffer.alloc(1_000_000, 32);
      const send = () => {
        while (!response.destroyed && sent < 400_000_000) {
          sent += piece.length;
          if (!response.write(piece)) return;
        }
        response.end();
      };
      response.on('drain', send);
      send();
    };
    const endless = await runAgainst((_, response) => flood(response));
    expect([endless.code, endless.printed]).toEqual([1, 'the list of files is too long\n']);
    expect(sent).toBeLessThan(100_000_000);
    sent = 0;
    const { code, folder } = await runAgainst((request, response) =>
      request.url === '/v1/sec/bulk' ? list(response, entry) : flood(response),
    );
    expect(code).toBe(1);
    expect(sent).toBeLessThan(200_000_000);
    for (const each of readdirSync(folder)) expect(readFileSync(join(folder, each)).length).toBeLessThan(11);
  });
});
