import { changeKey } from '../cursor.ts';
import { FilingEventsError } from '../errors.ts';
import type { Change } from '../generated.ts';
import type { SqliteDatabase, SqliteValue } from './sqlite.ts';

/**
 * `changes` is the log, `filings` the newest entry of each filing, `progress` how far each part of the mirror is.
 * Part 0 is the whole feed, the others are parts of a list of companies.
 */
const schema = `
CREATE TABLE IF NOT EXISTS changes (sequence INTEGER PRIMARY KEY, accession_no TEXT NOT NULL, revision INTEGER NOT NULL, change TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS filings (accession_no TEXT PRIMARY KEY, sequence INTEGER NOT NULL, revision INTEGER NOT NULL,
  cik TEXT, ticker TEXT, company_name TEXT, form TEXT, event_type TEXT, items TEXT, filed_at TEXT, accepted_at TEXT);
CREATE TABLE IF NOT EXISTS progress (part INTEGER PRIMARY KEY, cursor TEXT NOT NULL, ciks TEXT NOT NULL)`;
const writeChange = 'INSERT INTO changes VALUES (?, ?, ?, ?) ON CONFLICT (sequence) DO NOTHING';
// A correction has the accession number of its filing and replaces it. Each bucket of a watchlist goes on by itself,
// so an older revision can come after a newer one. Then the newer one stays.
const columns = 'sequence revision cik ticker company_name form event_type items filed_at accepted_at'.split(
  ' ',
);
const writeFiling = `INSERT INTO filings (accession_no, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})
  ON CONFLICT (accession_no) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
  WHERE excluded.revision > filings.revision`;
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
        database.prepare('DELETE FROM filings WHERE accession_no = ?').run(accessionNo);
      else intoFilings.run(accessionNo, sequence, revision, ...valuesOf(filing));
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
    write(page) {
      database.exec('BEGIN IMMEDIATE');
      try {
        writeAll(page);
        database.exec('COMMIT');
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

function valuesOf(filing: Change['filing']): SqliteValue[] {
  const { cik, ticker, companyName, form, eventType, items, filedAt, acceptedAt } = filing;
  return [cik, ticker, companyName, form, eventType, items.join(' '), filedAt, acceptedAt];
}
