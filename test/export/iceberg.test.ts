// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import avro from 'avsc';
import { parquetMetadataAsync, asyncBufferFromFile } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { tableNames } from '../../build/export/tables.ts';
import { useDirectories } from '../support/directories.ts';
import { exportQuietly, filesInManifest, snapshotsOfSmallLedger, withDuckDb } from '../support/exported.ts';

// What the table specification of Apache Iceberg requires of version 2 (format/spec.md), point by point.

const fresh = useDirectories('iceberg');
const directory = join(fresh(), 'tables');
const location = 's3://bucket/tables';
/** The tables that no year divides. */
const undivided: ReadonlySet<string> = new Set(['companies', 'reference']);

interface Metadata {
  readonly [member: string]: unknown;
  readonly location: string;
  readonly snapshots: readonly Readonly<Record<string, unknown>>[];
  readonly schemas: readonly { readonly 'schema-id': number; readonly fields: readonly IcebergField[] }[];
}
interface IcebergField {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: unknown;
}
type Row = Readonly<Record<string, unknown>>;
interface EntryRow extends Row {
  readonly status: number;
  readonly data_file: Row & { readonly partition: Readonly<Record<string, number | null>> };
}
interface AvroFile<Each> {
  readonly metadata: Readonly<Record<string, string>>;
  readonly rows: readonly Each[];
  readonly ids: ReadonlyMap<number, string>;
}

const fileOf = (address: unknown) => join(directory, String(address).slice(location.length + 1));
const textOf = (path: string) => readFileSync(join(directory, path), 'utf8');
const metadataOf = (table: string, version: number) =>
  JSON.parse(textOf(`${table}/metadata/v${version}.metadata.json`)) as Metadata;
const newestOf = (table: string) => metadataOf(table, Number(textOf(`${table}/metadata/version-hint.text`)));

/** Reads an Avro file with the reader of the package, which knows nothing of ours. */
function readAvro<Each = Row>(path: string): Promise<AvroFile<Each>> {
  return new Promise((resolve, reject) => {
    const rows: Each[] = [];
    let metadata: Record<string, string> = {};
    const decoder = avro.createFileDecoder(path);
    decoder.on('metadata', (_type: unknown, _codec: unknown, header: { meta: Record<string, Buffer> }) => {
      metadata = Object.fromEntries(
        Object.entries(header.meta).map(([name, bytes]) => [name, bytes.toString()]),
      );
    });
    decoder.on('data', (row: Each) => rows.push(row));
    decoder.on('error', reject);
    decoder.on('end', () =>
      resolve({ metadata, rows, ids: idsIn(JSON.parse(metadata['avro.schema'] ?? 'null')) }),
    );
  });
}

/** The names of the fields of an Avro schema by their ids. */
function idsIn(schema: unknown, found = new Map<number, string>()): Map<number, string> {
  if (typeof schema !== 'object' || schema === null) return found;
  const { 'field-id': id, 'element-id': elementId, name } = schema as Record<string, unknown>;
  if (typeof id === 'number') found.set(id, String(name));
  if (typeof elementId === 'number') found.set(elementId, 'element');
  for (const part of Object.values(schema)) idsIn(part, found);
  return found;
}

beforeAll(async () => {
  for (const snapshotsDirectory of (await snapshotsOfSmallLedger(fresh)).slice(1))
    await exportQuietly({ snapshotsDirectory, directory, location });
}, 120_000);

