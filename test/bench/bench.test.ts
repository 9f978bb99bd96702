import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPages, polledAddresses, toolCalls } from './addresses.ts';
import { here, startServer, type Server } from './child.ts';
import { compare, type Comparison } from './compare.ts';
import { measure, type Load, type Round } from './load.ts';
import { publishOnto } from './publications.ts';
import { mixedRequests } from './requests.ts';
import { startService } from './service.ts';
import { startTimer } from './timed.ts';
import { readVocabulary } from './vocabulary.ts';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { readCompanies, readFilings } from '../../build/ledger/read.ts';
import { useDirectories } from '../support/directories.ts';
import { appendFilings, createRandom, generateLedger } from '../support/generate.ts';
import { headsOf } from '../support/heads.ts';

describe('a comparison', () => {
  const round = (requestsPerSecond: number, cpuMicroseconds: number, serverBusy = 1): Round => ({
    requestsPerSecond,
    cpuMicroseconds,
    serverBusy,
    generatorBusy: 0.5,
    bodyBytes: 10,
  });
  const load: Load = { name: 'any', server: {} as Server, requests: [], status: 200, once: false };
  const least: Comparison = { what: 'any', ours: load, peer: load, peerName: 'a peer', least: 0.75 };

  test('takes the medians of the ratios of all rounds and shows their spread', () => {
    const row = compare(
      least,
      [round(80, 10), round(10, 90), round(90, 10)],
      [round(100, 8), round(100, 9), round(100, 9)],
    );
    expect(row.measured).toContain('0.80 (0.10-0.90) by rate, 0.80 (0.10-0.90) by CPU');
    expect(row.holds).toBe(true);
  });

  test('holds by rate and by processor time, or not at all', () => {
    expect(compare(least, [round(70, 10)], [round(100, 10)]).holds).toBe(false);
    expect(compare(least, [round(100, 14)], [round(100, 10)]).holds).toBe(false);
  });

  test('goes by processor time alone where a server did not have a processor to itself, and says so', () => {
    const row = compare(least, [round(50, 12)], [round(100, 10, 0.4)]);
    expect(row.holds).toBe(true);
    expect(row.measured).toContain('busy 40 %');
    // The generator is busy for half of the time and shares a processor with this server, so the next
    // request waits.
    expect(compare(least, [round(50, 12, 0.4)], [round(100, 10)]).holds).toBe(true);
    expect(compare(least, [round(50, 12, 0.3)], [round(100, 10)]).holds).toBe(false);
  });
});

describe('the load generator', () => {
  const directory = useDirectories('bench');
  const body = 'x'.repeat(300_000);
  let server: Server;
  beforeAll(async () => {
    const path = join(directory(), 'answers.json');
    const answers = [
      { target: '/', headers: { 'Content-Length': '300000' }, headersOf304: { ETag: '"x"' }, body },
      { target: '/short', headers: { 'content-length': '5' }, headersOf304: {}, body: 'short' },
    ];
    await writeFile(path, JSON.stringify(answers));
    server = await startServer({ script: here('peers/bare.mjs'), arguments: [path] });
  });
  afterAll(() => server.stop());

  const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const schedule = { warmUps: 0, warmUpSeconds: 0.05, rounds: 2, roundSeconds: 0.05 };

  test('counts answers of any length, with and without bodies', async () => {
    const loads: Load[] = [
      { name: 'long', server, requests: [get('/')], status: 200, once: false },
      { name: 'unchanged', server, requests: [get('/', 'If-None-Match: "x"\r\n')], status: 304, once: false },
    ];
    const [long = [], unchanged = []] = await measure(loads, schedule);
    expect(long.map(({ bodyBytes }) => bodyBytes)).toEqual([body.length, body.length]);
    expect(unchanged.map(({ bodyBytes }) => bodyBytes)).toEqual([0, 0]);
    for (const { requestsPerSecond, cpuMicroseconds } of [...long, ...unchanged]) {
      expect(requestsPerSecond).toBeGreaterThan(0);
      expect(cpuMicroseconds).toBeGreaterThan(0);
    }
  });

  test('ends a round with the requests that may be sent once', async () => {
    const requests = Array.from({ length: 100 }, () => get('/short'));
    const [rounds = []] = await measure([{ name: 'once', server, requests, status: 200, once: true }], {
      ...schedule,
      roundSeconds: 60,
    });
    expect(rounds.map(({ bodyBytes }) => bodyBytes)).toEqual([5, 5]);
  });

  test('fails when an answer has another status than it must have', async () => {
    await expect(
      measure([{ name: 'wrong', server, requests: [get('/short')], status: 304, once: false }], schedule),
    ).rejects.toThrow('load generator ended');
  });
});

