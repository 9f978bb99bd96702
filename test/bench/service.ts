import { startServer, type Server } from './child.ts';

/** The key that the benchmarks open the service with. */
export const apiKey = 'key-of-the-benchmarks';

/** Starts the real service on a directory of snapshots. */
export function startService(snapshots: string): Promise<Server> {
  return startServer({ script: 'src/server.ts', environment: { SNAPSHOTS_DIR: snapshots, API_KEYS: apiKey, PORT: '0' } });
}
