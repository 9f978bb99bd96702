import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Of } from '../../src/files/bytes.ts';
import { filesBelow } from './files-below.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const engine = join(root, 'test/edge/node_modules/miniflare');

/** What is used of the engine and its buckets. */
interface Miniflare {
  readonly ready: Promise<URL>;
  unsafeGetDirectURL(): Promise<URL>;
  getR2Bucket(name: string): Promise<EngineBucket>;
  dispose(): Promise<void>;
}

/** A bucket of the engine, as its owner sees it. */
export interface EngineBucket {
  put(key: string, bytes: Uint8Array | string): Promise<unknown>;
  delete(key: string): Promise<void>;
}

/** The worker in its engine. */
export interface EdgeEngine {
  readonly address: string;
  readonly bucket: EngineBucket;
  /**
   * Puts the files of a folder of snapshots into the bucket, the pointer last, except for those that are
   * there.
   */
  upload(directory: string): Promise<void>;
  /** What the worker has logged: one JSON object a line. */
  logged(): string;
  stop(): Promise<void>;
}

/** A keys file with one key. */
export function keysWith(key: string, perMinute?: number): string {
  const sha256 = sha256Of(key);
  return JSON.stringify({
    format: 1,
    keys: [
      {
        id: sha256.slice(0, 8),
        label: 'test',
        sha256,
        createdAt: '2026-01-01T00:00:00.000Z',
        expiresAt: null,
        ...(perMinute === undefined ? {} : { perMinute }),
      },
    ],
  });
}

/** The program of the worker. It is bundled once for all tests of a process. */
let bundled: string | undefined;

function bundle(): string {
  const script = join(mkdtempSync(join(tmpdir(), 'filing-edge-')), 'edge.js');
  execFileSync(process.execPath, [join(root, 'deploy/worker/bundle.mjs'), script], { stdio: 'inherit' });
  return readFileSync(script, 'utf8');
}

/** Starts the worker over an empty bucket. `bindings` are its variables, `more` are options of the engine. */
export async function startEdge(
  bindings: Readonly<Record<string, string>>,
  more: object = {},
): Promise<EdgeEngine> {
  bundled ??= bundle();
  const { Miniflare } = createRequire(import.meta.url)(engine) as {
    Miniflare: new (options: object) => Miniflare;
  };
  const { compatibility_date, compatibility_flags } = JSON.parse(
    readFileSync(join(root, 'deploy/worker/wrangler.json'), 'utf8'),
  ) as { compatibility_date: string; compatibility_flags: string[] };
  let logged = '';
  const miniflare = new Miniflare({
    modules: true,
    script: bundled,
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    bindings,
    r2Buckets: ['SNAPSHOTS'],
    host: '127.0.0.1',
    port: 0,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    ...more,
    handleRuntimeStdio: (...streams: NodeJS.ReadableStream[]) =>
      streams.forEach((stream) => stream.on('data', (text) => (logged += String(text)))),
  });
  await miniflare.ready;
  // Not through the worker of the engine that stands before this one, which sends answers on without their
  // length.
  const address = (await miniflare.unsafeGetDirectURL()).origin;
  const bucket = await miniflare.getR2Bucket('SNAPSHOTS');
  const uploaded = new Set<string>();
  return {
    address,
    bucket,
    async upload(folder) {
      const put = (path: string) => bucket.put(path, readFileSync(join(folder, path)));
      const left = filesBelow(folder).filter(
        (path) =>
          /^(segments|files|manifests)/.test(path) && !path.includes('.staging') && !uploaded.has(path),
      );
      for (const path of left) uploaded.add(path);
      // Several at once: each waits for the engine rather than for this process.
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          for (let path = left.pop(); path !== undefined; path = left.pop()) await put(path);
        }),
      );
      if (existsSync(join(folder, 'current.json'))) await put('current.json');
    },
    logged: () => logged,
    stop: () => miniflare.dispose(),
  };
}
