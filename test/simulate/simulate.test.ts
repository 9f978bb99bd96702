import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openSubmissionsArchive } from '../../build/sources/archive.ts';
import { parseSubmissions } from '../../build/sources/submissions.ts';
import { useDirectories } from '../support/directories.ts';
import { Disk } from './disk/disk.ts';
import { filesOf } from './disk/files.ts';
import { createEdgar, origins } from './edgar/answers.ts';
import { easternDay, easternHours, easternInstant, isHalfDay } from './edgar/time.ts';
import { factsAt, makeTruth } from './edgar/truth.ts';
import { drawHistory } from './history.ts';
import { zlibModule } from './machine/zlib.ts';
import { randomOf } from './random.ts';
import { loadReleases } from './releases.ts';
import { runHistory } from './run.ts';
import { createSchedule, settled } from './schedule.ts';
import { shrink } from './shrink.ts';

const fresh = useDirectories('simulate');
const alive = { isAlive: true };
const noon = Date.parse('2026-03-02T17:00:00Z');

function emptyDisk() {
  const disk = new Disk(
    () => noon,
    () => noon,
  );
  return { disk, files: filesOf(disk, () => {}) };
}

/** An EDGAR of some days, and what it answers. */
function edgarOf(firstDay: string, lastDay: string) {
  const truth = makeTruth({ seed: 1, firstDay, lastDay, followed: 20 });
  const edgar = createEdgar(truth, 200);
  const ask = (path: string, atMs: number, headers: Readonly<Record<string, string>> = {}) => {
    const origin = path.startsWith('/submissions') ? origins.data : origins.www;
    const known = { 'user-agent': 'Test test@example.com', ...headers };
    return edgar.answer({ origin, path, headers: known }, atMs);
  };
  return { truth, ask };
}