test('new requests are distinct, and none is one that is polled', () => {
  const known = {
    ciks: ['0000000001', '0000000002', '0000000003'],
    forms: ['4', '8-K'],
    days: ['2026-01-05', '2026-01-06', '2026-01-07'],
    accessionNos: Array.from({ length: 60 }, (_, at) => `0000000001-26-${String(at).padStart(6, '0')}`),
    latestCursors: ['one', 'two'],
  };
  const random = createRandom(1);
  const pages = newPages(known, 300, random);
  const calls = toolCalls(known, 60, random).map(({ target }) => target);
  expect(new Set(pages).size).toBe(300);
  expect(new Set(calls).size).toBe(60);
  expect(pages.filter((page) => polledAddresses(known, 15, random).includes(page))).toEqual([]);
  expect(() => toolCalls(known, 1000, random)).toThrow('too small for 1000 distinct requests');
});

describe('a made-up ledger', () => {
  const directory = useDirectories('bench-ledger');
  const shape = { filings: 600, companies: 6, batches: 3, owners: 90 };

  test('tells of each reporting owner once, in the batch that names it first, and goes on', async () => {
    const ledger = join(directory(), 'ledger');
    await generateLedger(ledger, shape);
    await appendFilings(ledger, shape, 50, 0);
    await appendFilings(ledger, shape, 50, 1);
    const known = new Set<string>();
    const accessionNos = new Set<string>();
    for (const { head } of await headsOf(ledger)) {
      for await (const { rows } of readCompanies(ledger, head))
        for (const { cik } of rows) expect(known.size).toBeLessThan(known.add(cik).size);
      for await (const { rows } of readFilings(ledger, head)) {
        for (const { accessionNo, filerCiks, subjectCik } of rows) {
          accessionNos.add(accessionNo);
          expect([...filerCiks, subjectCik ?? ''].filter((cik) => cik !== '' && !known.has(cik))).toEqual([]);
        }
      }
    }
    expect(accessionNos.size).toBe(700);
    expect(known.size).toBe(6 + 105);
  });
});

describe('the measures of a snapshot', () => {
  const directory = useDirectories('bench-snapshot');
  const shape = { filings: 1500, companies: 15, batches: 2 };
  let [ledger, snapshots] = ['', ''];
  beforeAll(async () => {
    [ledger, snapshots] = [join(directory(), 'ledger'), join(directory(), 'snapshots')];
    await generateLedger(ledger, shape);
    await buildSnapshot({
      ledgerDirectory: ledger,
      snapshotsDirectory: snapshots,
      settings: { baseUrl: null, marketplaceUrl: null },
      replace: false,
      log: () => {},
    });
  });

  test('every mixed request is distinct and valid, and a rate is kept', { tags: ['slow'] }, async () => {
    const random = createRandom(3);
    const requests = mixedRequests(await readVocabulary(snapshots, random), 800, random);
    expect(new Set(requests.map(({ target }) => target)).size).toBe(800);
    const targets = requests.map(({ target }) => target);
    const [server, timer] = [await startService(snapshots), await startTimer()];
    try {
      for (const asking of [{ connections: 1 }, { connections: 8, perSecond: 400 }]) {
        const { ms, seconds } = await timer.ask(server, targets, asking);
        expect(ms.length).toBe(800);
        expect(Math.min(...ms)).toBeGreaterThan(0);
        if (asking.perSecond !== undefined) expect(seconds).toBeGreaterThan(1.9);
      }
      await expect(timer.ask(server, ['/v1/sec/latest?limit=0'], { connections: 1 })).rejects.toThrow(
        'load generator ended',
      );
    } finally {
      timer.stop();
      await server.stop();
    }
  });

  // The test starts four processes of the build, one after the other.
  test('a publication tells its time, its bytes and what it joined', {
    tags: ['slow'],
    timeout: 120_000,
  }, async () => {
    const [published] = await publishOnto([{ ledger, snapshots, shape }], 2, () => {});
    expect(published?.publications.length).toBe(2);
    expect(new Set(published?.pointers.map(String)).size).toBe(3);
    for (const { seconds, startSeconds, cpuSeconds, keptBytes, writtenBytes } of published?.publications ??
      []) {
      for (const each of [seconds, startSeconds, cpuSeconds]) expect(each).toBeGreaterThan(0.05);
      expect(keptBytes).toBeGreaterThan(10_000);
      expect(writtenBytes === 0 || writtenBytes >= keptBytes).toBe(true);
    }
    // The layout joins the second batch of fifty with the first.
    expect(published?.publications.map(({ joined }) => joined)).toEqual([0, 1]);
  });
});
