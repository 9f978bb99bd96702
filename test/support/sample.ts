import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { createAuthenticator } from '../../src/auth.ts';
import { createApp } from '../../src/http/app.ts';
import type { SnapshotSettings } from '../../src/contract/snapshot.ts';
import { createResponseCache } from '../../src/http/cache.ts';
import { createKeyRing } from '../../src/keys.ts';
import { createLog } from '../../src/log.ts';
import { createFollower } from '../../src/snapshot/follow.ts';
import { createChunkCache } from '../../src/table/cache.ts';
import type { Journal } from '../../src/intents/journal.ts';
import { noJournal } from './journal.ts';

/** The embedded ledger. */
export const sampleLedger = fileURLToPath(new URL('../../snapshots/sample', import.meta.url));

/** A service over a snapshots directory, called without a network. */
export interface SampleService {
  /** Holds what belongs to the service; whoever made the service removes it. */
  readonly directory: string;
  /** Requests a path with a good key, unless `headers` has another. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
  /** Posts a text, JSON unless `headers` say otherwise, without a key unless they have one. */
  post(path: string, body: string, headers?: Record<string, string>): Promise<Response>;
  /** The application itself, for a server in front of it. */
  fetch(request: Request): Response | Promise<Response>;
  /** Looks at the pointer, as the server does now and then. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** A key that the service knows. */
export const sampleKey = 'sample-key';

/** A service over the snapshots of a directory. */
export async function serviceOver(directory: string, journal: Journal = noJournal): Promise<SampleService> {
  const log = createLog(() => {}, Date.now);
  const follower = createFollower(directory, createChunkCache(8 * 1024 * 1024), log.event);
  await follower.check();
  const keys = createKeyRing([sampleKey], null, log.event);
  const app = createApp({ follower, authenticator: createAuthenticator(keys, { host: null, secrets: [] }), responses: createResponseCache(1024 * 1024), log, now: Date.now, own: { baseUrl: null, isLocal: true }, journal });
  return {
    directory,
    get: async (path, headers = {}, method = 'GET') => app.request(path, { method, headers: { 'x-api-key': sampleKey, ...headers } }, {}),
    post: async (path, body, headers = {}) => app.request(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }, {}),
    fetch: (request) => app.fetch(request, {}),
    look: () => follower.check(),
    async close() {
      await follower.close();
      log.flush();
    },
  };
}

/** A service over a fresh snapshot of the embedded sample, built with the settings. */
export async function sampleService(settings: SnapshotSettings = { baseUrl: null, marketplaceUrl: null }, journal: Journal = noJournal): Promise<SampleService> {
  const directory = await mkdtemp(join(tmpdir(), 'filing-sample-'));
  await buildSnapshot({ ledgerDirectory: sampleLedger, snapshotsDirectory: directory, settings, replace: false, log: () => {} });
  return serviceOver(directory, journal);
}
