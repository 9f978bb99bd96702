import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, whereMissing } from '../../src/files/local.ts';
import { makeDirectory } from '../disk/directories.ts';
import { writeNamed, type DataFile } from './data-files.ts';
import {
  decodeManifest,
  decodeManifestList,
  encodeManifest,
  encodeManifestList,
  status,
  summaryOf,
  type ManifestEntry,
  type ManifestSummary,
} from './manifest.ts';
import {
  describeTable,
  keptSnapshotMs,
  keptSnapshots,
  nextMetadata,
  parseMetadata,
  type TableMetadata,
  type TableSnapshot,
} from './metadata.ts';
import type { TableDefinition } from './tables.ts';

/** With more manifests than this a commit writes one in place of all, so that planning a query reads few. */
const manifestsMaximum = 32;
const metadataName = /^v(\d+)\.metadata\.json$/;
const hint = 'metadata/version-hint.text';

/**
 * A version is at least the number of seconds since then, so a table that was lost and made anew does not use
 * a name again that readers and caches know with other content. Some readers take versions of 31 bits: those
 * are enough for 68 years.
 */
const versionsSinceMs = Date.UTC(2020, 0, 1);

interface Manifest {
  readonly summary: ManifestSummary;
  readonly entries: readonly ManifestEntry[];
}

/** A table as it lies in its folder. */
export interface TableFolder<Row> {
  readonly folder: string;
  readonly definition: TableDefinition<Row>;
  /** 0 where there is no table yet. */
  readonly version: number;
  /** Null where there is no table yet. */
  readonly metadata: TableMetadata | null;
  readonly manifests: readonly Manifest[];
  /** The data files of the current snapshot. */
  readonly files: readonly DataFile[];
}

/** What a commit gives to a table. */
export interface Commit {
  /** The address of the table. */
  readonly location: string;
  /** All data files that the table has from now on. */
  readonly files: readonly DataFile[];
  readonly nowMs: number;
  readonly properties: Readonly<Record<string, string>>;
  /** Facts for the summary of the snapshot. */
  readonly summary: Readonly<Record<string, string>>;
}

/** Opens the table in a folder; one without files where there is none. */
export async function openTable<Row>(
  folder: string,
  definition: TableDefinition<Row>,
): Promise<TableFolder<Row>> {
  const names = await readdir(join(folder, 'metadata')).catch(whereMissing([]));
  // The greatest version counts, not the hint: an export may have ended between the two.
  const version = Math.max(0, ...names.map((name) => Number(metadataName.exec(name)?.[1] ?? 0)));
  if (version === 0) return { folder, definition, version, metadata: null, manifests: [], files: [] };
  const path = join(folder, metadataPath(version));
  const metadata = parseMetadata(path, await readFile(path, 'utf8'));
  const manifests = await manifestsOf({ folder, definition }, metadata, currentOf(metadata), new Map());
  const files = manifests.flatMap(({ entries }) => entries.filter(isLive).map(({ file }) => file));
  return { folder, definition, version, metadata, manifests, files };
}

const metadataPath = (version: number) => `metadata/v${version}.metadata.json`;
const isLive = (entry: ManifestEntry) => entry.status !== status.deleted;
const currentOf = (metadata: TableMetadata) =>
  metadata.snapshots.find((each) => each['snapshot-id'] === metadata['current-snapshot-id']) as TableSnapshot;

/** The manifests of a snapshot. Those in `known`, by their addresses, are not read again. */
async function manifestsOf<Row>(
  { folder, definition }: Pick<TableFolder<Row>, 'folder' | 'definition'>,
  { location }: TableMetadata,
  snapshot: TableSnapshot,
  known: Map<string, Manifest>,
): Promise<Manifest[]> {
  const partition = definition.dividedBy === null ? null : `${definition.dividedBy}_year`;
  const read = (address: string) => readFile(join(folder, address.slice(location.length + 1)));
  const manifests: Manifest[] = [];
  for (const summary of decodeManifestList(await read(snapshot['manifest-list']))) {
    const manifest = known.get(summary.manifest_path) ?? {
      summary,
      entries: decodeManifest(
        { partition },
        location,
        await read(summary.manifest_path),
        summary.sequence_number,
      ),
    };
    known.set(summary.manifest_path, manifest);
    manifests.push(manifest);
  }
  return manifests;
}

