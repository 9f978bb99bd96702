import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { ErrorResponse } from '../../src/contract/errors.ts';
import { chooseEncoding, prefersHtml } from '../../src/http/negotiate.ts';
import { heldEtag } from '../../src/http/send.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

let made: MadeSnapshot;
let service: SampleService;
beforeAll(async () => {
  made = await makeSnapshot({ filings: 300, companies: 8, batches: 2 });
  service = await serviceOver(made.directory);
});

describe('answers', () => {
  it.each(['/v1/sec/latest?limit=20', '/v1/sec/stats', '/demo', '/openapi.json', '/'])(
    '%s gives 304 to a client that has it',
    async (path) => {
      const first = await service.get(path);
      const etag = first.headers.get('etag') as string;
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await service.get(path, { 'if-none-match': held });
        expect([again.status, await again.text()]).toEqual([304, '']);
        for (const name of ['etag', 'cache-control', 'vary'])
          expect(again.headers.get(name)).toBe(first.headers.get(name));
      }
      expect((await service.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );

  it('answers with the same rows have the same ETag, and other rows have another one', async () => {
    const etagOf = async (path: string) => (await service.get(path)).headers.get('etag');
    expect(await etagOf('/v1/sec/latest?limit=20')).toBe(await etagOf('/v1/sec/latest?limit=020'));
    expect(await etagOf('/v1/sec/latest?limit=20')).not.toBe(await etagOf('/v1/sec/latest?limit=21'));
  });

  it.each(['/v1/sec/latest?limit=50', '/demo'])(
    '%s comes compressed to who accepts it, with an ETag of its own',
    { tags: ['slow'] },
    async (path) => {
      const plain = Buffer.from(await (await service.get(path)).arrayBuffer());
      const zipped = await service.get(path, { 'accept-encoding': 'gzip;q=1.0, identity;q=0.5' });
      expect(zipped.headers.get('content-encoding')).toBe('gzip');
      expect(zipped.headers.get('etag')).toMatch(/-gzip"$/);
      expect(gunzipSync(Buffer.from(await zipped.arrayBuffer()))).toEqual(plain);
      expect(
        (
          await service.get(path, {
            'accept-encoding': 'gzip',
            'if-none-match': zipped.headers.get('etag') as string,
          })
        ).status,
      ).toBe(304);
      const br = await service.get(path, { 'accept-encoding': 'br, gzip' });
      if (path.startsWith('/v1/')) expect(br.headers.get('content-encoding')).toBe('gzip');
      else expect(brotliDecompressSync(Buffer.from(await br.arrayBuffer()))).toEqual(plain);
      expect(
        (await service.get(path, { 'accept-encoding': 'gzip;q=0, br;q=0' })).headers.get('content-encoding'),
      ).toBeNull();
    },
  );

  it('public answers may be cached by everybody, keyed ones by their client', async () => {
    const headers = async (path: string) => {
      const response = await service.get(path);
      return [response.headers.get('cache-control'), response.headers.get('vary')];
    };
    expect(await headers('/demo')).toEqual([
      'public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400',
      'Accept-Encoding',
    ]);
    expect((await headers('/'))[1]).toBe('Accept, Accept-Encoding');
    const [control, vary] = await headers('/v1/sec/latest');
    expect(control).toBe('private, no-cache');
    for (const name of ['Authorization', 'x-api-key', 'x-marketplace-key']) expect(vary).toContain(name);
    expect((await headers('/health'))[0]).toBe('no-store');
    expect((await headers('/nothing'))[0]).toBe('no-store');
  });

  it('answers allow scripts of any origin', async () => {
    const preflight = await service.get(
      '/v1/sec/latest',
      {
        origin: 'https://example.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key',
      },
      'OPTIONS',
    );
    expect(preflight.status).toBe(204);
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
    expect(allowed).toContain('x-api-key');
    // Whatever operations take in headers, scripts may send.
    const described = JSON.parse(await (await service.get('/openapi.json')).text()) as {
      paths: Record<string, Record<string, { parameters?: readonly { in: string; name: string }[] }>>;
    };
    const taken = Object.values(described.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters)
      .filter((parameter) => parameter.in === 'header')
      .map(({ name }) => name.toLowerCase());
    expect(taken).toContain('last-event-id');
    expect(taken.filter((name) => !allowed.includes(name))).toEqual([]);
    for (const path of ['/demo', '/v1/sec/latest', '/nothing'])
      expect((await service.get(path)).headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('paths', () => {
  it('paths fold the case and the separators of a ticker', async () => {
    const [upper, lower] = [
      await service.get('/v1/sec/company/A-B/profile'),
      await service.get('/v1/sec/company/a%2Fb/profile'),
    ];
    expect(upper.status).toBe(200);
    expect(await lower.text()).toBe(await upper.text());
    const filingsOf = async (company: string) => {
      const response = await service.get(`/v1/sec/company/${company}/filings?limit=3`);
      return (await response.json()) as { data: unknown[]; meta: { filters: { ticker: string } } };
    };
    const [spelled, numbered] = [await filingsOf('a.b'), await filingsOf('0000100000')];
    expect(spelled.data.length).toBe(3);
    expect(spelled.data).toEqual(numbered.data);
    expect([spelled.meta.filters.ticker, numbered.meta.filters.ticker]).toEqual(['a.b', '0000100000']);
  });
  it('unknown companies are not found, unless they are one of a watchlist', async () => {
    for (const path of [
      '/v1/sec/company/NOPE/filings',
      '/v1/sec/changes?since=2020-01-01&ticker=NOPE',
      '/v1/sec/insider-trades?ticker=0000000009',
    ]) {
      const response = await service.get(path);
      expect([response.status, ErrorResponse.parse(await response.json()).error.code]).toEqual([
        404,
        'company_not_found',
      ]);
    }
    const { data } = await service.json<{ data: { ticker: string; status: string; count: number }[] }>(
      '/v1/sec/watchlist/changes?tickers=NOPE,B&since=2000-01-01&limit=1',
    );
    expect(data.map(({ ticker, status, count }) => [ticker, status, count])).toEqual([
      ['NOPE', 'unknown_company', 0],
      ['B', 'ok', 1],
    ]);
  });
  it('methods that nothing answers are refused where something is, and nothing is found where nothing is', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await service.get('/v1/sec/company/B/profile', {}, method)).status).toBe(405);
      expect((await service.get('/.well-known/openapi.json', {}, method)).status).toBe(405);
      expect((await service.get('/nothing', {}, method)).status).toBe(404);
    }
  });
});

describe('negotiation', () => {
  const both = { br: true, gzip: true };
  it.each([
    [undefined, both, 'identity'],
    ['', both, 'identity'],
    ['br', both, 'br'],
    ['gzip, br', both, 'br'],
    ['gzip;q=1, br;q=0.5', both, 'gzip'],
    ['br;q=0, gzip', both, 'gzip'],
    ['*', both, 'br'],
    ['*;q=0', both, 'identity'],
    ['identity', both, 'identity'],
    ['gzip;q=0.2, identity;q=0.8', both, 'identity'],
    ['x-gzip', both, 'gzip'],
    ['BR', both, 'br'],
    ['br, gzip', { gzip: true }, 'gzip'],
    ['br', {}, 'identity'],
    ['gzip;q=nonsense', both, 'identity'],
  ] as const)('of %s and %o the service sends %s', (header, has, encoding) =>
    expect(chooseEncoding(header, has)).toBe(encoding),
  );
  it('of a header with thousands of entries the first 64 are read', () => {
    const entries = (count: number) => Array.from({ length: count }, (_, at) => `x${at};q=0.1`).join(',');
    const has = { br: true, gzip: true };
    expect(chooseEncoding(`${entries(63)},gzip`, has)).toBe('gzip');
    expect(chooseEncoding(`${entries(64)},gzip`, has)).toBe('identity');
  });
  it.each([
    ['text/html,application/xhtml+xml,*/*;q=0.8', true],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
    ['text/html;q=0.5, application/json', false],
  ])('a client that accepts %s prefers a page: %s', (accept, expected) =>
    expect(prefersHtml(accept)).toBe(expected),
  );
  it('If-None-Match finds an ETag in a list, whatever its encoding', () => {
    expect(heldEtag('"a", W/"b-gzip"', '"b"')).toBe('"b-gzip"');
    expect(heldEtag('"ab"', '"b"')).toBeNull();
    expect(heldEtag('garbage', '"b"')).toBeNull();
  });
});
