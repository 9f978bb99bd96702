import { join } from 'node:path';
import type { Change, CompanyEntry } from '../../src/contract/records.ts';
import { transactionsReport } from '../../src/contract/transaction-filters.ts';
import { replaceFile } from '../../src/files/local.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { withPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { makeDirectory } from '../disk/directories.ts';
import { isDiskFull } from '../disk/full.ts';
import { withLock } from '../disk/lock.ts';
import { snapshotNamed } from '../snapshot/pointer.ts';
import { groupBy } from '../work/groups.ts';
import type { Progress } from '../work/progress.ts';
import { digestOf, writeDataFile, type DataFile, type Range } from './data-files.ts';
import { lastBatchMember, lastOf, lastSequenceMember, standingOf, type Standing } from './position.ts';
import {
  holdingsTable,
  section16Of,
  transactionsTable,
  type FilingHolding,
  type FilingTransaction,
} from './ownership-tables.ts';
import { documentsOf, documentsTable } from './documents-table.ts';
import { byPartition, openLog, readCompanies, type Log, type Observations } from './read-log.ts';
import { removeLeftovers } from './leftovers.ts';
import { columnIdsOf } from './metadata.ts';
import { createParquetWriter, type ParquetFile, type WriteParquet } from './parquet.ts';
import { defaultRangeRows, divide } from './ranges.ts';
import { referenceRows, referenceTable } from './reference-table.ts';
import { commitTable, openTable, type TableFolder } from './table-folder.ts';
import {
  changesTable,
  companiesTable,
  filingsTable,
  partiesTable,
  rowOrder,
  type TableDefinition,
} from './tables.ts';

/** What an export reads and writes. */
export interface ExportOptions {
  readonly snapshotsDirectory: string;
  /** The folder of the tables. It is made if it is missing. */
  readonly directory: string;
  /** The address at which readers find the folder, without a slash at its end. */
  readonly location: string;
  /** Whether small files are joined. */
  readonly isCompact: boolean;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  readonly log: LineLog;
  readonly progress: Progress;
  /** Changes of a closed range. */
  readonly rangeRows?: number;
}

const cacheBytes = 16 * 1024 * 1024;
/** The table of companies is one file as long as it has at most so many. */
const companiesMaximum = 50_000;
/** Else these numbers of companies (CIKs) share a file. */
const companiesRange = 50_000;
/** Numbers of companies have ten digits. */
const companyNumbers = 10 ** 10;

/** A table that is made of the log, range by range. */
interface LogTable<Row> {
  readonly definition: TableDefinition<Row>;
  /** The observations that it is made of. */
  readonly made: Observations;
  rowsOf(changes: readonly Change[], log: Log): Promise<readonly Row[]> | readonly Row[];
}

/** What an export does with a table of the log, whatever its rows are. */
interface LogWork {
  /** Whether the log still has what the table was exported from. */
  readonly standing: Exclude<Standing, 'unproven'>;
  /** Whether the digest of the last batch told that, or rows did. */
  readonly isProven: boolean;
  readonly stale: readonly Range[];
  write(range: Range, changes: readonly Change[]): Promise<void>;
  commit(facts: Facts): Promise<TableEntry>;
}

/** What all commits of an export have in common. */
interface Facts {
  readonly location: string;
  readonly nowMs: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly summary: Readonly<Record<string, string>>;
}

/** A table in the manifest of an export. */
interface TableEntry {
  readonly isNew: boolean;
  readonly files: readonly DataFile[];
  readonly name: string;
}

const logTables = [
  logTable({ definition: changesTable, made: 'all', rowsOf: (changes) => changes }),
  logTable({ definition: filingsTable, made: 'newest', rowsOf: (changes) => changes }),
  logTable({
    definition: partiesTable,
    made: 'newest',
    rowsOf: (changes) =>
      changes.flatMap((change) => change.filing.parties.map((party) => ({ change, party }))),
  }),
  logTable({ definition: transactionsTable, made: 'newestOfInsiders', rowsOf: transactionsOf }),
  logTable({ definition: holdingsTable, made: 'newestOfInsiders', rowsOf: holdingsOf }),
  logTable({ definition: documentsTable, made: 'newest', rowsOf: documentsOf }),
] as const;

