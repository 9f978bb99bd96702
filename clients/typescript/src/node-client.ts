import { createClient as createCoreClient, type Client as CoreClient } from './client.ts';
import { createMirror, type Mirror, type MirrorOptions } from './mirror/mirror.ts';
import type { SqliteDatabase } from './mirror/sqlite.ts';
import type { ClientSettings } from './transport.ts';

/** A client of the service that can keep a mirror. Example: `(await client.getStats()).data.filings`. */
export interface Client extends CoreClient {
  /**
   * A copy of the log in SQLite: a file, or a database that is open.
   * Example: `for await (const { changes } of client.mirror('filings.db').update()) console.log(changes)`.
   */
  mirror(database: string | SqliteDatabase, options?: MirrorOptions): Mirror;
}

/** Makes a client. Example: `createClient({ baseUrl: 'http://127.0.0.1:8787', apiKey: 'key' })`. */
export function createClient(settings: ClientSettings): Client {
  const client = createCoreClient(settings);
  return { ...client, mirror: (database, options) => createMirror(client, database, options) };
}
