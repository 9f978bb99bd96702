import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareText } from '../../src/domain/scalars.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { contentsFile, decodeContents, type LedgerContents } from './contents.ts';
import { batchCount, batchDirectory, BrokenLedger, readBatchFile, type BatchFile } from './batch.ts';
import {
  companyCodec,
  decodeParts,
  filingCodec,
  refusalCodec,
  type LedgerCompany,
  type LedgerFiling,
  type Refusal,
  type RowCodec,
} from './ledger-rows.ts';

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

/** Returns the number of filings, companies and contents in a batch. */
export function rowsOfBatch({ files }: Pick<BatchFile, 'files'>): number {
  return files.reduce(
    (sum, { name, rows }) => sum + (/^(filings|companies|contents)/.test(name) ? rows : 0),
    0,
  );
}

/**
 * Reads the heads of the batches after number `after` up to number `through` (all, if left out), oldest
 * first. Throws `BrokenLedger` if one is missing or does not name the digest of the one before.
 */
export async function* readHeads(
  directory: string,
  after = 0,
  through = Infinity,
): AsyncGenerator<BatchHead> {
  const last = Math.min(through, await batchCount(directory, after));
  let previous = after === 0 || after > last ? null : (await readBatchFile(directory, after)).sha256;
  for (let number = after + 1; number <= last; number++) {
    const read = await readBatchFile(directory, number);
    if (read.head.previousSha256 !== previous) {
      throw new BrokenLedger(
        `${batchDirectory(directory, number)}/batch.json ${number === 1 ? 'is the first batch and names a batch before it' : `does not follow ${batchDirectory(directory, number - 1)}/batch.json`}`,
      );
    }
    previous = read.sha256;
    yield read;
  }
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

/** Rows that are decoded together: those that are held while others are decoded cost more. */
const rowsAtOnce = 2000;

/**
 * Reads the filings of a batch, sorted by accession number, some thousand at a time. Throws `BrokenLedger`,
 * which names the file, if bytes have changed, rows are not sorted, or a filing comes twice.
 */
export async function* readFilings(
  directory: string,
  { number, files }: BatchFile,
): AsyncGenerator<ReadRows<LedgerFiling>> {
  let last = '';
  for (const file of files.filter(({ name }) => name.startsWith('filings-'))) {
    for await (const read of readRows(directory, number, file, filingCodec, rowsAtOnce)) {
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
}

/** Reads the companies of a batch, one file at a time, each file sorted by CIK. Throws `BrokenLedger`. */
export async function* readCompanies(
  directory: string,
  { number, files }: BatchFile,
): AsyncGenerator<ReadRows<LedgerCompany>> {
  for (const file of files.filter(({ name }) => name.startsWith('companies'))) {
    for await (const read of readRows(directory, number, file, companyCodec))
      yield { ...read, rows: read.rows.toSorted((a, b) => compareText(a.cik, b.cik)) };
  }
}

/** Contents that are held together as objects: a document may be long. */
const contentsAtOnce = 100;

/**
 * Reads the contents of a batch, sorted by accession number, some at a time. Throws `BrokenLedger`, which names the
 * file, if bytes have changed, or lines are not sorted.
 */
export async function* readContents(
  directory: string,
  { number, files }: BatchFile,
): AsyncGenerator<ReadRows<LedgerContents>> {
  let last = '';
  for (const file of files.filter(({ name }) => contentsFile.test(name))) {
    const path = join(batchDirectory(directory, number), file.name);
    const lines = (await readBytes(path, file)).toString().split('\n').slice(0, -1);
    if (lines.length !== file.rows)
      throw new BrokenLedger(`${path}: it has ${lines.length} rows, not ${file.rows}`);
    for (let from = 0; from < lines.length; from += contentsAtOnce) {
      const rows: LedgerContents[] = [];
      const refusals: Refusal[] = [];
      for (let at = from; at < Math.min(from + contentsAtOnce, lines.length); at++)
        try {
          rows.push(decodeContents(lines[at] as string));
        } catch (error) {
          refusals.push(refusalOf(number, file.name, at + 1, (error as Error).message));
        }
      for (const { accessionNo } of rows) {
        if (accessionNo <= last)
          throw new BrokenLedger(`${path}: ${accessionNo} comes after ${last}, but rows must be sorted`);
        last = accessionNo;
      }
      yield { rows, refusals };
    }
  }
}

/** A row of a batch that breaks the rules. The text is published, so it does not depend on the folder of the batch. */
const refusalOf = (batch: number, file: string, row: number, reason: string): Refusal => ({
  cik: '',
  accessionNo: '',
  file: `${String(batch).padStart(6, '0')}/${file}`,
  reason: `(row ${row}): ${reason}`,
});

/** Reads the refusals of a batch. Throws `BrokenLedger`. */
export async function readRefusals(
  directory: string,
  { number, files }: BatchFile,
): Promise<readonly Refusal[]> {
  const file = files.find(({ name }) => name === 'refusals.csv');
  const refusals: Refusal[] = [];
  if (file)
    for await (const { rows } of readRows(directory, number, file, refusalCodec)) refusals.push(...rows);
  return refusals;
}

/** Checks every file that a head names by its length and SHA-256. Throws `BrokenLedger`. */
export async function checkFiles(directory: string, { number, files }: BatchFile): Promise<void> {
  for (const file of files) await readBytes(join(batchDirectory(directory, number), file.name), file);
}

/** Reads a file of a batch. Throws `BrokenLedger`. */
async function readBytes(path: string, file: BatchFile['files'][number]): Promise<Buffer> {
  const bytes = await readFile(path).catch((error: Error) => {
    throw new BrokenLedger(`${path}: ${error.message}`);
  });
  if (bytes.length !== file.bytes || sha256Of(bytes) !== file.sha256)
    throw new BrokenLedger(`${path}: its bytes are not those that batch.json names`);
  return bytes;
}

/** Reads the rows of a file, at most `size` at a time. Throws `BrokenLedger`. */
async function* readRows<Row>(
  directory: string,
  number: number,
  file: BatchFile['files'][number],
  codec: RowCodec<Row>,
  size = Infinity,
): AsyncGenerator<ReadRows<Row>> {
  const path = join(batchDirectory(directory, number), file.name);
  const bytes = await readBytes(path, file);
  const broken = (error: unknown) => new BrokenLedger(`${path}: ${(error as Error).message}`);
  let count = 0;
  const parts = decodeParts(codec, bytes.toString(), size);
  for (;;) {
    let part: ReturnType<typeof parts.next>;
    try {
      part = parts.next();
    } catch (error) {
      throw broken(error);
    }
    if (part.done === true) break;
    const { rows, misfits } = part.value;
    count += rows.length + misfits.length;
    yield {
      rows,
      refusals: misfits.map(({ row, first, reason }) => ({
        ...refusalOf(number, file.name, row, reason),
        [codec.columns[0] as keyof Refusal]: first,
      })),
    };
  }
  if (count !== file.rows) throw broken(new Error(`it has ${count} rows, not ${file.rows}`));
}
