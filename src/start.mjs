// The command of `npm start`. It runs src/server.ts from a bundle, which it writes at the first start and after
// each change of a source. Loading 150 source files one by one through tsx took two thirds of a start. Where no
// bundle can be written, it does just that. This file is JavaScript because Node 20 does not run TypeScript.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// The heap may grow by half before V8 collects what nobody holds any more. Otherwise it may grow to four times its
// size, and hostile clients brought the process to 315 MB in place of 215 (test/campaign).
setFlagsFromString('--heap-growing-percent=50');

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = join(root, 'src/server.ts');
const bundles = join(root, 'node_modules/.cache/filing-event-intelligence');

/** How many bundles are kept, the newest first: a service that runs may still need files of an older one. */
const bundlesKept = 5;

/** The name of the bundle: it follows from the names, lengths and times of the sources. */
function bundleName() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).sort();
  for (const name of [...sources.map((source) => join('src', source)), 'package.json']) {
    const { size, mtimeMs } = statSync(join(root, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Writes a bundle into a folder of this process and renames that: a bundle exists whole or not at all. */
async function writeBundle(directory) {
  const { build } = await import('esbuild');
  const staging = `${directory}.${process.pid}`;
  try {
    await build({
      entryPoints: [entry],
      outdir: staging,
      bundle: true,
      // What the service imports later stays in files of its own: most services never need them.
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      outExtension: { '.js': '.mjs' },
      sourcemap: 'linked',
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(entry).href) },
      logLevel: 'silent',
    });
    // Another process may have written the same bundle meanwhile.
    if (!existsSync(directory)) renameSync(staging, directory);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  const byAge = readdirSync(bundles)
    .map((name) => ({ path: join(bundles, name), ms: statSync(join(bundles, name)).mtimeMs }))
    .sort((a, b) => b.ms - a.ms);
  for (const { path } of byAge.slice(bundlesKept)) rmSync(path, { recursive: true, force: true });
}

/** The bundle of the sources; null where none can be written, as on a disk that is read-only. */
async function bundle() {
  const directory = join(bundles, bundleName());
  try {
    if (!existsSync(directory)) await writeBundle(directory);
    return join(directory, 'server.mjs');
  } catch {
    return null;
  }
}

const path = await bundle();
if (path === null) {
  const { register } = await import('tsx/esm/api');
  register();
} else {
  process.setSourceMapsEnabled(true);
}
await import(pathToFileURL(path ?? entry).href);
