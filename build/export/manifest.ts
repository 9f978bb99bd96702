import type { Schema } from 'avsc';
import { decodeAvro, encodeAvro } from './avro.ts';
import { dataNameOf, type DataFile } from './data-files.ts';

/** Id of the partition field: Iceberg numbers these from 1000. */
export const partitionFieldId = 1000;

/** Whether a data file is in a snapshot because an older one had it, was added by it, or was removed by it. */
export const status = { existing: 0, added: 1, deleted: 2 } as const;

/** A data file in a manifest. */
export interface ManifestEntry {
  readonly status: (typeof status)[keyof typeof status];
  /** The snapshot that added or deleted the file. */
  readonly snapshotId: number;
  /** Of the snapshot that added the file; null in the manifest of that very snapshot. */
  readonly sequenceNumber: number | null;
  readonly file: DataFile;
}

/** A manifest in a manifest list. */
export interface ManifestSummary {
  readonly manifest_path: string;
  readonly manifest_length: number;
  readonly partition_spec_id: number;
  readonly content: number;
  readonly sequence_number: number;
  readonly min_sequence_number: number;
  readonly added_snapshot_id: number;
  readonly added_files_count: number;
  readonly existing_files_count: number;
  readonly deleted_files_count: number;
  readonly added_rows_count: number;
  readonly existing_rows_count: number;
  readonly deleted_rows_count: number;
  readonly partitions: readonly PartitionSummary[] | null;
}

interface PartitionSummary {
  readonly contains_null: boolean;
  readonly contains_nan: boolean | null;
  readonly lower_bound: Buffer | null;
  readonly upper_bound: Buffer | null;
}

/** How the metadata of a table describes the table in its manifests. */
export interface ManifestTable {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly schemaId: number;
  readonly partitionFields: readonly Readonly<Record<string, unknown>>[];
  /** Name of the partition field; null if the table is not divided. */
  readonly partition: string | null;
}

type AvroType = Schema | readonly unknown[];
const field = (id: number, name: string, type: AvroType) => ({ name, type, 'field-id': id });
const optional = (id: number, name: string, type: AvroType) => ({
  ...field(id, name, ['null', type]),
  default: null,
});
const list = (elementId: number, items: unknown) =>
  ({ type: 'array', items, 'element-id': elementId }) as unknown as Schema;
/** Avro has no maps with whole numbers as keys: Iceberg writes them as lists of pairs. */
const mapOf = (keyId: number, valueId: number, value: string) =>
  ({
    type: 'array',
    logicalType: 'map',
    items: {
      type: 'record',
      name: `k${keyId}_v${valueId}`,
      fields: [field(keyId, 'key', 'int'), field(valueId, 'value', value)],
    },
  }) as unknown as Schema;

function entrySchema(partition: string | null): Schema {
  return {
    type: 'record',
    name: 'manifest_entry',
    fields: [
      field(0, 'status', 'int'),
      optional(1, 'snapshot_id', 'long'),
      optional(3, 'sequence_number', 'long'),
      optional(4, 'file_sequence_number', 'long'),
      field(2, 'data_file', {
        type: 'record',
        name: 'r2',
        fields: [
          field(134, 'content', 'int'),
          field(100, 'file_path', 'string'),
          field(101, 'file_format', 'string'),
          field(102, 'partition', {
            type: 'record',
            name: 'r102',
            fields: partition === null ? [] : [optional(partitionFieldId, partition, 'int')],
          } as Schema),
          field(103, 'record_count', 'long'),
          field(104, 'file_size_in_bytes', 'long'),
          optional(108, 'column_sizes', mapOf(117, 118, 'long')),
          optional(109, 'value_counts', mapOf(119, 120, 'long')),
          optional(110, 'null_value_counts', mapOf(121, 122, 'long')),
          optional(125, 'lower_bounds', mapOf(126, 127, 'bytes')),
          optional(128, 'upper_bounds', mapOf(129, 130, 'bytes')),
          optional(132, 'split_offsets', list(133, 'long')),
          optional(140, 'sort_order_id', 'int'),
        ],
      } as unknown as Schema),
    ],
  } as unknown as Schema;
}

