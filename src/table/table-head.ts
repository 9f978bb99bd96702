import * as z from 'zod';
import { count, isObject, isSha256 } from '../domain/scalars.ts';
import type { Keys } from './line.ts';

/**
 * The index entry of a block: the keys of its first line, its offset and length, the digest of its bytes as
 * stored, and what its rows contain.
 */
export interface BlockEntry extends Keys {
  readonly offset: number;
  readonly bytes: number;
  readonly rows: number;
  /** Least filing date of its rows; empty if they have none. */
  readonly filedFrom: string;
  /** Greatest filing date of its rows; empty if they have none. */
  readonly filedTo: string;
  readonly sha256: string;
  /**
   * Labels of its rows, each once, sorted: forms, items and `issuer`, or filing dates. Also `*` if a row hides
   * another, or replaces one that may have other labels.
   */
  readonly labels: readonly string[];
}

/**
 * The entry of a block, or that of a block of the index: all the blocks together that it names. The latter has no
 * labels, because nearly every one would have nearly all of them. Segments of older formats, which only a build reads,
 * have them.
 */
export type IndexedBlock = Omit<BlockEntry, 'labels'> & Partial<Pick<BlockEntry, 'labels'>>;

/** Where a block is stored, and what is checked of it. */
export type StoredBlock = Pick<BlockEntry, 'offset' | 'bytes' | 'sha256' | 'rows'> &
  Partial<Pick<BlockEntry, 'filedFrom' | 'filedTo'>>;

/** What the head of a segment says of a table. */
export const TableHead = z.object({
  direction: z.enum(['ascending', 'descending']),
  rows: count,
  /** Entries of the index blocks. The index is a table, too: its rows are the entries of the blocks of rows. */
  root: z.custom<readonly IndexedBlock[]>(
    (value) => Array.isArray(value) && value.every(isIndexedBlock),
    'not the entries of blocks',
  ),
});
export type TableHead = Readonly<z.infer<typeof TableHead>>;

/**
 * Whether a value is an entry of a root. A service that starts over twenty million filings reads 8,000 of them. The
 * schema library takes 50 to 90 ms for that, a sixth of the start, and this takes 10.
 */
function isIndexedBlock(value: unknown): value is IndexedBlock {
  if (!isObject(value)) return false;
  const { partition, sort, offset, bytes, rows, filedFrom, filedTo, sha256, labels } = value;
  return (
    typeof partition === 'string' &&
    typeof sort === 'string' &&
    typeof filedFrom === 'string' &&
    typeof filedTo === 'string' &&
    isIntegerFrom(0, offset) &&
    isIntegerFrom(1, bytes) &&
    isIntegerFrom(1, rows) &&
    typeof sha256 === 'string' &&
    isSha256(sha256) &&
    (labels === undefined || (Array.isArray(labels) && labels.every((label) => typeof label === 'string')))
  );
}

const isIntegerFrom = (least: number, value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= least;
