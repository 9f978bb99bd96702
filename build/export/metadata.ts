import { randomUUID } from 'node:crypto';
import { dayMs } from '../../src/time/units.ts';
import { greatestId, icebergField } from './columns.ts';
import { partitionFieldId, type ManifestTable } from './manifest.ts';
import type { TableDefinition } from './tables.ts';

/** How long a snapshot of a table stays readable after a newer one, in milliseconds: the default of Iceberg. */
export const keptSnapshotMs = 5 * dayMs;
/** Snapshots that stay, at most, so that metadata is small however often a table is exported. */
export const keptSnapshots = 100;
/** Older files of metadata that stay. */
export const keptMetadataFiles = 20;

/** A snapshot of an Iceberg table. */
export interface TableSnapshot {
  readonly 'snapshot-id': number;
  readonly 'parent-snapshot-id'?: number;
  readonly 'sequence-number': number;
  readonly 'timestamp-ms': number;
  readonly 'manifest-list': string;
  readonly summary: Readonly<Record<string, string>>;
  readonly 'schema-id': number;
}

type Json = Readonly<Record<string, unknown>>;

/** The metadata of an Iceberg table of version 2, as `vN.metadata.json` has it. */
export interface TableMetadata {
  readonly 'format-version': 2;
  readonly 'table-uuid': string;
  readonly location: string;
  readonly 'last-sequence-number': number;
  readonly 'last-updated-ms': number;
  readonly 'last-column-id': number;
  readonly 'current-schema-id': number;
  readonly schemas: readonly (Json & { readonly 'schema-id': number })[];
  readonly 'default-spec-id': number;
  readonly 'partition-specs': readonly Json[];
  readonly 'last-partition-id': number;
  readonly 'default-sort-order-id': number;
  readonly 'sort-orders': readonly Json[];
  readonly properties: Readonly<Record<string, string>>;
  readonly 'current-snapshot-id': number;
  readonly refs: Json;
  readonly snapshots: readonly TableSnapshot[];
  readonly 'snapshot-log': readonly Json[];
  readonly 'metadata-log': readonly { readonly 'timestamp-ms': number; readonly 'metadata-file': string }[];
}

/** Parses metadata. Throws if it is not that of a table of version 2 with a snapshot. */
export function parseMetadata(path: string, text: string): TableMetadata {
  const metadata = JSON.parse(text) as TableMetadata;
  const current = metadata.snapshots?.find((each) => each['snapshot-id'] === metadata['current-snapshot-id']);
  if (metadata['format-version'] !== 2 || current === undefined)
    throw new Error(`${path} is not the metadata of an Iceberg table of version 2 with a snapshot`);
  return metadata;
}

/** The ids of the columns in each schema that a table has had, the newest first. */
export function columnIdsOf({ schemas }: Pick<TableMetadata, 'schemas'>): readonly ReadonlySet<number>[] {
  const idsOf = (fields: unknown) => (fields as readonly { readonly id: number }[]).map(({ id }) => id);
  return schemas.toReversed().map(({ fields }) => new Set(idsOf(fields)));
}

/** The schema of a table: the newest of its metadata, or a newer one where columns have come since then. */
function schemasOf<Row>(definition: TableDefinition<Row>, before: TableMetadata | null) {
  const idOf = (name: string) => definition.columns.find((each) => each.name === name)?.id;
  const content = {
    type: 'struct',
    'identifier-field-ids': definition.identifiers.map(idOf),
    fields: definition.columns.map(icebergField),
  };
  const known = before?.schemas.find((each) => each['schema-id'] === before['current-schema-id']);
  if (
    before &&
    known &&
    JSON.stringify({ ...known, 'schema-id': 0 }) === JSON.stringify({ 'schema-id': 0, ...content })
  )
    return { schemas: before.schemas, current: known };
  const id = before === null ? 0 : Math.max(...before.schemas.map((each) => each['schema-id'])) + 1;
  const current = { 'schema-id': id, ...content };
  return { schemas: [...(before?.schemas ?? []), current], current };
}

/** How manifests describe a table, and its schemas. */
export function describeTable<Row>(
  definition: TableDefinition<Row>,
  before: TableMetadata | null,
): ManifestTable & { readonly schemas: TableMetadata['schemas'] } {
  const { schemas, current } = schemasOf(definition, before);
  const { dividedBy, columns } = definition;
  const partition = dividedBy === null ? null : `${dividedBy}_year`;
  const source = columns.find(({ name }) => name === dividedBy);
  return {
    schemas,
    schema: current,
    schemaId: current['schema-id'],
    partition,
    partitionFields:
      source === undefined
        ? []
        : [{ 'source-id': source.id, 'field-id': partitionFieldId, name: partition, transform: 'year' }],
  };
}

/** Makes the metadata of a table after a commit. `snapshots` are all that stay, oldest first. */
export function nextMetadata<Row>(
  definition: TableDefinition<Row>,
  before: TableMetadata | null,
  {
    location,
    snapshots,
    previousFile,
    properties,
  }: {
    readonly location: string;
    readonly snapshots: readonly TableSnapshot[];
    /** Where the metadata before lies; null for the first one. */
    readonly previousFile: string | null;
    readonly properties: Readonly<Record<string, string>>;
  },
): TableMetadata {
  const { schemas, schemaId, partitionFields } = describeTable(definition, before);
  const current = snapshots.at(-1) as TableSnapshot;
  const idOf = (name: string) => definition.columns.find((each) => each.name === name)?.id;
  const log = before?.location === location ? before['metadata-log'] : [];
  return {
    'format-version': 2,
    'table-uuid': before?.['table-uuid'] ?? randomUUID(),
    location,
    'last-sequence-number': current['sequence-number'],
    'last-updated-ms': current['timestamp-ms'],
    'last-column-id': Math.max(before?.['last-column-id'] ?? 0, greatestId(definition.columns)),
    'current-schema-id': schemaId,
    schemas,
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: partitionFields }],
    'last-partition-id': partitionFields.length === 0 ? partitionFieldId - 1 : partitionFieldId,
    'default-sort-order-id': 1,
    'sort-orders': [
      {
        'order-id': 1,
        fields: definition.sortedBy.map((name) => ({
          transform: 'identity',
          'source-id': idOf(name),
          direction: 'asc',
          'null-order': 'nulls-last',
        })),
      },
    ],
    properties: {
      'write.format.default': 'parquet',
      'write.parquet.compression-codec': 'zstd',
      'write.metadata.previous-versions-max': String(keptMetadataFiles),
      'history.expire.max-snapshot-age-ms': String(keptSnapshotMs),
      ...properties,
    },
    'current-snapshot-id': current['snapshot-id'],
    refs: { main: { 'snapshot-id': current['snapshot-id'], type: 'branch' } },
    snapshots,
    'snapshot-log': snapshots.map((each) => ({
      'timestamp-ms': each['timestamp-ms'],
      'snapshot-id': each['snapshot-id'],
    })),
    'metadata-log':
      before === null || previousFile === null
        ? []
        : [...log, { 'timestamp-ms': before['last-updated-ms'], 'metadata-file': previousFile }].slice(
            -keptMetadataFiles,
          ),
  };
}
