import { existsSync } from 'node:fs';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, inject } from 'vitest';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { createApp } from '../../src/app.ts';
import { AppliedFilters } from '../../src/contract/envelopes.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import { createLog } from '../../src/log/log.ts';
import { createServices } from '../../src/service.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import type { PartStore } from '../../src/snapshot/store.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import type { Journal } from '../../src/intents/journal.ts';
import { closing } from './closing.ts';
import { noJournal } from './journal.ts';
import { smallCaches } from './service.ts';
import { until } from './wait.ts';

/** The embedded ledger. */
export const sampleLedger = fileURLToPath(new URL('../../snapshots/sample', import.meta.url));

/** Ways to ask a service. */
export interface Asking {
  /** Requests a path with a good key, unless `headers` has another. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
  /** The parsed body of the answer to a path. */
  json<Body>(path: string, headers?: Record<string, string>): Promise<Body>;
  /** All rows of a list or of the change feed, page by page. */
  all<Row>(path: string): Promise<Row[]>;
  /** The status of an answer, and the code of the error that it tells. */
  refusal(path: string, headers?: Record<string, string>): Promise<[status: number, code: string]>;
}

/** A service over a snapshots directory, called without a network. */
export interface SampleService extends Asking {
  /**
   * The snapshots that it serves. They may be those that all tests share: nobody changes or removes them
   * through this.
   */
  readonly snapshots: string;
  /** Posts a text, JSON unless `headers` say otherwise, without a key unless they have one. */
  post(path: string, body: string, headers?: Record<string, string>): Promise<Response>;
  /** The application itself, for a server of its own. */
  fetch(request: Request): Response | Promise<Response>;
  /** Looks at the pointer, as the server does now and then. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** A key that the service knows. */
export const sampleKey = 'sample-key';

/** `meta.filters` of a list that no parameter filters. */
export const unfiltered = Object.fromEntries(
  Object.keys(AppliedFilters.shape).map((name) => [name, null]),
) as Readonly<Record<keyof AppliedFilters, null>>;

/** All ways to ask, by the one that the others follow from. */
export function askingBy(get: Asking['get']): Asking {
  async function json<Body>(path: string, headers?: Record<string, string>): Promise<Body> {
    return (await (await get(path, headers)).json()) as Body;
  }
  return {
    get,
    json,
    async all<Row>(path: string) {
      const rows: Row[] = [];
      for (let cursor: string | null = ''; ; ) {
        const { data, meta }: { data: Row[]; meta: { nextCursor: string | null } } = await json(
          cursor === '' ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`,
        );
        rows.push(...data);
        cursor = meta.nextCursor;
        // The feed always has a cursor.
        if (cursor === null || data.length === 0) return rows;
      }
    },
    async refusal(path, headers) {
      const response = await get(path, headers);
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    },
  };
}

/**
 * A service over the snapshots of a directory, read through another store if one is given. `now` is the time
 * that it goes by, in milliseconds. It has `address`, or the one that its snapshot was built for.
 */
export async function serviceOver(
  directory: string,
  journal: Journal = noJournal,
  now: () => number = Date.now,
  store: PartStore = openPartFolder(directory),
  address: string | null = null,
): Promise<SampleService> {
  const log = createLog(() => {}, now);
  const keys = createKeyRing([sampleKey], null, log.event);
  const services = createServices(
    {
      BASE_URL: address,
      TRUSTED_KEY: null,
      FRESH_WITHIN: 300,
      MARKETPLACE_NAME: 'marketplace',
      MARKETPLACE_HOST: null,
      MARKETPLACE_PROXY_SECRETS: [],
      MARKETPLACE_LIMITS: null,
      OAUTH_ISSUER: null,
      OAUTH_AUDIENCE: null,
      OAUTH_LIMITS: null,
    },
    { store, keys, journal, log, now, elapsed: () => performance.now(), isLocal: true },
    smallCaches(),
  );
  const { served } = services;
  await served.check();
  const app = createApp(services);
  return {
    snapshots: directory,
    ...askingBy(async (path, headers = {}, method = 'GET') =>
      app.request(path, { method, headers: { 'x-api-key': sampleKey, ...headers } }, {}),
    ),
    post: async (path, body, headers = {}) =>
      app.request(
        path,
        { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } },
        {},
      ),
    fetch: (request) => app.fetch(request, {}),
    look: () => served.check(),
    close: closing(async () => {
      await served.close();
      log.flush();
    }),
  };
}

/** Settings without any address. */
const plainSettings: SnapshotSettings = { baseUrl: null, marketplaceUrl: null };

/** Settings that name everything that a build can be told. */
export const configuredSettings = {
  baseUrl: 'https://filings.example.com',
  marketplaceUrl: 'https://market.example/filings',
  contactEmail: 'data@example.com',
  plans: [
    { name: 'Trial & error', price: 'free', requests: '100 requests a month', includes: ['all operations'] },
  ],
} satisfies SnapshotSettings;

/**
 * A service over the snapshot of the embedded sample, built with the settings. All files of a run share the
 * snapshot: the first one that asks builds it, and nobody changes it.
 */
export async function sampleService(
  settings: SnapshotSettings = plainSettings,
  journal: Journal = noJournal,
): Promise<SampleService> {
  const directory = join(
    inject('sharedDirectory'),
    `sample-${sha256Of(JSON.stringify(settings)).slice(0, 8)}`,
  );
  await until(async () => existsSync(directory) || (await buildFirst(directory, settings)));
  return serviceOver(directory, journal);
}

/** The same for all tests of a file or of a group. */
export function useSample(...words: Parameters<typeof sampleService>): SampleService {
  const service = {} as SampleService;
  beforeAll(async () => void Object.assign(service, await sampleService(...words)));
  return service;
}

/** Builds the sample unless another file has begun to. Returns whether it did. */
async function buildFirst(directory: string, settings: SnapshotSettings): Promise<boolean> {
  const making = `${directory}.making`;
  const isFirst = await mkdir(making).then(
    () => true,
    () => false,
  );
  if (!isFirst) return false;
  // Another file may have finished between the check and the `mkdir`.
  if (existsSync(directory)) return rmdir(making).then(() => true);
  await buildSnapshot({
    ledgerDirectory: sampleLedger,
    snapshotsDirectory: making,
    settings,
    replace: false,
    log: () => {},
  });
  await rename(making, directory);
  return true;
}
