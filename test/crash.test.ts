import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLedger } from '../build/ledger/read.ts';
import { verifySnapshot } from '../build/snapshot/verify.ts';
import { readPointer } from '../src/snapshot/open.ts';
import { json, startEdgarDouble, type EdgarDouble } from './edgar-double.ts';
import { useDirectories } from './support/directories.ts';
import { createRandom, generateLedger } from './support/generate.ts';
import { extraPage, submissionsOf, columnsOf, upstreamRow } from './support/submissions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = useDirectories('crash');
const kills = 10;
/** The test runner sets a variable that is a setting here. */
const cleared = { BASE_URL: '' };

/** Runs a command of the build; kills it after some milliseconds unless it ended before. */
async function run(words: readonly string[], environment: Record<string, string>, killAfterMs?: number): Promise<{ code: number | null; tookMs: number; output: string }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', 'tsx', 'build/main.ts', ...words], { cwd: root, env: { ...process.env, ...cleared, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => void (output += text.toString()));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code, tookMs: performance.now() - startedAt, output };
}

describe('an ingest that is killed at any moment', () => {
  let edgar: EdgarDouble;
  const ciks = Array.from({ length: 6 }, (_, at) => String(at + 1).padStart(10, '0'));
  const rowsOf = (at: number, page: number) => Array.from({ length: 40 }, (_, row) => upstreamRow(at * 1000 + page * 100 + row));

  beforeAll(async () => {
    edgar = await startEdgarDouble();
    ciks.forEach((cik, at) => {
      const page = extraPage(cik, 1, rowsOf(at, 1));
      edgar.route(`/data.sec.gov/submissions/CIK${cik}.json`, json(submissionsOf(cik, rowsOf(at, 0), {}, [page])));
      edgar.route(`/data.sec.gov/submissions/${page.name}`, json(columnsOf(rowsOf(at, 1))));
    });
  });
  afterAll(() => edgar.close());

  it('leaves a whole ledger, and the next run completes it', async () => {
    const environment = { EDGAR_USER_AGENT: 'Crash Test crash@example.com', EDGAR_DATA_URL: edgar.dataUrl, EDGAR_WWW_URL: edgar.wwwUrl, EDGAR_RPS: '10' };
    const words = (ledger: string) => ['ingest', '--universe', ciks.join(','), '--ledger', ledger];
    const undisturbed = directory();
    const { code, tookMs } = await run(words(undisturbed), environment);
    expect(code).toBe(0);
    const random = createRandom(1);
    const ledgerDirectory = directory();
    let killed = 0;
    for (let round = 0; round < kills; round++) {
      if ((await run(words(ledgerDirectory), environment, tookMs * random())).code === null) killed++;
      const ledger = await readLedger(ledgerDirectory);
      expect([0, 480]).toContain(ledger?.filings.length ?? 0);
    }
    expect(killed).toBeGreaterThan(0);
    expect((await run(words(ledgerDirectory), environment)).code).toBe(0);
    const [once, often] = [await readLedger(undisturbed), await readLedger(ledgerDirectory)];
    expect(often?.filings.map(({ ingestedAt: _ingestedAt, ...filing }) => filing)).toEqual(once?.filings.map(({ ingestedAt: _ingestedAt, ...filing }) => filing));
    expect(readdirSync(join(ledgerDirectory, 'batches')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('does not ask again for what the interrupted run had already', async () => {
    const environment = { EDGAR_USER_AGENT: 'Crash Test crash@example.com', EDGAR_DATA_URL: edgar.dataUrl, EDGAR_WWW_URL: edgar.wwwUrl, EDGAR_RPS: '10' };
    const ledgerDirectory = directory();
    const from = edgar.requests.length;
    const asked = () => edgar.requests.slice(from).filter(({ path }) => path.includes('/submissions/')).map(({ path }) => path);
    const child = spawn(process.execPath, ['--import', 'tsx', 'build/main.ts', 'ingest', '--universe', ciks.join(','), '--ledger', ledgerDirectory], { cwd: root, env: { ...process.env, ...cleared, ...environment }, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    while (asked().length < 6 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await ended;
    const before = asked().length;
    expect((await run(['ingest', '--universe', ciks.join(','), '--ledger', ledgerDirectory], environment)).code).toBe(0);
    // At most the requests that were under way when it was killed are asked again: four companies at a time.
    expect(asked().length).toBeLessThanOrEqual(12 + 4);
    expect(before).toBeGreaterThanOrEqual(6);
    expect((await readLedger(ledgerDirectory))?.filings.length).toBe(480);
  });
});

describe('a build that is killed at any moment', () => {
  it('leaves the old snapshot current and whole, and the next build completes', async () => {
    const [ledgerDirectory, snapshotsDirectory] = [directory(), directory()];
    await generateLedger(ledgerDirectory, { filings: 400, companies: 10, batches: 1 });
    const words = ['build', '--ledger', ledgerDirectory, '--snapshots', snapshotsDirectory];
    const first = await run(words, {});
    expect(first.code).toBe(0);
    const before = (await readPointer(snapshotsDirectory))?.snapshotId as string;
    const grown = directory();
    await generateLedger(grown, { filings: 400, companies: 10, batches: 1 });
    await generateLedger(grown, { filings: 300, companies: 10, batches: 1, seed: 2 }).catch(() => {});
    const random = createRandom(2);
    let killed = 0;
    const more = ['build', '--ledger', grown, '--snapshots', snapshotsDirectory, '--replace'];
    for (let round = 0; round < kills; round++) {
      if ((await run(more, {}, first.tookMs * random())).code === null) killed++;
      const pointer = await readPointer(snapshotsDirectory);
      const id = pointer?.snapshotId as string;
      expect((await verifySnapshot(join(snapshotsDirectory, id), id)).filingCount).toBeGreaterThan(0);
      if (killed === round + 1) expect([before, id]).toContain(before);
    }
    expect(killed).toBeGreaterThan(0);
    expect((await run(more, {})).code).toBe(0);
    const after = (await readPointer(snapshotsDirectory))?.snapshotId as string;
    await verifySnapshot(join(snapshotsDirectory, after), after);
    expect(readdirSync(snapshotsDirectory).filter((name) => name.startsWith('.staging'))).toEqual([]);
  });
});
