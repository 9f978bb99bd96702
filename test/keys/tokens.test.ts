import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { exportSPKI, importJWK, type CryptoKey, type JWTPayload } from 'jose';
import { useDirectories } from '../support/directories.ts';
import { issuerKey, signedToken, startIssuer, type IssuerKey, type TestIssuer } from '../support/issuer.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { startService } from '../support/service-process.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

const directory = useDirectories('tokens');
const list = '/v1/sec/latest?limit=2';
const message = (method: string, params: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});
const initialize = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
const search = message('tools/call', { name: 'sec_company_profile', arguments: { ticker: '0000000001' } });
const agent = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: {
      message: {
        kind: 'message',
        role: 'user',
        messageId: '1',
        parts: [{ kind: 'text', text: 'changes for 0000000001 since 2000-01-01' }],
      },
    },
  }),
};
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The time of the service, in milliseconds since 1970, which tests move. */
let nowMs = Date.parse('2026-07-01T12:00:00Z');
let elapsedMs = 0;
const seconds = () => Math.floor(nowMs / 1000);
function pass(ms: number): void {
  nowMs += ms;
  elapsedMs += ms;
}

let made: MadeSnapshot;
let rsa: IssuerKey;
let elliptic: IssuerKey;
let edwards: IssuerKey;
let issuer: TestIssuer;
let service: ListeningService;

/** A service that takes tokens of an issuer. */
const serviceOf = (address: string, audience: string | null = null) =>
  listeningService(
    made.directory,
    {},
    {
      host: null,
      secrets: [],
      oauth: {
        OAUTH_ISSUER: address,
        OAUTH_AUDIENCE: audience,
        OAUTH_LIMITS: new Map([
          ['basic', 3],
          ['pro', 1000],
        ]),
      },
    },
    null,
    { now: () => nowMs, elapsed: () => elapsedMs },
  );

beforeAll(async () => {
  made = await makeSnapshot({ filings: 60, companies: 3, batches: 1 });
  [rsa, elliptic, edwards] = await Promise.all([
    issuerKey('RS256', 'rsa'),
    issuerKey('ES256', 'elliptic'),
    issuerKey('EdDSA', 'edwards'),
  ]);
  issuer = await startIssuer([rsa.published, elliptic.published, edwards.published]);
  service = await serviceOf(issuer.address);
});
beforeEach(() => pass(120_000));

