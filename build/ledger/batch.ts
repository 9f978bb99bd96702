import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { IngestRun } from '../../src/contract/records.ts';
import { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import { count, sha256 } from '../../src/domain/scalars.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { csvLines } from '../csv/csv.ts';
import { makeDirectory, syncDirectory, writeSynced } from '../disk/directories.ts';
import { explainFullDisk } from '../disk/full.ts';
import { withLock, type Waiting } from '../disk/lock.ts';
import { makeStaging } from '../disk/staging.ts';
import { createContentsFiles, type LedgerContents } from './contents.ts';
import { formerCodec, type FormerRow } from './former.ts';
import {
  batchCount,
  batchDirectory,
  batchesDirectory,
  BrokenLedger,
  newBatchDirectory,
  raiseFence,
} from './folders.ts';
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
} from './ledger-rows.ts';
import { makeFolder } from '../../src/files/local.ts';

export { batchCount, batchDirectory, BrokenLedger } from './folders.ts';

/** The version of the ledger's format, which `snapshots/README.md` specifies. */
const ledgerFormat = 1;
/** The formats of a batch with contents, and with lists of documents: versions that do not know them refuse it. */
const [contentsFormat, documentsFormat] = [2, 3];

/** The most rows of one file, so that reading a file needs little memory. */
const rowsPerFile = 50_000;

/** `batch.json`, the head of a batch: it names all other files and the batch before. */
export const BatchFile = z.object({
  format: z.literal([ledgerFormat, contentsFormat, documentsFormat]),
  number: z.int().min(1),
  previousSha256: sha256.nullable(),
  /** The rows come from recordings, so snapshots of them are for trying out only. */
  sample: z.literal(true).optional(),
  run: IngestRun,
  /** Days that were reconciled. */
  days: z.array(ReconciledDay).min(1).optional(),
  /** The rules that the log follows, and the batch since which it does. Left out before the first restatement. */
  rules: z.object({ number: z.int().min(1), since: z.int().min(1) }).optional(),
  /**
   * This batch restates the log by its `rules`: what was published before followed rules `rules`, since batch
   * `since`, or from the beginning if that is null.
   */
  restates: z.object({ rules: z.int().min(1), since: z.int().min(1).nullable() }).optional(),
  files: z.array(
    z.object({
      name: z
        .string()
        .regex(/^((filings-\d+|companies(-\d+)?|refusals|former-\d+)\.csv|contents-\d+\.jsonl)$/),
      bytes: count,
      sha256,
      rows: count,
    }),
  ),
});
export type BatchFile = z.infer<typeof BatchFile>;

/** Returns the text of `batch.json`. */
export function encodeBatchFile(head: BatchFile): string {
  return `${JSON.stringify(head, null, 2)}\n`;
}

/** What one run adds to the ledger. */
export interface BatchContent {
  readonly run: IngestRun;
  readonly filings: readonly LedgerFiling[];
  readonly companies: readonly LedgerCompany[];
  /** What filings of this batch or any other say, each filing once. None if left out. */
  readonly contents?: readonly LedgerContents[];
  readonly refusals: readonly Refusal[];
  /** Whether the rows come from recordings. */
  readonly isSample?: boolean;
  /** Days that were reconciled, with their results. */
  readonly days?: readonly ReconciledDay[];
  /** The rules by which the batch restates the log, and those that it followed before. */
  readonly restates?: { readonly from: number; readonly to: number };
}

/** Reads and checks the head of a batch, and returns it with its SHA-256. Throws `BrokenLedger`. */
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
 * Whether a ledger begins with the batches from which a snapshot was made. Each batch names the digest of the
 * one before, so it is enough to compare the last one. Throws `BrokenLedger` if it cannot be read.
 */
export async function beginsWith(
  ledgerDirectory: string,
  made: { readonly batches: number; readonly sha256: string },
): Promise<boolean> {
  return (
    existsSync(batchDirectory(ledgerDirectory, made.batches)) &&
    (await readBatchFile(ledgerDirectory, made.batches)).sha256 === made.sha256
  );
}

/** The end of a ledger, while this program has the lock: nobody else appends. */
export interface LedgerEnd {
  readonly ledgerDirectory: string;
  /** The number of batches; that of the newest one. */
  readonly batches: number;
  /** The digest of the newest batch; null if there is none. */
  readonly sha256: string | null;
  /** The rules that the next batch follows if it restates nothing. */
  readonly rules: BatchFile['rules'];
}

/**
 * Runs a piece of work during which nobody else appends to a ledger. What is to be compared with the ledger
 * before it is appended is compared here. The lock ends with its process. Throws `BrokenLedger`.
 */
export async function withLedgerEnd<Result>(
  ledgerDirectory: string,
  work: (end: LedgerEnd) => Promise<Result>,
  waiting: Waiting = {},
): Promise<Result> {
  await makeDirectory(ledgerDirectory);
  return withLock(
    join(ledgerDirectory, '.lock'),
    async () => {
      const batches = await batchCount(ledgerDirectory);
      const newest = batches === 0 ? null : await readBatchFile(ledgerDirectory, batches);
      // A new ledger follows the rules of this version from the beginning.
      const rules = newest ? newest.head.rules : { number: rulesNumber, since: 1 };
      return work({ ledgerDirectory, batches, sha256: newest?.sha256 ?? null, rules });
    },
    waiting,
  );
}

/** What is known only after the rows of a batch have been written. */
export type BatchEnd = Pick<BatchContent, 'run' | 'refusals' | 'isSample' | 'days' | 'restates'>;

/** Called for a row that no batch can hold, with the reason. */
export type OnUnfit<Row> = (row: Row, reason: string) => void;

/**
 * A batch that is being written. It may have any number of rows; memory holds the rows of one file at most.
 */
