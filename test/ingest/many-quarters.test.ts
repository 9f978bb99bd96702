// @module-tag slow
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataSetFile } from '../../build/contents/data-set.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { readContents } from '../../build/ledger/read.ts';
import { start } from '../support/command.ts';
import { writeDataSet } from '../support/data-set.ts';
import { useDirectories } from '../support/directories.ts';
import { ok, startEdgarDouble } from '../edgar/edgar-double.ts';
import { createRandom, madeUpCompany } from '../support/generate.ts';
import { headsOf } from '../support/heads.ts';
import { appendMadeUp, bareFiling, cikOf } from '../support/ledgers.ts';
import { needs } from '../support/needs.ts';
import { madeUpOwnership } from '../support/made-up-ownership.ts';
import { renderedDocument } from '../support/ownership-documents.ts';

const fresh = useDirectories('many-quarters');
const issuer = madeUpCompany(1);

/** A filing of a quarter, counted from the first of 2006. */
const filingOf = (quarter: number, number: number): LedgerFiling =>
  bareFiling(number, {
    form: '4',
    filedAt: `${2006 + Math.floor(quarter / 4)}-${String(1 + 3 * (quarter % 4)).padStart(2, '0')}-15`,
    primaryDocument: renderedDocument('4'),
    subjectCik: issuer.cik,
    filerCiks: [cikOf(2)],
  });

/** What a run was seen to take when it had read a quarter. */
interface Seen {
  readonly ms: number;
  readonly rssBytes: number;
}

/** Reads the data sets of so many quarters by the real command. Returns what was seen at the end of each. */
async function readQuarters(quarters: number, filings: number): Promise<Seen[]> {
  const [ledger, folder, edgar] = [fresh(), fresh(), await startEdgarDouble()];
  const random = createRandom(quarters);
  try {
    for (let quarter = 0; quarter < quarters; quarter++) {
      const rows = Array.from({ length: filings }, (_, at) => filingOf(quarter, quarter * filings + at + 1));
      await appendMadeUp(ledger, quarter + 1, { filings: rows });
      const path = join(folder, 'set.zip');
      writeDataSet(
        path,
        rows.map((row) => [row.accessionNo, madeUpOwnership(row, issuer, random)]),
        { hasPlanColumn: true, order: (_, lines) => lines },
      );
      const name = `${2006 + Math.floor(quarter / 4)}q${1 + (quarter % 4)}`;
      edgar.route(`/www.sec.gov/${dataSetFile(name)}`, ok(readFileSync(path)));
      rmSync(path);
    }
    const { child, ended } = start(['ingest', '--contents', '--from-data-sets', '--ledger', ledger], {
      EDGAR_USER_AGENT: 'Made Up made-up@example.com',
      EDGAR_DATA_URL: edgar.dataUrl,
      EDGAR_WWW_URL: edgar.wwwUrl,
      EDGAR_RPS: '10',
      SNAPSHOTS_DIR: `${ledger}-snapshots`,
      CONTENTS: 'ownership',
    });
    const seen: Seen[] = [];
    let output = '';
    const see = (text: string) => {
      output += text;
      // A line may come in two pieces.
      const told = [...output.matchAll(/\d{4}q\d: contents of \d+ filings/g)].length;
      while (seen.length < told) {
        // The process may have ended before its last lines are read.
        const path = `/proc/${child.pid}/status`;
        const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(existsSync(path) ? readFileSync(path, 'utf8') : '') ?? [];
        const rssBytes = kilobytes === undefined ? seen.at(-1)?.rssBytes : Number(kilobytes) * 1024;
        seen.push({ ms: performance.now(), rssBytes: rssBytes ?? 0 });
      }
    };
    child.stdout?.on('data', see);
    child.stderr?.on('data', see);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    let found = 0;
    for (const { head } of await headsOf(ledger))
      for await (const { rows } of readContents(ledger, head)) found += rows.length;
    expect(found).toBe(quarters * filings);
    return seen;
  } finally {
    await edgar.close();
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Memory that a process may take more at its end than before its middle: what the garbage collector has not looked at. */
const grownBytesMaximum = 128e6;
/** How much longer a quarter may take at the end, on a machine that does other things meanwhile. */
const timesLonger = 2.5;

/** Expects that the last quarters of a run take no more memory than earlier ones. Returns how much longer one of them took. */
async function expectNoMore(quarters: number, filings: number): Promise<number> {
  const seen = await readQuarters(quarters, filings);
  expect(seen.length).toBe(quarters);
  const took = seen.slice(1).map(({ ms }, at) => ms - (seen[at] as Seen).ms);
  const part = Math.floor(quarters / 4);
  const most = (some: readonly Seen[]) => Math.max(...some.map(({ rssBytes }) => rssBytes));
  expect(most(seen.slice(-part)) - most(seen.slice(0, 2 * part))).toBeLessThan(grownBytesMaximum);
  return median(took.slice(-part)) / median(took.slice(part, 2 * part));
}

describe('the data sets of many quarters', needs('descriptors'), () => {
  it('the last quarters take no more memory than earlier ones', async () => {
    expect(await expectNoMore(12, 300)).toBeGreaterThan(0);
  });

  it('the last ones of 80 quarters take no more memory and time than earlier ones', {
    tags: ['slow', 'nightly'],
    timeout: 1_800_000,
  }, async () => {
    expect(await expectNoMore(80, 2000)).toBeLessThan(timesLonger);
  });
});
