import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sampleService } from '../support/sample.ts';
import {
  ask,
  askMany,
  neverFinish,
  neverRead,
  patienceMs,
  spelling,
  wellMeant,
  type Endless,
  type Others,
} from './floods.ts';
import { companiesOf } from './learn.ts';
import { startService, type Service } from './service.ts';

// Each test starts a service, floods it and waits for time limits of the service itself: that takes up to a
// minute.
const testMs = 180_000;
const slow = { tags: ['slow'], timeout: testMs };
const rssBytesMaximum = 300 * 1024 * 1024;
/** A heap may grow a little before it is swept; what clients choose must not stay. */
const growthBytesMaximum = 64 * 1024 * 1024;
/** A heap that is enough for the service. */
const heapMegabytes = 72;
/** The limit of 15 seconds for a request, and what a busy machine may add. */
const letGoMs = 22_000;

let snapshots: string;
let service: Service;
beforeAll(async () => {
  const sample = await sampleService();
  ({ snapshots } = sample);
  await sample.close();
}, testMs);

/** Starts a service, with flags for Node, and lets it load what it loads after it listens: a flood would make that slow. */
async function warmService(flags: readonly string[] = []): Promise<Service> {
  const started = await startService({ snapshots, flags });
  for (const asked of wellMeant) expect(await ask(started.port, asked)).toBe(200);
  return started;
}

/** Starts a service before each test of a group, and ends it after the test. */
function withService(flags: readonly string[] = []): void {
  beforeEach(async () => void (service = await warmService(flags)), testMs);
  afterEach(() => service.stop());
}

const peakOf = async (started: Service) => (await started.usage()).peakRssBytes;

function expectServed({ statuses, slowestMs }: Others): void {
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(statuses.length).toBeGreaterThanOrEqual(wellMeant.length);
  expect(slowestMs).toBeLessThan(patienceMs);
}

const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;

describe('answers that nobody reads', slow, () => {
  withService();

  it('answers that nobody reads take little memory: 100 connections with 1,400 samples each', async () => {
    expectServed(await neverRead(service, 100, () => get('/demo?limit=200').repeat(1400)));
    expect(await peakOf(service)).toBeLessThan(rssBytesMaximum);
  });

  it('answers that nobody reads take little memory: four connections with 270 watchlists each', async () => {
    const watched = `/v1/sec/watchlist/changes?limit=200&tickers=${(await companiesOf(service)).join(',')}`;
    // Each has a target of its own, so that no answer is the one of another.
    const request = (connection: number, number: number) =>
      get(
        `${watched}&since=${2000 + connection}-01-01T00:00:00.${100 + number}Z`,
        `x-api-key: ${service.key}\r\n`,
      );
    expectServed(
      await neverRead(service, 4, (connection) =>
        Array.from({ length: 270 }, (_, number) => request(connection, number)).join(''),
      ),
    );
    expect(await peakOf(service)).toBeLessThan(rssBytesMaximum);
  });
});

/** A head that comes byte by byte. */
const dripping = `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ${'y'.repeat(500)}`;
/** A body of which one byte comes. */
const begun = (path: string) => ({
  connections: 510,
  first: `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
  drop: () => '',
});
const endless: readonly (readonly [string, Endless])[] = [
  ['510 bodies of which one byte came block /mcp for nobody', begun('/mcp')],
  ['510 bodies of which one byte came block /a2a for nobody', begun('/a2a')],
  [
    '300 heads that come byte by byte keep nobody waiting',
    { connections: 300, first: dripping.slice(0, 1), drop: (tick) => dripping[tick + 1] ?? '' },
  ],
];

// At once, with a service each: all wait for the same limit of time.
describe.concurrent('requests that never end', slow, () => {
  it.each(endless)('%s', async (_, requests) => {
    const own = await warmService();
    try {
      const letGo = await neverFinish(own, requests, letGoMs);
      expectServed(letGo);
      expect(letGo.closed).toBe(requests.connections);
      for (const { status, body } of letGo.answers) {
        expect([400, 413, 429]).toContain(status);
        expect(JSON.parse(body.toString())).toHaveProperty('error');
      }
      expect(await peakOf(own)).toBeLessThan(rssBytesMaximum);
    } finally {
      await own.stop();
    }
  });
});

describe('memory that clients choose by names', slow, () => {
  // How far a heap grows before it is swept depends on how busy the machine is. This one cannot hold the names of all requests.
  withService([`--max-old-space-size=${heapMegabytes}`]);

  it('13,000 searches with long Host headers leave no memory behind', async () => {
    const searches = 13_000;
    const search = (number: number, host: string) => [
      {
        target: `/v1/sec/companies/search?q=co${number}&limit=1`,
        headers: { 'x-api-key': service.key, host },
      },
    ];
    const statuses = await askMany(service.port, searches, (number) =>
      search(number, `${number}.${'a'.repeat(12_000)}.example`),
    );
    expect([...statuses.keys()].filter((status) => status === 0 || status >= 500)).toEqual([]);
    expect(searches * 12_000).toBeGreaterThan(2 * heapMegabytes * 1024 * 1024);
    expect(service.exitedWith()).toBeNull();
  });
});

describe('memory that clients choose by spellings', slow, () => {
  withService();

  it('800 pages in many spellings leave no memory behind', async () => {
    const headers = { 'x-api-key': service.key };
    const asked = (number: number) => {
      // The answer to a HEAD is made and thrown away: here one of a hundred kilobytes.
      const form = ['4', '8-K', '10-Q'][number % 3];
      const large = { method: 'HEAD', target: `/v1/sec/latest?limit=200&form=${form}`, headers };
      return [
        { target: spelling('/v1/sec/latest?limit=1&form=4', number + 1), headers },
        ...Array.from({ length: 8 }, () => large),
      ];
    };
    await askMany(service.port, 50, (number) => asked(5000 + number));
    const before = (await service.usage()).rssBytes;
    const statuses = await askMany(service.port, 800, asked);
    expect([...statuses.keys()]).toEqual([200]);
    expect((await service.usage()).rssBytes - before).toBeLessThan(growthBytesMaximum);
  });
});