/**
 * Brings the tables in a folder up to the current snapshot: writes what is new, and makes one snapshot of
 * each table that changes. If the ledger went on differently after a part of it was exported, everything is
 * written again, and files whose rows are the same stay. It may be killed at any moment. Exports into one
 * folder take turns. Throws `CorruptSnapshot`, and an error if the tables belong to another ledger or to a
 * newer snapshot.
 */
export async function exportTables(options: ExportOptions): Promise<void> {
  const { directory, snapshotsDirectory, log } = options;
  await makeDirectory(directory);
  await withLock(
    join(directory, '.lock'),
    () =>
      withPartFolder(snapshotsDirectory, (folder) =>
        // Files of the log are many: in the same folder they would close those of the tables.
        withPartFolder(snapshotsDirectory, async (logFiles) => {
          const { id, manifest } = await snapshotNamed(folder);
          const reader = createSnapshotReader(folder, createBlockCache(cacheBytes), cacheBytes);
          await exportSnapshot(await openSnapshot(reader, id, manifest), logFiles, options);
        }),
      ).catch(async (error: unknown) => {
        // What is of no use would keep the disk full, for others who write there, too.
        if (isDiskFull(error)) await removeLeftovers(directory);
        throw error;
      }),
    { onWait: () => log(`another export writes to ${directory}; this one waits for it`) },
  );
}

async function exportSnapshot(
  snapshot: Snapshot,
  logFiles: PartFolder,
  options: ExportOptions,
): Promise<void> {
  const { directory, location, isCompact, now, rangeRows = defaultRangeRows } = options;
  const { manifest } = snapshot;
  const companies = await openTable(join(directory, companiesTable.name), companiesTable);
  const reference = await openTable(join(directory, referenceTable.name), referenceTable);
  const log = await openLog(snapshot, logFiles);
  const write = await createParquetWriter();
  const input = { directory, log, write, rangeRows, isCompact, ledgerId: manifest.ledger.id };
  const works: LogWork[] = [];
  for (const open of logTables) works.push(await open({ ...input, changes: works[0] ?? null }));
  reportStanding(works, options);
  const companyFiles = await writeCompanies(snapshot, companies.folder, write);
  const referenceFiles = [await writeReference(reference.folder, write)];
  log.holdContents();
  await writeRanges(log, works, options.progress);

  const facts: Facts = {
    location,
    nowMs: now(),
    properties: { ledger: manifest.ledger.id },
    summary: {
      'filing-snapshot': snapshot.id,
      [lastSequenceMember]: String(log.lastSequence),
      [lastBatchMember]: log.batchOf(log.lastSequence) ?? '',
    },
  };
  const entries: TableEntry[] = [];
  // The table of changes comes last: where tables of an older version do not tell their standing, it speaks
  // for those that a killed export did not get to.
  for (const work of works.toReversed()) entries.unshift(await work.commit(facts));
  entries.push(await commitFiles(companies, companyFiles, facts));
  entries.push(await commitFiles(reference, referenceFiles, facts));
  await writeManifest(snapshot, options, entries);
  const changed = entries.filter(({ isNew }) => isNew).map(({ name }) => name);
  options.log(
    changed.length === 0
      ? `${directory} has all ${manifest.lastSequence} changes of snapshot ${snapshot.id}`
      : `${directory}: ${changed.join(', ')} have ${changed.length === 1 ? 'a new snapshot' : 'new snapshots'} with ${manifest.lastSequence} changes`,
  );
}

/** Says where tables do not continue what they were exported from, or could not tell that. */
function reportStanding(works: readonly LogWork[], { directory, log }: ExportOptions): void {
  if (works.some(({ standing }) => standing === 'forked'))
    log(
      `${directory} has changes that this ledger does not have: it was restored from a backup and went on differently; all changes are exported again`,
      'warn',
    );
  else if (!works.every(({ isProven }) => isProven))
    log(
      `${directory} was exported by an older version, which did not keep the digest of its last batch; the last changes in it are those of this ledger`,
    );
}

