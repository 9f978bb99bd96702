import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { appendBatch, batchDirectory, BrokenLedger, type BatchFile } from '../../build/ledger/batch.ts';
import { verifyBatches } from '../../build/verify/batches.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { filesBelow } from '../support/files-below.ts';
import { batchAt, company, filing } from '../support/ledgers.ts';

const fresh = useDirectories('verify-batches');
const sound = fresh();

beforeAll(async () => {
  const append = (number: number) =>
    appendBatch(sound, {
      run: { target: '', status: 'partial', message: 'not all', createdAt: batchAt(number) },
      filings: [filing(number)],
      companies: [company(number)],
      refusals: [{ cik: '', file: 'a.json', accessionNo: '', reason: `no ${number}` }],
    });
  for (const number of [1, 2]) await append(number);
});

function copy(): string {
  const directory = fresh();
  cpSync(sound, directory, { recursive: true });
  return directory;
}

/** What verification says of a ledger; null if it is sound. */
async function refusal(ledger: string): Promise<string | null> {
  try {
    await verifyBatches(ledger, quietProgress);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(BrokenLedger);
    return (error as Error).message;
  }
}

/** Writes a file of the newest batch and names it in the head, as another program might. */
function rename(ledger: string, name: string, text: string, rows: number): void {
  const directory = batchDirectory(ledger, 2);
  const head = JSON.parse(readFileSync(join(directory, 'batch.json'), 'utf8')) as BatchFile;
  writeFileSync(join(directory, name), text);
  const file = { name, bytes: Buffer.byteLength(text), sha256: sha256Of(text), rows };
  const files = [...head.files.filter((each) => each.name !== name), file];
  writeFileSync(join(directory, 'batch.json'), JSON.stringify({ ...head, files }));
}

describe('verification of batches', () => {
  it('verification names any file of a batch that is damaged, cut short or missing', async () => {
    const ledger = copy();
    const files = filesBelow(ledger).filter((path) => !path.startsWith(`batches/999999/`));
    expect(files.length).toBe(8);
    expect(await refusal(ledger)).toBeNull();
    for (const path of files) {
      const whole = readFileSync(join(ledger, path));
      // The last head is named by no other; damage to its JSON is found, another message in it is not.
      const ats = path.endsWith('00000002/batch.json') ? [0] : [...whole.keys()].filter((at) => at % 5 === 0);
      const flipped = ats.map((at) =>
        Buffer.from(whole.map((byte, each) => (each === at ? byte ^ 1 : byte))),
      );
      for (const damaged of [...flipped, whole.subarray(0, -2), null]) {
        if (damaged === null) rmSync(join(ledger, path));
        else writeFileSync(join(ledger, path), damaged);
        // A head and the file that it describes can only be found to differ.
        const named = path.endsWith('.json') && damaged !== null ? dirname(path) : path;
        expect(await refusal(ledger)).toContain(named);
      }
      writeFileSync(join(ledger, path), whole);
    }
  });
  it('verification names a file that no head names', async () => {
    const ledger = copy();
    const path = join(batchDirectory(ledger, 1), 'filings-2.csv');
    cpSync(join(batchDirectory(ledger, 1), 'filings-1.csv'), path);
    expect(await refusal(ledger)).toBe(`${path}: no head names this file`);
  });
  it('verification reads the rows of refusals, filings and companies', async () => {
    for (const [name, message] of [
      ['refusals.csv', /refusals\.csv: the columns are a,b/],
      ['filings-1.csv', /filings-1\.csv: the columns are a,b/],
      ['companies.csv', /companies\.csv: the columns are a,b/],
    ] as const) {
      const ledger = copy();
      rename(ledger, name, 'a,b\n1,2\n', 1);
      expect(await refusal(ledger)).toMatch(message);
    }
    const ledger = copy();
    rename(ledger, 'refusals.csv', 'cik,file,accessionNo,reason\n,a,,b\n', 2);
    expect(await refusal(ledger)).toMatch(/refusals\.csv: it has 1 rows, not 2/);
  });
});