/**
 * Makes a new snapshot of a table with these data files, if that changes anything. Each file is on the disk
 * before another one names it, and the file of metadata comes last: a reader finds the old snapshot or the
 * new one. Then it removes what no snapshot names any more. Returns whether there is a new snapshot.
 */
export async function commitTable<Row>(table: TableFolder<Row>, commit: Commit): Promise<boolean> {
  const { folder, definition, metadata: before, version } = table;
  const { location, files } = commit;
  const describing = describeTable(definition, before);
  const isMoved = before !== null && before.location !== location;
  const wanted = new Set(files.map(({ path }) => path));
  const held = new Set(table.files.map(({ path }) => path));
  const added = files.filter(({ path }) => !held.has(path));
  const isRemoved = ({ file }: ManifestEntry) => !wanted.has(file.path);
  const removed = table.manifests.flatMap(({ entries }) =>
    entries.filter((each) => isLive(each) && isRemoved(each)),
  );
  const isSame =
    before?.['current-schema-id'] === describing.schemaId && !isMoved && added.length + removed.length === 0;
  if (isSame) {
    // An export that was killed after its file of metadata left the rest to this one.
    await writeHint(folder, version);
    await removeUnnamed(table, before, version);
    return false;
  }

  // A manifest stays unless one of its files goes, it names an address of before, or there are too many.
  const isRewritten = ({ entries }: Manifest) =>
    isMoved ||
    table.manifests.length >= manifestsMaximum ||
    entries.some((each) => isLive(each) && isRemoved(each));
  const kept = table.manifests.filter((each) => !isRewritten(each));
  const snapshotId = randomBytes(6).readUIntBE(0, 6);
  const sequenceNumber = (before?.['last-sequence-number'] ?? 0) + 1;
  const entries: ManifestEntry[] = [
    ...added.map((file) => ({ status: status.added, snapshotId, sequenceNumber: null, file })),
    ...table.manifests
      .filter(isRewritten)
      .flatMap((manifest) =>
        manifest.entries
          .filter(isLive)
          .map((each) =>
            isRemoved(each)
              ? { ...each, status: status.deleted, snapshotId }
              : { ...each, status: status.existing },
          ),
      ),
  ];
  const summaries = kept.map(({ summary }) => summary);
  await makeDirectory(join(folder, 'metadata'));
  if (entries.length > 0) {
    const path = `metadata/${snapshotId}-m0.avro`;
    const bytes = encodeManifest(describing, location, entries);
    await writeNamed(join(folder, path), bytes);
    summaries.unshift(
      summaryOf({
        partition: describing.partition,
        path: `${location}/${path}`,
        length: bytes.length,
        entries,
        snapshotId,
        sequenceNumber,
      }),
    );
  }
  const parent = isMoved ? null : (before?.['current-snapshot-id'] ?? null);
  const listPath = `metadata/snap-${snapshotId}.avro`;
  await writeNamed(join(folder, listPath), encodeManifestList(summaries, snapshotId, parent, sequenceNumber));

  const nowMs = Math.max(commit.nowMs, before?.['last-updated-ms'] ?? 0);
  const snapshot: TableSnapshot = {
    'snapshot-id': snapshotId,
    ...(parent === null ? {} : { 'parent-snapshot-id': parent }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': nowMs,
    'manifest-list': `${location}/${listPath}`,
    summary: { ...changeSummary(added, removed, files), ...commit.summary },
    'schema-id': describing.schemaId,
  };
  const older = isMoved ? [] : (before?.snapshots ?? []);
  const metadata = nextMetadata(definition, before, {
    location,
    snapshots: [...stillWanted(older, nowMs), snapshot],
    previousFile: before === null || isMoved ? null : `${location}/${metadataPath(version)}`,
    properties: commit.properties,
  });
  const next = Math.max(version + 1, Math.floor((nowMs - versionsSinceMs) / 1000));
  await writeNamed(join(folder, metadataPath(next)), `${JSON.stringify(metadata, null, 1)}\n`);
  await writeHint(folder, next);
  await removeUnnamed(table, metadata, next);
  return true;
}

const writeHint = async (folder: string, version: number) => {
  const path = join(folder, hint);
  if ((await readFile(path, 'utf8').catch(whereMissing(''))) !== `${version}`)
    await replaceFile(path, `${version}`);
};

/** A snapshot stays until it was replaced for a while: then no query reads it any more. */
function stillWanted(snapshots: readonly TableSnapshot[], nowMs: number): TableSnapshot[] {
  return snapshots
    .filter((_, at) => nowMs - (snapshots[at + 1]?.['timestamp-ms'] ?? nowMs) < keptSnapshotMs)
    .slice(1 - keptSnapshots);
}

/** What a snapshot changes, in the words of Iceberg. */
function changeSummary(
  added: readonly DataFile[],
  removed: readonly ManifestEntry[],
  files: readonly DataFile[],
): Readonly<Record<string, string>> {
  const gone = removed.map(({ file }) => file);
  const total = (some: readonly DataFile[], of: 'rows' | 'bytes') =>
    String(some.reduce((sum, file) => sum + file[of], 0));
  return {
    operation: gone.length === 0 ? 'append' : 'overwrite',
    'added-data-files': String(added.length),
    'added-records': total(added, 'rows'),
    'added-files-size': total(added, 'bytes'),
    'deleted-data-files': String(gone.length),
    'deleted-records': total(gone, 'rows'),
    'removed-files-size': total(gone, 'bytes'),
    'changed-partition-count': String(new Set([...added, ...gone].map(({ year }) => year)).size),
    'total-records': total(files, 'rows'),
    'total-files-size': total(files, 'bytes'),
    'total-data-files': String(files.length),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
  };
}

/** Removes what an export wrote that failed, and that the table in a folder does not name. */
export async function removeLeftoversOf<Row>(
  folder: string,
  definition: TableDefinition<Row>,
): Promise<void> {
  const table = await openTable(folder, definition);
  if (table.metadata !== null) return removeUnnamed(table, table.metadata, table.version);
  for (const part of ['data', 'metadata']) await rm(join(folder, part), { recursive: true, force: true });
}

/** Removes files that no snapshot of the metadata names: those of old snapshots, and what killed exports left. */
async function removeUnnamed<Row>(
  table: TableFolder<Row>,
  metadata: TableMetadata,
  version: number,
): Promise<void> {
  const { folder } = table;
  const below = (address: string) => address.slice(metadata.location.length + 1);
  const named = new Set([
    hint,
    metadataPath(version),
    ...metadata['metadata-log'].map((each) => below(each['metadata-file'])),
  ]);
  const known = new Map<string, Manifest>();
  for (const snapshot of metadata.snapshots) {
    named.add(below(snapshot['manifest-list']));
    for (const { summary, entries } of await manifestsOf(table, metadata, snapshot, known)) {
      named.add(below(summary.manifest_path));
      for (const { file } of entries.filter(isLive)) named.add(file.path);
    }
  }
  for (const part of ['data', 'metadata']) {
    const entries = await readdir(join(folder, part), { recursive: true, withFileTypes: true }).catch(
      whereMissing([]),
    );
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      if (!named.has(path.slice(folder.length + 1))) await rm(path, { force: true });
    }
  }
}
