import type { FileReference } from '../format/snapshot.ts';
import type { PartReader } from '../table/table.ts';
import type { WholeFile } from '../files/watch.ts';

/**
 * A part without which a snapshot cannot be opened. `bytes` is 0 for manifests and heads, whose length is not
 * known.
 */
export interface NeededPart extends FileReference {
  readonly part: string;
}

/**
 * Stores snapshots: a folder, a host of files, or a bucket. Parts are named by their paths in it. Parts never
 * change; the pointer does. The caller has to check each part by its digest.
 */
export interface PartStore extends PartReader {
  /** The name of a part in messages: a file path or a URL. */
  nameOf(part: string): string;
  /**
   * Reads a small file that may be replaced, such as the pointer. Null if it is still in the given state.
   * Rejects if it cannot be read.
   */
  readIfChanged(part: string, knownState: string): Promise<WholeFile | null>;
  /**
   * Checks a whole part before a snapshot that names it is served. Left out if the part would have to be
   * fetched for that: blocks and files are checked whenever they are read. Throws `CorruptSnapshot`, which
   * names the part.
   */
  check?(part: string, expected: FileReference): Promise<void>;
  /**
   * Keeps the text of the pointer that is served, and copies of the parts without which its snapshot cannot be
   * opened, so that the service can start while the store is unreachable.
   */
  keepPointer?(text: string, needed: readonly NeededPart[]): void;
  /** The pointer that was kept; null if there is none. */
  keptPointer?(): Promise<string | null>;
  /**
   * Since when the pointer cannot be read, in milliseconds since 1970; null if it was read the last time.
   * Left out if the store is always reachable.
   */
  readonly unreachableSince?: () => number | null;
  /**
   * Frees what is open or cached of parts that are no longer wanted; a part that is being read is freed after
   * that.
   */
  release(isWanted: (part: string) => boolean): Promise<void>;
  /** Frees everything. */
  close(): Promise<void>;
}
