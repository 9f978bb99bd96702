import { ApiError, usualMessages } from '../contract/errors.ts';
import { defaultAddress } from '../contract/product.ts';
import { paths, type FileReference, type Pointer, type TableName } from '../format/snapshot.ts';
import { coverageOf, type Coverage } from './coverage.ts';
import type { Heartbeats } from './accepted-heartbeat.ts';
import { checkSegment, segmentParts } from '../table/segment.ts';
import type { BlockCache } from '../table/block-cache.ts';
import { ContentError, isReadError, watchChanges } from '../files/watch.ts';
import {
  bulkListOf,
  createSnapshotReader,
  filesOf,
  heldTablesOf,
  isPartOf,
  openSnapshot,
  parsePointer,
  readManifest,
  type Snapshot,
} from './open.ts';
import type { NeededPart, PartStore } from './store.ts';
import type { Trust } from './trust.ts';

/** The snapshot that is being served: the one that the pointer names, if it is good. */
export interface ServedSnapshot {
  /** Runs a piece of work on the current snapshot. Throws `snapshot_unavailable` if there is none. */
  use<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result>;
  /** The id of the current snapshot; null if there is none. */
  readonly currentId: () => string | null;
  /** What the current snapshot covers at an instant, in milliseconds since 1970; null if there is none. */
  readonly coverage: (nowMs: number) => Coverage | null;
  /** What is known of the pointer. */
  readonly pointer: () => PointerState;
  /** Reads the pointer once, and serves the snapshot that it names if that is another one and good. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What is known of the pointer. Instants are in milliseconds since 1970. */
export interface PointerState {
  /** When the pointer of the current snapshot was signed, and until when; null without a signature. */
  readonly madeAtMs: number | null;
  readonly expiresAtMs: number | null;
  /** Since when the pointer that is there has been refused or could not be read; null while it is good. */
  readonly refusedSinceMs: number | null;
  /** How many pointers were refused, or could not be read, since the start. */
  readonly refusals: number;
}

/** Options of the served snapshot. */
export interface ServedSnapshotOptions {
  /** Called when another snapshot is served than before. */
  readonly onSwap?: () => void;
  /** Which pointers are accepted; without it, all that name a good snapshot. */
  readonly trust?: Trust | null;
  /** Keeps the newest heartbeat beside the pointer; none is looked for without it. */
  readonly heartbeats?: Heartbeats | null;
  /** The time by which pointers expire, in milliseconds since 1970; needed if there is `trust`. */
  readonly now?: () => number;
  /**
   * The address of the service, which documents of snapshots get; null while it is not known. Without it,
   * documents keep the address that they were built for.
   */
  readonly address?: () => string | null;
}

/** Bytes of small files that are kept in memory: pages and documents that were asked for lately. */
const filesMaximumBytes = 16 * 1024 * 1024;

/**
 * Serves the snapshot that the pointer of a store names. `close` also closes the store.
 *
 * Heads of segments, keyed documents and routes of a new snapshot are always read and checked before it is
 * served, and the small tables of `heldTablesOf`, as far as they can be read; other blocks and public files
 * are checked when they are read. If the store has `check` and another snapshot is being served, the parts
 * that only the new snapshot has are hashed before it is served.
 *
 * A snapshot that differs from its manifest is refused once, with a logged reason, and tried again when the
 * pointer is written again. A snapshot that could not be read is tried again at every check, and so is any
 * snapshot while none is served. While none is served, a store that keeps pointers supplies the last good
 * one.
 */
export function createServedSnapshot(
  store: PartStore,
  cache: BlockCache,
  log: (event: string, details: Record<string, unknown>) => void,
  {
    onSwap = () => {},
    trust = null,
    heartbeats = null,
    now = () => 0,
    address: ownAddress,
  }: ServedSnapshotOptions = {},
): ServedSnapshot {
  const address = ownAddress ?? (() => null);
  const reader = createSnapshotReader(store, cache, filesMaximumBytes);
  const pointerName = store.nameOf(paths.pointer);
  let current: Snapshot | null = null;
  let currentSha256 = '';
  let checking: Promise<void> | null = null;
  let refusedSinceMs: number | null = null;
  let refusals = 0;
  /** The address for which the last snapshot was built; undefined until that is logged. */
  let builtFor: string | null | undefined;
  // After each attempt the files that are not served are closed: a file that was refused may be replaced
  // under the same name, and has to be opened again.
  const look = watchChanges(
    pointerName,
    (known) => store.readIfChanged(paths.pointer, known),
    (text) => follow(text).finally(releaseOthers),
  );
  const lookAtHeartbeat = watchChanges(
    store.nameOf(paths.heartbeat),
    (known) => store.readIfChanged(paths.heartbeat, known),
    (text) => heartbeats?.take(text, now()),
  );

  /** Refuses the pointer until it is written again, if a snapshot is served and reading again cannot help. */
  async function orRefuse<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw current === null || isReadError(error) ? error : new ContentError((error as Error).message);
    }
  }

  /** Closes the files of all parts except those of the segments and the log being served. */
  function releaseOthers(): Promise<void> {
    return store.release(isPartOf(current?.segments ?? [], current?.log ?? null));
  }

  async function follow(text: string | null): Promise<void> {
    if (text === null) throw new Error(`${pointerName}: there is no pointer`);
    const pointer = await orRefuse(() => parsePointer(pointerName, text));
    await trust?.accept(pointer, now());
    await orRefuse(() => serve(pointer, text));
  }

  async function serve(pointer: Pointer, text: string): Promise<void> {
    const { snapshotId, manifestSha256 } = pointer;
    const signature = pointer.signature
      ? { ...pointer.signature, protection: trust?.protection ?? null }
      : null;
    if (current?.id === snapshotId && currentSha256 === manifestSha256) {
      // The pointer was signed again for the same snapshot.
      current = { ...current, signature };
      store.keepPointer?.(text, neededFor(manifestSha256, current));
      return;
    }
    const { manifest } = await readManifest(store, snapshotId, manifestSha256);
    const open = new Map(current?.segments.map((segment) => [segment.name, segment]));
    const opened = await openSnapshot(reader, snapshotId, manifest, open);
    if (current) await checkNew(store, opened, current);
    const pointerRefusedSince = () => refusedSinceMs;
    const heartbeat = () => heartbeats?.newest() ?? null;
    [current, currentSha256] = [
      { ...opened, pointerRefusedSince, heartbeat, signature, address },
      manifestSha256,
    ];
    store.keepPointer?.(text, neededFor(manifestSha256, opened));
    log('snapshot', { snapshotId, filingCount: manifest.filingCount });
    logAddress(manifest.settings.baseUrl);
    onSwap();
  }

  /** Logs once for each address that documents were built for whether they name that one or another one. */
  function logAddress(built: string | null): void {
    const served = address();
    // Where the address is not known yet, there is nothing to say.
    if (built === builtFor || (served === null && ownAddress !== undefined)) return;
    builtFor = built;
    if (served === null)
      log('address_of_build', { served: built ?? defaultAddress, reason: 'BASE_URL is not set' });
    else if (built !== null && built !== served) log('address_replaced', { built, served });
  }

  /** If the store supplies nothing good at the start, serves the snapshot of the last good pointer. */
  async function followKept(): Promise<void> {
    const text = (await store.keptPointer?.()) ?? null;
    if (text === null) return;
    const pointer = parsePointer(pointerName, text);
    trust?.checkAgain(pointer, now());
    await serve(pointer, text);
  }

  async function check(): Promise<void> {
    const problem = await look();
    refusedSinceMs = problem === null ? null : (refusedSinceMs ?? now());
    if (problem?.isNew) refusals++;
    if (problem !== null && current === null) await followKept().catch(() => {});
    await trust?.keep();
    if (problem?.isNew) log('snapshot_refused', { reason: problem.reason, serving: current?.id ?? null });
    // It tells how fresh the snapshot of the pointer is. While that is refused, an older one is served.
    const unheard = heartbeats === null || problem !== null ? null : await lookAtHeartbeat();
    if (unheard?.isNew) log('heartbeat_refused', { reason: unheard.reason });
  }

  return {
    async use(work) {
      if (!current) throw new ApiError('snapshot_unavailable', usualMessages.snapshot_unavailable);
      return work(current);
    },
    currentId: () => current?.id ?? null,
    coverage: (nowMs) => current && coverageOf(current, nowMs),
    pointer: () => ({
      madeAtMs: current?.signature ? Date.parse(current.signature.madeAt) : null,
      expiresAtMs: current?.signature ? Date.parse(current.signature.expiresAt) : null,
      refusedSinceMs,
      refusals,
    }),
    // A check of a host may take longer than the interval between checks.
    check: () => (checking ??= check().finally(() => void (checking = null))),
    async close() {
      // Closes the store without waiting for the check under way. That check may open files again, so the
      // store is closed once more after it.
      if (checking) await Promise.all([store.close(), checking]);
      current = null;
      await store.close();
    },
  };
}

