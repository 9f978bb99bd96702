import { ApiError, usualMessages } from '../contract/errors.ts';
import { paths, type FileReference } from '../contract/snapshot.ts';
import { segmentParts, type Segment } from '../table/segment.ts';
import type { ChunkCache } from '../table/chunk-cache.ts';
import { ContentError, isReadError, watchChanges } from '../files/watch.ts';
import {
  bulkListOf,
  createSnapshotReader,
  filesOf,
  openSnapshot,
  parsePointer,
  readManifest,
  type Snapshot,
} from './open.ts';
import type { NeededPart, PartStore } from './store.ts';
import type { Trust } from './trust.ts';

/** The snapshot that is being served, whichever the pointer names. */
export interface Follower {
  /** Runs a piece of work on the current snapshot. Throws `snapshot_unavailable` if there is none. */
  use<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result>;
  /** The name of the current snapshot; null if there is none. */
  readonly currentId: () => string | null;
  /** Looks at the pointer once; swaps if it names another snapshot that is good. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What a follower may be given beside its store. */
export interface FollowerOptions {
  /** Called when another snapshot is served than before. */
  readonly onSwap?: () => void;
  /** Which pointers it takes; all that lead to a good snapshot if left out or null. */
  readonly trust?: Trust | null;
  /** The time in milliseconds since 1970; needed where there is trust. */
  readonly now?: () => number;
}

/** Small files that are kept in memory: pages and documents that were asked for lately. */
const filesMaximumBytes = 16 * 1024 * 1024;

/**
 * Follows the pointer of a store, which it closes in the end. Where the store can make sure of whole parts,
 * those of a new snapshot that the one before does not have are hashed before it is served, while the old one
 * goes on. Heads of segments, keyed documents and routes are read and checked in any case, and all else as it
 * is read; at the start, when there is none to go on with, blocks alone are. A snapshot that is not as its
 * manifest says is refused once, with a logged reason, and tried again when the pointer is written again. One
 * that could not be read, and any while there is nothing else to serve, is tried again at every look;
 * meanwhile a store that keeps pointers gives the last one that was good.
 */
export function createFollower(
  store: PartStore,
  cache: ChunkCache,
  log: (event: string, details: Record<string, unknown>) => void,
  { onSwap = () => {}, trust = null, now = () => 0 }: FollowerOptions = {},
): Follower {
  const reader = createSnapshotReader(store, cache, filesMaximumBytes);
  const pointerName = store.nameOf(paths.pointer);
  let current: Snapshot | null = null;
  let checking: Promise<void> | null = null;
  let remembering: Promise<void> | null = null;
  // Files of what is not served any more are not kept open, and those of what was refused are opened again
  // once they are mended.
  const look = watchChanges(
    pointerName,
    (known) => store.readIfChanged(paths.pointer, known),
    (text) =>
      follow(text)
        .finally(releaseOthers)
        .catch((error: Error) => {
          throw current === null || isReadError(error) ? error : new ContentError(error.message);
        }),
  );

  /** What is mended under its name, or no longer named, is not read from a file that is open. */
  function releaseOthers(): Promise<void> {
    const kept = new Set(current?.manifest.segments.map(({ name }) => name));
    return store.release((part) => kept.has(part.split('/')[1] ?? ''));
  }

  async function follow(text: string | null): Promise<void> {
    if (text === null) throw new Error(`${pointerName}: there is no pointer`);
    const pointer = parsePointer(pointerName, text);
    trust?.accept(pointer, now());
    const { snapshotId, manifestSha256 } = pointer;
    const signature = pointer.signature ? { ...pointer.signature, isChecked: trust !== null } : null;
    if (current?.id === snapshotId) {
      // Signed again: the snapshot is the same.
      current = { ...current, signature };
      return;
    }
    const { manifest } = await readManifest(store, snapshotId, manifestSha256);
    const open = new Map(current?.segments.map((segment) => [segment.name, segment]));
    const opened = await openSnapshot(reader, snapshotId, manifest, open);
    if (current) await checkNew(store, opened, current);
    current = { ...opened, signature };
    store.keepPointer?.(text, neededFor(manifestSha256, opened));
    log('snapshot', { snapshotId, filingCount: manifest.filingCount });
    onSwap();
  }

  /** At a start at which the store gives nothing good, what was followed before is better than nothing. */
  async function followKept(): Promise<void> {
    const text = (await store.keptPointer?.()) ?? null;
    if (text !== null) await follow(text).catch(() => {});
  }

  /** What was taken before the service was started counts, too: nothing older is taken. */
  async function rememberKept(): Promise<void> {
    const text = trust === null ? null : await store.keptPointer?.();
    if (text) trust?.remember(parsePointer(pointerName, text));
  }

  async function check(): Promise<void> {
    await (remembering ??= rememberKept().catch(() => {}));
    const problem = await look();
    if (problem !== null && current === null) await followKept();
    if (problem?.isNew) log('snapshot_refused', { reason: problem.reason, serving: current?.id ?? null });
  }

  return {
    async use(work) {
      if (!current) throw new ApiError('snapshot_unavailable', usualMessages.snapshot_unavailable);
      return work(current);
    },
    currentId: () => current?.id ?? null,
    // A look at a host may take longer than from one look to the next.
    check: () => (checking ??= check().finally(() => void (checking = null))),
    async close() {
      // Nobody waits for what is under way; it may have opened something again.
      if (checking) await Promise.all([store.close(), checking]);
      current = null;
      await store.close();
    },
  };
}

/**
 * Hashes every part of an open snapshot that another one, which is good, does not have. Throws
 * `CorruptSnapshot`.
 */
async function checkNew(
  { check }: Pick<PartStore, 'check'>,
  opened: Snapshot,
  known: Snapshot,
): Promise<void> {
  if (!check) return;
  for (const segment of opened.segments)
    if (!known.segments.includes(segment)) await checkSegment({ check }, segment);
  const knownFiles = new Set(allFilesOf(known).map(({ sha256 }) => sha256));
  for (const file of allFilesOf(opened))
    if (!knownFiles.has(file.sha256)) await check(paths.file(file.sha256), file);
}

/** What `openSnapshot` reads. */
function neededFor(manifestSha256: string, { id, manifest, segments }: Snapshot): NeededPart[] {
  const ofSegments = segments.flatMap(({ name, head }, at): NeededPart[] => {
    const counts = head.tables['counts']?.files;
    return [
      { part: segmentParts.head(name), bytes: 0, sha256: manifest.segments[at]?.headSha256 ?? '' },
      ...(counts
        ? [
            { part: segmentParts.rows(name, 'counts'), ...counts.rows },
            { part: segmentParts.index(name, 'counts'), ...counts.index },
          ]
        : []),
    ];
  });
  const files = [...Object.values(manifest.documents), manifest.routes].map((file) => ({
    part: paths.file(file.sha256),
    ...file,
  }));
  return [{ part: paths.manifest(id), bytes: 0, sha256: manifestSha256 }, ...ofSegments, ...files];
}

function allFilesOf({ manifest, routes, documents }: Snapshot): FileReference[] {
  return filesOf(manifest, routes, bulkListOf(documents).data);
}

/**
 * Hashes the files of a segment's tables. Throws `CorruptSnapshot`, which names the one that is not what the
 * head says.
 */
export async function checkSegment(
  { check }: Required<Pick<PartStore, 'check'>>,
  { name, head }: Pick<Segment, 'name' | 'head'>,
): Promise<void> {
  for (const [table, { files }] of Object.entries(head.tables)) {
    await check(segmentParts.rows(name, table), files.rows);
    await check(segmentParts.index(name, table), files.index);
  }
}