describe.each(tableNames)('the table %s', (table) => {
  it('the metadata has every member that version 2 requires', () => {
    const metadata = newestOf(table);
    expect(metadata).toMatchObject({ 'format-version': 2, location: `${location}/${table}` });
    expect(metadata['table-uuid']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    for (const name of ['last-sequence-number', 'last-updated-ms', 'last-column-id', 'last-partition-id'])
      expect(metadata[name], name).toEqual(expect.any(Number));
    expect(metadata.schemas.map((each) => each['schema-id'])).toContain(metadata['current-schema-id']);
    expect((metadata['partition-specs'] as Row[]).map((each) => each['spec-id'])).toContain(
      metadata['default-spec-id'],
    );
    expect((metadata['sort-orders'] as Row[]).map((each) => each['order-id'])).toContain(
      metadata['default-sort-order-id'],
    );
    expect(metadata['refs']).toEqual({
      main: { 'snapshot-id': metadata['current-snapshot-id'], type: 'branch' },
    });
    for (const value of Object.values(metadata['properties'] as object))
      expect(value).toEqual(expect.any(String));
  });

  it('ids of fields are unique, the last column is the greatest, and identifiers are required', () => {
    const metadata = newestOf(table);
    const ids: number[] = [];
    const visit = (type: unknown): void => {
      if (typeof type !== 'object' || type === null) return;
      const { fields, element, 'element-id': elementId } = type as Record<string, never>;
      if (elementId !== undefined) ids.push(elementId);
      visit(element);
      for (const field of (fields ?? []) as IcebergField[]) {
        ids.push(field.id);
        visit(field.type);
      }
    };
    const schema = metadata.schemas.at(-1) as Metadata['schemas'][number];
    visit(schema);
    expect(new Set(ids).size).toBe(ids.length);
    expect(metadata['last-column-id']).toBe(Math.max(...ids));
    const identifiers = (schema as unknown as Record<string, number[]>)['identifier-field-ids'] ?? [];
    expect(identifiers.length).toBeGreaterThan(0);
    for (const id of identifiers) expect(schema.fields.find((each) => each.id === id)?.required).toBe(true);
  });

  it('each version has one snapshot more, a greater sequence number, and the file of the version before', () => {
    const versions = readdirSync(join(directory, table, 'metadata'))
      .flatMap((name) => /^v(\d+)\.metadata\.json$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
    expect(versions.at(-1)).toBe(Number(textOf(`${table}/metadata/version-hint.text`)));
    // The reference is the same in each export.
    expect(versions.length).toBeGreaterThan(table === 'reference' ? 0 : 1);
    for (const [at, version] of versions.slice(1).entries()) {
      const versionBefore = versions[at] as number;
      const [before, after] = [metadataOf(table, versionBefore), metadataOf(table, version)];
      expect(after.snapshots.length).toBe(before.snapshots.length + 1);
      expect(after['last-sequence-number']).toBe(Number(before['last-sequence-number']) + 1);
      expect(after['table-uuid']).toBe(before['table-uuid']);
      expect(after['metadata-log']).toEqual([
        ...(before['metadata-log'] as unknown[]),
        {
          'timestamp-ms': before['last-updated-ms'],
          'metadata-file': `${location}/${table}/metadata/v${versionBefore}.metadata.json`,
        },
      ]);
      expect(after.snapshots.at(-1)).toMatchObject({
        'snapshot-id': after['current-snapshot-id'],
        'parent-snapshot-id': before['current-snapshot-id'],
        'sequence-number': after['last-sequence-number'],
        'schema-id': after['current-schema-id'],
        summary: { operation: expect.stringMatching(/^(append|overwrite)$/) as string },
      });
      expect(after['snapshot-log']).toEqual(
        after.snapshots.map((each) => ({
          'timestamp-ms': each['timestamp-ms'],
          'snapshot-id': each['snapshot-id'],
        })),
      );
    }
  });

  it('manifest lists and manifests have the fields and ids of version 2, and counts that are true', async () => {
    const metadata = newestOf(table);
    const hasPartition = !undivided.has(table);
    for (const snapshot of metadata.snapshots) {
      const list = await readAvro(fileOf(snapshot['manifest-list']));
      expect(list.metadata['format-version']).toBe('2');
      expect([...list.ids.entries()].sort(([a], [b]) => a - b)).toEqual([
        [500, 'manifest_path'],
        [501, 'manifest_length'],
        [502, 'partition_spec_id'],
        [503, 'added_snapshot_id'],
        [504, 'added_files_count'],
        [505, 'existing_files_count'],
        [506, 'deleted_files_count'],
        [507, 'partitions'],
        [508, 'element'],
        [509, 'contains_null'],
        [510, 'lower_bound'],
        [511, 'upper_bound'],
        [512, 'added_rows_count'],
        [513, 'existing_rows_count'],
        [514, 'deleted_rows_count'],
        [515, 'sequence_number'],
        [516, 'min_sequence_number'],
        [517, 'content'],
        [518, 'contains_nan'],
      ]);
      let rows = 0;
      for (const manifest of list.rows) {
        const path = fileOf(manifest['manifest_path']);
        expect(readFileSync(path).length).toBe(manifest['manifest_length']);
        const { metadata: header, rows: entries, ids } = await readAvro<EntryRow>(path);
        expect(header).toMatchObject({ 'format-version': '2', content: 'data', 'partition-spec-id': '0' });
        const spec = (metadata['partition-specs'] as readonly { fields: unknown }[])[0];
        expect(JSON.parse(header['partition-spec'] ?? '')).toEqual(spec?.fields);
        expect(JSON.parse(header['schema'] ?? '')).toEqual(metadata.schemas[Number(header['schema-id'])]);
        for (const id of [0, 1, 2, 3, 4, 100, 101, 102, 103, 104, 108, 109, 110, 125, 128, 132, 134, 140])
          expect(ids.has(id), String(id)).toBe(true);
        expect(ids.get(1000)).toBe(hasPartition ? 'filedAt_year' : undefined);
        for (const [status, name] of [
          [0, 'existing'],
          [1, 'added'],
          [2, 'deleted'],
        ] as const) {
          const own = entries.filter((each) => each.status === status);
          expect(own.length).toBe(manifest[`${name}_files_count`]);
          expect(own.reduce((sum, each) => sum + Number(each.data_file['record_count']), 0)).toBe(
            manifest[`${name}_rows_count`],
          );
          if (status !== 2) rows += Number(manifest[`${name}_rows_count`]);
          // Existing and deleted files say the number of the snapshot that added them; added ones inherit it.
          for (const each of own) expect(each['sequence_number'] === null).toBe(status === 1);
        }
        for (const { data_file: file, status } of entries) {
          expect(file['content']).toBe(0);
          if (Number(status) === 2) continue;
          expect(readFileSync(fileOf(file['file_path'])).length).toBe(file['file_size_in_bytes']);
        }
      }
      expect(String(rows)).toBe((snapshot['summary'] as Record<string, string>)['total-records']);
    }
  });

  it('Parquet files have the ids of the schema, statistics, Zstandard, and rows in the order of the table', async () => {
    const fields = newestOf(table).schemas.at(-1)?.fields ?? [];
    const paths = filesInManifest(directory, table);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      const file = await parquetMetadataAsync(await asyncBufferFromFile(join(directory, path)));
      // Parts of lists come later, and may have the name of a column.
      const ids = new Map(file.schema.toReversed().map((each) => [each.name, each.field_id]));
      for (const { name, id } of fields) expect(ids.get(name)).toBe(id);
      for (const { columns } of file.row_groups)
        for (const { meta_data } of columns) {
          expect(meta_data?.codec).toBe('ZSTD');
          if (meta_data?.path_in_schema.length === 1)
            expect(meta_data.statistics?.null_count).toEqual(expect.any(BigInt));
        }
    }
    const order =
      table === 'parties'
        ? 'cik, sequence'
        : table === 'companies'
          ? 'cik'
          : table === 'reference'
            ? 'list, code'
            : `ticker NULLS LAST, cik, sequence${['transactions', 'holdings', 'documents'].includes(table) ? ', number' : ''}`;
    const misplaced = await withDuckDb(async (connection) => {
      const files = paths.map((path) => `'${join(directory, path)}'`).join(', ');
      const result = await connection.runAndReadAll(
        `SELECT count(*) AS rows FROM (SELECT file_row_number AS found, row_number() OVER (PARTITION BY filename ORDER BY ${order}) - 1 AS place
         FROM read_parquet([${files}], filename = true, file_row_number = true, hive_partitioning = false)) WHERE found <> place`,
      );
      return result.getRowObjectsJson();
    });
    expect(misplaced).toEqual([{ rows: '0' }]);
  });

  it('bounds of a data file hold for its rows, and its year is that of all of them', async () => {
    const metadata = newestOf(table);
    const fields = metadata.schemas.at(-1)?.fields ?? [];
    const list = await readAvro(fileOf(metadata.snapshots.at(-1)?.['manifest-list']));
    let checked = 0;
    for (const manifest of list.rows)
      for (const { data_file: file, status } of (await readAvro<EntryRow>(fileOf(manifest['manifest_path'])))
        .rows) {
        // A range without contents has files without rows.
        if (Number(status) === 2 || Number(file['record_count']) === 0) continue;
        const pairs = (name: string) =>
          new Map((file[name] as { key: number; value: Buffer }[]).map(({ key, value }) => [key, value]));
        const [lower, upper] = [pairs('lower_bounds'), pairs('upper_bounds')];
        await withDuckDb(async (connection) => {
          for (const { id, name, type } of fields) {
            const [low, high] = [lower.get(id), upper.get(id)];
            if (type !== 'string' || !low || !high) continue;
            const rows = await connection.runAndReadAll(
              `SELECT min("${name}") AS low, max("${name}") AS high FROM read_parquet('${fileOf(file['file_path'])}')`,
            );
            const [row] = rows.getRowObjectsJson();
            expect(Buffer.compare(low, Buffer.from(String(row?.['low'])))).toBeLessThanOrEqual(0);
            expect(Buffer.compare(high, Buffer.from(String(row?.['high'])))).toBeGreaterThanOrEqual(0);
            checked++;
          }
          if (undivided.has(table)) return;
          const years = await connection.runAndReadAll(
            `SELECT DISTINCT year(filedAt) - 1970 AS year FROM read_parquet('${fileOf(file['file_path'])}', hive_partitioning = false)`,
          );
          expect(years.getRowObjectsJson()).toEqual([
            {
              year:
                file['partition']['filedAt_year'] === null ? null : String(file['partition']['filedAt_year']),
            },
          ]);
        });
      }
    expect(checked).toBeGreaterThan(0);
  });
});

it('nothing lies in the folders that no snapshot names', async () => {
  for (const table of tableNames) {
    const metadata = newestOf(table);
    const named = new Set<string>(['metadata/version-hint.text']);
    const below = (address: unknown) => named.add(String(address).slice(metadata.location.length + 1));
    below(`${metadata.location}/metadata/v${textOf(`${table}/metadata/version-hint.text`)}.metadata.json`);
    for (const each of metadata['metadata-log'] as Row[]) below(each['metadata-file']);
    for (const snapshot of metadata.snapshots) {
      below(snapshot['manifest-list']);
      for (const manifest of (await readAvro(fileOf(snapshot['manifest-list']))).rows) {
        below(manifest['manifest_path']);
        for (const { data_file: file, status } of (
          await readAvro<EntryRow>(fileOf(manifest['manifest_path']))
        ).rows)
          if (Number(status) !== 2) below(file['file_path']);
      }
    }
    const found = readdirSync(join(directory, table), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('.'),
    );
    expect(new Set(found)).toEqual(named);
  }
});
