import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendFound, waitsForLedger } from '../../build/ingest/append.ts';
import { withLedgerEnd } from '../../build/ledger/batch.ts';
import { json, startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { often } from '../support/often.ts';
import { start } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { factSources, factsTold } from '../support/facts.ts';
import { headsOf } from '../support/heads.ts';
import { readModel } from '../support/ledger-model.ts';
import { cikOf, filing } from '../support/made-up.ts';
import { submissionsOf, upstreamRow } from '../support/submissions.ts';

const directory = useDirectories('two-writers');

/** Expects that a ledger has each filing once, with everything that the two sources told of it. */
async function expectWhole(ledger: string, numbers: readonly number[]): Promise<void> {
  const heads = await headsOf(ledger);
  expect(heads.map(({ head }) => head.number)).toEqual(heads.map((_, at) => at + 1));
  const model = await readModel(ledger);
  expect(model.filings.map(({ accessionNo }) => accessionNo).sort()).toEqual(
    numbers.map((number) => filing(number).accessionNo).sort(),
  );
  for (const row of model.rows.values())
    expect(row).toMatchObject({
      subjectCik: cikOf(2),
      filerCiks: [cikOf(1)],
      acceptedEastern: '20260302120000',
      primaryDocument: expect.stringMatching(/^d\d+\.htm$/),
    });
}

describe('two programs that append to one ledger', () => {
  it('of overlapping appends each adds to what the others told', async () => {
    const ledger = directory();
    const folders = { ledgerDirectory: ledger, snapshotsDirectory: join(ledger, 'snapshots') };
    const numbers = [1, 2, 3, 4, 5, 6];
    let waited = 0;
    await Promise.all(
      factSources.flatMap((source) =>
        numbers.map((number) => appendFound(folders, factsTold(source, number), { onWait: () => waited++ })),
      ),
    );
    await expectWhole(ledger, numbers);
    expect(waited).toBe(11);
    expect(readdirSync(join(ledger, 'batches')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  /** Runs a program that tells of some filings, and kills it after a time. Returns the numbers it printed. */
  async function tellUntilKilled(
    ledger: string,
    source: string,
    numbers: readonly number[],
    killedAfterMs: number | null,
  ): Promise<number[]> {
    const child = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        'test/processes/append-facts.ts',
        ledger,
        join(ledger, 'snapshots'),
        source,
        numbers.join(','),
      ],
      { cwd: join(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
        // The clock starts with the first append, because a process takes a while to begin.
        if (killedAfterMs !== null && output[name] === text)
          setTimeout(() => child.kill('SIGKILL'), killedAfterMs);
      });
    await once(child, 'close');
    expect(output.stderr).toBe('');
    return output.stdout.split('\n').filter(Boolean).map(Number);
  }

  for (const { times, options } of often(1, 6, 150_000))
    it(
      `kills at random moments lose nothing, leave no gap and stop nobody else, in ${times} ledgers`,
      options,
      async () => {
        let kills = 0;
        const length = times === 1 ? { minLength: 1, maxLength: 1 } : { minLength: 2, maxLength: 4 };
        const killTimes = fc.array(fc.integer({ min: 0, max: 120 }), length);
        await fc.assert(
          fc.asyncProperty(killTimes, killTimes, async (...killed) => {
            const ledger = directory();
            const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
            await Promise.all(
              factSources.map(async (source, at) => {
                let left = at === 0 ? numbers : numbers.toReversed();
                for (const killedAfterMs of [...(killed[at] ?? []), null]) {
                  if (left.length === 0) break;
                  if (killedAfterMs !== null) kills++;
                  const told = await tellUntilKilled(ledger, source, left, killedAfterMs);
                  left = left.filter((number) => !told.includes(number));
                }
                expect(left).toEqual([]);
              }),
            );
            await expectWhole(ledger, numbers);
          }),
          { numRuns: times, endOnFailure: true },
        );
        expect(kills).toBeGreaterThan(times);
      },
    );
});

describe('a command that appends to a ledger', () => {
  let edgar: EdgarDouble;
  let here: Record<string, string>;
  beforeAll(async () => {
    edgar = await startEdgarDouble();
    here = {
      EDGAR_USER_AGENT: 'Two Writers test@example.com',
      EDGAR_DATA_URL: edgar.dataUrl,
      EDGAR_WWW_URL: edgar.wwwUrl,
      EDGAR_RPS: '10',
    };
    edgar.route(
      `/data.sec.gov/submissions/CIK${cikOf(1)}.json`,
      json(submissionsOf(cikOf(1), [upstreamRow(1)])),
    );
  });
  afterAll(() => edgar.close());
  it('an ingest says once that it waits for another program, and goes on afterwards', {
    tags: ['slow'],
    timeout: 180_000,
  }, async () => {
    const ledger = directory();
    const waiting = await withLedgerEnd(ledger, async () => {
      const running = start(['ingest', '--universe', '1', '--ledger', ledger], here);
      let output = '';
      running.child.stdout?.on('data', (text: string) => void (output += text));
      while (!output.includes(waitsForLedger) && running.child.exitCode === null)
        await Promise.race([once(running.child.stdout as NodeJS.ReadableStream, 'data'), running.ended]);
      return running;
    });
    const { code, stdout } = await waiting.ended;
    expect([code, stdout.split(waitsForLedger).length]).toEqual([0, 2]);
    expect((await headsOf(ledger)).length).toBe(1);
  });
});
