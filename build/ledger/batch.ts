import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { IngestRun, ReconciledDay } from '../../src/contract/records.ts';
import { count, sha256 } from '../../src/contract/scalars.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { csvLines } from '../csv/csv.ts';
import { makeStaging, syncDirectory, writeSynced } from '../disk/files.ts';
import {
  companyCodec,
  encodeHeader,
  encodeRows,
  filingCodec,
  refusalCodec,
  type LedgerCompany,
  type LedgerFiling,
  type Refusal,
  type RowCodec,
} from './rows.ts';

/** Version of the ledger's format; `snapshots/README.md` specifies it. */
const ledgerFormat = 1;

/** A file of filings or companies holds at most this many rows, so that reading one needs little memory. */
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
  files: z.array(
    z.object({
      name: z.string().regex(/^(filings-\d+|companies(-\d+)?|refusals)\.csv$/),
      bytes: count,
      sha256,
      rows: count,
    }),
  ),
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

/**
 * Numbers of the batches that a ledger has, ascending; none if there is no ledger. Throws `BrokenLedger` for
 * a gap.
 */
export async function batchNumbers(ledgerDirectory: string): Promise<number[]> {
  const names = await readdir(join(ledgerDirectory, 'batches')).catch(() => [] as string[]);
  const numbers = names
    .filter((name) => /^\d{6}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
  numbers.forEach((number, at) => {
    if (number !== at + 1) throw new BrokenLedger(`${batchDirectory(ledgerDirectory, at + 1)} is missing`);
  });
  return numbers;
}

/** Reads and checks the head of a batch. Throws `BrokenLedger`. Returns it with its SHA-256. */
export async function readBatchFile(
  ledgerDirectory: string,
  number: number,
): Promise<{ head: BatchFile; sha256: string }> {
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
 * Whether a ledger begins with the batches that something was made from: each batch names the one before, so
 * the last one tells. Throws `BrokenLedger`.
 */
export async function beginsWith(
  ledgerDirectory: string,
  made: { readonly batches: number; readonly sha256: string },
): Promise<boolean> {
  const { length } = await batchNumbers(ledgerDirectory);
  return (
    length >= made.batches && (await readBatchFile(ledgerDirectory, made.batches)).sha256 === made.sha256
  );
}

/** What is known of a batch when its rows are written. */
export type BatchEnd = Pick<BatchContent, 'run' | 'refusals' | 'isSample' | 'days'>;

/** Is told of a row that no batch can hold, and why. */
export type OnUnfit<Row> = (row: Row, reason: string) => void;

/** A batch that is being written, with any number of rows: no more than one file of them is in memory. */
export interface OpenBatch {
  readonly number: number;
  /**
   * Adds filings by accession number, behind those that were added before. One that does not fit is left out
   * and told; without `onUnfit` it throws.
   */
  addFilings(rows: readonly LedgerFiling[], onUnfit?: OnUnfit<LedgerFiling>): Promise<void>;
  /** Adds companies by CIK, behind those that were added before, likewise. */
  addCompanies(rows: readonly LedgerCompany[], onUnfit?: OnUnfit<LedgerCompany>): Promise<void>;
  /**
   * Makes it the next batch of the ledger. Throws if another run has appended one meanwhile; nothing is
   * overwritten.
   */
  finish(end: BatchEnd): Promise<void>;
  /** Removes what was written, if it did not become a batch. */
  discard(): Promise<void>;
}

/**
 * Begins the batch that follows those that a ledger has. It is written aside, synced and renamed, so it
 * exists whole or not at all.
 */
export async function openBatch(ledgerDirectory: string): Promise<OpenBatch> {
  const number = (await batchNumbers(ledgerDirectory)).length + 1;
  const previousSha256 = number === 1 ? null : (await readBatchFile(ledgerDirectory, number - 1)).sha256;
  await mkdir(join(ledgerDirectory, 'batches'), { recursive: true });
  const staging = await makeStaging(join(ledgerDirectory, 'batches'));

  async function write(name: string, text: string, rows: number): Promise<BatchFile['files'][number]> {
    await writeSynced(join(staging, name), text);
    return { name, bytes: Buffer.byteLength(text), sha256: sha256Of(text), rows };
  }
  const writeFilings = createParts(filingCodec, (part) => `filings-${part}.csv`, write);
  const writeCompanies = createParts(
    companyCodec,
    (part) => (part === 1 ? 'companies.csv' : `companies-${part}.csv`),
    write,
  );
  let last = '';

  return {
    number,
    async addFilings(rows, onUnfit) {
      for (const { accessionNo } of rows) {
        if (accessionNo < last) throw new Error(`${accessionNo} may not follow ${last}`);
        last = accessionNo;
      }
      await writeFilings.add(rows, onUnfit);
    },
    addCompanies: writeCompanies.add,
    async finish({ run, refusals, isSample, days }) {
      const files = [...(await writeFilings.finish()), ...(await writeCompanies.finish())];
      if (refusals.length > 0)
        files.push(await write('refusals.csv', encodeRows(refusalCodec, refusals), refusals.length));
      const head: BatchFile = BatchFile.parse({
        format: ledgerFormat,
        number,
        previousSha256,
        ...(isSample ? { sample: true } : {}),
        run,
        ...(days?.length ? { days } : {}),
        files,
      });
      await writeSynced(join(staging, 'batch.json'), `${JSON.stringify(head, null, 2)}\n`);
      await syncDirectory(staging);
      // A directory is not renamed over one that holds files: of two runs at the same time the second one
      // fails here.
      await rename(staging, batchDirectory(ledgerDirectory, number));
      await syncDirectory(join(ledgerDirectory, 'batches'));
    },
    discard: () => rm(staging, { recursive: true, force: true }),
  };
}

/**
 * Writes rows into files of so many. They are held as text, which is less work for the collector of garbage
 * than rows are.
 */
function createParts<Row>(
  codec: RowCodec<Row>,
  nameOf: (part: number) => string,
  write: (name: string, text: string, rows: number) => Promise<BatchFile['files'][number]>,
) {
  const files: BatchFile['files'] = [];
  let pieces: string[] = [];
  let held = 0;
  async function writeHeld(): Promise<void> {
    files.push(await write(nameOf(files.length + 1), encodeHeader(codec) + pieces.join(''), held));
    [pieces, held] = [[], 0];
  }
  return {
    async add(rows: readonly Row[], onUnfit?: OnUnfit<Row>): Promise<void> {
      const encoded = encodeAll(codec, rows, onUnfit);
      for (let from = 0; from < encoded.length; ) {
        const taken = encoded.slice(from, from + rowsPerFile - held);
        pieces.push(csvLines(taken));
        [from, held] = [from + taken.length, held + taken.length];
        if (held === rowsPerFile) await writeHeld();
      }
    },
    async finish(): Promise<BatchFile['files']> {
      if (held > 0) await writeHeld();
      return files;
    },
  };
}

/** The fields of each row that fits. */
function encodeAll<Row>(
  codec: RowCodec<Row>,
  rows: readonly Row[],
  onUnfit: OnUnfit<Row> | undefined,
): string[][] {
  return rows.flatMap((row) => {
    try {
      return [codec.encode(row)];
    } catch (error) {
      if (!onUnfit) throw error;
      onUnfit(row, (error as Error).message);
      return [];
    }
  });
}

/**
 * Appends a batch whose rows are in memory. Throws like `OpenBatch`, and then leaves nothing. Returns its
 * number.
 */
export async function appendBatch(ledgerDirectory: string, content: BatchContent): Promise<number> {
  const batch = await openBatch(ledgerDirectory);
  try {
    // Readers hold the rows of a batch against what they know in one pass over both.
    await batch.addFilings(content.filings.toSorted((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1)));
    await batch.addCompanies(content.companies);
    await batch.finish(content);
    return batch.number;
  } catch (error) {
    await batch.discard();
    throw error;
  }
}