const summarySchema = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    field(500, 'manifest_path', 'string'),
    field(501, 'manifest_length', 'long'),
    field(502, 'partition_spec_id', 'int'),
    field(517, 'content', 'int'),
    field(515, 'sequence_number', 'long'),
    field(516, 'min_sequence_number', 'long'),
    field(503, 'added_snapshot_id', 'long'),
    field(504, 'added_files_count', 'int'),
    field(505, 'existing_files_count', 'int'),
    field(506, 'deleted_files_count', 'int'),
    field(512, 'added_rows_count', 'long'),
    field(513, 'existing_rows_count', 'long'),
    field(514, 'deleted_rows_count', 'long'),
    optional(
      507,
      'partitions',
      list(508, {
        type: 'record',
        name: 'r508',
        fields: [
          field(509, 'contains_null', 'boolean'),
          optional(518, 'contains_nan', 'boolean'),
          optional(510, 'lower_bound', 'bytes'),
          optional(511, 'upper_bound', 'bytes'),
        ],
      }),
    ),
  ],
} as unknown as Schema;

interface Pair<Value> {
  readonly key: number;
  readonly value: Value;
}
const pairsOf = <Value>(map: ReadonlyMap<number, Value>): Pair<Value>[] =>
  [...map].map(([key, value]) => ({ key, value }));
const mapFrom = <Value>(pairs: readonly Pair<Value>[] | null) =>
  new Map((pairs ?? []).map(({ key, value }) => [key, value]));

interface StoredEntry {
  readonly status: ManifestEntry['status'];
  readonly snapshot_id: number;
  readonly sequence_number: number | null;
  readonly data_file: {
    readonly file_path: string;
    readonly partition: Readonly<Record<string, number | null>>;
    readonly record_count: number;
    readonly file_size_in_bytes: number;
    readonly column_sizes: readonly Pair<number>[] | null;
    readonly value_counts: readonly Pair<number>[] | null;
    readonly null_value_counts: readonly Pair<number>[] | null;
    readonly lower_bounds: readonly Pair<Buffer>[] | null;
    readonly upper_bounds: readonly Pair<Buffer>[] | null;
    readonly split_offsets: readonly number[] | null;
  };
}

/** Makes a manifest. `location` is the address of the table. */
export function encodeManifest(
  table: ManifestTable,
  location: string,
  entries: readonly ManifestEntry[],
): Buffer {
  const { schema, schemaId, partitionFields, partition } = table;
  const metadata = {
    schema: JSON.stringify(schema),
    'schema-id': String(schemaId),
    'partition-spec': JSON.stringify(partitionFields),
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  };
  const records = entries.map(({ status: is, snapshotId, sequenceNumber, file }) => ({
    status: is,
    snapshot_id: snapshotId,
    sequence_number: sequenceNumber,
    file_sequence_number: sequenceNumber,
    data_file: {
      content: 0,
      file_path: `${location}/${file.path}`,
      file_format: 'PARQUET',
      partition: partition === null ? {} : { [partition]: file.year },
      record_count: file.rows,
      file_size_in_bytes: file.bytes,
      column_sizes: pairsOf(file.metrics.columnSizes),
      value_counts: pairsOf(file.metrics.valueCounts),
      null_value_counts: pairsOf(file.metrics.nullCounts),
      lower_bounds: pairsOf(file.metrics.lowerBounds),
      upper_bounds: pairsOf(file.metrics.upperBounds),
      split_offsets: file.metrics.splitOffsets,
      sort_order_id: 1,
    },
  }));
  return encodeAvro(entrySchema(partition), metadata, records);
}

