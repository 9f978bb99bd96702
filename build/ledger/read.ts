import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compareText } from '../../src/contract/scalars.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { batchDirectory, batchNumbers, BrokenLedger, readBatchFile, type BatchFile } from './batch.ts';
import {
  companyCodec,
  decodeRows,
  filingCodec,
  refusalCodec,
  type LedgerCompany,
  type LedgerFiling,
  type Refusal,
  type RowCodec,
} from './rows.ts';

/** The head of a batch with its SHA-256. */
export interface BatchHead {
  readonly head: BatchFile;
  readonly sha256: string;
}

/** Rows of a batch. Rows that break the rules of the ledger are left out and returned as refusals. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  readonly refusals: readonly Refusal[];
}

/** Returns the number of filings and companies in a batch. */
export function rowsOfBatch({ files }: Pick<BatchFile, 'files'>): number {
  return files.reduce((sum, { name, rows }) => sum + (/^(filings|companies)/.test(name) ? rows : 0), 0);
}

/**
 * Reads the heads of the batches after number `after`, oldest first. Throws `BrokenLedger` if one is missing
 * or does not name the digest of the one before.
 */
export async function readHeads(directory: string, after = 0): Promise<BatchHead[]> {
  const numbers = await batchNumbers(directory);
  let previous =
    after === 0 || after > numbers.length ? null : (await readBatchFile(directory, after)).sha256;
  const heads: BatchHead[] = [];
  for (const number of numbers.slice(after)) {
    const read = await readBatchFile(directory, number);
    if (read.head.previousSha256 !== previous) {
      throw new BrokenLedger(
        `${batchDirectory(directory, number)}/batch.json ${number === 1 ? 'is the first batch and names a batch before it' : `does not follow ${batchDirectory(directory, number - 1)}/batch.json`}`,
      );
    }
    previous = read.sha256;
    heads.push(read);
  }
  return heads;
}

/**
 * Returns the newest batch up to `last` that a run of the ingest, the follower or the reconciliation made; a
 * restatement asks EDGAR nothing. Throws `BrokenLedger`.
 */
export async function latestIngest(directory: string, last: BatchHead): Promise<BatchHead> {
  let found = last;
  while (found.head.restates !== undefined && found.head.number > 1)
    found = await readBatchFile(directory, found.head.number - 1);
  return found;
}

/**
 * Reads the filings of a batch, sorted by accession number, one file at a time. Throws `BrokenLedger`, which
 * names the file, if bytes have changed, rows are not sorted, or a filing comes twice.
 */
export async function* readFilings(
  directory: string,
  { number, files }: BatchFile,
): AsyncGenerator<ReadRows<LedgerFiling>> {
  let last = '';
  for (const file of files.filter(({ name }) => name.startsWith('filings-'))) {
    const read = await readRows(directory, number, file, filingCodec);
    for (const { accessionNo } of read.rows) {
      if (accessionNo === last)
        throw new BrokenLedger(
          `${batchDirectory(directory, number)}: batch ${number} carries ${accessionNo} twice`,
        );
      if (accessionNo < last)
        throw new BrokenLedger(
          `${batchDirectory(directory, number)}/${file.name}: ${accessionNo} comes after ${last}, but rows must be sorted`,
        );
      last = accessionNo;
    }
    yield read;
  }
}

/** Reads the companies of a batch, one file at a time, each file sorted by CIK. Throws `BrokenLedger`. */
export async function* readCompanies(
  directory: string,
  { number, files }: BatchFile,
): AsyncGenerator<ReadRows<LedgerCompany>> {
  for (const file of files.filter(({ name }) => name.startsWith('companies'))) {
    const read = await readRows(directory, number, file, companyCodec);
    yield { ...read, rows: read.rows.toSorted((a, b) => compareText(a.cik, b.cik)) };
  }
}

/** Reads the refusals of a batch. Throws `BrokenLedger`. */
export async function readRefusals(
  directory: string,
  { number, files }: BatchFile,
): Promise<readonly Refusal[]> {
  const file = files.find(({ name }) => name === 'refusals.csv');
  return file ? (await readRows(directory, number, file, refusalCodec)).rows : [];
}

async function readRows<Row>(
  directory: string,
  number: number,
  file: BatchFile['files'][number],
  codec: RowCodec<Row>,
): Promise<ReadRows<Row>> {
  const path = join(batchDirectory(directory, number), file.name);
  try {
    const bytes = await readFile(path);
    if (bytes.length !== file.bytes || sha256Of(bytes) !== file.sha256)
      throw new Error('its bytes are not those that batch.json names');
    const { rows, misfits } = decodeRows(codec, bytes.toString());
    const count = rows.length + misfits.length;
    if (count !== file.rows) throw new Error(`it has ${count} rows, not ${file.rows}`);
    const named = {
      cik: '',
      accessionNo: '',
      file: `${basename(batchDirectory(directory, number))}/${file.name}`,
    };
    return {
      rows,
      refusals: misfits.map(({ row, first, reason }) => ({
        ...named,
        [codec.columns[0] as keyof Refusal]: first,
        reason: `(row ${row}): ${reason}`,
      })),
    };
  } catch (error) {
    throw new BrokenLedger(`${path}: ${(error as Error).message}`);
  }
}
