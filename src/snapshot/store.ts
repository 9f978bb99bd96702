import type { FileReference } from '../contract/snapshot.ts';
import type { PartReader } from '../table/table.ts';
import type { WholeFile } from '../files/watch.ts';

/**
 * A part without which a snapshot cannot be opened. The length of a head or a manifest is not known, and 0.
 */
export interface NeededPart extends FileReference {
  readonly part: string;
}

/**
 * Where snapshots lie: a folder, a host of files, a bucket. Parts are named by their paths below it and never
 * change; the pointer does. Whoever reads a part checks it by its digest.
 */
export interface PartStore extends PartReader {
  /** How messages name a part of it: a path or an address. */
  nameOf(part: string): string;
  /**
   * Reads a small file that may be replaced, such as the pointer, unless it is in the given state: then null.
   * Rejects if it cannot be read.
   */
  readIfChanged(part: string, knownState: string): Promise<WholeFile | null>;
  /**
   * Makes sure of a whole part before a snapshot that names it is served. Left out where that would mean to
   * fetch it: blocks and files are checked whenever they are read. Throws `CorruptSnapshot`, which names the
   * part.
   */
  check?(part: string, expected: FileReference): Promise<void>;
  /**
   * Keeps the text of the pointer that is followed, and copies of the parts without which its snapshot cannot
   * be opened, for a start at which the store cannot be reached.
   */
  keepPointer?(text: string, needed: readonly NeededPart[]): void;
  /** What was kept; null if nothing was. */
  keptPointer?(): Promise<string | null>;
  /**
   * Since when the pointer cannot be read, in milliseconds since 1970; null if it was read the last time.
   * Left out where that cannot happen.
   */
  readonly unreachableSince?: () => number | null;
  /**
   * Lets go of what is kept ready for parts that are not wanted any more; what is read just then, after that.
   */
  release(isWanted: (part: string) => boolean): Promise<void>;
  /** Lets go of everything. */
  close(): Promise<void>;
}
