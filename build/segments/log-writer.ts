import { gunzipSync } from 'node:zlib';
import type { BulkPart } from '../../src/contract/bulk.ts';
import { logSpanMembers, spansOf, type LogList, type LogPart } from '../../src/format/log-files.ts';
import { paths, type FileReference } from '../../src/format/snapshot.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import type { BlockCache } from '../../src/table/block-cache.ts';
import { lineEnd, lineStart, toBlock } from '../../src/table/block.ts';
import { openLog, type Log } from '../../src/table/open-log.ts';
import { indexLine, memberOf, storedMember } from '../../src/table/log-index.ts';
import type { PartReader, TableRow } from '../../src/table/table.ts';
import { compress } from './table-files.ts';

/** Where the files of a log are stored, under their digests. */
export interface LogStore {
  /** Stores a file. */
  keep(bytes: Buffer): Promise<FileReference>;
  /** Returns the bytes of a file; null if it is missing or its bytes have changed. */
  read(reference: FileReference): Promise<Buffer | null>;
  /** Whether a file with the right length is stored. Its bytes are not read. */
  isThere(reference: FileReference): Promise<boolean>;
}

/** Writes the log: takes new entries, and reads back every entry, also one that it has just taken. */
export interface LogWriter extends Pick<Log, 'entry'> {
  /** Adds the entry with the next sequence, as JSON. `filedAt` is its filing date, or empty. */
  add(sequence: number, filedAt: string, change: string): void;
  /** Stores the files that are full, which are in memory until then. */
  settle(): Promise<void>;
  /** Stores the rest, too. Call it once, at the end. */
  finish(): Promise<WrittenLog>;
}

/** What a log writer has written. */
export interface WrittenLog {
  readonly list: LogList;
  /** The files for download: those of the log, or files of an older snapshot that hold the same rows. */
  readonly bulk: readonly BulkPart[];
}

/** What a log writer needs. */
export interface LogWriterInput {
  readonly store: LogStore;
  /** Reads the files that are stored. */
  readonly parts: PartReader;
  /** The log that goes on, and what reads its files; null to begin with the first sequence. */
  readonly before: { readonly list: LogList; readonly parts: PartReader } | null;
  /** Files of a snapshot that may hold the same rows as those that are written. */
  readonly published?: { readonly list: LogList | null; readonly bulk: readonly BulkPart[] };
  /** How a log that begins is cut; `before` keeps its own cut. */
  readonly cut: Pick<LogList, 'rowsPerFile' | 'rowsPerMember'>;
  readonly cache: BlockCache;
}

/** A gzip member of a file that is in memory. */
interface Member {
  readonly stored: Buffer;
  readonly sha256: string;
  readonly days: readonly string[];
}

/** A file in memory: its full members, and the rows behind them. */
interface OpenFile {
  readonly members: Member[];
  held: string[];
  heldDays: Set<string>;
}

const newFile = (): OpenFile => ({ members: [], held: [], heldDays: new Set() });

/**
 * Opens a log for writing. The log is cut into files and gzip members at fixed sequences, so its bytes depend
 * on its rows alone, however often it was published. A full file is written once and never changes: where
 * `published` has one with the same rows, which another compressor may have made, that one stays. The file
 * that is not full is in memory: its members are copied, and only the last one is made again when rows are
 * added to it. Throws `CorruptSnapshot`.
 */