/** What opening a table of the log takes. */
interface LogTableInput {
  readonly directory: string;
  readonly log: Log;
  readonly write: WriteParquet;
  readonly rangeRows: number;
  readonly isCompact: boolean;
  readonly ledgerId: string;
  /** The table of changes; null while that is opened. */
  readonly changes: LogWork | null;
}

function logTable<Row>(kind: LogTable<Row>): (input: LogTableInput) => Promise<LogWork> {
  const { definition, made } = kind;
  return async ({ directory, log, write, rangeRows, isCompact, ledgerId, changes: changesWork }) => {
    const table = await openTable(join(directory, definition.name), definition);
    requireSameLedger(table, ledgerId);
    const count = (range: Range) => log.count(made, range);
    /** A file may have no rows: then its name says of how many observations it was made. */
    async function filesOf(range: Range, changes: readonly Change[], columns = definition.columns) {
      const shown = changes.filter(
        ({ sequence }) => log.count(made, { first: sequence, last: sequence }) > 0,
      );
      const found: (readonly [ParquetFile, Parameters<typeof writeDataFile>[2]])[] = [];
      for (const [year, some] of groupBy(shown, ({ filing }) => yearOf(filing.filedAt))) {
        const rows = [...(await kind.rowsOf(some, log))].sort(rowOrder(definition));
        const file = write(columns, rows, definition.bloomed);
        const { dividedBy } = definition;
        found.push([file, { range, records: some.length, rows: rows.length, year, dividedBy }]);
      }
      return found;
    }

    /**
     * For tables of an older version: those of changes continue the log if the files of the last range are what
     * the log gives, in the columns of one of their schemas. The others have rows that corrections take away, so
     * they stand as the changes do.
     */
    async function standingByRows(): Promise<LogWork['standing']> {
      const range = lastOf(table.files);
      if (changesWork) return changesWork.standing;
      if (range === undefined) return 'continues';
      const changes = await log.changes(range);
      const held = table.files.filter((file) => file.range.first === range.first).map(({ sha256 }) => sha256);
      for (const ids of table.metadata ? columnIdsOf(table.metadata) : []) {
        const columns = definition.columns.filter(({ id }) => ids.has(id));
        const again = (await filesOf(range, changes, columns)).map(([file]) => digestOf(file));
        if (again.sort().join() === held.sort().join()) return 'continues';
      }
      return 'forked';
    }

    const told = await standingOf(table, log);
    const standing = told === 'unproven' ? await standingByRows() : told;
    const continues = standing === 'continues';
    const { kept, stale } = divide(table.files, log.lastSequence, rangeRows, count, { isCompact, continues });
    const files = [...kept];
    return {
      standing,
      isProven: told !== 'unproven',
      stale,
      async write(range, changes) {
        for (const file of await filesOf(range, changes))
          files.push(await writeDataFile(table.folder, ...file));
      },
      commit: (facts) => commitFiles(table, files, facts),
    };
  };
}

/** The transactions that Forms 4 and 5 tell: those of `/v1/sec/insider-transactions`. */
function transactionsOf(changes: readonly Change[]): readonly FilingTransaction[] {
  return changes.flatMap((change) => {
    const ownership = transactionsReport(change.filing);
    return ownership?.transactions.map((row) => ({ change, ownership, row })) ?? [];
  });
}

/** The holdings that filings tell. Only their documents have them, and most have none. */
async function holdingsOf(changes: readonly Change[], log: Log): Promise<readonly FilingHolding[]> {
  const rows: FilingHolding[] = [];
  for (const change of byPartition(changes)) {
    const ownership = section16Of(change);
    if (!ownership || ownership.holdingCount === 0) continue;
    for (const row of await log.holdings(change.filing.accessionNo)) rows.push({ change, ownership, row });
  }
  return rows;
}

/** Years since 1970 of a date, as Iceberg counts them. */
function yearOf(date: string | null): number | null {
  return date === null ? null : Number(date.slice(0, 4)) - 1970;
}

