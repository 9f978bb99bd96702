// @module-tag slow
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { command } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { linkPackages } from '../support/link-packages.ts';
import { generateLedger } from '../support/generate.ts';

const directory = useDirectories('start');
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Checkout {
  readonly path: string;
  /** Names of the bundles that there are, in the folder where it was made or another one. */
  bundles(folder?: string): string[];
  /** Runs `npm start -- --help` in either, which loads the service and ends. Returns what it printed. */
  start(folder?: string): string;
}

/** A checkout of its own: a copy of the sources over the packages of this one. */
function makeCheckout(): Checkout {
  const path = join(directory(), 'checkout');
  linkPackages(path);
  cpSync(join(root, 'src'), join(path, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(path, 'package.json'));
  return {
    path,
    bundles(folder = path) {
      const bundles = join(folder, 'node_modules/.cache/filing-event-intelligence');
      return existsSync(bundles) ? readdirSync(bundles) : [];
    },
    start(folder = path) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['src/start.mjs', '--help'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      return stdout;
    },
  };
}

describe('npm start', () => {
  it('a start writes a bundle, the next one uses it, a changed source gives another one, and five are kept', () => {
    const { path, start, bundles } = makeCheckout();
    expect(start()).toContain('Usage: npm start');
    const [first] = bundles();
    expect(bundles()).toEqual([expect.stringMatching(/^server-[0-9a-f]{16}$/)]);

    // Only a start that runs the bundle itself prints what is changed in it.
    const bundle = join(path, 'node_modules/.cache/filing-event-intelligence', first ?? '');
    const chunk = readdirSync(bundle).find(
      (name) => name.endsWith('.mjs') && readFileSync(join(bundle, name), 'utf8').includes('Usage: npm'),
    );
    const chunkPath = join(bundle, chunk ?? 'server.mjs');
    writeFileSync(chunkPath, `console.log('from the bundle');\n${readFileSync(chunkPath, 'utf8')}`);
    expect(start()).toContain('from the bundle');
    expect(bundles()).toEqual([first]);

    // Bundles of earlier sources, and what a start that was killed left, which is the oldest.
    const left = ['.1', 1, 2, 3, 4].map((each) => `server-000000000000000${each}`);
    for (const [seconds, name] of left.entries()) {
      const older = join(path, 'node_modules/.cache/filing-event-intelligence', name);
      mkdirSync(older);
      utimesSync(older, seconds, seconds);
    }
    const product = join(path, 'src/contract/product.ts');
    writeFileSync(product, `console.log('from the source');\n${readFileSync(product, 'utf8')}`);
    expect(start()).toContain('from the source');
    const kept = bundles();
    expect(kept).toEqual(expect.arrayContaining([first, ...left.slice(2)]));
    // Five are kept.
    expect(kept.length).toBe(5);

    // Sources know where they are: moved elsewhere, the program is bundled again.
    renameSync(path, `${path}-moved`);
    expect(start(`${path}-moved`)).toContain('from the source');
    expect(bundles(`${path}-moved`).filter((name) => !kept.includes(name)).length).toBe(1);
  });

  it('the stack of an error names lines of the sources, also from a bundle', () => {
    const { path } = makeCheckout();
    const product = join(path, 'src/contract/product.ts');
    const source = readFileSync(product, 'utf8');
    const fail = "function fail(): never {\n  throw new RangeError('on purpose');\n}\nfail();\n";
    writeFileSync(product, `${source}${fail}`);
    const { status, stderr } = spawnSync(process.execPath, ['src/start.mjs'], {
      cwd: path,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    const line = source.split('\n').length + 1;
    expect(stderr).toContain(
      `RangeError: on purpose\n    at fail (${pathToFileURL(realpathSync(product))}:${line}:9)\n    at ${pathToFileURL(realpathSync(product))}:${line + 2}:1\n`,
    );
  });

  it('the service starts from its sources where no bundle can be written', { tags: ['slow'] }, () => {
    const { path, start, bundles } = makeCheckout();
    writeFileSync(join(path, 'node_modules/.cache'), 'a file, and no folder');
    expect(start()).toContain('Usage: npm start');
    expect(bundles()).toEqual([]);
  });
});

describe('the commands of the build', () => {
  it('their bundle has the assets of the site: it builds the same snapshot as the sources', async () => {
    const [ledgerDirectory, bundled, unbundled] = [directory(), directory(), directory()];
    await generateLedger(ledgerDirectory, { filings: 20, companies: 5, batches: 1 });
    // This start writes the bundle. Then whoever asks the bundler for something fails.
    await command(['build', '--help']);
    const { code } = await command(['build', '--ledger', ledgerDirectory, '--snapshots', bundled], {
      ESBUILD_BINARY_PATH: '/bin/false',
    });
    expect(code).toBe(0);
    await buildSnapshot({
      ledgerDirectory,
      snapshotsDirectory: unbundled,
      settings: { baseUrl: null, marketplaceUrl: null },
      replace: false,
      log: () => undefined,
    });
    expect(await readPointer(bundled)).toEqual(await readPointer(unbundled));
  });
});