/** Reads a manifest. An entry that the manifest's own snapshot added has that snapshot's sequence number. */
export function decodeManifest(
  { partition }: Pick<ManifestTable, 'partition'>,
  location: string,
  bytes: Buffer,
  inheritedSequenceNumber: number,
): ManifestEntry[] {
  return decodeAvro<StoredEntry>(entrySchema(partition), bytes).map(
    ({ status: is, snapshot_id, sequence_number, data_file: stored }) => ({
      status: is,
      snapshotId: snapshot_id,
      sequenceNumber: sequence_number ?? inheritedSequenceNumber,
      file: {
        path: stored.file_path.slice(location.length + 1),
        ...dataNameOf(stored.file_path),
        bytes: stored.file_size_in_bytes,
        rows: stored.record_count,
        year: partition === null ? null : (stored.partition[partition] ?? null),
        metrics: {
          columnSizes: mapFrom(stored.column_sizes),
          valueCounts: mapFrom(stored.value_counts),
          nullCounts: mapFrom(stored.null_value_counts),
          lowerBounds: mapFrom(stored.lower_bounds),
          upperBounds: mapFrom(stored.upper_bounds),
          splitOffsets: stored.split_offsets ?? [],
        },
      },
    }),
  );
}

/** A manifest that was written, and the snapshot of the table that it belongs to. */
export interface WrittenManifest extends Pick<ManifestTable, 'partition'> {
  readonly path: string;
  /** Its length in bytes. */
  readonly length: number;
  readonly entries: readonly ManifestEntry[];
  readonly snapshotId: number;
  readonly sequenceNumber: number;
}

/** Says about a manifest what a manifest list says. */
export function summaryOf({
  partition,
  path,
  length,
  entries,
  snapshotId,
  sequenceNumber,
}: WrittenManifest): ManifestSummary {
  const withStatus = (wanted: ManifestEntry['status']) => entries.filter((each) => each.status === wanted);
  const rowsOf = (some: readonly ManifestEntry[]) => some.reduce((rows, { file }) => rows + file.rows, 0);
  const [existing, added, deleted] = [0, 1, 2].map((each) => withStatus(each as ManifestEntry['status'])) as [
    ManifestEntry[],
    ManifestEntry[],
    ManifestEntry[],
  ];
  const years = entries.flatMap(({ file }) => (file.year === null ? [] : [file.year])).sort((a, b) => a - b);
  return {
    manifest_path: path,
    manifest_length: length,
    partition_spec_id: 0,
    content: 0,
    sequence_number: sequenceNumber,
    min_sequence_number: Math.min(
      sequenceNumber,
      ...entries
        .filter((each) => each.status !== status.deleted)
        .map((each) => each.sequenceNumber ?? sequenceNumber),
    ),
    added_snapshot_id: snapshotId,
    added_files_count: added.length,
    existing_files_count: existing.length,
    deleted_files_count: deleted.length,
    added_rows_count: rowsOf(added),
    existing_rows_count: rowsOf(existing),
    deleted_rows_count: rowsOf(deleted),
    partitions:
      partition === null
        ? []
        : [
            {
              contains_null: entries.some(({ file }) => file.year === null),
              contains_nan: false,
              lower_bound: yearBytes(years[0]),
              upper_bound: yearBytes(years.at(-1)),
            },
          ],
  };
}

function yearBytes(year: number | undefined): Buffer | null {
  if (year === undefined) return null;
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(year);
  return bytes;
}

/** Makes the manifest list of a snapshot. */
export function encodeManifestList(
  manifests: readonly ManifestSummary[],
  snapshotId: number,
  parentId: number | null,
  sequenceNumber: number,
): Buffer {
  const metadata = {
    'snapshot-id': String(snapshotId),
    'parent-snapshot-id': String(parentId),
    'sequence-number': String(sequenceNumber),
    'format-version': '2',
  };
  return encodeAvro(summarySchema, metadata, manifests);
}

/** Reads a manifest list. */
export function decodeManifestList(bytes: Buffer): ManifestSummary[] {
  return decodeAvro<ManifestSummary>(summarySchema, bytes);
}