export async function openLogWriter({
  store,
  parts,
  before,
  published = { list: null, bulk: [] },
  cut,
  cache,
}: LogWriterInput): Promise<LogWriter> {
  const { rowsPerFile, rowsPerMember } = before?.list ?? cut;
  const files: LogPart[] = [];
  for (const part of before?.list.files.filter(({ rows }) => rows === rowsPerFile) ?? [])
    files.push(before ? await withSpans(before.parts, before.list, part) : part);
  const filesBefore = files.length;
  const logBefore = before && openLog(before.parts, before.list, cache);
  const bulk: BulkPart[] = [];
  for (const [number, part] of files.entries()) bulk.push(await bulkOf(number, part, store.isThere));
  /** Files in memory, by their numbers. */
  const open = new Map<number, OpenFile>();
  let lastSequence = files.length * rowsPerFile;
  const begun = before?.list.files[files.length];
  if (before && begun) open.set(files.length, await readOpen(before.parts, before.list, begun));
  lastSequence += begun?.rows ?? 0;
  let written = openWritten();
  const keptParts: Pick<PartReader, 'read'> = {
    read: async (_, offset, length, sha256 = '') =>
      (await store.read({ sha256, bytes: length }))?.subarray(offset) ?? Buffer.alloc(0),
  };

  function listOf(written: LogPart[]): LogList {
    return { rowsPerFile, rowsPerMember, membersPerSpan: logSpanMembers, files: written };
  }

  function openWritten(): Log {
    return openLog(parts, listOf([...files]), cache);
  }

  function endMember(file: OpenFile): void {
    file.members.push(memberWith(file.held.join(''), [...file.heldDays].sort()));
    [file.held, file.heldDays] = [[], new Set()];
  }

  function fromMemory({ members, held }: OpenFile, row: number): TableRow {
    const member = members[Math.floor(row / rowsPerMember)];
    if (!member) {
      const text = held[row - members.length * rowsPerMember] ?? '';
      return { block: { ...toBlock(Buffer.from(text), ''), isBare: true }, line: 0 };
    }
    let block = cache.get(member.sha256);
    if (!block) {
      block = { ...toBlock(gunzipSync(member.stored), member.sha256), isBare: true };
      cache.set(member.sha256, block);
    }
    return { block, line: row % rowsPerMember };
  }

  /** Stores a file, unless `published` has one with the same rows. */
  async function write(number: number, { members }: OpenFile, rows: number): Promise<void> {
    const bytes = Buffer.concat(members.map(({ stored }) => stored));
    let inflated: Buffer | null = null;
    const holdsSame = async (reference: FileReference): Promise<boolean> => {
      const there = await store.read(reference);
      if (there === null) return false;
      return there.equals(bytes) || gunzipSync(there).equals((inflated ??= gunzipSync(bytes)));
    };
    const same = published.list?.rowsPerMember === rowsPerMember ? published.list.files[number] : undefined;
    const isKept =
      published.list?.rowsPerFile === rowsPerFile &&
      same?.rows === rows &&
      (await store.read(same.index)) !== null &&
      (await holdsSame(same));
    const part =
      isKept && published.list && same
        ? await withSpans(keptParts, published.list, same)
        : await keep(bytes, members, rows);
    files[number] = part;
    bulk[number] = await bulkOf(number, part, holdsSame);
  }

  async function keep(bytes: Buffer, members: readonly Member[], rows: number): Promise<LogPart> {
    let [offset, index] = [0, ''];
    for (const { stored, sha256, days } of members) {
      index += indexLine(offset, sha256, days);
      offset += stored.length;
    }
    const days = members.flatMap((member) => member.days).sort();
    return {
      ...(await store.keep(bytes)),
      rows,
      filedFrom: days[0] ?? '',
      filedTo: days.at(-1) ?? '',
      index: await store.keep(Buffer.from(index)),
      spans: spansOf(
        members.map(({ stored }) => stored.length),
        logSpanMembers,
      ),
    };
  }

  /** The file for download: the full one that was published, if `isKept` says that it may stay. */
  async function bulkOf(
    number: number,
    { bytes, sha256, rows }: LogPart,
    isKept: (reference: FileReference) => Promise<boolean>,
  ): Promise<BulkPart> {
    const firstSequence = number * rowsPerFile + 1;
    const older = published.bulk[number];
    const isFile = older?.closed && older.firstSequence === firstSequence && older.rows === rows;
    const file = isFile && older.sha256 !== sha256 && (await isKept(older)) ? older : { bytes, sha256 };
    return {
      bytes: file.bytes,
      rows,
      sha256: file.sha256,
      firstSequence,
      lastSequence: firstSequence + rows - 1,
      closed: rows === rowsPerFile,
    };
  }

  async function settle(): Promise<void> {
    for (const [number, file] of open) {
      if (file.members.length * rowsPerMember < rowsPerFile || file.held.length > 0) continue;
      await write(number, file, rowsPerFile);
      open.delete(number);
      written = openWritten();
    }
  }

  return {
    add(sequence, filedAt, change) {
      if (sequence !== lastSequence + 1)
        throw new Error(`entry ${sequence} may not follow entry ${lastSequence} of the log`);
      lastSequence = sequence;
      const number = Math.floor((sequence - 1) / rowsPerFile);
      let file = open.get(number);
      if (!file) open.set(number, (file = newFile()));
      file.held.push(`${change}\n`);
      if (filedAt !== '') file.heldDays.add(filedAt);
      if (file.held.length === rowsPerMember || sequence % rowsPerFile === 0) endMember(file);
    },
    entry(sequence) {
      const number = Math.floor((sequence - 1) / rowsPerFile);
      const file = sequence <= lastSequence ? open.get(number) : undefined;
      if (file) return fromMemory(file, (sequence - 1) % rowsPerFile);
      return number < filesBefore && logBefore ? logBefore.entry(sequence) : written.entry(sequence);
    },
    settle,
    async finish() {
      for (const [number, file] of open) {
        if (file.held.length > 0) endMember(file);
        await write(number, file, Math.min(rowsPerFile, lastSequence - number * rowsPerFile));
      }
      open.clear();
      return { list: listOf(files), bulk };
    },
  };
}

