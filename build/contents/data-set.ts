import { rm } from 'node:fs/promises';
import { OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { isAccessionNo } from '../../src/domain/scalars.ts';
import { createRuns, type Runs } from '../segments/runs.ts';
import { rowOf, type Line } from '../segments/table-files.ts';
import { documentOfRows, type FilingRows } from './data-set-document.ts';
import {
  dataSetTables,
  readerOf,
  type DataSetRow,
  type DataSetTableName,
  type RowReader,
} from './data-set-tables.ts';
import type { ReadOwnership } from './ownership-file.ts';
import { linesOfZip } from './zip-lines.ts';

/** A filing of a data set: its document, or the reason why it has none. */
export type DataSetFiling =
  | { readonly accessionNo: string; readonly read: ReadOwnership }
  | { readonly accessionNo: string; readonly reason: string };

/** Returns the path below the address of www.sec.gov of the data set of a quarter, such as `2026q1`. */
export function dataSetFile(quarter: string): string {
  return `files/structureddata/data/insider-transactions-data-sets/${quarter}_form345.zip`;
}

/** A data set has some 100 MB of lines, of which the longest may have 50 columns of 4,000 characters. */
const bounds = { bytes: 2 * 1024 * 1024 * 1024, lineBytes: 1024 * 1024 };
/** Bytes of rows in memory: more of them go to the disk. */
const heldDefault = 32 * 1024 * 1024;

/** Rows without an accession number that are kept to be told; there is no filing that they are of. */
const straysKept = 1000;

const tableNames = Object.keys(dataSetTables) as DataSetTableName[];
/** Before a line that is refused, and its reason; no field begins with it. */
const refusedMark = '\u0001';

/**
 * Reads SEC's Insider Transactions Data Set of a quarter: a zip file of eight tables. The tables are not sorted, so
 * the rows go through runs in `folder`, which need not exist and is removed in the end: each byte of a table is written
 * to the disk once and read once, and memory holds `heldMaximum` bytes of rows. Then the filings come by accession
 * number, each with its rows by their keys and its owners by CIK. A filing with a row that cannot be understood is
 * refused. Throws an `Error` that tells the reason if the file is none such, is cut off, or lacks a table or a column.
 */
export async function* readDataSet(
  path: string,
  folder: string,
  heldMaximum = heldDefault,
): AsyncGenerator<DataSetFiling> {
  const runs = createRuns(
    folder,
    Object.fromEntries(tableNames.map((name) => [name, { direction: 'ascending' as const }])),
  );
  try {
    const readers = await takeRows(path, runs, heldMaximum);
    yield* filingsOf(runs, readers);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Readers = ReadonlyMap<DataSetTableName, RowReader>;

/** Adds each line of the tables to the runs, under its filing and its key. */
async function takeRows(path: string, runs: Runs, heldMaximum: number): Promise<Readers> {
  const readers = new Map<DataSetTableName, RowReader>();
  let [number, strays] = [0, 0];
  for await (const { member, line } of linesOfZip(path, (each) => tableOf(each) !== null, bounds)) {
    const name = tableOf(member) as DataSetTableName;
    const reader = readers.get(name);
    number++;
    if (!reader) readers.set(name, readerOf(name, line.replace(/^\ufeff/, '')));
    else if (line !== '') {
      const accessionNo = line.slice(0, line.indexOf('\t'));
      if (!isAccessionNo(accessionNo) && ++strays > straysKept) continue;
      const isFit = isAccessionNo(accessionNo) && line.split('\t').length === reader.width;
      runs.add(
        name,
        isAccessionNo(accessionNo) ? accessionNo : '',
        sortOf(name, isFit ? reader.rowOf(line) : null, number),
        isFit ? line : `${refusedMark}a row of ${name}.tsv has ${line.split('\t').length} columns`,
      );
      if (runs.held() > heldMaximum) runs.flush();
    }
  }
  const missing = tableNames.find((name) => !readers.has(name));
  if (missing) throw new Error(`it has no ${missing}.tsv`);
  return readers;
}

function tableOf(member: string): DataSetTableName | null {
  return tableNames.find((name) => `${name}.TSV` === member.toUpperCase()) ?? null;
}

/** Keys of rows are numbers, or end with one (`F10`): they are sorted by it, and where it is the same, as in the file. */
function sortOf(name: DataSetTableName, row: DataSetRow | null, number: number): string {
  const { order } = dataSetTables[name];
  const digits = order === null || row === null ? '' : (/\d{1,20}$/.exec(row(order))?.[0] ?? '');
  return `${digits.padStart(20, '0')}.${String(number).padStart(12, '0')}`;
}

/** Gathers the rows of each filing from all tables. */
function* filingsOf(runs: Runs, readers: Readers): Generator<DataSetFiling> {
  const tables = tableNames.map((name) => ({ name, rows: cursorOf(runs.lines(name)) }));
  for (;;) {
    const accessionNo = tables.reduce<string | null>((least, { rows }) => {
      const next = rows.partition();
      return next !== null && (least === null || next < least) ? next : least;
    }, null);
    if (accessionNo === null) return;
    const lines = tables.map(({ name, rows }) => [name, rows.take(accessionNo)] as const);
    yield filingOf(accessionNo, lines, readers);
  }
}

/** Walks the lines of a table. */
function cursorOf(lines: Iterator<Line>): {
  /** The accession number of the next line; null at the end. */
  partition(): string | null;
  /** Takes the rows of a filing, which are next. */
  take(accessionNo: string): string[];
} {
  let next = lines.next();
  const partition = () => (next.done === true ? null : next.value.keys.partition);
  return {
    partition,
    take(accessionNo) {
      const rows: string[] = [];
      for (; partition() === accessionNo; next = lines.next())
        rows.push(rowOf((next as IteratorYieldResult<Line>).value) ?? '');
      return rows;
    },
  };
}

function filingOf(
  accessionNo: string,
  lines: readonly (readonly [name: DataSetTableName, rows: readonly string[]])[],
  readers: Readers,
): DataSetFiling {
  const refused = lines.flatMap(([, rows]) => rows.filter((row) => row.startsWith(refusedMark)));
  if (refused.length > 0) {
    const [first = ''] = refused;
    const more = refused.length > 1 ? `, and ${refused.length - 1} more` : '';
    return { accessionNo, reason: first.slice(refusedMark.length) + more };
  }
  try {
    const rows = Object.fromEntries(
      lines.map(([name, texts]) => [name, texts.map((text) => (readers.get(name) as RowReader).rowOf(text))]),
    ) as unknown as FilingRows;
    const read = documentOfRows(rows);
    const issue = OwnershipDocument.safeParse(read.document).error?.issues[0];
    return issue
      ? { accessionNo, reason: `${issue.path.join('.')}: ${issue.message}` }
      : { accessionNo, read };
  } catch (error) {
    return { accessionNo, reason: (error as Error).message };
  }
}
