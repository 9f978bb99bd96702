// Runs a program from a bundle of its sources, which the first start writes, and each start after a change of a
// source. Loading some hundred source files one by one through tsx took two thirds of a start. Where no bundle can
// be written, the program runs just so. This file is JavaScript because Node 20 does not run TypeScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nameSourceLines } from './stack-traces.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundles = join(root, 'node_modules/.cache/filing-event-intelligence');

/**
 * Packages that stay outside of bundles: programs of their own, native code, and `undici`, a package in CommonJS that
 * is imported when it is needed (a bundle would lose the names of its exports). The others are in them, because to
 * load them from hundreds of files takes twice the time.
 */
const outside = ['esbuild', 'tsx', 'fs-native-extensions', 'undici'];

/** How many bundles of a program are kept, the newest first: one that runs may still need files of an older one. */
const bundlesKept = 5;

/**
 * Runs the program at `entry`, a path below the root of the project. `folders` are those of its sources; if one of
 * their files changes, there is another bundle. `constants` makes values that a bundle has under global names.
 */
export async function runBundled(entry, folders, constants = async () => ({})) {
  const commit = commitOf(root);
  const path = await bundleOf(entry, folders, commit, async () => ({
    ...(await constants()),
    programCommit: commit,
  }));
  if (path === null) {
    const { register } = await import('tsx/esm/api');
    register();
  } else {
    nameSourceLines(new URL('.', pathToFileURL(path)).href);
  }
  await import(pathToFileURL(path ?? join(root, entry)).href);
}

/** The first digits of the commit of a checkout; null where there is no checkout, or no git. */
export function commitOf(folder) {
  if (!existsSync(join(folder, '.git'))) return null;
  const { status, stdout } = spawnSync('git', ['-C', folder, 'rev-parse', '--short=12', 'HEAD'], {
    encoding: 'utf8',
    timeout: 2000,
  });
  return status === 0 ? stdout.trim() : null;
}

/** The bundle of a program; null where none can be written, as on a disk that is read-only. */
async function bundleOf(entry, folders, commit, constants) {
  const name = basename(entry, '.ts');
  const directory = join(bundles, `${name}-${digestOf(folders, commit)}`);
  try {
    if (!existsSync(directory)) {
      await writeBundle(join(root, entry), directory, await constants());
      removeOlder(`${name}-`);
    }
    return join(directory, `${name}.mjs`);
  } catch {
    return null;
  }
}

/**
 * What changes with the names, lengths and times of the sources, with the installed packages, with the commit, and with
 * the folder of the project: sources know where they are.
 */
function digestOf(folders, commit) {
  const hash = createHash('sha256').update(`${root}\n${commit}\n`);
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  for (const name of [...sources.sort(), 'package.json', 'node_modules/.package-lock.json']) {
    // Only npm writes its list of installed packages.
    const found = statSync(join(root, name), { throwIfNoEntry: false });
    hash.update(`${name} ${found?.size} ${found?.mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Writes a bundle into a folder of this process and renames that: a bundle exists whole or not at all. */
async function writeBundle(entry, directory, constants) {
  const { build } = await import('esbuild');
  const staging = `${directory}.${process.pid}`;
  try {
    await build({
      entryPoints: [entry],
      outdir: staging,
      bundle: true,
      define: Object.fromEntries(
        Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]),
      ),
      // What a program imports later stays in files of its own: most runs never need them.
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: outside,
      // Packages in CommonJS ask for modules of Node with `require`.
      banner: {
        js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
      },
      outExtension: { '.js': '.mjs' },
      sourcemap: 'linked',
      // The sources lie beside it; without them the map loads in half the time.
      sourcesContent: false,
      plugins: [ownAddresses],
      logLevel: 'silent',
    });
    // Another process may have written the same bundle meanwhile.
    if (!existsSync(directory)) renameSync(staging, directory);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Gives each source its own `import.meta.url`: it finds files by that, wherever the bundle lies. */
const ownAddresses = {
  name: 'own addresses',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: 'ts',
    }));
  },
};

/** Removes the older bundles of a program, and what a killed start left of one. */
function removeOlder(prefix) {
  const byAge = readdirSync(bundles)
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ path: join(bundles, name), ms: statSync(join(bundles, name)).mtimeMs }))
    .sort((a, b) => b.ms - a.ms);
  for (const { path } of byAge.slice(bundlesKept)) rmSync(path, { recursive: true, force: true });
}
