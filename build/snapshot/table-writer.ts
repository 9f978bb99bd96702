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
  finish(): CutTable;
}

/** How many rows and index lines were cut, and where the pages of the index lie. */
export interface CutTable {
  readonly rows: number;
  readonly lines: number;
  readonly pages: IndexPage[];
}

/** Cuts rows into blocks as `createIndexCutter` says, and makes the bytes of both. */
export function createTableCutter(name: TableName, sink: BlockSink): TableCutter {
  let texts: string[] = [];
  const cutter = createIndexCutter(name, {
    index: sink.index,
    endBlock() {
      const bytes = Buffer.from(`${texts.join('\n')}\n`);
      texts = [];
      sink.block(bytes);
      return sha256Of(bytes);
    },
  });
  return {
    add(key, json, facts) {
      cutter.add(key, Buffer.byteLength(json) + 1, facts);
      texts.push(json);
    },
    finish: cutter.finish,
  };
}

/** Where the bytes of an index go, and whence the digests of its blocks come. */
export interface IndexSink {
  /** The rows since the last call are a block. Returns its SHA-256. */
  endBlock(): string;
  index(bytes: Buffer): void;
}

/** An index that is being made of the lengths of rows, newlines included, and of their facts. */
export interface IndexCutter {
  add(key: string, bytes: number, facts: RowFacts): void;
  finish(): CutTable;
}

/**
 * Cuts rows into blocks and index lines into pages, both of at most `blockBytes`. In lists a block holds rows of one key.
 * Throws for a row that is out of order or too long: a snapshot with one would not be readable.
 */
export function createIndexCutter(name: TableName, sink: IndexSink): IndexCutter {
  const { shape } = tableDefinition(name);
  const keyed = shape === 'history' || shape === 'feed';
  const header = Buffer.from(`${indexColumns.join(',')}\n`);
  const pages: IndexPage[] = [];
  let block = emptyBlock('', '');
  let page = emptyPage('', '', header.length);
  let blockOffset = 0;
  let rows = 0;
  let lines = 0;
  let lastKey: string | null = null;
  let lastOrder = '';
  sink.index(header);

  function endBlock(): void {
    if (block.rows === 0) return;
    const tags = block.tags.size > 0 ? `|${[...block.tags].sort().join('|')}|` : '';
    const line = `${block.key},${block.first},${blockOffset},${block.bytes},${block.rows},${block.filedAt},${sink.endBlock()},${tags}\n`;
    blockOffset += block.bytes;
    if (page.bytes + line.length > blockBytes) endPage();
    if (page.texts.length === 0) page = emptyPage(block.key, block.first, page.offset);
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
    page = emptyPage('', '', page.offset + bytes.length);
  }

  return {
    add(key, bytes, { order, filedAt, tags }) {
      if (lastKey !== null && !inOrder(shape, lastKey, lastOrder, key, order)) throw new Error(`table ${name}: (${key}, ${order}) may not follow (${lastKey}, ${lastOrder})`);
      if (bytes > rowBytesMaximum) throw new Error(`table ${name}: the row of ${key} is ${bytes} bytes long`);
      lastKey = key;
      lastOrder = order;
      if (block.bytes + bytes > blockBytes || (keyed && block.key !== key)) {
        endBlock();
        block = emptyBlock(key, order);
      } else if (block.rows === 0) block = emptyBlock(key, order);
      block.bytes += bytes;
      block.rows++;
      if (filedAt > block.filedAt) block.filedAt = filedAt;
      for (const tag of tags) block.tags.add(tag);
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
  return { key, first, rows: 0, bytes: 0, filedAt: '', tags: new Set<string>() };
}

function emptyPage(key: string, first: string, offset: number) {
  return { key, first, offset, texts: [] as string[], bytes: 0, filedAt: '' };
}

function inOrder(shape: string, keyBefore: string, orderBefore: string, key: string, order: string): boolean {
  if (shape === 'ranked') return true;
  if (keyBefore !== key) return keyBefore < key;
  return shape === 'history' ? orderBefore > order : orderBefore < order;
}
