import { beforeAll, describe, expect, it } from 'vitest';
import { gatewayHeaders } from '../../src/contract/gateway.ts';
import { keyedCaching } from '../../src/http/send.ts';
import { noUsage } from '../../src/keys/usage.ts';
import { createAuthenticator } from '../../src/keys/authenticator.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { ErrorResponse } from '../../src/contract/errors.ts';
import { createApp } from '../../src/app.ts';
import { createHeldRequests } from '../../src/requests/held.ts';
import { createShares } from '../../src/http/shares.ts';
import { noTurns } from '../../src/requests/turns.ts';
import { createResponseCache } from '../../src/http/response-cache.ts';
import { createCounts } from '../../src/requests/operation-counts.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import { createLog } from '../../src/log/log.ts';
import type { ServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { noJournal } from '../support/journal.ts';
import { valuesIn } from '../support/values.ts';

let made: MadeSnapshot;
let service: SampleService;
let empty: MadeSnapshot;
let withoutSnapshot: SampleService;
beforeAll(async () => {
  made = await makeSnapshot({ filings: 120, companies: 8, batches: 1 });
  service = await serviceOver(made.directory);
  empty = await makeSnapshot();
  withoutSnapshot = await serviceOver(empty.directory);
});

const outcome = async (response: Response): Promise<[number, string]> => [
  response.status,
  ErrorResponse.parse(await response.json()).error.code,
];
const examples = endpoints.filter(({ access }) => access === 'keyed').map(({ example }) => example as string);

describe('what lies in a snapshot', () => {
  it.each(
    valuesIn(`
    manifest.json | tables/latest.jsonl | tables/latest.index.csv | documents/stats.json
    documents/health.json | public/demo | current.json | keys.json | ledger/batches/000001/batch.json`),
  )(
    'a file of the snapshot outside public/ is not reachable as %s, however that is written',
    async (path) => {
      const snapshot = (await service.json<{ snapshotId: string }>('/health')).snapshotId;
      const encoded = [...path].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
      const spellings = [
        path,
        encoded,
        encoded.replaceAll('%', '%25'),
        path.replaceAll('/', '%2f'),
        path.replaceAll('/', '\\'),
        path.replaceAll('/', '//'),
        `./${path}`,
        `.well-known/../${path}`,
        `.well-known/%2e%2e/${path}`,
        `..%2f${path}`,
        `%2e%2e%2f${path}`,
        `..%5c${path}`,
        `${snapshot}/${path}`,
        `public/../${path}`,
        `demo/../${path}`,
        `demo%2f..%2f${path}`,
        `${path}%00`,
        `${path}.br`,
        path.toUpperCase(),
      ];
      for (const spelling of spellings)
        for (const method of ['GET', 'HEAD'])
          expect((await service.get(`/${spelling}`, {}, method)).status, spelling).toBe(404);
    },
  );
});

describe('the order of refusals', () => {
  it.each(examples)('%s tells a caller without a key only that the key is missing', async (path) => {
    for (const each of [
      path,
      `${path}${path.includes('?') ? '&' : '?'}nonsense=1`,
      path.split('?')[0] as string,
    ]) {
      const refused = await service.get(each, { 'x-api-key': 'wrong' });
      expect(refused.headers.get('www-authenticate')).toMatch(
        /^Bearer realm="[^"]+", error="invalid_token"$/,
      );
      expect(refused.headers.get('cache-control')).toBe('no-store');
      for (const name of ['Authorization', 'x-api-key', 'x-marketplace-key'])
        expect(refused.headers.get('vary')).toContain(name);
      expect(await refused.json()).toEqual({
        error: { code: 'unauthorized', message: 'Invalid or missing API key' },
      });
    }
    expect((await withoutSnapshot.get(path, { 'x-api-key': 'wrong' })).status).toBe(401);
  });

  it('without a snapshot a wrong parameter gets 400, and a right one gets 503', async () => {
    expect(await outcome(await withoutSnapshot.get('/v1/sec/latest?limit=0'))).toEqual([
      400,
      'invalid_parameter',
    ]);
    for (const path of ['/', '/health', '/demo', '/openapi.json', '/anything', ...examples]) {
      const refused = await withoutSnapshot.get(path);
      expect(refused.headers.get('retry-after')).toBe('30');
      expect(await outcome(refused), path).toEqual([503, 'snapshot_unavailable']);
    }
    expect((await withoutSnapshot.get('/v1/sec/latest', {}, 'OPTIONS')).status).toBe(204);
  });
});

