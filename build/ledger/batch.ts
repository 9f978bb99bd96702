import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { IngestRun, ReconciledDay } from '../../src/contract/records.ts';
import { count, sha256 } from '../../src/contract/shapes.ts';
import { sha256Of } from '../../src/table/file.ts';
import { makeStaging, syncDirectory, writeSynced } from '../files.ts';
import { companyCodec, encodeRows, filingCodec, refusalCodec, type LedgerCompany, type LedgerFiling, type Refusal } from './rows.ts';

/** Version of the ledger's format; `snapshots/README.md` specifies it. */
export const ledgerFormat = 1;

/** A file of filings holds at most this many rows, so that reading one needs little memory. */
const rowsPerFile = 50_000;

/** The file that makes a directory a batch: it names every other file, and the batch before. */
export const BatchFile = z.object({
  format: z.literal(ledgerFormat),
  number: z.int().min(1),
  previousSha256: sha256.nullable(),
  /** Its rows come from recordings: what is made of it is for trying out. */
  sample: z.literal(true).optional(),
  run: IngestRun,
  /** Days that were held against EDGAR's indexes. */
  days: z.array(ReconciledDay).min(1).optional(),
  files: z.array(z.object({ name: z.string().regex(/^(filings-\d+|companies|refusals)\.csv$/), bytes: count, sha256, rows: count })),
});
/** See the schema of the same name. */
export type BatchFile = z.infer<typeof BatchFile>;

/** What one run adds. */
export interface BatchContent {
  readonly run: IngestRun;
  readonly filings: readonly LedgerFiling[];
  readonly companies: readonly LedgerCompany[];
  readonly refusals: readonly Refusal[];
  /** Whether its rows come from recordings. */
  readonly isSample?: boolean;
  /** Days that were held against EDGAR's indexes, and what came of it. */
  readonly days?: readonly ReconciledDay[];
}

/** A ledger or batch that is not what it must be; the message names the file. */
export class BrokenLedger extends Error {}

/** The directory of batch `number`. */
export function batchDirectory(ledgerDirectory: string, number: number): string {
  return join(ledgerDirectory, 'batches', String(number).padStart(6, '0'));
}

/** Numbers of the batches that a ledger has, ascending; none if there is no ledger. Throws `BrokenLedger` for a gap. */
export async function batchNumbers(ledgerDirectory: string): Promise<number[]> {
  const names = await readdir(join(ledgerDirectory, 'batches')).catch(() => [] as string[]);
  const numbers = names.filter((name) => /^\d{6}$/.test(name)).map(Number).sort((a, b) => a - b);
  numbers.forEach((number, at) => {
    if (number !== at + 1) throw new BrokenLedger(`${batchDirectory(ledgerDirectory, at + 1)} is missing`);
  });
  return numbers;
}

/** Reads and checks the head of a batch. Throws `BrokenLedger`. Returns it with its SHA-256. */
export async function readBatchFile(ledgerDirectory: string, number: number): Promise<{ head: BatchFile; sha256: string }> {
  const path = join(batchDirectory(ledgerDirectory, number), 'batch.json');
  try {
    const bytes = await readFile(path);
    const head = BatchFile.parse(JSON.parse(bytes.toString()));
    if (head.number !== number) throw new Error(`it says that it is batch ${head.number}`);
    return { head, sha256: sha256Of(bytes) };
  } catch (error) {
    throw new BrokenLedger(`${path}: ${(error as Error).message}`);
  }
}

/**
 * Appends a batch: it is written aside, synced and renamed, so it exists whole or not at all. Throws if another run has
 * appended one meanwhile; nothing is overwritten. Returns its number.
 */
export async function appendBatch(ledgerDirectory: string, content: BatchContent): Promise<number> {
  const number = (await batchNumbers(ledgerDirectory)).length + 1;
  const previousSha256 = number === 1 ? null : (await readBatchFile(ledgerDirectory, number - 1)).sha256;
  await mkdir(join(ledgerDirectory, 'batches'), { recursive: true });
  const staging = await makeStaging(join(ledgerDirectory, 'batches'));
  try {
    const files: BatchFile['files'] = [];
    const add = async (name: string, text: string, rows: number) => {
      await writeSynced(join(staging, name), text);
      files.push({ name, bytes: Buffer.byteLength(text), sha256: sha256Of(text), rows });
    };
    // Readers hold the rows of a batch against what they know in one pass over both.
    const filings = content.filings.toSorted((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));
    for (let part = 0; part * rowsPerFile < filings.length; part++) {
      const rows = filings.slice(part * rowsPerFile, (part + 1) * rowsPerFile);
      await add(`filings-${part + 1}.csv`, encodeRows(filingCodec, rows), rows.length);
    }
    if (content.companies.length > 0) await add('companies.csv', encodeRows(companyCodec, content.companies), content.companies.length);
    if (content.refusals.length > 0) await add('refusals.csv', encodeRows(refusalCodec, content.refusals), content.refusals.length);
    const head: BatchFile = BatchFile.parse({ format: ledgerFormat, number, previousSha256, ...(content.isSample ? { sample: true } : {}), run: content.run, ...(content.days?.length ? { days: content.days } : {}), files });
    await writeSynced(join(staging, 'batch.json'), `${JSON.stringify(head, null, 2)}\n`);
    await syncDirectory(staging);
    // A directory is not renamed over one that holds files: of two runs at the same time the second one fails here.
    await rename(staging, batchDirectory(ledgerDirectory, number));
    await syncDirectory(join(ledgerDirectory, 'batches'));
    return number;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}
