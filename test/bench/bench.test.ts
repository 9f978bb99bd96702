import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { newPages, polledAddresses, toolCalls } from './addresses.ts';
import type { Server } from './child.ts';
import { compare, type Comparison } from './compare.ts';
import { startTimer, type Load, type Round } from './load.ts';
import { publishOnto } from './publications.ts';
import { drawRequests } from './requests.ts';
import { startService } from './service.ts';
import { shapeOf } from './shape.ts';
import { useDirectories } from '../support/directories.ts';
import { createRandom, generateLedger } from '../support/generate.ts';
import { buildQuietly } from '../support/snapshots.ts';

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

describe('the measures of a snapshot', () => {
  const directory = useDirectories('bench-snapshot');
  const shape = { ...shapeOf(1500), batches: 2 };
  let [ledger, snapshots] = ['', ''];
  beforeAll(async () => {
    [ledger, snapshots] = [join(directory(), 'ledger'), join(directory(), 'snapshots')];
    await generateLedger(ledger, shape);
    await buildQuietly(ledger, snapshots);
  });

  test('every mixed request is distinct and valid, and a rate is kept', { tags: ['slow'] }, async () => {
    const { targets } = await drawRequests(snapshots, 800, 3);
    expect(new Set(targets).size).toBe(800);
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