describe('probes', () => {
  it('health and readiness answer without a key and are not cached', async () => {
    for (const path of ['/livez', '/readyz']) {
      const answer = await service.get(path, { 'x-api-key': '' });
      expect([answer.status, answer.headers.get('cache-control'), await answer.json()]).toEqual([
        200,
        'no-store',
        path === '/livez'
          ? { status: 'ok' }
          : {
              status: 'ok',
              pointer: { madeAt: null, ageSeconds: null, expired: null, refusedSince: null },
            },
      ]);
      expect((await service.get(path, {}, 'HEAD')).status).toBe(200);
    }
  });
  it('without a snapshot the process is alive and not ready', async () => {
    expect(await (await withoutSnapshot.get('/livez')).json()).toEqual({ status: 'ok' });
    const refused = await withoutSnapshot.get('/readyz');
    expect([refused.headers.get('retry-after'), refused.headers.get('cache-control')]).toEqual([
      '30',
      'no-store',
    ]);
    expect(await outcome(refused)).toEqual([503, 'snapshot_unavailable']);
  });
});

describe('what goes wrong inside', () => {
  /** A service in which every look at the snapshot fails. */
  function failing(error: Error) {
    let logged = '';
    const log = createLog(
      (lines) => (logged += lines.toString()),
      () => 0,
    );
    const served = {
      use: () => Promise.reject(error),
      currentId: () => null,
      check: async () => {},
      close: async () => {},
    } as unknown as ServedSnapshot;
    const app = createApp({
      served,
      held: createHeldRequests(),
      counts: createCounts(),
      log,
      now: () => 0,
      elapsed: () => 0,
      expiryNow: () => 0,
      own: { baseUrl: null, isLocal: true },
      journal: noJournal,
      responses: createResponseCache(1000),
      tokens: null,
      address: () => null,
      gateway: gatewayHeaders(),
      keyed: keyedCaching('x-api-key'),
      usage: noUsage,
      unsent: createShares(1000),
      turns: noTurns,
      authenticator: createAuthenticator(
        createKeyRing(['key'], null, () => {}),
        { host: null, secrets: [] },
      ),
    });
    return {
      get: async (path: string) => app.request(path, { headers: { 'x-api-key': 'key' } }, {}),
      logged: () => (log.flush(), logged),
    };
  }

  it.each(['/', '/demo', '/v1/sec/latest?limit=5', '/nothing'])(
    'an internal error appears in the log alone: %s',
    async (path) => {
      const { get, logged } = failing(new Error('secret path /var/data'));
      const response = await get(path);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const text = await response.text();
      expect([response.status, (JSON.parse(text) as { error: { code: string } }).error.code]).toEqual([
        500,
        'internal_error',
      ]);
      expect(text).not.toContain('secret');
      expect(JSON.parse(logged())).toMatchObject({
        event: 'error',
        path: path.split('?')[0],
        reason: 'secret path /var/data',
      });
    },
  );

  it('a snapshot that fails gives 503', async () => {
    const { get, logged } = failing(new CorruptSnapshot('/var/data/tables/latest.jsonl: rotten'));
    const response = await get('/v1/sec/latest');
    expect(response.headers.get('retry-after')).toBe('30');
    expect(await outcome(response)).toEqual([503, 'snapshot_unavailable']);
    expect(logged()).toContain('rotten');
  });
});

describe('paths of operations', () => {
  it.each(
    valuesIn(`
    /nothing | /v1 | /v1/sec/nothing | /v1/sec/latest/ | //v1/sec/latest | /v1//sec/latest | /V1/sec/latest
    /v1/sec/latest%20 | /v1/sec/latest;x=1 | /health/ | /demo/ | //demo | /demo.br | /demo%00 | /__proto__
    /constructor | /toString | /%E0%A4%A | /v1/sec/company/B/ | /v1/sec/company//profile
    /v1/sec/company/a/b/profile | /v1/sec/forms//summary`),
  )('the path %s is no operation and no document', async (path) =>
    expect(await outcome(await service.get(path))).toEqual([404, 'not_found']),
  );
  it.each([
    ...valuesIn(`
    /v1/sec/company/%ff/profile | /v1/sec/company/%/profile | /v1/sec/company/%E0%A4%A/filings
    /v1/sec/company/%00/filings | /v1/sec/company/..%2f..%2fmanifest.json/events | /v1/sec/forms/%/summary
    /v1/sec/forms/0000000001-26-000001%0a/summary`),
    `/v1/sec/company/${'A'.repeat(3000)}/profile`,
  ])('the path %s asks for a record that cannot exist', async (path) => {
    const { error } = ErrorResponse.parse(await (await service.get(path)).json());
    expect([error.code, error.message]).toEqual([
      'invalid_parameter',
      expect.stringMatching(/^(ticker|accessionNo): must be/),
    ]);
  });
  it('the error names the unknown path, cut to a bound', async () => {
    const { error } = ErrorResponse.parse(await (await service.get(`/${'a'.repeat(5000)}`)).json());
    expect(error.message.length).toBeLessThan(400);
  });
});
