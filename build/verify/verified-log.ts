import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, type Gunzip } from 'node:zlib';
import { lastSequenceOf, LogList, spansOf, type LogPart } from '../../src/format/log-files.ts';
import { feedSortKey, paths, type FileReference, type Manifest } from '../../src/format/snapshot.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { toBlock, type Block } from '../../src/table/block.ts';
import { indexLine, memberOf } from '../../src/table/log-index.ts';
import { filedAtOf } from '../../src/rows/parts.ts';
import { rowBytes, type TableRow } from '../../src/table/table.ts';
import type { Progress } from '../work/progress.ts';
import { parseDocument, requireBytes, type ReadDocument } from './rows.ts';

/** The greatest length of a file after inflating, in bytes: rows have about a kilobyte. */
const inflatedMaximum = 1024 * 1024 * 1024;
/** The greatest length of a buffer that is taken to inflate into, in bytes. */
const chunkMaximum = 16 * 1024 * 1024;

/** An entry of the log, of which nothing was read yet. */
export interface LogEntry extends TableRow {
  readonly sequence: number;
}

/** The log of a snapshot that is verified. */
export interface VerifiedLog {
  readonly list: LogList;
  /** Names an entry and the file that it is in, for messages. */
  nameOf(sequence: number): string;
  /**
   * Yields the entries of a file. Checks each byte of the file and of its index: lengths and digests, that
   * members follow one another without a gap and are cut by the rule, and that index and list tell the dates of
   * the rows. Throws `CorruptSnapshot`.
   */
  entriesOfFile(number: number): Generator<LogEntry>;
  /** The same for all files from that with a sequence on, beginning with its entry. */
  entriesFrom(sequence: number): Generator<LogEntry>;
}

/** Opens the log of a manifest. Checks that its list fits the manifest. Throws `CorruptSnapshot`. */
export function openVerifiedLog(
  directory: string,
  { lastSequence }: Pick<Manifest, 'lastSequence'>,
  document: ReadDocument,
  progress: Progress,
): VerifiedLog {
  const { path } = document;
  const list = parseDocument(LogList, 'log', document);
  if (JSON.stringify(list) !== JSON.stringify(document.value))
    throw new CorruptSnapshot(`${path} (log) is not written as its schema requires`);
  const { rowsPerFile, rowsPerMember, files } = list;
  files.forEach(({ rows }, number) => {
    if (rows > rowsPerFile || (rows < rowsPerFile && number < files.length - 1))
      throw new CorruptSnapshot(`${path} (log): file ${number + 1} has ${rows} rows, not ${rowsPerFile}`);
  });
  if (lastSequenceOf(list) !== lastSequence)
    throw new CorruptSnapshot(
      `${path} (log): the log ends at sequence ${lastSequenceOf(list)}, not at ${lastSequence}`,
    );
  const pathOf = ({ sha256 }: FileReference) => join(directory, paths.file(sha256));

  function* entriesOfFile(number: number): Generator<LogEntry> {
    const part = files[number] as LogPart;
    const bytes = readFileOf(pathOf(part), part);
    const index = toBlock(readFileOf(pathOf(part.index), part.index), part.index.sha256);
    const members = Math.ceil(part.rows / rowsPerMember);
    if (index.ends.length !== members)
      throw new CorruptSnapshot(`${pathOf(part.index)} names ${index.ends.length} members, not ${members}`);
    let [offset, text, sequence] = [0, '', number * rowsPerFile];
    const ofFile = new Set<string>();
    const lengths: number[] = [];
    for (let at = 0; at < members; at++) {
      const member = memberOf(list, part, index, at);
      const stored = bytes.subarray(offset, offset + member.bytes);
      const block: Block = { ...toBlock(inflate(pathOf(part), stored, offset), ''), isBare: true };
      if (block.ends.length !== member.rows)
        throw new CorruptSnapshot(
          `${pathOf(part)}: the member at ${offset} has ${block.ends.length} rows, not ${member.rows}`,
        );
      const days = new Set<string>();
      for (let line = 0; line < block.ends.length; line++) {
        const entry: LogEntry = { block, line, sequence: ++sequence };
        const day = filedAtOf(entry);
        if (day !== '') days.add(day);
        yield entry;
      }
      for (const day of days) ofFile.add(day);
      text += indexLine(offset, sha256Of(stored), [...days].sort());
      offset += stored.length;
      lengths.push(stored.length);
    }
    if (offset !== bytes.length)
      throw new CorruptSnapshot(`${pathOf(part)} has ${bytes.length - offset} bytes after its last member`);
    if (text !== index.bytes.toString('latin1'))
      throw new CorruptSnapshot(`${pathOf(part.index)} does not match ${pathOf(part)}`);
    const days = [...ofFile].sort();
    if (part.filedFrom !== (days[0] ?? '') || part.filedTo !== (days.at(-1) ?? ''))
      throw new CorruptSnapshot(`${path} (log): file ${number + 1} has other filing dates`);
    if (part.spans !== undefined && part.spans !== spansOf(lengths, list.membersPerSpan ?? lengths.length))
      throw new CorruptSnapshot(`${path} (log): file ${number + 1} has other spans`);
    progress.step(part.rows);
  }

  return {
    list,
    nameOf(sequence) {
      const part = files[Math.floor((sequence - 1) / rowsPerFile)];
      return `${part ? pathOf(part) : path}: (log, ${feedSortKey(sequence)})`;
    },
    entriesOfFile,
    *entriesFrom(first) {
      for (let number = Math.floor((first - 1) / rowsPerFile); number < files.length; number++)
        for (const entry of entriesOfFile(number)) if (entry.sequence >= first) yield entry;
    },
  };
}

