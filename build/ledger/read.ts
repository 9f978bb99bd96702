import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foldSymbol } from '../../src/contract/shapes.ts';
import { sha256Of } from '../../src/table/file.ts';
import { quietProgress, type Progress } from '../progress.ts';
import { batchDirectory, batchNumbers, BrokenLedger, readBatchFile, type BatchFile } from './batch.ts';
import { createFold, type Ledger } from './fold.ts';
import { companyCodec, decodeRows, filingCodec, refusalCodec, type Refusal, type RowCodec } from './rows.ts';

/**
 * Reads a ledger, checks every digest and the chain of its batches, and folds it. Null if it has no batch.
 * Throws `BrokenLedger`, which names the file, for anything that is not as it was written.
 */
export async function readLedger(directory: string, progress: Progress = quietProgress): Promise<Ledger | null> {
  const fold = createFold(foldSymbol);
  const heads = await readHeads(directory);
  progress.begin('reading the ledger', 'rows', heads.reduce((sum, { head }) => sum + head.files.reduce((rows, file) => rows + file.rows, 0), 0));
  for (const { head, sha256 } of heads) {
    const { number } = head;
    const rows = { filings: [], companies: [] } as { filings: ReturnType<typeof filingCodec.decode>[]; companies: ReturnType<typeof companyCodec.decode>[] };
    for (const file of head.files) {
      if (file.name.startsWith('filings-')) for (const row of await readRows(directory, number, file, filingCodec)) rows.filings.push(row);
      else if (file.name === 'companies.csv') rows.companies = await readRows(directory, number, file, companyCodec);
      else await readRows(directory, number, file, refusalCodec);
      progress.step(file.rows);
    }
    try {
      fold.add({ number, sha256, run: head.run, ...rows });
    } catch (error) {
      throw new BrokenLedger(`${batchDirectory(directory, number)}: ${(error as Error).message}`);
    }
  }
  return fold.result();
}

/** The heads of all batches. Throws `BrokenLedger` where one does not follow the one before. */
async function readHeads(directory: string): Promise<{ head: BatchFile; sha256: string }[]> {
  const heads: { head: BatchFile; sha256: string }[] = [];
  for (const number of await batchNumbers(directory)) {
    const read = await readBatchFile(directory, number);
    if (read.head.previousSha256 !== (heads.at(-1)?.sha256 ?? null)) {
      throw new BrokenLedger(`${batchDirectory(directory, number)}/batch.json does not follow ${number === 1 ? 'nothing' : `${batchDirectory(directory, number - 1)}/batch.json`}`);
    }
    heads.push(read);
  }
  return heads;
}

/** The refusals of a batch. Throws `BrokenLedger`. */
export async function readRefusals(directory: string, number: number): Promise<Refusal[]> {
  const { head } = await readBatchFile(directory, number);
  const file = head.files.find(({ name }) => name === 'refusals.csv');
  return file ? readRows(directory, number, file, refusalCodec) : [];
}

async function readRows<Row>(directory: string, number: number, file: BatchFile['files'][number], codec: RowCodec<Row>): Promise<Row[]> {
  const path = join(batchDirectory(directory, number), file.name);
  try {
    const bytes = await readFile(path);
    if (bytes.length !== file.bytes || sha256Of(bytes) !== file.sha256) throw new Error('its bytes are not those that batch.json names');
    const rows = decodeRows(codec, bytes.toString());
    if (rows.length !== file.rows) throw new Error(`it has ${rows.length} rows, not ${file.rows}`);
    return rows;
  } catch (error) {
    throw new BrokenLedger(`${path}: ${(error as Error).message}`);
  }
}
