import { referenceDocument } from '../../src/contract/reference.ts';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { icebergManifests, icebergMetadata, icebergRead } from 'icebird';
import { exportTables, type ExportOptions } from '../../build/export/export.ts';
import { tableNames, type TableName } from '../../build/export/tables.ts';
import { batchDirectory, newBatchDirectory } from '../../build/ledger/folders.ts';
import type { BuildOptions } from '../../build/snapshot/build.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { snapshotNamed } from '../../build/snapshot/pointer.ts';
import type { Holding } from '../../src/contract/ownership-document.ts';
import type { Section16Ownership, Transaction } from '../../src/contract/ownership.ts';
import { CompanyEntry, type Change } from '../../src/contract/records.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import type { ProfileRow } from '../../src/format/profile-rows.ts';
import type { DocumentsRow, OwnershipRow } from '../../src/format/stored-contents.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { bulkListOf, createSnapshotReader, openSnapshot } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { mergedRows } from '../../src/table/merge.ts';
import { rowBytes } from '../../src/table/table.ts';
import { createFinder } from '../../src/table/finder.ts';
import { writeSmallLedger } from './small-ledger.ts';
import { buildQuietly } from './snapshots.ts';

/** Rows of the tables, by the names of the tables, in the order of their texts. */
export type TableRows = Readonly<Record<TableName, readonly string[]>>;

/** Snapshots of the small ledger after each of its four batches, each in a folder of its own. */
export async function snapshotsOfSmallLedger(
  fresh: () => string,
  options: Partial<BuildOptions> = {},
): Promise<string[]> {
  const [whole, growing] = [fresh(), fresh()];
  await writeSmallLedger(whole);
  const made: string[] = [];
  for (const number of [1, 2, 3, 4]) {
    cpSync(batchDirectory(whole, number), newBatchDirectory(growing, number), { recursive: true });
    const own = fresh();
    await buildQuietly(growing, own, options);
    made.push(own);
  }
  return made;
}

/** Exports without output. */
export function exportQuietly(
  options: Pick<ExportOptions, 'snapshotsDirectory' | 'directory' | 'location'> & Partial<ExportOptions>,
): Promise<void> {
  return exportTables({
    isCompact: false,
    now: Date.now,
    log: () => {},
    progress: quietProgress,
    rangeRows: 50,
    ...options,
  });
}

type OwnedRow = Partial<Transaction> | Omit<Holding, 'footnoteIds' | 'formType'>;

const msOf = (instant: string | null) => (instant === null ? null : Date.parse(instant));

/** What an export is made of. */
interface Exported {
  readonly changes: readonly Change[];
  readonly companies: readonly ProfileRow[];
  /** Rows of documents about ownership, by accession number. */
  readonly documents: ReadonlyMap<string, OwnershipRow>;
  /** Lists of documents, by accession number. */
  readonly lists: ReadonlyMap<string, DocumentsRow>;
}

/**
 * The changes of the files of the change feed, the profiles of the companies, and the documents about ownership, of the
 * current snapshot.
 */
export function recordsOf(snapshotsDirectory: string): Promise<Exported> {
  return withPartFolder(snapshotsDirectory, async (folder) => {
    const { id, manifest } = await snapshotNamed(folder);
    const reader = createSnapshotReader(folder, createBlockCache(1e6), 1e6);
    const snapshot = await openSnapshot(reader, id, manifest);
    const changes: Change[] = [];
    for (const file of bulkListOf(snapshot.documents).data)
      for (const line of gunzipSync(await snapshot.longFile(file))
        .toString()
        .trimEnd()
        .split('\n'))
        changes.push(JSON.parse(line) as Change);
    const companies: ProfileRow[] = [];
    const find = createFinder(snapshot.tables('profiles'));
    for (const row of mergedRows(snapshot.tables('companies'), { partitions: ['all'] })) {
      const { cik } = JSON.parse(rowBytes(row).toString()) as { cik: string };
      const profile = await find(cik);
      if (profile) companies.push(JSON.parse(rowBytes(profile).toString()) as ProfileRow);
    }
    const rowsOf = async <Row>(name: 'documents' | 'ownership') => {
      const rows = new Map<string, Row>();
      const findRow = createFinder(snapshot.tables(name));
      for (const { filing } of changes) {
        const row = await findRow(filingPartition(filing.accessionNo));
        if (row) rows.set(filing.accessionNo, JSON.parse(rowBytes(row).toString()) as Row);
      }
      return rows;
    };
    const lists = await rowsOf<DocumentsRow>('documents');
    const documents = await rowsOf<OwnershipRow>('ownership');
    return { changes, companies, documents, lists };
  });
}