function requireSameLedger<Row>({ folder, metadata }: TableFolder<Row>, ledgerId: string): void {
  const before = metadata?.properties['ledger'] ?? ledgerId;
  if (before !== ledgerId)
    throw new Error(`${folder} belongs to another ledger; export this one to a folder of its own`);
}

/** Reads each range of the log that a table wants, once, and gives it to these tables. */
async function writeRanges(log: Log, works: readonly LogWork[], progress: Progress): Promise<void> {
  const keyOf = ({ first, last }: Range) => `${first}-${last}`;
  const ranges = new Map(works.flatMap(({ stale }) => stale.map((range) => [keyOf(range), range] as const)));
  const inOrder = [...ranges.values()].sort((a, b) => a.first - b.first || a.last - b.last);
  const total = inOrder.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  progress.begin('exporting', 'changes', total);
  for (const range of inOrder) {
    const changes = await log.changes(range);
    for (const work of works)
      if (work.stale.some((each) => keyOf(each) === keyOf(range))) await work.write(range, changes);
    progress.step(changes.length);
  }
}

/**
 * Writes the table of companies, by ranges of their numbers. A file whose companies did not change has the same
 * name.
 */
async function writeCompanies(snapshot: Snapshot, folder: string, write: WriteParquet): Promise<DataFile[]> {
  const files: DataFile[] = [];
  let rows: CompanyEntry[] = [];
  const numbers = snapshot.manifest.companyCount <= companiesMaximum ? companyNumbers : companiesRange;
  const rangeOf = ({ cik }: CompanyEntry) => Math.floor(Number(cik) / numbers);
  const flush = async () => {
    const [company] = rows;
    if (company === undefined) return;
    const first = rangeOf(company) * numbers;
    const range = { first, last: first + numbers - 1 };
    const made = write(companiesTable.columns, rows, companiesTable.bloomed);
    const about = { range, records: rows.length, rows: rows.length, year: null, dividedBy: null };
    files.push(await writeDataFile(folder, made, about));
    rows = [];
  };
  for await (const company of readCompanies(snapshot)) {
    if (rows[0] !== undefined && rangeOf(rows[0]) !== rangeOf(company)) await flush();
    rows.push(company);
  }
  await flush();
  return files;
}

/** Writes the lists of the reference. They are the same for every snapshot that this program exports. */
function writeReference(folder: string, write: WriteParquet): Promise<DataFile> {
  const rows = referenceRows().sort(rowOrder(referenceTable));
  const { columns, bloomed } = referenceTable;
  const range = { first: 1, last: rows.length };
  const about = { range, records: rows.length, rows: rows.length, year: null, dividedBy: null };
  return writeDataFile(folder, write(columns, rows, bloomed), about);
}

async function commitFiles<Row>(
  table: TableFolder<Row>,
  files: readonly DataFile[],
  { location, ...facts }: Facts,
): Promise<TableEntry> {
  const { name } = table.definition;
  const isNew = await commitTable(table, { ...facts, files, location: `${location}/${name}` });
  return { isNew, files, name };
}

/** Writes `manifest.json`: all data files with their digests, for readers without Iceberg and for checks. */
async function writeManifest(
  { id, manifest }: Snapshot,
  { directory, location }: ExportOptions,
  entries: readonly TableEntry[],
): Promise<void> {
  const tables = entries.map(({ name, files }) => {
    const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const list = sorted.map(({ path, bytes, rows, sha256, range }) => ({
      path: `${name}/${path}`,
      bytes,
      rows,
      sha256,
      first: range.first,
      last: range.last,
    }));
    return [name, { rows: files.reduce((sum, file) => sum + file.rows, 0), files: list }] as const;
  });
  const { generatedAt, lastSequence, ledger } = manifest;
  const content = {
    format: 1,
    snapshotId: id,
    generatedAt,
    ledger: ledger.id,
    lastSequence,
    location,
    tables: Object.fromEntries(tables),
  };
  await replaceFile(join(directory, 'manifest.json'), `${JSON.stringify(content, null, 1)}\n`);
}
