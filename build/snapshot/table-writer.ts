import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { blockBytes, indexColumns, rowBytesMaximum, tableDefinition, type FileEntry, type IndexPage, type TableName } from '../../src/contract/snapshot.ts';
import { sha256Of } from '../../src/table/file.ts';
import type { RowFacts } from './facts.ts';

/** A file that is written once, front to back, and hashed on the way. */
export interface HashedFile {
  write(bytes: Buffer): void;
  /** Bytes so far. */
  readonly size: () => number;
  /** Syncs and closes it. */
  finish(path: string, rows: number | null): FileEntry;
}

/** Creates a file for writing once. `path` is where it lies on the disk; the entry gets the path within the snapshot. */
export function createHashedFile(path: string): HashedFile {
  const descriptor = openSync(path, 'wx');
  const hash = createHash('sha256');
  let size = 0;
  return {
    write(bytes) {
      hash.update(bytes);
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
      size += bytes.length;
    },
    size: () => size,
    finish(entryPath, rows) {
      fsyncSync(descriptor);
      closeSync(descriptor);
      return { path: entryPath, bytes: size, sha256: hash.digest('hex'), rows };
    },
  };
}

/** Where the bytes of a table go: rows in blocks, and an index line for each block. */
export interface BlockSink {
  block(bytes: Buffer): void;
  index(bytes: Buffer): void;
}

/** A table that is being cut into blocks. Rows must come in the table's order. */
export interface TableCutter {
  add(key: string, json: string, facts: RowFacts): void;
  /** Ends the last block and page. */
  finish(): { rows: number; lines: number; pages: IndexPage[] };
}

/**
 * Cuts rows into blocks and index lines into pages, both of at most `blockBytes`. In lists a block holds rows of one key.
 * Throws for a row that is out of order or too long: a snapshot with one would not be readable.
 */
export function createTableCutter(name: TableName, sink: BlockSink): TableCutter {
  const { shape } = tableDefinition(name);
  const keyed = shape === 'history' || shape === 'feed';
  const header = Buffer.from(`${indexColumns.join(',')}\n`);
  const pages: IndexPage[] = [];
  let block = emptyBlock('', '');
  let page = { ...emptyBlock('', ''), offset: header.length };
  let blockOffset = 0;
  let rows = 0;
  let lines = 0;
  let last: { key: string; order: string } | null = null;
  sink.index(header);

  function endBlock(): void {
    if (block.texts.length === 0) return;
    const bytes = Buffer.from(block.texts.join(''));
    const tags = block.tags.size > 0 ? `|${[...block.tags].sort().join('|')}|` : '';
    const line = `${block.key},${block.first},${blockOffset},${bytes.length},${block.texts.length},${block.filedAt},${sha256Of(bytes)},${tags}\n`;
    sink.block(bytes);
    blockOffset += bytes.length;
    if (page.bytes + line.length > blockBytes) endPage();
    if (page.texts.length === 0) page = { ...emptyBlock(block.key, block.first), offset: page.offset };
    page.texts.push(line);
    page.bytes += line.length;
    if (block.filedAt > page.filedAt) page.filedAt = block.filedAt;
    lines++;
  }

  function endPage(): void {
    if (page.texts.length === 0) return;
    const bytes = Buffer.from(page.texts.join(''));
    pages.push({ key: page.key, first: page.first, offset: page.offset, bytes: bytes.length, filedAt: page.filedAt, sha256: sha256Of(bytes) });
    sink.index(bytes);
    page = { ...emptyBlock('', ''), offset: page.offset + bytes.length };
  }

  return {
    add(key, json, facts) {
      if (last && !inOrder(shape, last, { key, order: facts.order })) throw new Error(`table ${name}: (${key}, ${facts.order}) may not follow (${last.key}, ${last.order})`);
      last = { key, order: facts.order };
      const line = `${json}\n`;
      const bytes = Buffer.byteLength(line);
      if (bytes > rowBytesMaximum) throw new Error(`table ${name}: the row of ${key} is ${bytes} bytes long`);
      if (block.bytes + bytes > blockBytes || (keyed && block.key !== key)) {
        endBlock();
        block = emptyBlock(key, facts.order);
      } else if (block.texts.length === 0) block = emptyBlock(key, facts.order);
      block.texts.push(line);
      block.bytes += bytes;
      if (facts.filedAt > block.filedAt) block.filedAt = facts.filedAt;
      for (const tag of facts.tags) block.tags.add(tag);
      rows++;
    },
    finish() {
      endBlock();
      endPage();
      return { rows, lines, pages };
    },
  };
}

function emptyBlock(key: string, first: string) {
  return { key, first, texts: [] as string[], bytes: 0, filedAt: '', tags: new Set<string>() };
}

function inOrder(shape: string, before: { key: string; order: string }, next: { key: string; order: string }): boolean {
  if (shape === 'ranked') return true;
  if (before.key !== next.key) return before.key < next.key;
  return shape === 'history' ? before.order > next.order : before.order < next.order;
}
