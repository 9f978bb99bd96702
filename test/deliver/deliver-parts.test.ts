import { spawnSync } from 'node:child_process';
import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { switchEndpoint, type DeliverGiven } from '../../build/deliver-command.ts';
import {
  addAction,
  checkPositions,
  isPending,
  lineOf,
  perform,
  readActions,
} from '../../build/deliver/operator.ts';
import { filterKey, type Feed, type FeedPage } from '../../build/deliver/feed.ts';
import { isPublic, publicOnly, type Address } from '../../build/deliver/public-addresses.ts';
import { attemptPauses, givenUpAfterMs } from '../../build/deliver/run-endpoint.ts';
import {
  addDeadLetter,
  newEndpoint,
  readState,
  removeEndpoint,
  type State,
  takeRemoved,
} from '../../build/deliver/delivery-state.ts';
import { FilingEventsError, type ErrorFacts } from '../../clients/typescript/src/errors.ts';
import { eachFilter } from '../../src/contract/filing-filters.ts';
import { encodeFeedCursor } from '../../src/query/cursor.ts';
import { parseEndpoints, type Endpoint } from '../../build/deliver/webhook-endpoints.ts';
import { createPoster, headersOf, publicKeyText, type PosterOptions } from '../../build/deliver/post.ts';
import { backoff, outsidePauseMs, pause, retryAfterMsOf } from '../../src/fetch/backoff.ts';
import { createGate } from '../../src/fetch/gate.ts';
import { hourMs } from '../../src/time/units.ts';
import { deliveriesOf } from '../support/delivering.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';
import { secretOf } from '../support/receivers.ts';
import { closeAll, listen, portOf } from '../support/servers.ts';

const directory = useDirectories('deliver-parts');