export interface OpenBatch {
  /**
   * Adds filings, sorted by accession number, after those that were added before. A filing that no batch can
   * hold is left out and passed to `onUnfit`; without `onUnfit` the call throws.
   */
  addFilings(rows: readonly LedgerFiling[], onUnfit?: OnUnfit<LedgerFiling>): Promise<void>;
  /** Adds companies, sorted by CIK, in the same way. */
  addCompanies(rows: readonly LedgerCompany[], onUnfit?: OnUnfit<LedgerCompany>): Promise<void>;
  /**
   * Adds contents in the same way, sorted by accession number, each filing once. Their filings may be in this batch,
   * in an earlier one or in a later one.
   */
  addContents(rows: Iterable<LedgerContents>, onUnfit?: OnUnfit<LedgerContents>): Promise<void>;
  /** Adds values that older rules had given, in the order in which a fold comes to them. */
  addFormer(rows: readonly FormerRow[]): Promise<void>;
  /** Makes it the next batch of the ledger, and returns its number. */
  finish(end: LedgerEnd, content: BatchEnd): Promise<number>;
  /** Removes the files if they did not become a batch. */
  discard(): Promise<void>;
}

/**
 * Begins a batch of a ledger. It is written to a staging directory, synced and renamed, so that it exists
 * completely or not at all. It gets its number when it is finished; until then it needs no lock.
 */
export async function openBatch(ledgerDirectory: string): Promise<OpenBatch> {
  const batches = batchesDirectory(ledgerDirectory);
  await makeFolder(batches);
  const staging = await makeStaging(batches);

  let bytesOfBatch = 0;

  async function write(name: string, text: string, rows: number): Promise<BatchFile['files'][number]> {
    const bytes = Buffer.byteLength(text);
    bytesOfBatch += bytes;
    await writeSynced(join(staging.path, name), text).catch(async (error: unknown) => {
      await staging.remove();
      throw await explainFullDisk(error, ledgerDirectory, bytesOfBatch);
    });
    return { name, bytes, sha256: sha256Of(text), rows };
  }
  const writeFilings = createParts(filingCodec, (part) => `filings-${part}.csv`, write);
  const writeCompanies = createParts(
    companyCodec,
    (part) => (part === 1 ? 'companies.csv' : `companies-${part}.csv`),
    write,
  );
  const writeContents = createContentsFiles(write);
  const writeFormer = createParts(formerCodec, (part) => `former-${part}.csv`, write);
  let last = '';

  return {
    async addFilings(rows, onUnfit) {
      for (const { accessionNo } of rows) {
        if (accessionNo < last) throw new Error(`${accessionNo} may not follow ${last}`);
        last = accessionNo;
      }
      await writeFilings.add(rows, onUnfit);
    },
    addCompanies: writeCompanies.add,
    addContents: writeContents.add,
    addFormer: writeFormer.add,
    async finish(end, { run, refusals, isSample, days, restates }) {
      const number = end.batches + 1;
      const contents = await writeContents.finish();
      const files = [
        ...(await writeFilings.finish()),
        ...(await writeCompanies.finish()),
        ...contents,
        ...(await writeFormer.finish()),
      ];
      if (refusals.length > 0)
        files.push(await write('refusals.csv', encodeRows(refusalCodec, refusals), refusals.length));
      const head: BatchFile = BatchFile.parse({
        format:
          contents.length === 0
            ? ledgerFormat
            : writeContents.hasDocuments()
              ? documentsFormat
              : contentsFormat,
        number,
        previousSha256: end.sha256,
        ...(isSample ? { sample: true } : {}),
        run,
        ...(days?.length ? { days } : {}),
        ...(restates
          ? {
              rules: { number: restates.to, since: number },
              restates: { rules: restates.from, since: end.rules?.since ?? null },
            }
          : end.rules
            ? { rules: end.rules }
            : {}),
        files,
      });
      await writeSynced(join(staging.path, 'batch.json'), encodeBatchFile(head));
      await syncDirectory(staging.path);
      const path = newBatchDirectory(ledgerDirectory, number);
      await raiseFence(ledgerDirectory);
      await makeFolder(dirname(path));
      await rename(staging.path, path);
      // A program that was killed may have made any of these folders without syncing its name.
      for (const parent of [dirname(path), batches, ledgerDirectory]) await syncDirectory(parent);
      await staging.remove();
      return number;
    },
    discard: staging.remove,
  };
}

/**
 * Writes rows into files of `rowsPerFile` rows. The rows of the current file are held as text, which costs
 * the garbage collector less than objects do.
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

/** Encodes the rows and leaves out those that no batch can hold. */
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

const byAccession = (a: { readonly accessionNo: string }, b: { readonly accessionNo: string }) =>
  a.accessionNo < b.accessionNo ? -1 : 1;

/**
 * Appends a batch whose rows are in memory, and returns its number. Throws like `OpenBatch`, and then removes
 * its files.
 */
export async function appendBatchAt(end: LedgerEnd, content: BatchContent): Promise<number> {
  const batch = await openBatch(end.ledgerDirectory);
  try {
    // Readers compare the sorted rows of a batch with what they know in one pass.
    await batch.addFilings(content.filings.toSorted(byAccession));
    await batch.addCompanies(content.companies);
    await batch.addContents((content.contents ?? []).toSorted(byAccession));
    return await batch.finish(end, content);
  } catch (error) {
    await batch.discard();
    throw error;
  }
}

/** Appends a batch that needs no comparison with the ledger. See `appendBatchAt`. */
export function appendBatch(ledgerDirectory: string, content: BatchContent): Promise<number> {
  return withLedgerEnd(ledgerDirectory, (end) => appendBatchAt(end, content));
}