/** What the tables have to hold, by the files of the change feed and the profiles alone: the naive way. */
export async function expectedRows(snapshotsDirectory: string): Promise<TableRows> {
  const { changes, companies, documents, lists } = await recordsOf(snapshotsDirectory);
  const newest = new Map(changes.map((change) => [change.filing.accessionNo, change]));
  const flat = ({ sequence, revision, observedAt, filing }: Change) => ({
    sequence,
    revision,
    observedAt: msOf(observedAt),
    ...filing,
    acceptedAt: msOf(filing.acceptedAt),
    ingestedAt: msOf(filing.ingestedAt),
    exhibits: filing.exhibits && JSON.stringify(filing.exhibits),
    ownership: filing.ownership && JSON.stringify(filing.ownership),
  });
  const insiderRows = (rowsOf: (accessionNo: string, ownership: Section16Ownership) => readonly OwnedRow[]) =>
    textsOf(
      [...newest.values()].flatMap(({ sequence, filing }) => {
        const { ownership } = filing;
        if (ownership?.kind !== 'section_16' || !/^[345]\b/.test(filing.form)) return [];
        const { accessionNo, form, filedAt, acceptedAt, cik, ticker, companyName, detailUrl, documentUrl } =
          filing;
        const { periodOfReport, owners } = ownership;
        return rowsOf(accessionNo, ownership).map(({ underlying, ...row }) => ({
          sequence,
          accessionNo,
          form,
          isAmendment: form.endsWith('/A'),
          filedAt,
          acceptedAt: msOf(acceptedAt),
          cik,
          ticker,
          companyName,
          detailUrl,
          documentUrl,
          periodOfReport,
          owners,
          exercisePrice: null,
          exercisableOn: null,
          expiresOn: null,
          ...row,
          underlyingSecurity: underlying?.security ?? null,
          underlyingShares: underlying?.shares ?? null,
          underlyingValue: underlying?.value ?? null,
        }));
      }),
    );
  return {
    transactions: insiderRows((accessionNo, { transactions, isPlanned }) =>
      newest.get(accessionNo)?.filing.form.startsWith('3') === true
        ? []
        : transactions.map((each) => ({ ...each, isPlanned })),
    ),
    holdings: insiderRows((accessionNo) => {
      const document = documents.get(accessionNo)?.document;
      const holdings = document?.kind === 'section_16' ? document.holdings : [];
      return holdings.map(({ footnoteIds: _ids, formType: _form, ...each }) => each);
    }),
    documents: textsOf(
      [...newest.values()].flatMap(({ sequence, filing }) => {
        const { accessionNo, form, filedAt, acceptedAt, cik, ticker, companyName } = filing;
        const folder = filing.detailUrl?.replace(/[^/]*$/, '') ?? '';
        return (lists.get(accessionNo) ?? []).map(([, type, description, name, size], at) => ({
          sequence,
          accessionNo,
          number: at + 1,
          form,
          filedAt,
          acceptedAt: msOf(acceptedAt),
          cik,
          ticker,
          companyName,
          type,
          description,
          name,
          size,
          url: name === null ? null : folder + name,
          isExhibit: at > 0 && !/^(GRAPHIC|EX-10[01].*)?$/.test(type),
        }));
      }),
    ),
    changes: textsOf(
      changes.map((change) => ({
        ...flat(change),
        changeType: change.changeType,
        corrected: change.corrected ?? null,
        cause: change.cause ?? null,
      })),
    ),
    filings: textsOf([...newest.values()].map(flat)),
    parties: textsOf(
      [...newest.values()].flatMap(({ sequence, filing }) => {
        const { accessionNo, form, eventType, filedAt } = filing;
        return filing.parties.map((party) => ({
          sequence,
          accessionNo,
          ...party,
          form,
          eventType,
          filedAt,
        }));
      }),
    ),
    reference: textsOf(referenceRows()),
    companies: textsOf(
      companies.map((profile) => ({
        ...CompanyEntry.parse(profile),
        updatedAt: msOf(profile.updatedAt),
      })),
    ),
  };
}