/** What Python makes of each line of its input. */
function python(program: string, lines: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync('python3', ['-c', program], {
    input: lines.join('\n'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe('addresses', () => {
  const inside = [
    ...'0.0.0.0 10.1.2.3 100.100.100.200 127.0.0.1 127.255.0.1 168.63.129.16 169.254.169.254'.split(' '),
    ...'172.16.0.1 172.31.255.255 192.0.0.192 192.168.1.1 198.19.0.1 224.0.0.1 255.255.255.255'.split(' '),
    ...':: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:a9fe:a9fe 64:ff9b::7f00:1'.split(' '),
    ...'64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 fc00::1 fd00:ec2::254 fe80::1'.split(' '),
    ...'fe80::1%eth0 fec0::1 ff02::1 2130706433'.split(' '),
    'not an address',
    '',
  ];
  it.each(inside)('%j is no public address', (address) => expect(isPublic(address)).toBe(false));
  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])(
    '%s is a public address',
    (address) => expect(isPublic(address)).toBe(true),
  );

  it("whatever is public here is public for Python's ipaddress, too", needs('python'), () => {
    const edges = ['0.0.0.0', '10.0.0.0', '100.64.0.0', '172.16.0.0', '192.168.0.0', '198.18.0.0'].flatMap(
      (text) => {
        const number = text.split('.').reduce((sum, each) => sum * 256 + Number(each), 0);
        return [-1, 0, 1].map((by) => (number + by + 2 ** 32) % 2 ** 32);
      },
    );
    const four = (number: number) => [24, 16, 8, 0].map((by) => (number >>> by) & 255).join('.');
    const six = (groups: readonly number[]) => groups.map((each) => each.toString(16)).join(':');
    const addresses = [
      ...edges.map(four),
      ...fc.sample(fc.integer({ min: 0, max: 2 ** 32 - 1 }), 3000).map(four),
      ...fc
        .sample(
          fc.tuple(
            fc.oneof(
              fc.integer({ min: 0, max: 0xffff }),
              fc.constantFrom(0, 0x64, 0x2001, 0x2002, 0xfe80, 0xfc00),
            ),
            fc.array(fc.oneof(fc.constantFrom(0, 0xffff, 0xdb8), fc.integer({ min: 0, max: 0xffff })), {
              minLength: 7,
              maxLength: 7,
            }),
          ),
          3000,
        )
        .map(([head, rest]) => six([head, ...rest])),
    ];
    const told = python(
      'import ipaddress, sys\nfor line in sys.stdin: a = ipaddress.ip_address(line.strip()); print(int(a.is_global and not a.is_multicast and not (a.version == 6 and (a.ipv4_mapped or a.sixtofour or a.teredo))))',
      addresses,
    );
    const wrong = addresses.filter((address, at) => isPublic(address) && told[at] !== '1');
    expect(wrong).toEqual([]);
    // And what it refuses of IPv4, Python knows as special, but for what was public once or is Azure's.
    const strict = addresses.filter(
      (address, at) => address.includes('.') && !isPublic(address) && told[at] === '1',
    );
    for (const address of strict)
      expect(address).toMatch(
        /^(192\.(0\.0|31\.196|52\.193|88\.99|175\.48)\.|168\.63\.129\.16$|2(2[4-9]|[3-5]\d)\.)/,
      );
  });

  it('a name that leads to a private address beside a public one is refused', async () => {
    const found: Address[] = [
      { address: '8.8.8.8', family: 4 },
      { address: '::ffff:10.0.0.1', family: 6 },
    ];
    await expect(publicOnly(async () => found)('two.example')).rejects.toThrow(
      /two\.example leads to ::ffff:10/,
    );
    expect(await publicOnly(async () => found.slice(0, 1))('one.example')).toEqual(found.slice(0, 1));
  });
});

describe('attempts', () => {
  let asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    if (request.url === '/redirect') response.writeHead(307, { location: '/inside' });
    else if (request.url === '/busy')
      response.writeHead(429, { 'retry-after': '7' }).write('too\n\u0007 many\u202e');
    else if (request.url === '/headers') response.writeHead(200, { 'x-long': 'x'.repeat(60_000) });
    else if (request.url === '/half')
      return void response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
    else if (request.url === '/silent') return;
    response.end();
  });
  let port = 0;
  beforeAll(async () => {
    await listen([server]);
    port = portOf(server);
  });
  afterAll(() => closeAll([server]));

  async function post(address: string, options: Partial<PosterOptions> = {}) {
    asked = [];
    const poster = createPoster({ isPrivateAllowed: false, userAgent: 'test', ...options });
    try {
      return await poster.post(new URL(address), {}, '{}');
    } finally {
      await poster.close();
    }
  }

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '0'])(
    'no connection is made to http://%s',
    async (host) => {
      expect(await post(`http://${host}:${port}/`)).toMatchObject({
        kind: 'failed',
        status: null,
        reason: expect.stringContaining('is no public address'),
      });
      expect(asked).toEqual([]);
    },
  );

  it('no connection is made for a name that leads inside, whatever it led to before', async () => {
    let times = 0;
    const resolve = async (): Promise<Address[]> => [
      { address: ++times === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 },
    ];
    const refused = { kind: 'failed', reason: expect.stringContaining('leads to 127.0.0.1') };
    expect(await post(`http://rebound.example:${port}/`, { resolve })).toMatchObject(refused);
    expect([asked, times]).toEqual([[], 1]);
  });

  it('the connection goes to the address that was found, and nobody asks for the name again', async () => {
    let times = 0;
    const resolve = async (): Promise<Address[]> => (times++, [{ address: '127.0.0.1', family: 4 }]);
    const outcome = await post(`http://customer.example:${port}/hook?a=1`, {
      resolve,
      isPrivateAllowed: true,
    });
    expect([outcome, times, asked]).toEqual([
      { kind: 'accepted', status: 200 },
      1,
      [`customer.example:${port} /hook?a=1`],
    ]);
  });

  it.each([
    [
      '/redirect',
      { kind: 'failed', status: 307, reason: '307: redirects are not followed', retryAfterMs: 0 },
    ],
    ['/busy', { kind: 'failed', status: 429, reason: '429 too many', retryAfterMs: 7000 }],
    ['/headers', { kind: 'failed', status: null }],
    // The status has come.
    ['/half', { kind: 'accepted', status: 200 }],
    ['/silent', { kind: 'failed', status: null, reason: 'no answer within 0.3 seconds' }],
  ])('an answer at %s ends as it should', async (path, outcome) => {
    const ended = await post(`http://127.0.0.1:${port}${path}`, {
      isPrivateAllowed: true,
      timeoutMs: path === '/silent' ? 300 : 15_000,
    });
    expect(ended).toMatchObject(outcome);
    expect(asked.length).toBe(1);
  });

  it('a private receiver may have a name that only this machine knows', async () => {
    expect(await post(`http://localhost:${port}/hook`, { isPrivateAllowed: true })).toMatchObject({
      kind: 'accepted',
    });
    expect(asked).toEqual([`localhost:${port} /hook`]);
    expect(await post(`http://localhost:${port}/hook`)).toMatchObject({ kind: 'failed' });
    expect(asked).toEqual([]);
  });

  it('a name without an address, and a port where nobody listens, are failures with a reason', async () => {
    const resolve = () => Promise.reject(new Error('the name gone.example has no address (ENOTFOUND)'));
    expect(await post('https://gone.example/', { resolve })).toMatchObject({
      kind: 'failed',
      reason: /has no address/,
    });
    expect(await post('http://127.0.0.1:1/', { isPrivateAllowed: true })).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});

