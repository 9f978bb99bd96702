import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCounts, serviceBoundsMs } from '../../src/requests/operation-counts.ts';
import { toolsPath } from '../../src/contract/tools.ts';
import type { Figure } from '../../src/metrics/figures.ts';
import { listenForMetrics } from '../../src/metrics/listener.ts';
import { serviceFigures } from '../../src/metrics/service-figures.ts';
import { metricsOf, type Metrics } from '../support/metrics.ts';
import {
  exchangeBytes,
  listeningService,
  sendBytes,
  serviceKey,
  type ListeningService,
} from '../support/service.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { until } from '../support/wait.ts';

let first: MadeSnapshot;
let made: MadeSnapshot;
let service: ListeningService;
let metrics: Metrics;
beforeAll(async () => void (first = await makeSnapshot({ filings: 200, companies: 5, batches: 2 })));
beforeEach(async () => begin(await copyOf(first)));

async function begin(snapshots: MadeSnapshot): Promise<void> {
  made = snapshots;
  service = await listeningService(made.directory);
  metrics = await metricsOf(serviceFigures(service.measured));
}

const keyed = { 'x-api-key': serviceKey };
const ask = (path: string, headers: Record<string, string> = keyed, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${service.port}${path}`, { ...init, headers });
const post = (path: string, message: object, headers: Record<string, string> = {}) =>
  ask(
    path,
    { 'content-type': 'application/json', ...headers },
    { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) },
  );
const call = (tool: string, headers: Record<string, string> = {}) =>
  post(toolsPath, { method: 'tools/call', params: { name: tool, arguments: {} } }, headers);
const say = (text: string) =>
  post(
    '/a2a',
    { method: 'SendMessage', params: { message: { messageId: '1', role: 'ROLE_USER', parts: [{ text }] } } },
    { 'a2a-version': '1.0' },
  );
const counted = () =>
  [...service.services.counts.operations.values()].reduce(
    (sum, { statuses }) => sum + statuses.reduce((a, b) => a + b),
    0,
  );

/**
 * The requests that are counted while some are made, by operation and status. A client may have its answer
 * before the request is counted.
 */
async function countedOf(requests: readonly (() => Promise<unknown>)[]): Promise<Record<string, number>> {
  const before = await metrics.read();
  const wanted = counted() + requests.length;
  for (const request of requests) await request();
  await until(() => counted() === wanted);
  const changed = [...(await metrics.read())].filter(
    ([name, value]) => name.startsWith('fei_requests_total') && value !== (before.get(name) ?? 0),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => [
      [...name.matchAll(/"([^"]*)"/g)].map(([, label]) => label).join(' '),
      value - (before.get(name) ?? 0),
    ]),
  );
}

describe('metrics of the service', () => {
  it('metrics count each request once, by operation and outcome', async () => {
    const etag = (await ask('/v1/sec/latest?limit=5')).headers.get('etag') ?? '';
    await until(() => counted() === 1);
    expect(
      await countedOf([
        () => ask('/v1/sec/latest?limit=5', { ...keyed, 'if-none-match': etag }),
        () => ask('/v1/sec/latest?limit=5'),
        () => ask('/v1/sec/latest?limit=6'),
        () => ask('/v1/sec/latest?limit=0'),
        () => ask('/v1/sec/latest?limit=5', {}),
        () => ask('/v1/sec/stats'),
        () => ask('/health'),
        () => ask('/livez', {}),
        () => ask('/readyz', {}),
        () => ask('/llms.txt'),
        () => ask('/nothing'),
        () => ask('/health', {}, { method: 'DELETE' }),
        () => ask('/validate/nothing/view'),
        () => call('sec_demo_latest_filings'),
        () => call('sec_company_search'),
        () => call('no_such_tool'),
        () => post(toolsPath, { method: 'tools/list' }),
        () => ask(toolsPath),
        () => say('latest filings'),
        () => say('hello'),
        () => exchangeBytes(service.port, 'GET /health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'),
        () => exchangeBytes(service.port, 'nonsense\r\n\r\n'),
      ]),
    ).toEqual({
      'listLatestFilings 304': 1,
      'listLatestFilings 200': 2,
      'listLatestFilings 400': 1,
      'listLatestFilings 401': 1,
      'getStats 200': 1,
      'getHealth 200': 1,
      'getLive 200': 1,
      'getReady 200': 1,
      'getDocument 200': 1,
      'getDocument 404': 1,
      'getDocument 405': 1,
      'recordIntent 404': 1,
      'sec_demo_latest_filings 200': 1,
      'sec_company_search 401': 1,
      'callTools 200': 2,
      'callTools 405': 1,
      'latest-filings-sample 200': 1,
      'callAgent 200': 1,
      'none 400': 2,
    });
    const read = await metrics.read();
    const sumOf = (pattern: RegExp) =>
      [...read].filter(([name]) => pattern.test(name)).reduce((sum, [, value]) => sum + value, 0);
    expect(sumOf(/^fei_request_seconds_count/)).toBe(sumOf(/^fei_requests_total/));
    expect(sumOf(/^fei_request_seconds_bucket.*le="\+Inf"/)).toBe(counted());
    expect(sumOf(/^fei_request_seconds_sum/)).toBeGreaterThan(0);
  });

  it('the first request that fails is an increase of a metric that was there before', async () => {
    const before = (await metrics.read()).get('fei_requests_failed_total');
    service.services.counts.request('neverAsked', 503, 1);
    const after = (await metrics.read()).get('fei_requests_failed_total');
    expect([before, after]).toEqual([0, 1]);
  });

  it('metrics tell of caches, refused keys and reads', async () => {
    const before = await metrics.read();
    for (let time = 0; time < 3; time++) await ask('/v1/sec/changes?since=2020-01-01&limit=7');
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { authorization: 'Bearer wrong' }])
      await ask('/v1/sec/stats', headers as Record<string, string>);
    await call('sec_company_search', { 'x-api-key': 'wrong' });
    await call('sec_company_search');
    const read = await metrics.read();
    const change = (name: string) => (read.get(name) as number) - (before.get(name) as number);
    expect([change('fei_response_cache_hits_total'), change('fei_response_cache_misses_total')]).toEqual([
      2, 1,
    ]);
    expect(read.get('fei_response_cache_bytes')).toBe(service.services.responses.size());
    expect([
      change('fei_keys_refused_total{reason="missing"}'),
      change('fei_keys_refused_total{reason="wrong"}'),
      change('fei_keys_refused_total{reason="limit"}'),
    ]).toEqual([2, 3, 0]);
    expect(change('fei_blocks_read_total')).toBeGreaterThan(0);
    expect(change('fei_block_bytes_read_total')).toBeGreaterThan(100);
    expect(read.get('fei_block_cache_bytes')).toBe(service.measured.blocks.size());
    expect([read.get('fei_keys'), read.get('fei_filings'), read.get('fei_snapshot_served')]).toEqual([
      1, 200, 1,
    ]);
    expect([...read.keys()]).toEqual(
      expect.arrayContaining([
        'process_cpu_seconds_total',
        'nodejs_eventloop_lag_p99_seconds',
        'process_resident_memory_bytes',
      ]),
    );
  });

  it('metrics tell of connections and held requests, without the time of being held', async () => {
    const { meta } = (await (await ask('/v1/sec/changes?since=2020-01-01&limit=200')).json()) as {
      meta: { nextCursor: string };
    };
    const socket = sendBytes(
      service.port,
      `GET /v1/sec/changes?wait=60&cursor=${meta.nextCursor} HTTP/1.1\r\nHost: x\r\nx-api-key: ${serviceKey}\r\n\r\n`,
    );
    const gone = sendBytes(
      service.port,
      `GET /v1/sec/changes?wait=60&cursor=${meta.nextCursor} HTTP/1.1\r\nHost: x\r\nx-api-key: ${serviceKey}\r\n\r\n`,
    );
    await until(() => service.services.held.size() === 2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const held = await metrics.read();
    expect([held.get('fei_requests_held'), held.get('fei_requests_in_flight')]).toEqual([2, 0]);
    expect(held.get('fei_connections')).toBeGreaterThanOrEqual(2);
    const before = counted();
    gone.destroy();
    await until(() => counted() === before + 1);
    service.services.held.release();
    service.services.held.close();
    await until(() => counted() === before + 2);
    const after = await metrics.read();
    expect([after.get('fei_requests_held'), after.get('fei_requests_in_flight')]).toEqual([0, 0]);
    expect(after.get('fei_request_seconds_count{operation="listChanges"}')).toBe(3);
    expect(after.get('fei_request_seconds_sum{operation="listChanges"}')).toBeLessThan(0.25);
    socket.destroy();
  });

  it('metrics tell of the age, switches and absence of the snapshot', async () => {
    const read = await metrics.read();
    expect([read.get('fei_snapshot_switches_total'), read.get('fei_data_stale')]).toEqual([1, 1]);
    const { generatedAt } = await service.services.served.use(async ({ manifest }) => manifest);
    expect(
      Math.abs(
        (read.get('fei_snapshot_age_seconds') as number) - (Date.now() - Date.parse(generatedAt)) / 1000,
      ),
    ).toBeLessThan(60);
    await begin(await makeSnapshot());
    const none = await metrics.read();
    expect([
      none.get('fei_snapshot_served'),
      none.get('fei_snapshot_switches_total'),
      none.has('fei_snapshot_age_seconds'),
      none.has('fei_filings'),
    ]).toEqual([0, 0, false, false]);
    expect([(await ask('/livez', {})).status, (await ask('/readyz', {})).status]).toEqual([200, 503]);
    // Probes that go well are counted, and fill no log.
    await until(() => counted() === 2);
    expect(
      service
        .logged()
        .filter(({ event }) => event === 'request')
        .map(({ path, status }) => [path, status]),
    ).toEqual([['/readyz', 503]]);
  });

  it('metrics answer GET and HEAD at one path of a port of their own', async () => {
    const answers = await Promise.all(
      [
        ['/metrics', 'GET'],
        ['/metrics', 'HEAD'],
        ['/metrics?a=b', 'GET'],
        ['/metrics', 'POST'],
        ['/', 'GET'],
        ['/health', 'GET'],
      ].map(([path, method]) => fetch(new URL(path as string, metrics.url), { method: method as string })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 405, 404, 404]);
    expect(answers[0]?.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await ask('/metrics')).status).toBe(404);
    await expect(listenForMetrics('127.0.0.1', Number(new URL(metrics.url).port), [])).rejects.toThrow(
      /^METRICS_PORT: \d+ is in use on 127\.0\.0\.1$/,
    );
    await expect(listenForMetrics('192.0.2.1', 0, [])).rejects.toThrow(/^METRICS_HOST: /);
  });

  it('metrics are computed when asked for, and an error of one is reported', async () => {
    const broken: Figure = {
      kind: 'gauge',
      name: 'broken',
      help: 'x',
      read: () => Promise.reject(new Error('it broke')),
    };
    const other = await metricsOf([broken]);
    const answer = await fetch(other.url);
    expect([answer.status, await answer.text()]).toEqual([500, 'it broke\n']);
    other.close();
  });
});

describe('counts', () => {
  it('a histogram has a bucket for each bound, and one above', async () => {
    const counts = createCounts();
    const times = [0, ...serviceBoundsMs, ...serviceBoundsMs.map((ms) => ms * 1.01)];
    for (const ms of times) counts.request('x', 200, ms);
    expect(Array.from(counts.operations.get('x')?.times ?? [])).toEqual([
      2,
      ...serviceBoundsMs.slice(1).map(() => 2),
      1,
    ]);
    const figures = serviceFigures({ ...service.measured, services: { ...service.services, counts } });
    const other = await metricsOf(figures);
    const read = await other.read();
    const buckets = [...serviceBoundsMs.map((ms) => String(ms / 1000)), '+Inf'].map((le) =>
      read.get(`fei_request_seconds_bucket{operation="x",le="${le}"}`),
    );
    expect(buckets).toEqual([...serviceBoundsMs.map((_, at) => 2 * (at + 1)), times.length]);
    expect(read.get('fei_request_seconds_sum{operation="x"}')).toBeCloseTo(
      times.reduce((a, b) => a + b) / 1000,
      9,
    );
    other.close();
  });
});
