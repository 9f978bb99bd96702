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

/** Rows of a batch, and those that do not fit: these are named and left out. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  readonly refusals: readonly Refusal[];
}

/** How many rows of filings and companies a batch has. */
export function rowsOfBatch({ files }: Pick<BatchFile, 'files'>): number {
  return files.reduce((sum, { name, rows }) => sum + (name === 'refusals.csv' ? 0 : rows), 0);
}

/**
 * The heads of the batches behind the first so many, oldest first. Throws `BrokenLedger` where one does not
 * follow the one before, or a batch is missing.
 */
export async function readHeads(directory: string, behind = 0): Promise<BatchHead[]> {
  const numbers = await batchNumbers(directory);
  let previous =
    behind === 0 || behind > numbers.length ? null : (await readBatchFile(directory, behind)).sha256;
  const heads: BatchHead[] = [];
  for (const number of numbers.slice(behind)) {
    const read = await readBatchFile(directory, number);
    if (read.head.previousSha256 !== previous) {
      throw new BrokenLedger(
        `${batchDirectory(directory, number)}/batch.json does not follow ${number === 1 ? 'nothing' : `${batchDirectory(directory, number - 1)}/batch.json`}`,
      );
    }
    previous = read.sha256;
    heads.push(read);
  }
  return heads;
}

/**
 * The filings of a batch by accession number, a file at a time. Throws `BrokenLedger`, which names the file,
 * for anything that is not as it was written, and for rows that are not in this order or that carry a filing
 * twice.
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
          `${batchDirectory(directory, number)}/${file.name}: ${accessionNo} stands behind ${last}, rows must be sorted`,
        );
      last = accessionNo;
    }
    yield read;
  }
}

/** The companies of a batch by CIK, a file at a time. Throws `BrokenLedger`. */
export async function* readCompanies(
  directory: string,
  { number, files }: BatchFile,
): AsyncGenerator<ReadRows<LedgerCompany>> {
  for (const file of files.filter(({ name }) => name.startsWith('companies'))) {
    const read = await readRows(directory, number, file, companyCodec);
    yield { ...read, rows: read.rows.toSorted((a, b) => compareText(a.cik, b.cik)) };
  }
}

/** What the run of a batch refused. Throws `BrokenLedger`. */
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
