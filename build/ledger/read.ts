import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { foldSymbol } from '../../src/contract/shapes.ts';
import { sha256Of } from '../../src/table/file.ts';
import { quietProgress, type Progress } from '../progress.ts';
import { batchDirectory, batchNumbers, BrokenLedger, readBatchFile, type BatchFile } from './batch.ts';
import { createFold, type Ledger } from './fold.ts';
import { companyCodec, decodeRows, filingCodec, refusalCodec, type LedgerCompany, type LedgerFiling, type Refusal, type RowCodec } from './rows.ts';

/**
 * Reads a ledger, checks every digest and the chain of its batches, and folds it. Null if it has no batch. A row that does
 * not fit is refused: it is named in `refusals` and left out. Throws `BrokenLedger`, which names the file, for anything that
 * is not as it was written.
 */
export async function readLedger(directory: string, progress: Progress = quietProgress): Promise<Ledger | null> {
  const fold = createFold(foldSymbol);
  const heads = await readHeads(directory);
  progress.begin('reading the ledger', 'rows', heads.reduce((sum, { head }) => sum + head.files.reduce((rows, file) => rows + file.rows, 0), 0));
  for (const { head, sha256 } of heads) {
    const { number } = head;
    const rows = { filings: [], companies: [], refusals: [] } as { filings: LedgerFiling[]; companies: LedgerCompany[]; refusals: Refusal[] };
    for (const file of head.files) {
      if (file.name.startsWith('filings-')) {
        const { rows: filings, refusals } = await readRows(directory, number, file, filingCodec);
        for (const filing of filings) rows.filings.push(filing);
        rows.refusals.push(...refusals);
      } else if (file.name === 'companies.csv') {
        const { rows: companies, refusals } = await readRows(directory, number, file, companyCodec);
        rows.companies = companies;
        rows.refusals.push(...refusals);
      } else await readRows(directory, number, file, refusalCodec);
      progress.step(file.rows);
    }
    try {
      fold.add({ number, sha256, run: head.run, isSample: head.sample === true, ...rows });
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
  return file ? (await readRows(directory, number, file, refusalCodec)).rows : [];
}

async function readRows<Row>(directory: string, number: number, file: BatchFile['files'][number], codec: RowCodec<Row>): Promise<{ rows: Row[]; refusals: Refusal[] }> {
  const path = join(batchDirectory(directory, number), file.name);
  try {
    const bytes = await readFile(path);
    if (bytes.length !== file.bytes || sha256Of(bytes) !== file.sha256) throw new Error('its bytes are not those that batch.json names');
    const { rows, misfits } = decodeRows(codec, bytes.toString());
    const count = rows.length + misfits.length;
    if (count !== file.rows) throw new Error(`it has ${count} rows, not ${file.rows}`);
    const named = { cik: '', accessionNo: '', file: `${basename(batchDirectory(directory, number))}/${file.name}` };
    return { rows, refusals: misfits.map(({ row, first, reason }) => ({ ...named, [codec.columns[0] as keyof Refusal]: first, reason: `(row ${row}): ${reason}` })) };
  } catch (error) {
    throw new BrokenLedger(`${path}: ${(error as Error).message}`);
  }
}
