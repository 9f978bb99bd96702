import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTableCutter } from '../../build/snapshot/table-writer.ts';
import type { RowFacts } from '../../build/snapshot/facts.ts';
import { feedOrder, historyOrder, paths, tableDefinition, tagsOf, type IndexPage, type TableName } from '../../src/contract/snapshot.ts';
import { createChunkCache, type ChunkCache } from '../../src/table/cache.ts';
import { lineText } from '../../src/table/chunk.ts';
import type { Page } from '../../src/table/page.ts';
import { openTable, type Table } from '../../src/table/table.ts';

/** A row as it goes into a table. */
export interface MadeRow {
  readonly key: string;
  readonly json: string;
  readonly facts: RowFacts;
}

/** Writes a table and its index into a directory, cut as the build cuts them. Returns the pages of the index. */
export function writeTable(directory: string, name: TableName, rows: readonly MadeRow[]): IndexPage[] {
  const blocks: Buffer[] = [];
  const index: Buffer[] = [];
  const cutter = createTableCutter(name, { block: (bytes) => void blocks.push(bytes), index: (bytes) => void index.push(bytes) });
  for (const { key, json, facts } of rows) cutter.add(key, json, facts);
  const { pages } = cutter.finish();
  mkdirSync(dirname(join(directory, paths.table(name))), { recursive: true });
  writeFileSync(join(directory, paths.table(name)), Buffer.concat(blocks));
  writeFileSync(join(directory, paths.index(name)), Buffer.concat(index));
  return pages;
}

/** Writes a table and opens it. */
export function openMadeTable(directory: string, name: TableName, rows: readonly MadeRow[], cache: ChunkCache = createChunkCache(1024 * 1024)): Promise<Table> {
  return openTable(directory, name, writeTable(directory, name, rows), cache, directory);
}

/** What the pages of a list are asked by. */
export interface ListRow {
  readonly key: string;
  /** Place in a feed; apart from that it makes the accession number. Distinct within a key. */
  readonly number: number;
  readonly form: string;
  readonly eventType: string;
  readonly filedAt: string | null;
  readonly acceptanceDateTime: string | null;
  /** Makes the row longer. */
  readonly text: string;
}

/** The accession number of a made-up row. */
export function accessionOf({ number }: { readonly number: number }): string {
  return `0000000001-26-${String(number).padStart(6, '0')}`;
}

/** The order value of a row in a table of a shape. */
export function orderOf(name: TableName, row: ListRow): string {
  return tableDefinition(name).shape === 'feed' ? feedOrder(row.number) : historyOrder({ ...row, accessionNo: accessionOf(row) });
}

/** Rows in the order of their table. */
export function inTableOrder(name: TableName, rows: readonly ListRow[]): ListRow[] {
  const direction = tableDefinition(name).shape === 'history' ? -1 : 1;
  return rows.toSorted((a, b) => (a.key !== b.key ? (a.key < b.key ? -1 : 1) : orderOf(name, a) < orderOf(name, b) ? -direction : direction));
}

/** A row as the views write it: in a feed the filing stands inside the change. */
export function toMadeRow(name: TableName, row: ListRow): MadeRow {
  const { shape, tagged } = tableDefinition(name);
  const { form, eventType, filedAt, acceptanceDateTime } = row;
  const filing = { accessionNo: accessionOf(row), form, eventType, filedAt, acceptanceDateTime, text: row.text };
  const record = shape === 'feed' ? { sequence: row.number, changeType: 'new', filing } : filing;
  return { key: row.key, json: JSON.stringify(record), facts: { order: orderOf(name, row), filedAt: filedAt ?? '', tags: tagged ? tagsOf(row) : [] } };
}

/** The rows of a page as texts. */
export function rowsOf(page: Page): string[] {
  return page.slices.flatMap(({ chunk, from, to }) => Array.from({ length: to - from }, (_, at) => lineText(chunk, from + at)));
}
