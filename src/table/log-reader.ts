import { spanOf, type LogList, type LogPart } from '../format/log-files.ts';
import { paths } from '../format/snapshot.ts';
import type { BlockCache } from './block-cache.ts';
import type { Block } from './block.ts';
import { storedMember } from './log-index.ts';
import { note, noting, readBefore } from './passes.ts';
import { createBlockReader, type PartReader } from './table.ts';

/** Reads indexes and members of the files of a log, both by their numbers. Throws `CorruptSnapshot`. */
export interface LogReader {
  index(file: number): Block;
  /** Notes that an index will be needed. */
  noteIndex(file: number): void;
  /** A member; its index is read in the same round if the list tells where about the member is. */
  member(file: number, at: number): Block;
  /** Whether a read takes a round trip to a host. */
  readonly isFar: boolean;
}

/** Makes a reader of the files of a log, which come through the cache by their digests. */
export function createLogReader(parts: PartReader, list: LogList, cache: BlockCache): LogReader {
  const members = createBlockReader(parts, cache, undefined, true);
  // An index is stored as it is; the memory that it was read into may be used again.
  const indexes = createBlockReader(parts, cache, (stored) => Buffer.from(stored));
  const spansUnderWay = new Map<string, Promise<Buffer>>();
  const partAt = (file: number) => list.files[file] as LogPart;
  const entryOf = (part: LogPart) => {
    const { sha256, bytes } = part.index;
    return { offset: 0, bytes, sha256, rows: Math.ceil(part.rows / list.rowsPerMember) };
  };
  const index = (part: LogPart) => indexes.read(paths.file(part.index.sha256), entryOf(part));

  /** Reads a range of a file, whose digest nobody knows. Requests that want the same share one read. */
  function readRange(name: string, path: string, offset: number, bytes: number): Promise<Buffer> {
    const underWay = parts.underWay?.().pieces ?? spansUnderWay;
    const pending =
      underWay.get(name) ?? parts.read(path, offset, bytes).finally(() => underWay.delete(name));
    underWay.set(name, pending);
    return pending;
  }

  return {
    isFar: parts.readNow === undefined,
    index: (file) => index(partAt(file)),
    noteIndex(file) {
      const part = partAt(file);
      indexes.note(paths.file(part.index.sha256), entryOf(part));
    },
    member(file, at) {
      const part = partAt(file);
      const path = paths.file(part.sha256);
      if (parts.readNow) return members.read(path, storedMember(list, part, index(part), at));
      const span = spanOf(list, part, at);
      const name = `${path} from ${span?.offset}`;
      const found = noting(
        () => index(part),
        () => span && note(name, () => readRange(name, path, span.offset, span.bytes).catch(() => nothing)),
      );
      const member = storedMember(list, part, found, at);
      const around = span && readBefore<Buffer>(name);
      const from = member.offset - (span?.offset ?? 0);
      return members.read(path, member, around?.subarray(from, from + member.bytes));
    },
  };
}

/** In place of a range that cannot be read: the member is read by itself. */
const nothing = Buffer.alloc(0);
