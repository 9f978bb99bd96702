import { join } from 'node:path';
import type * as z from 'zod';
import {
  tableDefinition,
  type FileReference,
  type RowOf,
  type TableName,
} from '../../src/format/snapshot.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { noteOf } from '../../src/table/line.ts';
import { segmentParts } from '../../src/table/segment.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { StoredLine } from '../segments/table-files.ts';

/** The path of the file with the rows of a table of a segment. */
export const rowsPath = (directory: string, segment: string, table: TableName): string =>
  join(directory, segmentParts.rows(segment, table));

/** Throws `CorruptSnapshot` with the file and the keys of a line. */
export function failAt(path: string, { keys }: Pick<StoredLine, 'keys'>, what: string): never {
  throw new CorruptSnapshot(`${path}: (${keys.partition}, ${keys.sort}) ${what}`);
}

/**
 * Parses the row of a line. Throws `CorruptSnapshot` if it does not match its schema, or if its bytes are not
 * those that the schema writes.
 */
export function parseRow<Name extends TableName>(path: string, table: Name, line: StoredLine): RowOf<Name> {
  const schema = tableDefinition(table).row as z.ZodType<RowOf<Name>>;
  return parseAs(schema, rowBytes(line).toString(), (what) => failAt(path, line, what));
}

/** Parses JSON that `write` gives for its value. `fail` is told what is wrong, and throws. */
export function parseAs<Value>(
  schema: z.ZodType<Value>,
  text: string,
  fail: (what: string) => never,
  write: (value: Value) => string = JSON.stringify,
): Value {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fail(`is not JSON: ${(error as Error).message}`);
  }
  const { success, data, error } = schema.safeParse(value);
  if (!success) return fail(`does not fit: ${issueIn(error)}`);
  // Otherwise unknown members, or members in another order, would be served.
  if (write(data) !== text) return fail('is not written as its schema requires');
  return data;
}

/** A document with the path of its file. */
export interface ReadDocument {
  readonly path: string;
  readonly value: unknown;
}

/** Parses a document, which messages call `name`. Throws `CorruptSnapshot`. */
export function parseDocument<Value>(
  schema: z.ZodType<Value>,
  name: string,
  { path, value }: ReadDocument,
): Value {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new CorruptSnapshot(`${path} (${name}): ${issueIn(error)}`);
  return data;
}

const issueIn = ({ issues: [issue] }: z.ZodError) => `${issue?.path.join('.')}: ${issue?.message}`;

/** Returns the bytes of a file if they have its length and digest. Throws `CorruptSnapshot`. */
export function requireBytes(path: string, { sha256, bytes }: FileReference, found: Buffer): Buffer {
  if (found.length !== bytes)
    throw new CorruptSnapshot(`${path} is ${found.length} bytes long, not ${bytes}`);
  if (sha256Of(found) !== sha256) throw new CorruptSnapshot(`${path} does not have the SHA-256 in its name`);
  return found;
}

/** Throws `CorruptSnapshot` if a line has a note, in tables that have none. */
export function checkNoNote(path: string, line: StoredLine): void {
  if (noteOf(line.block, line.line) !== null) failAt(path, line, 'has a note');
}