describe('messages', () => {
  const secretsArbitrary = fc.array(fc.uint8Array({ minLength: 24, maxLength: 64 }), {
    minLength: 1,
    maxLength: 2,
  });
  const text = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;

  it("signatures are those of Node's own HMAC", () =>
    fc.assert(
      fc.property(
        secretsArbitrary,
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 0, max: 4e12 }),
        (secrets, body, atMs) => {
          const headers = headersOf({ id: '0000000001-26-000001.2', body }, secrets.map(text), atMs);
          const at = Math.floor(atMs / 1000);
          const own = secrets.map(
            (secret) =>
              `v1,${createHmac('sha256', secret).update(`0000000001-26-000001.2.${at}.${body}`).digest('base64')}`,
          );
          expect([headers['webhook-timestamp'], headers['webhook-signature']]).toEqual([
            String(at),
            own.join(' '),
          ]);
        },
      ),
    ));

  it(
    'an Ed25519 key adds a signature, which its public key and the Python client check',
    needs('python'),
    () => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const told = publicKeyText(privateKey);
      expect(told).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
      const body = '{"type":"filing.new"}';
      const headers = headersOf(
        { id: 'a.1', body },
        [text(Buffer.alloc(32, 1))],
        1_800_000_000_999,
        privateKey,
      );
      const [v1, v1a, ...others] = (headers['webhook-signature'] ?? '').split(' ');
      expect([v1?.slice(0, 3), v1a?.slice(0, 4), others]).toEqual(['v1,', 'v1a,', []]);
      const signature = v1a?.slice('v1a,'.length) ?? '';
      const signed = `a.1.1800000000.${body}`;
      expect(verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
      const lines = [signed, `${signed} `].map((each) => JSON.stringify([told, each, signature]));
      expect(
        python(
          `import base64, json, sys
sys.path.insert(0, "clients/python/src")
from filing_events import is_signed
for line in sys.stdin:
    key, text, signature = json.loads(line)
    print(is_signed(base64.b64decode(key[5:]), text.encode(), base64.b64decode(signature)))`,
          lines,
        ),
      ).toEqual(['True', 'False']);
    },
  );
});