/** The values of the published reference, list by list. */
function referenceRows(): object[] {
  const lists = referenceDocument();
  const row = (list: string, code: string, name: string, others: object = {}) => ({
    eventType: null,
    replacedBy: null,
    list,
    code,
    name,
    ...others,
  });
  return [
    ...lists.forms.map(({ form, description, eventType, newName }) =>
      row('form', form, description, { eventType, replacedBy: newName }),
    ),
    ...lists.items.map(({ code, title, successor }) => row('items', code, title, { replacedBy: successor })),
    ...lists.transactionCodes.map((each) => row('transactionCode', each.code, each.description)),
    ...lists.eventTypes.map((each) => row('eventType', each.eventType, each.description)),
    ...lists.exchanges.map((each) => row('exchange', each.exchange, each.description)),
    ...lists.states.map((each) => row('state', each.state, each.name)),
    ...lists.roles.map((each) => row('role', each.role, each.description)),
    ...lists.changeTypes.map((each) => row('changeType', each.changeType, each.description)),
  ];
}

/** Rows as texts, so that rows of different readers compare: members by name, whole numbers as they are. */
function textsOf(rows: readonly object[]): string[] {
  const plain = (value: unknown): unknown => {
    if (typeof value === 'bigint') return Number(value);
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || value === undefined) return null;
    if (typeof value !== 'object') return value;
    const members = Object.entries(value).map(([name, each]) => [name, plain(each)] as const);
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return rows.map((row) => JSON.stringify(plain(row))).sort();
}

const dates: ReadonlySet<string> = new Set([
  'filedAt',
  'reportDate',
  'latestFilingAt',
  'periodOfReport',
  'on',
  'deemedExecutedOn',
  'exercisableOn',
  'expiresOn',
]);
/** The columns with instants of each table. */
const instants: Readonly<Record<TableName, readonly string[]>> = {
  changes: ['observedAt', 'acceptedAt', 'ingestedAt'],
  filings: ['observedAt', 'acceptedAt', 'ingestedAt'],
  parties: [],
  transactions: ['acceptedAt'],
  holdings: ['acceptedAt'],
  documents: ['acceptedAt'],
  companies: ['updatedAt'],
  reference: [],
};

/** The rows that icebird reads of the tables below an address. */
export async function rowsByIcebird(address: string): Promise<TableRows> {
  const read = async (name: TableName) => {
    const rows = await icebergRead({ tableUrl: `${address}/${name}` });
    return textsOf(
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([member, value]: [string, unknown]) => [
            member,
            !(value instanceof Date)
              ? value
              : dates.has(member)
                ? value.toISOString().slice(0, 10)
                : value.getTime(),
          ]),
        ),
      ),
    );
  };
  return readAll(read);
}

async function readAll<Value>(read: (name: TableName) => Promise<Value>): Promise<Record<TableName, Value>> {
  const found = {} as Record<TableName, Value>;
  for (const name of tableNames) found[name] = await read(name);
  return found;
}

/** The addresses of the data files of the current snapshots, by icebird. */
export function currentFiles(address: string): Promise<Record<TableName, string[]>> {
  return readAll(async (name) => {
    const manifests = await icebergManifests(await icebergMetadata({ tableUrl: `${address}/${name}` }));
    return manifests
      .flatMap(({ entries }) => entries)
      .filter(({ status }) => status !== 2)
      .map(({ data_file: { file_path } }) => file_path)
      .sort();
  });
}

/** The rows that DuckDB reads of the tables in a folder, whose data files `manifest.json` names. */
export function rowsByDuckDb(directory: string): Promise<TableRows> {
  return withDuckDb((connection) =>
    readAll(async (name) => {
      const replaced = instants[name].map((each) => `epoch_ms(${each}) AS ${each}`).join(', ');
      const files = filesInManifest(directory, name).map((path) => `'${join(directory, path)}'`);
      if (files.length === 0) return [];
      const rows = await connection.runAndReadAll(
        `SELECT to_json(t)::VARCHAR AS row FROM (SELECT * ${replaced === '' ? '' : `REPLACE (${replaced})`} FROM read_parquet([${files.join(', ')}], hive_partitioning = false)) t`,
      );
      return textsOf(rows.getRowObjectsJson().map(({ row }) => JSON.parse(String(row)) as object));
    }),
  );
}

/** The paths of the data files of a table, by `manifest.json`. */
export function filesInManifest(directory: string, name: TableName): string[] {
  return manifestIn(directory).tables[name].files.map(({ path }) => path);
}

/** The manifest of an export. */
export function manifestIn(directory: string) {
  return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as {
    readonly lastSequence: number;
    readonly tables: Readonly<
      Record<
        TableName,
        {
          readonly rows: number;
          readonly files: readonly {
            readonly path: string;
            readonly bytes: number;
            readonly rows: number;
            readonly sha256: string;
          }[];
        }
      >
    >;
  };
}

/** Runs a piece of work with a connection to a DuckDB in memory. */
export async function withDuckDb<Result>(
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