/**
 * Compares two logs of one ledger, byte by byte, as far as the first one goes. Files that both share are
 * those of `later`, which was checked. Throws `CorruptSnapshot` if `later` does not continue the other one.
 */
export function compareLogs(log: VerifiedLog, later: VerifiedLog): void {
  const isCutAlike =
    log.list.rowsPerFile === later.list.rowsPerFile && log.list.rowsPerMember === later.list.rowsPerMember;
  log.list.files.forEach((part, number) => {
    if (isCutAlike && JSON.stringify(part) === JSON.stringify(later.list.files[number])) return;
    const others = later.entriesFrom(number * log.list.rowsPerFile + 1);
    for (const entry of log.entriesOfFile(number)) {
      const other = others.next();
      if (other.done === true || !rowBytes(entry).equals(rowBytes(other.value)))
        throw new CorruptSnapshot(
          `${log.nameOf(entry.sequence)} is not the entry that a later snapshot has, which was checked`,
        );
    }
  });
}

/** Reads a file and checks its length and digest. Throws `CorruptSnapshot`. */
export function readFileOf(path: string, reference: FileReference): Buffer {
  let found: Buffer;
  try {
    found = readFileSync(path);
  } catch (error) {
    throw new CorruptSnapshot(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return requireBytes(path, reference, found);
}

/**
 * Inflates gzip members, which begin at an offset of a file. Throws `CorruptSnapshot` if other bytes follow
 * them.
 */
export function inflate(path: string, stored: Buffer, offset = 0): Buffer {
  try {
    // The last member ends with its inflated length: one buffer of that length suffices for one member.
    const length = stored.length < 4 ? 0 : stored.readUInt32LE(stored.length - 4);
    // The types of Node lack the result of `info: true`.
    const { buffer, engine } = gunzipSync(stored, {
      maxOutputLength: inflatedMaximum,
      chunkSize: Math.min(Math.max(length + 1, 64), chunkMaximum),
      info: true,
    }) as unknown as { readonly buffer: Buffer; readonly engine: Gunzip };
    if (engine.bytesWritten !== stored.length) throw new Error('other bytes follow');
    return buffer;
  } catch (error) {
    throw new CorruptSnapshot(`${path} (at ${offset}) cannot be inflated: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
