import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../build/ledger/batch.ts';
import { readLedger } from '../build/ledger/read.ts';
import { rollback } from '../build/snapshot/pointer.ts';
import { verifySnapshot } from '../build/snapshot/verify.ts';
import { readPointer } from '../src/snapshot/open.ts';
import { json, startEdgarDouble, type EdgarDouble } from './edgar-double.ts';
import { command, start, type Ended } from './support/command.ts';
import { useDirectories } from './support/directories.ts';
import { createRandom, generateLedger } from './support/generate.ts';
import { batchAt, filing } from './support/ledgers.ts';
import { buildQuietly, contentBelow } from './support/snapshots.ts';
import { columnsOf, extraPage, submissionsOf, upstreamRow } from './support/submissions.ts';

const directory = useDirectories('crash');
const kills = 12;

/** Kills follow one another, each with a process of its own before and checks behind it: that takes its time on a busy machine. */
const killsLimit = { tags: ['slow'], timeout: 240_000 };

/** Runs a command and kills it at one of `kills` moments, spread over the time that it takes when it is left alone. */
async function killed(words: readonly string[], environment: Readonly<Record<string, string>>, tookMs: number, round: number, random: () => number): Promise<Ended> {
  const { child, ended } = start(words, environment);
  const timer = setTimeout(() => child.kill('SIGKILL'), (tookMs * (round + random())) / kills);
  const end = await ended;
  clearTimeout(timer);
  return end;
}

describe('an ingest that is killed at any moment', () => {
  let edgar: EdgarDouble;
  let environment: Record<string, string>;
  const ciks = Array.from({ length: 6 }, (_, at) => String(at + 1).padStart(10, '0'));
  const rowsOf = (at: number, page: number) => Array.from({ length: 40 }, (_, row) => upstreamRow(at * 1000 + page * 100 + row));
  const filings = ciks.length * 80;
  const words = (ledger: string) => ['ingest', '--universe', ciks.join(','), '--ledger', ledger];

  beforeAll(async () => {
    edgar = await startEdgarDouble();
    environment = { EDGAR_USER_AGENT: 'Crash Test crash@example.com', EDGAR_DATA_URL: edgar.dataUrl, EDGAR_WWW_URL: edgar.wwwUrl, EDGAR_RPS: '10' };
    ciks.forEach((cik, at) => {
      const page = extraPage(cik, 1, rowsOf(at, 1));
      edgar.route(`/data.sec.gov/submissions/CIK${cik}.json`, json(submissionsOf(cik, rowsOf(at, 0), {}, [page])));
      edgar.route(`/data.sec.gov/submissions/${page.name}`, json(columnsOf(rowsOf(at, 1))));
    });
  });
  afterAll(() => edgar.close());

  it('leaves the ledger as it was or with a whole batch, and the next run completes it', killsLimit, async () => {
    const undisturbed = directory();
    const { code, tookMs } = await command(words(undisturbed), environment);
    expect(code).toBe(0);
    const ledgerDirectory = directory();
    const random = createRandom(1);
    let deaths = 0;
    let batches = 0;
    for (let round = 0; round < kills; round++) {
      const end = await killed(words(ledgerDirectory), environment, tookMs, round, random);
      if (end.code === null) deaths++;
      else expect(end.code).toBe(0);
      const ledger = await readLedger(ledgerDirectory);
      const found = ledger?.batches.length ?? 0;
      expect(found === batches || found === batches + 1).toBe(true);
      if (end.code === 0) expect(found).toBe(batches + 1);
      batches = found;
      expect(ledger?.filings.length ?? 0).toBe(batches === 0 ? 0 : filings);
    }
    expect(deaths).toBeGreaterThan(0);
    expect((await command(words(ledgerDirectory), environment)).code).toBe(0);
    const [once, often] = [await readLedger(undisturbed), await readLedger(ledgerDirectory)];
    expect(often?.batches.length).toBe(batches + 1);
    expect(often?.filings.map(({ ingestedAt: _ingestedAt, observedAt: _observedAt, ...each }) => each)).toEqual(once?.filings.map(({ ingestedAt: _ingestedAt, observedAt: _observedAt, ...each }) => each));
    expect([...(often?.companies.values() ?? [])].map(({ updatedAt: _updatedAt, ...each }) => each)).toEqual([...(once?.companies.values() ?? [])].map(({ updatedAt: _updatedAt, ...each }) => each));
    expect(readdirSync(join(ledgerDirectory, 'batches')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('does not ask again for what the interrupted run had already', async () => {
    const ledgerDirectory = directory();
    const from = edgar.requests.length;
    const asked = () => edgar.requests.slice(from).filter(({ path }) => path.includes('/submissions/')).map(({ path }) => path);
    const { child, ended } = start(words(ledgerDirectory), environment);
    let isOver = false;
    void ended.then(() => (isOver = true));
    while (asked().length < 6 && !isOver) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    expect((await ended).code).toBeNull();
    const before = asked().length;
    expect((await command(words(ledgerDirectory), environment)).code).toBe(0);
    expect(before).toBeGreaterThanOrEqual(6);
    // At most the requests that were under way when it was killed are asked again: four companies at a time.
    expect(asked().length).toBeLessThanOrEqual(2 * ciks.length + 4);
    expect(new Set(asked()).size).toBe(2 * ciks.length);
    expect((await readLedger(ledgerDirectory))?.filings.length).toBe(filings);
  });
});

describe('a build that is killed at any moment', () => {
  it('leaves a current snapshot that is whole, the old one or the new one, and the next build completes', killsLimit, async () => {
    const [ledgerDirectory, snapshotsDirectory] = [directory(), directory()];
    await generateLedger(ledgerDirectory, { filings: 600, companies: 10, batches: 1 });
    const before = await buildQuietly(ledgerDirectory, snapshotsDirectory);
    await appendBatch(ledgerDirectory, { run: { target: '', status: 'success', message: null, createdAt: batchAt(2) }, filings: [filing(1)], companies: [], refusals: [] });
    const undisturbed = directory();
    const words = (snapshots: string) => ['build', '--ledger', ledgerDirectory, '--snapshots', snapshots];
    const { code, tookMs } = await command(words(undisturbed));
    expect(code).toBe(0);
    const after = (await readPointer(undisturbed))?.snapshotId as string;

    const random = createRandom(2);
    let deaths = 0;
    for (let round = 0; round < kills; round++) {
      const end = await killed(words(snapshotsDirectory), {}, tookMs, round, random);
      if (end.code === null) deaths++;
      const current = (await readPointer(snapshotsDirectory))?.snapshotId as string;
      expect(end.code === null ? [before, after] : [after]).toContain(current);
      for (const name of readdirSync(snapshotsDirectory).filter((each) => /^\d{8}-/.test(each))) await verifySnapshot(join(snapshotsDirectory, name), name);
      // The next kill is to find work to do again.
      if (current === after) {
        await rollback(snapshotsDirectory);
        rmSync(join(snapshotsDirectory, after), { recursive: true });
      }
    }
    expect(deaths).toBeGreaterThan(0);
    expect((await command(words(snapshotsDirectory))).code).toBe(0);
    expect(await readPointer(snapshotsDirectory)).toMatchObject({ snapshotId: after, previous: [before] });
    expect(contentBelow(join(snapshotsDirectory, after))).toEqual(contentBelow(join(undisturbed, after)));
    expect(readdirSync(snapshotsDirectory).sort()).toEqual([before, after, 'current.json'].sort());
  });
});
