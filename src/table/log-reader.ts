import { spanOf, type LogList, type LogPart } from '../format/log-files.ts';
import { paths } from '../format/snapshot.ts';
import type { BlockCache } from './block-cache.ts';
import type { Block } from './block.ts';
import { storedMember } from './log-index.ts';
import { createBlockReader, type PartReader } from './table.ts';

/** Reads indexes and members of the files of a log, both by their numbers. Throws `CorruptSnapshot`. */
export interface LogReader {
  index(file: number): Promise<Block> | Block;
  /** A member; its index is read at the same time if the list tells where about the member is. */
  member(file: number, at: number): Promise<Block> | Block;
}

/** Makes a reader of the files of a log, which come through the cache by their digests. */
export function createLogReader(parts: PartReader, list: LogList, cache: BlockCache): LogReader {
  const readMember = createBlockReader(parts, cache, undefined, true);
  // An index is stored as it is; the memory that it was read into may be used again.
  const readText = createBlockReader(parts, cache, (stored) => Buffer.from(stored));
  const spansUnderWay = new Map<string, Promise<Buffer>>();
  const partAt = (file: number) => list.files[file] as LogPart;
  const membersOf = ({ rows }: LogPart) => Math.ceil(rows / list.rowsPerMember);

  function readIndex(part: LogPart): Promise<Block> | Block {
    const { sha256, bytes } = part.index;
    return readText(paths.file(sha256), { offset: 0, bytes, sha256, rows: membersOf(part) });
  }

  /** Reads a range of a file, whose digest nobody knows. Requests that want the same share one read. */
  function readRange(path: string, offset: number, bytes: number): Promise<Buffer> {
    const name = `${path} from ${offset}`;
    const underWay = parts.underWay?.().pieces ?? spansUnderWay;
    const pending =
      underWay.get(name) ?? parts.read(path, offset, bytes).finally(() => underWay.delete(name));
    underWay.set(name, pending);
    return pending;
  }

  return {
    index: (file) => readIndex(partAt(file)),
    member(file, at) {
      const part = partAt(file);
      const path = paths.file(part.sha256);
      const index = readIndex(part);
      if (!(index instanceof Promise)) return readMember(path, storedMember(list, part, index, at));
      // From local files the index is there at once; from a host it takes a round trip, as the member does.
      const span = parts.borrow === undefined ? spanOf(list, part, at) : null;
      const around = span && readRange(path, span.offset, span.bytes).catch(() => null);
      return index.then((found) => {
        const member = storedMember(list, part, found, at);
        return readMember(
          path,
          member,
          around ? cutOut(around, member.offset - span.offset, member) : undefined,
        );
      });
    },
  };
}

/** The stored bytes of a member, from a range that is being read; null if it cannot be read. */
async function cutOut(
  range: Promise<Buffer | null>,
  from: number,
  { bytes }: { readonly bytes: number },
): Promise<Buffer | null> {
  const found = await range;
  return found && found.subarray(from, from + bytes);
}
