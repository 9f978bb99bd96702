import * as z from 'zod';
import { firstRules } from '../domain/rules.ts';
import { count, sha256 } from '../domain/scalars.ts';
import {
  paths,
  readFormats,
  tableNames,
  type FileReference,
  type SegmentEntry,
  type TableName,
} from '../format/snapshot.ts';
import type { BlockCache } from './block-cache.ts';
import { CorruptSnapshot, sha256Of } from '../files/bytes.ts';
import { openTable, type PartReader, type Table } from './table.ts';
import { TableHead } from './table-head.ts';

/** A file of a segment: its length and the SHA-256 of its bytes as stored. */
const PartFile = z.object({ bytes: count, sha256 });

/**
 * The head of a segment, `segment.json`: which batches it holds, the number of the rules that made it (1 if
 * left out), and for each table its files and the root of its index.
 */
export const SegmentHead = z.object({
  format: z.literal(readFormats),
  from: z.int().min(1),
  to: z.int().min(1),
  rules: z.int().min(1).optional(),
  // The names become paths. Older versions had other tables.
  tables: z.record(
    z.string().regex(/^[a-z]+(-[a-z]+)*$/),
    TableHead.extend({ files: z.object({ rows: PartFile, index: PartFile }) }),
  ),
});
export type SegmentHead = z.infer<typeof SegmentHead>;

/** A head is never longer than this, in bytes, where the manifest of an older version does not say its length. */
const headBytesMaximum = 16 * 1024 * 1024;

/**
 * The name of a segment: its range of batches, and the first 16 digits of the SHA-256 of its head, which
 * names the digests of everything else.
 */
export function segmentName({ from, to }: Pick<SegmentHead, 'from' | 'to'>, headSha256: string): string {
  return `${from}-${to}-${headSha256.slice(0, 16)}`;
}

/** The paths of the parts of a segment. */
export const segmentParts = {
  head: (name: string) => `${paths.segments}/${name}/segment.json`,
  rows: (name: string, table: string) => `${paths.segments}/${name}/${table}.jsonl.gz`,
  index: (name: string, table: string) => `${paths.segments}/${name}/${table}.index.jsonl.gz`,
} as const;

/** An open segment. Only its head is in memory. */
export interface Segment {
  readonly name: string;
  readonly head: SegmentHead;
  readonly tables: Readonly<Record<TableName, Table>>;
}

/** The number of the rules that made a segment. */
export const rulesOf = ({ rules = firstRules }: Pick<SegmentHead, 'rules'>): number => rules;

/** What a manifest says of the head of a segment. */
type HeadReference = Pick<SegmentEntry, 'name' | 'headSha256' | 'headBytes'> &
  Partial<Pick<SegmentEntry, 'bytes'>>;

/** Opens a segment by the digest of its head, as it is in a manifest. Throws `CorruptSnapshot`. */
export async function openSegment(
  parts: PartReader,
  {
    name,
    headSha256,
    bytes = headBytesMaximum,
    headBytes = Math.min(bytes, headBytesMaximum),
  }: HeadReference,
  cache: BlockCache,
): Promise<Segment> {
  const head = await readSegmentHead(parts, name, headSha256, headBytes);
  const tables = tableNames.map((table) => {
    const each = head.tables[table];
    if (!each) throw new CorruptSnapshot(`${segmentParts.head(name)} has no table ${table}`);
    return [
      table,
      openTable(parts, segmentParts.rows(name, table), segmentParts.index(name, table), each, cache),
    ] as const;
  });
  return { name, head, tables: Object.fromEntries(tables) as Record<TableName, Table> };
}

/**
 * Reads the head of a segment, which has at most `headBytes`, and checks its digest. One byte more is read, so
 * that a longer file is refused. Throws `CorruptSnapshot`.
 */
export async function readSegmentHead(
  parts: PartReader,
  name: string,
  headSha256: string,
  headBytes = headBytesMaximum,
): Promise<SegmentHead> {
  const path = segmentParts.head(name);
  const bytes = await parts.read(path, 0, headBytes + 1, headSha256);
  if (sha256Of(bytes) !== headSha256)
    throw new CorruptSnapshot(`${path} does not have the SHA-256 that the manifest names`);
  const head = SegmentHead.parse(JSON.parse(bytes.toString()));
  if (segmentName(head, headSha256) !== name)
    throw new CorruptSnapshot(`${path} belongs to ${segmentName(head, headSha256)}`);
  return head;
}

/** Checks whole parts. */
export interface PartChecker {
  /** Throws `CorruptSnapshot`, which names the part, if it is not what is expected. */
  check(part: string, expected: FileReference): Promise<void>;
}

/**
 * Hashes the files of a segment's tables. Throws `CorruptSnapshot`, which names the file that differs from
 * the head.
 */
export async function checkSegment(
  { check }: PartChecker,
  { name, head }: Pick<Segment, 'name' | 'head'>,
): Promise<void> {
  for (const [table, { files }] of Object.entries(head.tables)) {
    await check(segmentParts.rows(name, table), files.rows);
    await check(segmentParts.index(name, table), files.index);
  }
}
