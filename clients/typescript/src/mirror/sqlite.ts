import { FilingEventsError } from '../errors.ts';

/** A value of a column. Example: `const value: SqliteValue = 17`. */
export type SqliteValue = string | number | bigint | null;

/**
 * A database, as `node:sqlite` has it. `@photostructure/sqlite` and `better-sqlite3` fit, too.
 * Example: `const database: SqliteDatabase = new DatabaseSync('filings.db')`.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: SqliteValue[]): unknown;
    all(...values: SqliteValue[]): unknown[];
  };
  close(): void;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

/** The package that stands in for `node:sqlite` where Node has none. It is asked for by name, so no one has to install it. */
const standIn = '@photostructure/sqlite';

/**
 * Opens a file with the SQLite of Node 22.13 and newer; in an older one with `@photostructure/sqlite`, if that is
 * installed. Example: `await openSqlite('filings.db')`.
 */
export async function openSqlite(path: string): Promise<SqliteDatabase> {
  const { DatabaseSync } = await sqliteModule();
  return new DatabaseSync(path);
}

/** What to do where Node has no SQLite. Example: `tell(sqliteAdvice)`. */
export const sqliteAdvice: string = `Take Node 22.13 or newer, or npm install ${standIn}@1`;

/** Whether `openSqlite` finds an SQLite. Example: `await hasSqlite()`. */
export async function hasSqlite(): Promise<boolean> {
  return sqliteModule().then(
    () => true,
    () => false,
  );
}

async function sqliteModule(): Promise<SqliteModule> {
  const own = process.getBuiltinModule?.('node:sqlite') as SqliteModule | undefined;
  if (own) return own;
  try {
    return (await import(standIn)) as SqliteModule;
  } catch (cause) {
    throw new FilingEventsError(`Node ${process.versions.node} has no SQLite. ${sqliteAdvice}`, {
      code: 'no_sqlite',
      cause,
    });
  }
}