describe('pauses', () => {
  const pauseMsAfter = (attempts: number, retryAfter: string, random: number) =>
    backoff(attempts, { ...attemptPauses, retryAfterMs: retryAfterMsOf(retryAfter), random });

  it('the first retry comes within 5 seconds, later ones at most twice as late, none after more than an hour', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.oneof(fc.nat(1e9), fc.constantFrom(2 ** 31, 1e18)),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, retryAfterSeconds, random) => {
          const pauseMs = pauseMsAfter(attempts, '0', random);
          expect(pauseMs).toBeGreaterThanOrEqual(1500);
          expect(pauseMs).toBeLessThanOrEqual(Math.min(hourMs, 3000 * 2 ** (attempts - 1)));
          expect(pauseMsAfter(1, '0', random)).toBeLessThanOrEqual(5000);
          const asked = pauseMsAfter(attempts, String(retryAfterSeconds), random);
          expect(asked).toBe(Math.max(pauseMs, Math.min(retryAfterSeconds * 1000, hourMs)));
        },
      ),
    ));

  it('no number that somebody else says becomes a pause that ends at once, or one of more than an hour', async () => {
    for (const ms of [2 ** 31, 3e9, 1e300, Infinity, NaN, -1, 0, 50]) {
      const bounded = outsidePauseMs(ms);
      expect([bounded, bounded >= 0 && bounded <= hourMs]).toEqual([
        ms >= hourMs ? hourMs : ms > 0 ? ms : 0,
        true,
      ]);
      if (ms > 1e6) {
        const begunMs = performance.now();
        await pause(ms, AbortSignal.timeout(30));
        expect(performance.now() - begunMs).toBeGreaterThan(25);
      }
    }
  });

  it('in three days there are about a hundred attempts', () => {
    let [attempts, ms] = [0, 0];
    while (ms < givenUpAfterMs) ms += pauseMsAfter(++attempts, '', 0.5);
    expect(attempts).toBeGreaterThan(80);
    expect(attempts).toBeLessThan(130);
  });
});

