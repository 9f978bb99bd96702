import { tableDefinition, type RecordTable } from '../contract/snapshot.ts';
import { bisect, lineEnd, lineStart, textMember, type Chunk } from './chunk.ts';
import type { Table } from './table.ts';

/** One row of a table of records. */
export interface RecordRow {
  readonly chunk: Chunk;
  readonly line: number;
}

/** Finds the row of a key, or undefined. */
export async function findRecord(table: Table, key: string): Promise<RecordRow | undefined> {
  const needle = Buffer.from(`{"${tableDefinition(table.name as RecordTable).keyMember}":"`);
  const block = await table.seek(key, '');
  if (!block) return undefined;
  const chunk = await table.read(block);
  const line = bisect(chunk.ends.length, (at) => (textMember(chunk, at, needle) ?? '') >= key);
  return line < chunk.ends.length && textMember(chunk, line, needle) === key ? { chunk, line } : undefined;
}

/** The bytes of a row. */
export function rowBytes({ chunk, line }: RecordRow): Buffer {
  return chunk.bytes.subarray(lineStart(chunk, line), lineEnd(chunk, line));
}