/**
 * Hashes every part of an open snapshot that the snapshot being served does not have. Throws
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

/** The parts that `openSnapshot` reads, for a start without the host. */
function neededFor(manifestSha256: string, { id, manifest, segments }: Snapshot): NeededPart[] {
  const ofSegments = segments.flatMap((segment, at): NeededPart[] => {
    const { name, head } = segment;
    const ofTable = (table: TableName, what: 'index' | 'rows'): NeededPart[] => {
      const files = head.tables[table]?.files;
      const index = files && { part: segmentParts.index(name, table), ...files.index };
      const rows = files && what === 'rows' && { part: segmentParts.rows(name, table), ...files.rows };
      return [rows, index].filter((each) => each !== undefined && each !== false);
    };
    return [
      { part: segmentParts.head(name), bytes: 0, sha256: manifest.segments[at]?.headSha256 ?? '' },
      ...ofTable('counts', 'rows'),
      ...heldTablesOf(segment).flatMap((held) => ofTable(held.name, held.what)),
    ];
  });
  const files = [...Object.values(manifest.documents), manifest.routes, manifest.log].map((file) => ({
    part: paths.file(file.sha256),
    ...file,
  }));
  return [{ part: paths.manifest(id), bytes: 0, sha256: manifestSha256 }, ...ofSegments, ...files];
}

function allFilesOf({ manifest, routes, documents, log }: Snapshot): FileReference[] {
  return filesOf(manifest, routes, bulkListOf(documents).data, log.list);
}
