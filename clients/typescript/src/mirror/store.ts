import { changeKey } from '../cursor.ts';
import { FilingEventsError } from '../errors.ts';
import type { Change } from '../generated.ts';
import type { SqliteDatabase, SqliteValue } from './sqlite.ts';

/** The columns of `filings` behind its key, as the export has them: name, type, value. */
const filingColumns: readonly (readonly [
  name: string,
  type: string,
  value: (change: Change) => SqliteValue,
])[] = [
  ['sequence', 'INTEGER NOT NULL', ({ sequence }) => sequence],
  ['revision', 'INTEGER NOT NULL', ({ revision }) => revision],
  ['cik', 'TEXT', ({ filing }) => filing.cik],
  ['ticker', 'TEXT', ({ filing }) => filing.ticker],
  ['company_name', 'TEXT', ({ filing }) => filing.companyName],
  ['form', 'TEXT', ({ filing }) => filing.form],
  ['event_type', 'TEXT', ({ filing }) => filing.eventType],
  ['items', 'TEXT', ({ filing }) => filing.items.join(' ')],
  ['filed_at', 'TEXT', ({ filing }) => filing.filedAt],
  ['accepted_at', 'TEXT', ({ filing }) => filing.acceptedAt],
  ['observed_at', 'TEXT', ({ observedAt }) => observedAt],
  ['detail_url', 'TEXT', ({ filing }) => filing.detailUrl],
  ['acceptance_date_time', 'TEXT', ({ filing }) => filing.acceptanceDateTime],
  ['report_date', 'TEXT', ({ filing }) => filing.reportDate],
  ['primary_document', 'TEXT', ({ filing }) => filing.primaryDocument],
  ['primary_doc_description', 'TEXT', ({ filing }) => filing.primaryDocDescription],
  ['document_url', 'TEXT', ({ filing }) => filing.documentUrl],
  ['size', 'BIGINT', ({ filing }) => filing.size],
  ['is_xbrl', 'INTEGER', ({ filing }) => Number(filing.isXbrl)],
  ['is_inline_xbrl', 'INTEGER', ({ filing }) => Number(filing.isInlineXbrl)],
  ['ingested_at', 'TEXT', ({ filing }) => filing.ingestedAt],
];
const names = filingColumns.map(([name]) => name);

/**
 * `changes` is the log, `filings` the newest entry of each filing, `parties` whom it names, `progress` how far each part of
 * the mirror is. Part 0 is the whole feed, the others are parts of a list of companies.
 */
const schema = `
CREATE TABLE IF NOT EXISTS changes (sequence INTEGER PRIMARY KEY, accession_no TEXT NOT NULL, revision INTEGER NOT NULL, change TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS filings (accession_no TEXT PRIMARY KEY, ${filingColumns.map(([name, type]) => `${name} ${type}`).join(', ')});
CREATE TABLE IF NOT EXISTS parties (accession_no TEXT NOT NULL, number INTEGER NOT NULL, cik TEXT NOT NULL, name TEXT, role TEXT,
  PRIMARY KEY (accession_no, number));
CREATE TABLE IF NOT EXISTS progress (part INTEGER PRIMARY KEY, cursor TEXT NOT NULL, ciks TEXT NOT NULL)`;
const writeChange = 'INSERT INTO changes VALUES (?, ?, ?, ?) ON CONFLICT (sequence) DO NOTHING';
// A correction has the accession number of its filing and replaces it. Each bucket of a watchlist goes on by itself,
// so an older revision can come after a newer one. Then the newer one stays.
const writeFiling = `INSERT INTO filings (accession_no, ${names.join(', ')}) VALUES (?${', ?'.repeat(names.length)})
  ON CONFLICT (accession_no) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
  WHERE excluded.revision > filings.revision`;
// Only of the change that the filing is now.
const isCurrent = 'SELECT 1 FROM filings WHERE accession_no = ? AND sequence = ?';
const removeParties = `DELETE FROM parties WHERE accession_no = ? AND EXISTS (${isCurrent})`;
const writeParty = `INSERT INTO parties SELECT ?, ?, ?, ?, ? WHERE EXISTS (${isCurrent})
  ON CONFLICT (accession_no, number) DO NOTHING`;
const writeProgress = `INSERT INTO progress VALUES (?, ?, ?)
  ON CONFLICT (part) DO UPDATE SET cursor = excluded.cursor, ciks = excluded.ciks`;
const readStored =
  'SELECT change FROM filings JOIN changes ON changes.sequence = filings.sequence WHERE filings.accession_no = ?';

/**
 * The error of a database whose changes the log of the service no longer has.
 * Example: `throw replacedLog('it has another change with the sequence 17')`.
 */
export function replacedLog(reason: string): FilingEventsError {
  return new FilingEventsError(
    `the log of the service is not the one that this database mirrors: its ledger was restored from a backup and continued differently, or it is another service. Mirror into a new database. ${reason}`,
    { code: 'mirror_mismatch' },
  );
}

/** What belongs into the database at once. Example: `{ part: 0, changes: [], cursor: 'aH5…', ciks: [] }`. */
export interface StoredPage {
  readonly part: number;
  readonly changes: Iterable<Change>;
  /** Null while the files of the log are read, which need none. */
  readonly cursor: string | null;
  /** The companies that the part follows, by CIK; none for the whole feed. */
  readonly ciks: readonly string[];
}