describe('slots', () => {
  it('never more pieces of work run at once than there are slots, and each gets its turn in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(3), { maxLength: 30 }),
        async (count, works) => {
          const gate = createGate(count);
          let running = 0;
          const begun: number[] = [];
          const signals = works.map((turns, at) =>
            turns === 3 && at > count ? new AbortController() : null,
          );
          const results = works.map((turns, at) =>
            gate
              .run(async () => {
                begun.push(at);
                expect(++running).toBeLessThanOrEqual(count);
                for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
                running--;
                if (turns === 2) throw new Error('failed');
              }, signals[at]?.signal)
              .then(
                () => 'done',
                (error: Error) => error.message,
              ),
          );
          for (const signal of signals) signal?.abort(new Error('left'));
          expect(await Promise.all(results)).toEqual(
            works.map((turns, at) => (signals[at] ? 'left' : turns === 2 ? 'failed' : 'done')),
          );
          expect(begun).toEqual(begun.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the file of endpoints', () => {
  const good = { name: 'a', url: 'https://a.example/hook', secrets: [secretOf(1)] };
  const parse = (endpoints: unknown, isPrivateAllowed = false) =>
    parseEndpoints(JSON.stringify({ endpoints }), isPrivateAllowed);

  it('filters are handed to the feed as they are', () => {
    const filters = {
      tickers: ['AAPL', '0000320193'],
      form: '8-K,10-Q',
      eventType: 'current_report',
      items: ['2.02'],
    };
    expect(parse([{ ...good, ...filters, cursor: 'abc' }])).toEqual([
      {
        name: 'a',
        url: new URL('https://a.example/hook'),
        secrets: good.secrets,
        filter: { ...filters, corrections: 'source,contents' },
        cursor: 'abc',
      },
    ]);
    for (const corrections of ['all', 'none', 'rules', ['source', 'history']])
      expect(parse([{ ...good, corrections }])[0]?.filter).toEqual({ corrections });
    expect(parse([{ ...good, url: 'http://127.0.0.1:9000/' }], true)[0]?.url.href).toBe(
      'http://127.0.0.1:9000/',
    );
  });

  it('every filter of filings is one of endpoints', () => {
    const values: Readonly<Record<string, unknown>> = {
      form: ['8-K', '10-Q'],
      eventType: 'current_report',
      items: '2.02,9.01',
      transactionCode: ['P'],
      minValue: 100_000,
      sic: ['6022'],
      exchange: 'NYSE,Nasdaq',
      listed: false,
      acceptedSince: '2026-08-17T16:00:00-04:00',
      acceptedUntil: '2026-08-18T16:00:00-04:00',
      exhibit: ['EX-99.1'],
    };
    expect(Object.keys(values)).toEqual(eachFilter.map(({ name }) => name));
    expect(parse([{ ...good, ...values }])[0]?.filter).toEqual({
      ...values,
      corrections: 'source,contents',
    });
    expect(() => parse([{ ...good, listed: 'yes' }])).toThrow('endpoints[0].listed: must be true or false');
  });

  it.each<[unknown, RegExp]>([
    ['x', /^endpoints: /],
    [[{ ...good, secret: 'x' }], /^endpoints\[0\]: .*secret/],
    [[{ ...good, name: '../a' }], /^endpoints\[0\]\.name: must be/],
    [[{ ...good, secrets: [] }], /^endpoints\[0\]\.secrets: must have a secret/],
    [
      [{ ...good, secrets: [secretOf(1), secretOf(2), secretOf(3)] }],
      /^endpoints\[0\]\.secrets: must have one/,
    ],
    [[{ ...good, secrets: ['whsec_c2hvcnQ='] }], /^endpoints\[0\]\.secrets\[0\]: must be whsec_/],
    [
      [{ ...good, secrets: [secretOf(1).replace('whsec_', '')] }],
      /^endpoints\[0\]\.secrets\[0\]: must be whsec_/,
    ],
    [
      [{ ...good, tickers: Array.from({ length: 251 }, () => 'A') }],
      /^endpoints\[0\]\.tickers: must have at most 250 companies/,
    ],
    [[{ ...good, since: '2026-01-01' }], /since/],
    [[{ ...good, corrections: 'some' }], /^endpoints\[0\]\.corrections: must be all, none, or causes/],
    [[{ ...good, corrections: ['all', 'none'] }], /^endpoints\[0\]\.corrections: must be all, none/],
    [[good, good], /^two endpoints have the name a$/],
    [[{ ...good, url: 'http://a.example/' }], /^a: url: must begin with https/],
    [[{ ...good, url: 'a.example' }], /^a: url: must be an address/],
    [[{ ...good, url: 'https://user:word@a.example/' }], /^a: url: must have no user/],
    [
      [{ ...good, url: 'https://169.254.169.254/latest' }],
      /^a: url: 169\.254\.169\.254 is no public address/,
    ],
    [[{ ...good, url: 'https://[::ffff:10.0.0.1]/' }], /^a: url: .* is no public address/],
    [[{ ...good, url: 'file:///etc/passwd' }], /^a: url: must begin with https/],
  ])('%j is refused in one line that names it and no secret', (endpoints, message) => {
    let said = '';
    try {
      parse(endpoints);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(message);
    expect(said).not.toMatch(/\n|c2hvcnQ|c2VjcmV0/);
  });

  it('what is no JSON is refused without a word of it', () =>
    expect(() => parseEndpoints(`{"endpoints": [{"secrets": ["${secretOf(1)}`, false)).toThrow(
      /^must be JSON: \{"endpoints": \[\{"name", "url", "secrets", …\}\]\}$/,
    ));
});

describe('files of the state', () => {
  it('a dead letter that a kill cut off stays a line of its own', async () => {
    const folder = directory();
    const letter = {
      endpoint: 'a',
      at: '',
      attempts: 1,
      reason: '500',
      cursor: 'x 1',
      id: 'b.1',
      message: {},
    };
    await addDeadLetter(folder, letter);
    const path = join(folder, 'dead-letters.jsonl');
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"endpoint":"cu`);
    await addDeadLetter(folder, letter);
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      JSON.stringify(letter),
      '{"endpoint":"cu',
      JSON.stringify(letter),
      '',
    ]);
  });

  it('the last thousand endpoints that left are remembered', () => {
    const state: State = { format: 1, endpoints: new Map(), removed: [] };
    for (let at = 0; at < 1005; at++) {
      state.endpoints.set(`e${at}`, newEndpoint(`c${at}`));
      removeEndpoint(state, `e${at}`);
    }
    expect(state.removed.length).toBe(1000);
    expect([takeRemoved(state, 'e4'), takeRemoved(state, 'e5')?.cursor]).toEqual([null, 'c5']);
    expect(takeRemoved(state, 'e5')).toBeNull();
  });
});

describe('an action of an operator', () => {
  const handled = { sequence: 5, change: '0000000011-26-000005.1@-', filter: 'ab' };
  const action = (does: 'replay' | 'disable' | 'enable') => ({
    number: 3,
    endpoint: 'one',
    does,
    cursor: 'later',
  });

  it('is done once, and the next attempt then comes at once', () => {
    for (const does of ['replay', 'disable', 'enable'] as const) {
      const entry = {
        ...newEndpoint('before'),
        action: 2,
        failing: { id: 'a', attempts: 9, forMs: 1, reason: '500' },
      };
      expect(isPending(action(does), entry)).toBe(true);
      perform(entry, action(does));
      expect(entry).toMatchObject({ failing: null, disabled: does === 'disable' ? 'operator' : null });
      expect(isPending(action(does), entry)).toBe(false);
    }
  });

  it('that was done is forgotten with the next one, also if its endpoint has left the file since', async () => {
    const folder = directory();
    const state: State = { format: 1, endpoints: new Map([['one', newEndpoint('c')]]), removed: [] };
    const add = (does: 'replay' | 'disable', endpoint: string) =>
      addAction(folder, async () => state, { does, endpoint });
    await add('disable', 'one');
    const [disable] = await readActions(folder);
    if (disable !== undefined) perform(state.endpoints.get('one') as ReturnType<typeof newEndpoint>, disable);
    removeEndpoint(state, 'one');
    await add('replay', 'two');
    expect((await readActions(folder)).map(({ does, number }) => [does, number])).toEqual([['replay', 2]]);
  });

  it('names the folder in which a program has to read it, while none does', async () => {
    const [file, printed] = [join(directory(), 'endpoints.json'), [] as string[]];
    const endpoint = { name: 'one', url: 'https://example.com/', secrets: [secretOf(1)], form: '8-K' };
    writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }), { mode: 0o600 });
    const given = { print: (line: string) => printed.push(line) } as unknown as DeliverGiven;
    await switchEndpoint('enable', 'one', { endpoints: file, service: '' }, given);
    expect(printed).toEqual([
      `one: enable; it is done when the program runs with the state in ${file}.state`,
    ]);
  });

  it('that replays begins behind its cursor, whatever was handled', () => {
    const entry = { ...newEndpoint('before'), ...handled };
    perform(entry, action('replay'));
    expect(entry).toMatchObject({ cursor: 'later', sequence: 0, change: undefined, filter: undefined });
    const other = { ...newEndpoint('before'), ...handled };
    perform(other, action('enable'));
    expect(other).toMatchObject({ cursor: 'before', ...handled });
  });
});