function memberWith(rows: string, days: readonly string[]): Member {
  const stored = compress(Buffer.from(rows));
  return { stored, sha256: sha256Of(stored), days };
}

/** Reads a whole file and checks it. Throws `CorruptSnapshot`. */
async function readWhole(parts: Pick<PartReader, 'read'>, { sha256, bytes }: FileReference): Promise<Buffer> {
  const found = await parts.read(paths.file(sha256), 0, bytes, sha256);
  if (found.length === bytes && sha256Of(found) === sha256) return found;
  throw new CorruptSnapshot(`${paths.file(sha256)} does not have the SHA-256 in its name`);
}

/** A file of a list, with its spans, which older versions left out: its index tells them. */
async function withSpans(parts: Pick<PartReader, 'read'>, list: LogList, part: LogPart): Promise<LogPart> {
  if (part.spans !== undefined && list.membersPerSpan === logSpanMembers) return part;
  const index = toBlock(await readWhole(parts, part.index), part.index.sha256);
  const lengths = Array.from(index.ends, (_, at) => storedMember(list, part, index, at).bytes);
  return { ...part, spans: spansOf(lengths, logSpanMembers) };
}

/** Reads the file that is not full: its full members as they are stored, and the rows of the last one. */
async function readOpen(parts: PartReader, list: LogList, part: LogPart): Promise<OpenFile> {
  const bytes = await readWhole(parts, part);
  const index = toBlock(await readWhole(parts, part.index), part.index.sha256);
  const file = newFile();
  for (let at = 0; at < index.ends.length; at++) {
    const { offset, bytes: length, sha256, rows, labels } = memberOf(list, part, index, at);
    const stored = bytes.subarray(offset, offset + length);
    if (rows === list.rowsPerMember) file.members.push({ stored, sha256, days: labels });
    else {
      const block = toBlock(gunzipSync(stored), sha256);
      file.held = Array.from(block.ends, (_, line) =>
        block.bytes.toString('utf8', lineStart(block, line), lineEnd(block, line) + 1),
      );
      file.heldDays = new Set(labels);
    }
  }
  return file;
}