describe('the simulator:', () => {
  it('virtual time lets things happen in their order, and nothing after the end of who wanted it', async () => {
    const schedule = createSchedule(noon, settled);
    const owner = { isAlive: true };
    const happened: string[] = [];
    for (const [pauseMs, name] of [
      [30, 'third'],
      [10, 'first'],
      [10, 'second'],
    ] as const)
      schedule.after(pauseMs, alive, () => void happened.push(name));
    schedule.after(20, owner, () => void happened.push('of the dead'));
    schedule.after(15, alive, () => void (owner.isAlive = false));
    await schedule.runUntil(noon + 25);
    expect(happened).toEqual(['first', 'second']);
    await schedule.runUntil(noon + 60);
    expect(happened).toEqual(['first', 'second', 'third']);
    expect(schedule.nowMs()).toBe(noon + 60);
  });

  it('a seed draws the same numbers and the same history each time, and another seed others', () => {
    expect(randomOf(3, 'a').bytes(20)).toEqual(randomOf(3, 'a').bytes(20));
    expect(randomOf(3, 'a').bytes(20)).not.toEqual(randomOf(3, 'b').bytes(20));
    expect(drawHistory(5, 2)).toEqual(drawHistory(5, 2));
    expect(drawHistory(5, 2)).not.toEqual(drawHistory(6, 2));
  });

  it('a power cut keeps what was synced, and may lose everything else', () => {
    const left = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      const { disk, files } = emptyDisk();
      files.writeWhole('/kept', Buffer.from('synced'));
      for (const path of ['/kept', '/']) {
        const descriptor = files.open(path);
        files.sync(descriptor);
        files.close(descriptor);
      }
      files.writeWhole('/lost', Buffer.from('not synced'));
      files.rename('/kept', '/renamed');
      disk.cut(randomOf(seed, 'cut'));
      const names = files.list('/').map(({ name }) => name);
      expect(names.filter((name) => name === 'kept' || name === 'renamed')).toHaveLength(1);
      for (const name of names) {
        const text = files.readWhole(`/${name}`).toString();
        if (name !== 'lost') expect(text).toBe('synced');
        else expect('not synced'.startsWith(text)).toBe(true);
      }
      left.add(names.sort().join());
    }
    expect([...left].sort()).toEqual(['kept', 'kept,lost', 'lost,renamed']);
  });

  it('a full disk refuses what does not fit, and has room again when something is removed', () => {
    const { disk, files } = emptyDisk();
    const bytes = Buffer.alloc(12_000);
    disk.capacityBytes = 20_000;
    files.writeWhole('/a', bytes);
    expect(() => files.writeWhole('/b', bytes)).toThrow('ENOSPC');
    files.remove('/a', false, false);
    files.writeWhole('/c', bytes);
    expect(disk.usedBytes).toBe(12_288);
  });

  it('a lock ends with the process that holds it', () => {
    const { disk, files: one } = emptyDisk();
    const other = filesOf(disk, () => {});
    const path = '/lock';
    expect(one.lock(one.open(path, 'a+'))).toBe(true);
    expect(other.lock(other.open(path, 'a+'))).toBe(false);
    one.end();
    expect(other.lock(other.open(path, 'a+'))).toBe(true);
  });

  it('what is stored without compression is read by any gunzip, and two members one after the other', () => {
    const { gzipSync, gunzipSync: unstored } = zlibModule((call) => Promise.resolve(call()));
    const long = Buffer.alloc(200_000, 'a filing ');
    const members = Buffer.concat([gzipSync(long), gzipSync('next')]);
    expect(gunzipSync(members).equals(Buffer.concat([long, Buffer.from('next')]))).toBe(true);
    expect(Buffer.from(unstored(members) as Buffer).equals(gunzipSync(members))).toBe(true);
    expect(() => unstored(members.subarray(0, -3))).toThrow('unexpected end of file');
  });

  it('EDGAR lists a filing in the feed, in its files and in the index of its day, each at its time', () => {
    const { truth, ask } = edgarOf('2026-03-02', '2026-03-06');
    const textOf = (path: string, atMs: number) => ask(path, atMs).body.toString('latin1');
    const filing = truth.filings.find(
      (each) => each.indexDay === '2026-03-03' && each.listedMs < Infinity && each.withdrawnMs === Infinity,
    );
    if (!filing) throw new Error('the truth of this seed has no such filing');
    const feed = '/cgi-bin/browse-edgar?action=getcurrent&start=0';
    expect(textOf(feed, filing.listedMs - 1)).not.toContain(filing.accessionNo);
    expect(textOf(feed, filing.listedMs)).toContain(filing.accessionNo);
    const file = `/submissions/CIK${filing.parties[0]?.cik}.json`;
    expect(textOf(file, filing.inFilesMs - 1)).not.toContain(filing.accessionNo);
    expect(textOf(file, filing.inFilesMs)).toContain(filing.accessionNo);
    const index = '/Archives/edgar/daily-index/2026/QTR1/master.20260303.idx';
    expect(textOf(index, easternInstant('2026-03-03', 22))).toContain('AccessDenied');
    expect(textOf(index, easternInstant('2026-03-03', 22.2))).toContain(filing.accessionNo);
  });

  it('what is in the files of an entity is in the main one or on an older page, once', () => {
    const { truth, ask } = edgarOf('2026-03-02', '2026-04-30');
    const read = (name: string, atMs: number) =>
      JSON.parse(ask(`/submissions/${name}`, atMs).body.toString()) as unknown;
    const pagesOf = new Set<number>();
    for (const { cik } of truth.entities.values())
      for (const day of ['2026-03-20', '2026-04-02', '2026-05-02']) {
        const atMs = easternInstant(day, 16);
        const { filings } = read(`CIK${cik}.json`, atMs) as {
          filings: {
            recent: { accessionNumber: string[] };
            files: { name: string; filingCount: number; filingFrom: string; filingTo: string }[];
          };
        };
        const older = filings.files.flatMap(({ name, filingCount, filingFrom, filingTo }) => {
          const { accessionNumber, filingDate } = read(name, atMs) as Record<string, string[]>;
          expect(accessionNumber).toHaveLength(filingCount);
          expect([filingDate?.at(-1), filingDate?.[0]]).toEqual([filingFrom, filingTo]);
          return accessionNumber ?? [];
        });
        const inFiles = truth.filings.filter(
          (each) =>
            each.inFilesMs <= atMs &&
            each.withdrawnMs > atMs &&
            factsAt(each, atMs).parties.some((party) => party.cik === cik),
        );
        expect([...filings.recent.accessionNumber, ...older].sort()).toEqual(
          inFiles.map(({ accessionNo }) => accessionNo).sort(),
        );
        pagesOf.add(filings.files.length);
      }
    expect([...pagesOf].sort()).toEqual([0, 1, 2]);
  });

  it('the archive of a night has the files of everyone as they were, and is continued', async () => {
    const { truth, ask } = edgarOf('2026-03-02', '2026-04-30');
    const path = '/Archives/edgar/daily-index/bulkdata/submissions.zip';
    const { headers, body } = ask(path, easternInstant('2026-04-15', 20));
    expect(headers['last-modified']).toBe('Wed, 15 Apr 2026 07:00:00 GMT');
    const at = join(fresh(), 'submissions.zip');
    writeFileSync(at, body);
    const archive = await openSubmissionsArchive(at, 2 ** 20);
    expect(archive.entities).toBe(truth.entities.size);
    let pages = 0;
    for await (const each of archive.read()) {
      expect(each.refusals).toEqual([]);
      const main = ask(`/submissions/CIK${each.cik}.json`, easternInstant('2026-04-15', 3)).body;
      expect(each.main).toEqual(parseSubmissions(main, each.cik));
      pages += each.pages.length;
    }
    await archive.close();
    expect(pages).toBeGreaterThan(5);
    const etag = headers['etag'] ?? '';
    const rest = { range: 'bytes=1000-', 'if-range': etag };
    const before = easternInstant('2026-04-16', 2.9);
    expect(ask(path, before, { 'if-none-match': etag }).status).toBe(304);
    expect(ask(path, before, rest).body.equals(body.subarray(1000))).toBe(true);
    expect(ask(path, easternInstant('2026-04-16', 3), rest).status).toBe(200);
  });

  it('on half days few filings come, and nearly none in the afternoon', () => {
    const truth = makeTruth({ seed: 2, firstDay: '2026-11-16', lastDay: '2026-12-31', followed: 20 });
    const hoursOf = (day: string) =>
      truth.filings
        .map(({ acceptedMs }) => acceptedMs)
        .filter((atMs) => easternDay(atMs) === day)
        .map(easternHours);
    for (const day of ['2026-11-27', '2026-12-24']) {
      expect(hoursOf(day).length).toBeLessThan(10);
      expect(hoursOf(day).filter((hours) => hours >= 13).length).toBeLessThan(2);
    }
    expect(hoursOf('2026-11-25').length).toBeGreaterThanOrEqual(10);
    expect(['2024-07-03', '2026-07-02', '2026-07-03', '2026-11-20'].map(isHalfDay)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('a history is shrunk to what makes it fail', async () => {
    const history = { ...drawHistory(2, 20), seed: 2 };
    const [culprit, accomplice] = [history.happenings[3], history.happenings.at(-2)];
    const shortest = await shrink(
      history,
      async ({ happenings }) =>
        happenings.some((each) => each === culprit) && happenings.some((each) => each === accomplice),
      200,
    );
    expect(shortest.happenings).toEqual([culprit, accomplice]);
  });

  // It lives through a day twice: half a minute each on a machine that does other things, too.
  it('the same seed gives the same trace, and nothing is wrong', {
    tags: ['slow'],
    timeout: 1_800_000,
  }, async () => {
    const releases = await loadReleases([]);
    const results = [];
    for (let run = 0; run < 2; run++) results.push(await runHistory(drawHistory(4, 1), releases));
    expect(results[0]?.failure).toBeNull();
    expect(results[1]?.digest).toBe(results[0]?.digest);
  });
});