describe('what the feed says of an endpoint', () => {
  const refusal = (code: ErrorFacts['code'], status: number) =>
    new FilingEventsError(`it is ${code}`, { code, status });
  const empty: FeedPage = { changes: [], cursor: 'here', isLast: true, endedEarly: false, unknown: [] };
  const feedOf = (page: Feed['page']): Feed => ({
    page,
    end: async () => 'end',
    news: (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      ),
  });
  const file = (name: string, members: object = {}) => ({
    name,
    url: 'https://receiver.example/',
    secrets: [secretOf(1)],
    ...members,
  });

  /** Delivers from a feed until it was asked for some pages, and returns the log and the endpoint's state. */
  async function delivered(page: Feed['page'], members: object = {}) {
    const deliveries = deliveriesOf(() => 'http://127.0.0.1:1', directory());
    deliveries.write([file('one', members)]);
    let asked = 0;
    await deliveries.start({ feed: feedOf((...given) => (asked++, page(...given))) });
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(1);
    await deliveries.stop();
    const entry = (await readState(deliveries.directory)).endpoints.get('one');
    return { lines: deliveries.lines, entry };
  }

  it('only what is wrong with its filter or its cursor refuses an endpoint, not a key or an address that is wrong', async () => {
    for (const [code, status] of [
      ['unauthorized', 401],
      ['not_found', 404],
      ['unexpected_answer', 403],
    ] as const) {
      const { lines, entry } = await delivered(() => Promise.reject(refusal(code, status)));
      expect([code, entry?.refused]).toEqual([code, null]);
      expect(lines.filter((line) => line.includes('refuses'))).toEqual([]);
    }
    const { lines, entry } = await delivered(() => Promise.reject(refusal('company_not_found', 404)));
    expect(entry?.refused).toBe('it is company_not_found');
    expect(lines).toContainEqual('error one: the feed refuses it: it is company_not_found');
  });

  it('a company that the feed does not know is told once, beside those that it knows', async () => {
    const page = async () => ({ ...empty, unknown: ['APPL'] });
    const { lines, entry } = await delivered(page, { tickers: ['APPL', 'MSFT'] });
    const told = 'no company is known as APPL: nothing of it is delivered';
    expect(lines.filter((line) => line.includes('APPL'))).toEqual([`warn one: ${told}`]);
    expect(lineOf('one', entry, [])).toBe(`one  ok  0 delivered  ${told}`);
  });

  it('a list tells of every endpoint, also where the feed no longer knows the company of one', async () => {
    const standings = parseEndpoints(
      JSON.stringify({ endpoints: [file('gone', { tickers: ['GONE'] }), file('other')] }),
      false,
    ).map((endpoint) => ({
      endpoint,
      entry: {
        ...newEndpoint('later'),
        sequence: 5,
        change: '0000000011-26-000005.1@-',
        filter: filterKey(endpoint.filter),
      },
    }));
    const feed = feedOf(async ({ tickers }) => {
      if (tickers !== undefined) throw refusal('company_not_found', 404);
      return empty;
    });
    const found = await checkPositions(feed, standings);
    expect(found.get('gone')).toEqual({ isRefused: true, reason: 'it is company_not_found' });
    expect(found.get('other')?.reason).toContain('the feed ends before');
    const shut = feedOf(() => Promise.reject(refusal('unauthorized', 401)));
    await expect(checkPositions(shut, standings)).rejects.toThrow('it is unauthorized');
  });

  it('a list tells who stands behind the end of the feed, as after its ledger was restored from a backup', async () => {
    const log = { ledgerId: '1'.repeat(64), batchOf: () => '2'.repeat(64) };
    const cursorAt = (sequence: number) => encodeFeedCursor(log, { since: '2026-01-01' }, sequence);
    const [endpoint] = parseEndpoints(JSON.stringify({ endpoints: [file('one')] }), false);
    const feed = { ...feedOf(async () => empty), end: async () => cursorAt(100) };
    const problemAt = async (sequence: number) => {
      const standing = { endpoint: endpoint as Endpoint, entry: newEndpoint(cursorAt(sequence)) };
      return (await checkPositions(feed, [standing])).get('one');
    };
    expect(await problemAt(100)).toBeUndefined();
    expect(await problemAt(101)).toEqual({
      isRefused: false,
      reason: 'the feed ends before its place: nothing is delivered until it is as long again',
    });
  });
});
