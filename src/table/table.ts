import { join } from 'node:path';
import { indexColumns, paths, tableDefinition, type IndexPage, type TableName, type TableShape } from '../contract/snapshot.ts';
import type { ChunkCache } from './cache.ts';
import { bisect, lineAt, lineEnd, lineStart, lineText, type Chunk } from './chunk.ts';
import { CorruptSnapshot, openVerifiedFile, type Extent, type VerifiedFile } from './file.ts';

/** One line of an index: where a block lies and what it holds. */
export interface Block extends Extent {
  readonly key: string;
  /** Order value of its first row. */
  readonly first: string;
  readonly rows: number;
  /** Greatest filing date of its rows; empty if they have none. */
  readonly filedAt: string;
  /** The index line it stands in. */
  readonly place: Place;
}

/** A line of the index: page number and line number within the page. */
export interface Place {
  readonly page: number;
  readonly line: number;
}

/** What keeps a walk along the index from looking at blocks that cannot match. */
export interface BlockFilter {
  /** Blocks of later keys end the walk. */
  readonly key?: string | undefined;
  /** Least filing date that matters. */
  readonly since?: string | undefined;
  /** A form or an event family that must occur. */
  readonly tag?: string | undefined;
}

/** An open table: two levels of index above blocks of rows. */
export interface Table {
  readonly name: TableName;
  readonly shape: TableShape;
  /** The block in which a row of this key and order value lies or would lie, or the first one after it. */
  seek(key: string, order: string): Promise<Block | undefined>;
  /** The block that follows; with a filter, the next one that may match. */
  next(place: Place, filter?: BlockFilter): Promise<Block | undefined>;
  /** The block at a place, or the next one that passes the filter. */
  at(place: Place, filter?: BlockFilter): Promise<Block | undefined>;
  read(block: Block): Promise<Chunk> | Chunk;
  /** Begins to read a block that will be wanted soon. Whether it can be read shows when it is. */
  readAhead(block: Block): void;
  close(): Promise<void>;
}

/** Keys and order values together are no longer than this. */
const headBytes = 96;

/** Enough of an index line to hold its key and order value. */
function lineHead(page: Chunk, line: number): string {
  const start = lineStart(page, line);
  return page.bytes.toString('latin1', start, Math.min(lineEnd(page, line), start + headBytes));
}

/** Blocks of the index pages that are held in memory: each line is parsed once. */
const parsed = new WeakMap<Chunk, (Block | undefined)[]>();

function blockAt(page: Chunk, place: Place): Block {
  const blocks = parsed.get(page) ?? [];
  if (blocks.length === 0) parsed.set(page, blocks);
  return (blocks[place.line] ??= parseLine(page, place));
}

function parseLine(page: Chunk, place: Place): Block {
  const fields = lineText(page, place.line).split(',');
  const [key, first, offset, bytes, rows, filedAt, sha256] = fields;
  if (fields.length !== indexColumns.length || key === undefined || first === undefined || filedAt === undefined || sha256 === undefined) {
    throw new CorruptSnapshot(`index line ${place.line} of page ${place.page} has ${fields.length} columns`);
  }
  return { key, first, offset: Number(offset), bytes: Number(bytes), rows: Number(rows), filedAt, sha256, place };
}

/** The order value of a request for a list from its first row: nothing stands before it. */
export const beginning = '';

/** Whether (key, first) stands after (wantedKey, order) in the table's order. Histories run from great to small. */
function standsAfter(shape: TableShape, key: string, first: string, wantedKey: string, order: string): boolean {
  if (key !== wantedKey) return key > wantedKey;
  if (order === beginning && shape !== 'record') return true;
  return shape === 'history' ? first < order : first > order;
}

/** Opens a table of a snapshot. `identity` separates its chunks in the cache from those of other snapshots. */
export async function openTable(directory: string, name: TableName, pages: readonly IndexPage[], cache: ChunkCache, identity: string): Promise<Table> {
  const { shape } = tableDefinition(name);
  const rows: VerifiedFile = await openVerifiedFile(join(directory, paths.table(name)), `${identity}/${name}`, cache);
  const index: VerifiedFile = await openVerifiedFile(join(directory, paths.index(name)), `${identity}/${name}.index`, cache).catch(async (error: Error) => {
    await rows.close();
    throw error;
  });

  async function at(place: Place, filter: BlockFilter = {}): Promise<Block | undefined> {
    let { page, line } = place;
    for (; page < pages.length; page++, line = 0) {
      const entry = pages[page] as IndexPage;
      if (filter.key !== undefined && entry.key > filter.key) return undefined;
      if (filter.since !== undefined && entry.filedAt < filter.since) continue;
      const chunk = await index.read(entry);
      const found = firstMatch(chunk, page, line, filter);
      if (found) return found;
    }
    return undefined;
  }

  async function seek(key: string, order: string): Promise<Block | undefined> {
    // The whole of a list of all rows begins with the first block: nothing is searched on the path that is asked most.
    if (order === beginning && pages[0]?.key === key) return at({ page: 0, line: 0 });
    const page = Math.max(0, bisect(pages.length, (at) => standsAfter(shape, (pages[at] as IndexPage).key, (pages[at] as IndexPage).first, key, order)) - 1);
    if (page >= pages.length) return undefined;
    const chunk = await index.read(pages[page] as IndexPage);
    const line = Math.max(0, bisect(chunk.ends.length, (at) => {
      const [lineKey = '', first = ''] = lineHead(chunk, at).split(',', 2);
      return standsAfter(shape, lineKey, first, key, order);
    }) - 1);
    const block = blockAt(chunk, { page, line });
    // Before the first row of a key stands the last block of the key before it.
    return block.key < key && shape !== 'record' ? at({ page, line: line + 1 }) : block;
  }

  return {
    name, shape, seek, at,
    next: (place, filter) => at({ page: place.page, line: place.line + 1 }, filter),
    read: (block) => rows.read(block),
    readAhead(block) {
      const chunk = rows.read(block);
      if (chunk instanceof Promise) chunk.catch(() => {});
    },
    close: async () => void (await Promise.all([rows.close(), index.close()])),
  };
}

function firstMatch(chunk: Chunk, page: number, from: number, filter: BlockFilter): Block | undefined {
  for (let line = from; line < chunk.ends.length; line++) {
    if (filter.tag !== undefined) {
      // Finding the next line that has the tag is one search over the bytes of the page: only tags hold a `|`.
      const hit = chunk.bytes.indexOf(`|${filter.tag}|`, lineStart(chunk, line));
      if (hit === -1) return undefined;
      line = lineAt(chunk, hit);
    }
    const block = blockAt(chunk, { page, line });
    if (filter.since === undefined || block.filedAt >= filter.since) return block;
  }
  return undefined;
}