const own = (at = service) => `http://127.0.0.1:${at.port}`;
const claims = (changed: Record<string, unknown> = {}): JWTPayload => ({
  iss: issuer.address,
  aud: own(),
  sub: 'alice',
  iat: seconds(),
  exp: seconds() + 600,
  ...changed,
});
const ask = (path: string, token: string | null, init: RequestInit = {}, at = service) =>
  fetch(`${own(at)}${path}`, {
    ...init,
    headers: { ...init.headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
  });
const statusOf = async (token: string, at = service) => (await ask(list, token, {}, at)).status;

describe('tokens that count', () => {
  it.each(['', '/mcp', '/mcp/private'])('one for the address of the service and %j', async (path) => {
    const token = await signedToken(claims({ aud: `${own()}${path}` }), rsa);
    expect(await statusOf(token)).toBe(200);
    expect((await ask('/mcp', token, search)).status).toBe(200);
    expect((await ask('/mcp/private', token, initialize)).status).toBe(200);
    expect((await ask('/a2a', token, agent)).status).toBe(200);
  });

  it('by each algorithm, with and without the name of the key, and for one of several audiences', async () => {
    for (const key of [rsa, elliptic, edwards]) {
      expect(await statusOf(await signedToken(claims(), key))).toBe(200);
      expect(await statusOf(await signedToken(claims(), key, { kid: undefined }))).toBe(200);
    }
    expect(await statusOf(await signedToken(claims({ aud: ['https://other.example', own()] }), rsa))).toBe(
      200,
    );
  });

  it('the caller is the subject, else the client, in the log and the limits, and the token in neither', async () => {
    const token = await signedToken(claims({ sub: 'bob', plan: 'BASIC' }), rsa);
    const answers = [];
    for (let at = 0; at < 4; at++) answers.push(await ask(list, token));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"per-minute";q=3;w=60');
    // Another token of the same caller has the same limit.
    expect(await statusOf(await signedToken(claims({ sub: 'bob', plan: 'basic', jti: '2' }), rsa))).toBe(429);
    await statusOf(await signedToken(claims({ sub: undefined, client_id: 'program' }), rsa));
    await statusOf(await signedToken(claims({ sub: 'mailto:a b' }), rsa));
    const logged = service.logged();
    const callers = new Set(logged.map(({ caller }) => caller));
    expect(callers).toContain('oauth:bob');
    expect(callers).toContain('oauth:program');
    expect([...callers].some((each) => /^oauth:#[0-9a-f]{16}$/.test(String(each)))).toBe(true);
    for (const part of token.split('.')) expect(JSON.stringify(logged)).not.toContain(part);
  });

  it('keys go on to count, and two different credentials do not', async () => {
    const token = await signedToken(claims(), rsa);
    expect((await ask(list, serviceKey)).status).toBe(200);
    expect((await ask(list, null, { headers: { 'x-api-key': serviceKey } })).status).toBe(200);
    expect((await ask(list, token, { headers: { 'x-api-key': 'a-wrong-key' } })).status).toBe(401);
    expect((await ask(list, null, { headers: { 'x-api-key': token } })).status).toBe(401);
  });

  it('a token ends half a minute after its end, for requests and for streams that are open', async () => {
    const token = await signedToken(claims({ exp: seconds() + 60 }), rsa);
    expect(await statusOf(token)).toBe(200);
    pass(89_000);
    expect(await statusOf(token)).toBe(200);
    const stream = await ask('/v1/sec/changes?since=2000-01-01', token, {
      headers: { accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    pass(2000);
    expect(await statusOf(token)).toBe(401);
    service.services.held.release();
    // The stream asks for its key again after the publication, and ends.
    await stream.text();
  });

  it('with an audience of its own, only that one counts', async () => {
    const other = await serviceOf(issuer.address, 'filings');
    expect(await statusOf(await signedToken(claims({ aud: 'filings' }), rsa), other)).toBe(200);
    expect(await statusOf(await signedToken(claims({ aud: own(other) }), rsa), other)).toBe(401);
  });
});

describe('hostile tokens', () => {
  const unsigned = (header: object, payload: object, signature = '') =>
    `${encoded(header)}.${encoded(payload)}.${signature}`;
  const hmac = (secret: string, header: object, payload: object) => {
    const text = `${encoded(header)}.${encoded(payload)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const without = (name: string) => {
    const { [name]: _left, ...rest } = claims();
    return rest;
  };
  const good = (key = rsa) => signedToken(claims(), key);
  type Parts = readonly [header: string, payload: string, signature: string];
  const parts = async (key = rsa) => (await good(key)).split('.') as unknown as Parts;
  /** A good token with other parts. */
  const changed = async (change: (parts: Parts) => readonly string[], key = rsa) =>
    change(await parts(key)).join('.');
  const byStranger = async (header: Record<string, unknown>) =>
    signedToken(claims(), await issuerKey('RS256', 'x'), header);
  const publicText = async () =>
    exportSPKI((await importJWK(rsa.published, 'RS256', { extractable: true })) as CryptoKey);

  const table: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['no signature', () => unsigned({ alg: 'none' }, claims())],
    ['no signature, in capitals', () => unsigned({ alg: 'NONE' }, claims())],
    ['none with a signature', () => unsigned({ alg: 'none' }, claims(), 'AAAA')],
    ['no algorithm', () => unsigned({ kid: 'rsa' }, claims(), 'AAAA')],
    [
      'the public key as the secret of HMAC',
      async () => hmac(await publicText(), { alg: 'HS256', kid: 'rsa' }, claims()),
    ],
    ['an empty secret', () => hmac('', { alg: 'HS256' }, claims()).replace(/\.$/, '.A')],
    ['a key of somebody else', async () => signedToken(claims(), await issuerKey('RS256', 'rsa'))],
    ['a key of somebody else without its name', async () => signedToken(claims(), await issuerKey('RS256'))],
    [
      'its own key in the header',
      async () => issuerKey('RS256', 'rsa').then((key) => signedToken(claims(), key, { jwk: key.published })),
    ],
    ['an address of keys in the header', () => byStranger({ jku: `${own()}/keys` })],
    ['an address of certificates', () => byStranger({ x5u: `${own()}/keys` })],
    ['the name of another key', () => signedToken(claims(), rsa, { kid: 'elliptic' })],
    ['a path as the name of its key', () => signedToken(claims(), rsa, { kid: '../../../dev/null' })],
    ['a number as the name of its key', () => signedToken(claims(), rsa, { kid: 7 })],
    [
      'another algorithm of the same key',
      () => signedToken(claims(), rsa, { alg: 'PS256' }).catch(() => 'a.b.c'),
    ],
    [
      'a critical header that nobody knows',
      () => changed(([, ...rest]) => [encoded({ alg: 'RS256', kid: 'rsa', crit: ['exp'], exp: 1 }), ...rest]),
    ],
    ['another header', () => changed(([, ...rest]) => [encoded({ alg: 'RS256', kid: 'rsa' }), ...rest])],
    ['another payload', () => changed(([a, , c]) => [a, encoded(claims({ sub: 'admin' })), c])],
    [
      'a changed signature',
      () => changed(([a, b, c]) => [a, b, `${c.startsWith('A') ? 'B' : 'A'}${c.slice(1)}`]),
    ],
    ['a signature cut short', async () => (await good()).slice(0, -8)],
    [
      'a signature of zeros',
      () => changed(([a, b]) => [a, b, Buffer.alloc(64).toString('base64url')], elliptic),
    ],
    ['four parts', async () => `${await good()}.AAAA`],
    ['five parts, as if encrypted', async () => `${await good()}.AAAA.AAAA`],
    ['two parts', async () => (await parts()).slice(0, 2).join('.')],
    ['padding', async () => `${await good()}==`],
    ['a payload that is no JSON', async () => `${(await parts())[0]}.AAAA.AAAA`],
    ['a payload that is a list', () => unsigned({ alg: 'RS256', kid: 'rsa' }, [claims()], 'AAAA')],
    ['a header that is null', () => `${Buffer.from('null').toString('base64url')}.${encoded(claims())}.AAAA`],
    ['another issuer', () => signedToken(claims({ iss: 'https://issuer.example' }), rsa)],
    ['an issuer with a slash more', () => signedToken(claims({ iss: `${issuer.address}/` }), rsa)],
    ['a list of issuers', () => signedToken(claims({ iss: [issuer.address] as never }), rsa)],
    ['no issuer', () => signedToken(without('iss'), rsa)],
    ['another audience', () => signedToken(claims({ aud: 'https://other.example' }), rsa)],
    ['an audience that begins alike', () => signedToken(claims({ aud: `${own()}.example` }), rsa)],
    ['an audience with a slash more', () => signedToken(claims({ aud: `${own()}/` }), rsa)],
    ['no audience', () => signedToken(without('aud'), rsa)],
    ['no end', () => signedToken(without('exp'), rsa)],
    ['an end that is a text', () => signedToken(claims({ exp: '9999999999' as never }), rsa)],
    ['an end in the past', () => signedToken(claims({ exp: seconds() - 31 }), rsa)],
    ['a beginning in the future', () => signedToken(claims({ nbf: seconds() + 60 }), rsa)],
    ['neither subject nor client', () => signedToken(without('sub'), rsa)],
    ['an empty subject', () => signedToken(claims({ sub: '' }), rsa)],
    ['a subject that is a number', () => signedToken(claims({ sub: 7 as never }), rsa)],
    ['a subject of 10,000 characters', () => signedToken(claims({ sub: 'a'.repeat(10_000) }), rsa)],
    ['a subject of 300 characters', () => signedToken(claims({ sub: 'a'.repeat(300) }), rsa)],
  ];
  it('are at least forty', () => expect(table.length).toBeGreaterThanOrEqual(40));

  it.each(table)('%s', async (_, make) => {
    const token = await make();
    const answer = await ask(list, token);
    expect([answer.status, await answer.json()]).toEqual([
      401,
      { error: { code: 'unauthorized', message: 'Invalid or missing API key' } },
    ]);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect((await ask('/mcp', token, search)).status).toBe(401);
    expect((await ask('/mcp/private', token, initialize)).status).toBe(401);
    expect((await ask('/a2a', token, agent)).status).toBe(401);
    // What is public stays public.
    expect((await ask('/demo', token)).status).toBe(200);
    expect(await statusOf(await good())).toBe(200);
  });
});

describe('metadata and challenges', () => {
  it.each([
    ['', '/.well-known/oauth-protected-resource'],
    ['/mcp', '/.well-known/oauth-protected-resource/mcp'],
    ['/mcp/private', '/.well-known/oauth-protected-resource/mcp/private'],
  ])('of the resource %j', async (resource, path) => {
    const answer = await fetch(`${own()}${path}`);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await answer.json()).toMatchObject({
      resource: `${own()}${resource}`,
      authorization_servers: [issuer.address],
    });
    expect((await (await fetch(`${own()}${path}`, { method: 'HEAD' })).text()).length).toBe(0);
    const posted = await fetch(`${own()}${path}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const refused =
      resource === ''
        ? await ask(list, null)
        : await ask(resource, null, resource === '/mcp' ? search : initialize);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${own()}${path}"`);
  });

  it('the tools without a key stay open at /mcp, and nothing does at /mcp/private', async () => {
    expect((await ask('/mcp', null, initialize)).status).toBe(200);
    for (const init of [initialize, message('tools/list'), { method: 'GET' }, { method: 'DELETE' }])
      expect([401, 405]).toContain((await ask('/mcp/private', null, init)).status);
    expect(await (await ask('/mcp/private', null, message('tools/list'))).text()).not.toContain(
      'No key is needed',
    );
    expect((await ask('/mcp/private', serviceKey, message('tools/list'))).status).toBe(200);
  });

  it('a service without an issuer has neither', async () => {
    const plain = await listeningService(made.directory);
    for (const method of ['GET', 'POST'])
      expect((await fetch(`${own(plain)}/.well-known/oauth-protected-resource`, { method })).status).toBe(
        404,
      );
    const refused = await ask(list, null, {}, plain);
    expect(refused.headers.get('www-authenticate')).not.toContain('resource_metadata');
    expect(await statusOf(await signedToken(claims(), rsa), plain)).toBe(401);
    expect((await ask('/mcp/private', serviceKey, initialize, plain)).status).toBe(200);
  });
});

describe('an issuer with faults', () => {
  let own2: ListeningService;
  let faulty: TestIssuer;
  const token = (key: IssuerKey, changed = {}) =>
    signedToken(claims({ iss: faulty.address, aud: `http://127.0.0.1:${own2.port}`, ...changed }), key);
  async function start(path = ''): Promise<void> {
    faulty = await startIssuer([rsa.published], path);
    own2 = await serviceOf(faulty.address);
  }

  it('one that was never reached is 503 for its tokens, and 401 for others; then it is asked again', async () => {
    await start();
    faulty.answer = (_, response) => response.writeHead(500).end();
    const away = await ask(list, await token(rsa), {}, own2);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
    const tools = await ask('/mcp', await token(rsa), search, own2);
    expect([tools.status, ((await tools.json()) as { error: unknown }).error !== undefined]).toEqual([
      503,
      true,
    ]);
    expect(await statusOf(await token(rsa, { iss: 'https://other.example' }), own2)).toBe(401);
    expect((await ask('/demo', await token(rsa), {}, own2)).status).toBe(200);
    const asked = faulty.asked();
    for (let at = 0; at < 20; at++) await ask(list, await token(rsa), {}, own2);
    expect(faulty.asked()).toBe(asked);
    faulty.answer = null;
    pass(6000);
    expect(await statusOf(await token(rsa), own2)).toBe(200);
  });

  it('one that goes away later is no matter, and a new key is found within half a minute', async () => {
    await start('/realms/one');
    expect(await statusOf(await token(rsa), own2)).toBe(200);
    faulty.answer = (_, response) => response.destroy();
    pass(3_600_000);
    await own2.services.tokens?.check();
    expect(await statusOf(await token(rsa, { jti: 'another' }), own2)).toBe(200);
    const old = await token(rsa, { jti: 'old' });
    expect(await statusOf(old, own2)).toBe(200);
    faulty.answer = null;
    const next = await issuerKey('RS256', 'next');
    faulty.keys = [next.published];
    pass(31_000);
    expect(await statusOf(await token(next), own2)).toBe(200);
    // The issuer took the old key back, so its tokens do not count any more, those that were verified before included.
    expect(await statusOf(old, own2)).toBe(401);
  });

  it.each([
    ['beside the old one', 200, true],
    ['in place of the old one', 401, false],
  ])(
    'a new key %s: held requests of old tokens get %d, and their streams go on: %j',
    async (_, status, goesOn) => {
      await start();
      const old = await token(rsa);
      const bulk = (await (await ask('/v1/sec/bulk', old, {}, own2)).json()) as {
        meta: { nextCursor: string };
      };
      const behind = `/v1/sec/changes?cursor=${bulk.meta.nextCursor}`;
      const stream = await ask(behind, old, { headers: { accept: 'text/event-stream' } }, own2);
      let isOver = false;
      const read = stream.text().then(
        () => (isOver = true),
        () => {},
      );
      const held = ask(`${behind}&wait=2`, old, {}, own2);
      await vi.waitUntil(() => own2.services.held.size() === 2);
      pass(31_000);
      const next = await issuerKey('RS256', 'next');
      faulty.keys = goesOn ? [rsa.published, next.published] : [next.published];
      expect(await statusOf(await token(next), own2)).toBe(200);
      own2.services.held.release();
      expect((await held).status).toBe(status);
      if (!goesOn) await read;
      expect(isOver).toBe(!goesOn);
      own2.services.held.close();
      await read;
    },
  );

  it('tokens with unknown keys make it read the keys once in half a minute', async () => {
    await start();
    expect(await statusOf(await token(rsa), own2)).toBe(200);
    pass(31_000);
    const asked = faulty.asked();
    const strange = await issuerKey('RS256', 'strange');
    for (let at = 0; at < 10; at++)
      expect(await statusOf(await token(strange, { jti: `${at}` }), own2)).toBe(401);
    expect(faulty.asked() - asked).toBeLessThanOrEqual(4);
  });

  const documents: readonly (readonly [string, (own: string) => unknown])[] = [
    ['another issuer', () => ({ issuer: 'https://other.example', jwks_uri: 'https://other.example/keys' })],
    [
      'keys at an address that is not safe',
      (address) => ({ issuer: address, jwks_uri: 'http://192.0.2.1/keys' }),
    ],
    ['a list', () => []],
    [
      'more than 256 KB',
      (address) => ({ issuer: address, jwks_uri: `${address}/keys`, more: 'a'.repeat(300_000) }),
    ],
  ];
  it.each(documents)('metadata with %s is refused', async (_, document) => {
    await start();
    faulty.answer = (__, response) => response.end(JSON.stringify(document(faulty.address)));
    expect(await statusOf(await token(rsa), own2)).toBe(503);
    expect(own2.logged().filter(({ event }) => event === 'issuer_refused')).toHaveLength(1);
  });

  it('a redirect is not followed', async () => {
    await start();
    faulty.answer = (_, response) => response.writeHead(302, { location: `${issuer.address}/keys` }).end();
    const asked = issuer.asked();
    expect(await statusOf(await token(rsa), own2)).toBe(503);
    expect(issuer.asked()).toBe(asked);
  });
});

it('a process takes tokens for its address, and makes no key of its own', { tags: ['slow'] }, async () => {
  const running = await startService({
    SNAPSHOTS_DIR: made.directory,
    OAUTH_ISSUER: issuer.address,
    API_KEYS: '',
    API_KEYS_FILE: `${directory()}/keys.json`,
  });
  const now = Math.floor(Date.now() / 1000);
  const token = await signedToken(claims({ aud: running.address, iat: now, exp: now + 60 }), rsa);
  const answer = await fetch(`${running.address}${list}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
});