/** The tables of a mirror. Example: `createStore(database).cursorOf(0)`. */
export interface MirrorStore {
  /** Where a part goes on; null if it has not begun. */
  cursorOf(part: number): string | null;
  /** The greatest sequence; 0 if there is none. */
  lastSequence(): number;
  /**
   * Writes changes and the cursor behind them, together or not at all. Throws `mirror_mismatch` if a sequence has
   * another change than before.
   */
  write(page: StoredPage): void;
}

/** Makes the tables where there are none. Example: `createStore(new DatabaseSync('filings.db'))`. */
export function createStore(database: SqliteDatabase): MirrorStore {
  // In this mode, programs can read the file while this one writes.
  database.exec(`PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; ${schema}`);
  const rows = <Row>(sql: string, ...values: SqliteValue[]) => database.prepare(sql).all(...values) as Row[];
  const known = new Set(rows<{ name: string }>('PRAGMA table_info(filings)').map(({ name }) => name));
  const missing = filingColumns.filter(([name]) => !known.has(name));
  if (missing.length > 0) atOnce(() => addColumns(missing));

  function atOnce(work: () => void): void {
    database.exec('BEGIN IMMEDIATE');
    try {
      work();
      database.exec('COMMIT');
    } catch (error) {
      try {
        database.exec('ROLLBACK');
      } catch {
        // A full disk has ended the transaction: there is nothing left to take back.
      }
      throw error;
    }
  }

  /** A database of an older version has fewer columns, and no parties: both are in the changes. */
  function addColumns(columns: typeof filingColumns): void {
    for (const [name, type] of columns) database.exec(`ALTER TABLE filings ADD COLUMN ${name} ${type}`);
    const set = columns.map(([name]) => `${name} = ?`).join(', ');
    const update = database.prepare(`UPDATE filings SET ${set} WHERE accession_no = ?`);
    for (let [last, found] = ['', [] as { change: string }[]]; ; ) {
      found = rows(
        'SELECT change FROM filings JOIN changes ON changes.sequence = filings.sequence WHERE filings.accession_no > ? ORDER BY filings.accession_no LIMIT 1000',
        last,
      );
      if (found.length === 0) return;
      for (const { change: text } of found) {
        const change = JSON.parse(text) as Change;
        last = change.filing.accessionNo;
        update.run(...columns.map(([, , value]) => value(change)), last);
        keepParties(change);
      }
    }
  }

  function keepParties({ filing: { accessionNo, parties }, sequence, revision }: Change): void {
    const current = [accessionNo, sequence];
    if (revision > 1) database.prepare(removeParties).run(accessionNo, ...current);
    const write = database.prepare(writeParty);
    for (const [at, { cik, name, role }] of parties.entries())
      write.run(accessionNo, at + 1, cik, name, role, ...current);
  }

  /** Whether the stored filing names a company that is followed, and a correction of it names none. */
  function isLost({ accessionNo, parties }: Change['filing'], followed: ReadonlySet<string>): boolean {
    const [stored] = rows<{ change: string }>(readStored, accessionNo);
    const names = (each: Change['filing']['parties']) => each.some(({ cik }) => followed.has(cik));
    return (
      stored !== undefined && names((JSON.parse(stored.change) as Change).filing.parties) && !names(parties)
    );
  }

  const lastSequence = () =>
    rows<{ last: number | null }>('SELECT max(sequence) AS last FROM changes')[0]?.last ?? 0;

  /** A sequence has one change for ever, unless the log was replaced. */
  function requireSame(change: Change): void {
    const [stored] = rows<{ change: string }>(
      'SELECT change FROM changes WHERE sequence = ?',
      change.sequence,
    );
    if (stored === undefined) return;
    const keys = [JSON.parse(stored.change) as Change, change].map(changeKey);
    if (keys[0] !== keys[1])
      throw replacedLog(`With the sequence ${change.sequence} it has ${keys[0]}, the service ${keys[1]}`);
  }

  function writeAll({ part, changes, cursor, ciks }: StoredPage): void {
    const others = rows<{ ciks: string }>('SELECT ciks FROM progress WHERE part <> ?', part);
    const followed = new Set([...ciks, ...others.flatMap((each) => each.ciks.split(' '))]);
    const [intoChanges, intoFilings] = [database.prepare(writeChange), database.prepare(writeFiling)];
    const last = lastSequence();
    for (const change of changes) {
      if (change.sequence <= last) requireSame(change);
      const { filing, sequence, revision } = change;
      const { accessionNo } = filing;
      if (part > 0 && isLost(filing, followed))
        for (const table of ['filings', 'parties'])
          database.prepare(`DELETE FROM ${table} WHERE accession_no = ?`).run(accessionNo);
      else {
        intoFilings.run(accessionNo, ...filingColumns.map(([, , value]) => value(change)));
        keepParties(change);
      }
      intoChanges.run(sequence, accessionNo, revision, JSON.stringify(change));
    }
    if (cursor !== null) database.prepare(writeProgress).run(part, cursor, ciks.join(' '));
  }

  return {
    cursorOf(part) {
      const found = rows<{ part: number; cursor: string }>('SELECT part, cursor FROM progress');
      if (found.some((each) => (each.part === 0) !== (part === 0)))
        throw new FilingEventsError(
          `this database mirrors ${part === 0 ? 'a list of companies' : 'the whole feed'}: take another one`,
          { code: 'mirror_mismatch' },
        );
      return found.find((each) => each.part === part)?.cursor ?? null;
    },
    lastSequence,
    write: (page) => atOnce(() => writeAll(page)),
  };
}
