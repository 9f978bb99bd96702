import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { bundleAssets } from '../../../site/bundle-assets.mjs';

/** The root of this repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A change of the text of a source, beside the product: a mend that is taken out, or newer rules. */
export interface Edit {
  /** The path of the file below the root. */
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

/** What a program gets instead of the globals of Node. */
export const globalNames = [
  'require',
  'module',
  'exports',
  'process',
  'console',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
  'performance',
  'Math',
  'AbortSignal',
  'crypto',
  'fetch',
] as const;

/** A program that can be started any number of times: each start has modules and globals of its own. */
export type Program = (globals: Readonly<Record<(typeof globalNames)[number], unknown>>) => void;

/** The packages that programs get from the machine, or never load. */
const outside = ['esbuild', 'undici', 'fs-native-extensions', 'tsx', '@hpcc-js/wasm-zstd'];

/** What the start of a command gives its bundle (`build/start.mjs`). */
const constants = { bundledAssets: JSON.stringify(bundleAssets()) };

/**
 * Bundles a program with edits of its sources, and adds those that change one of them to `used`. Bundles are kept below
 * `node_modules/.cache` by the digest of what they are made of.
 */
export async function bundleProgram(
  entry: string,
  edits: readonly Edit[],
  used: Set<Edit>,
): Promise<Program> {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: outside,
    define: constants,
    // Modules that are imported later come from the machine, too.
    supported: { 'dynamic-import': false },
    plugins: [editing(edits, used)],
    logLevel: 'silent',
  });
  const text = outputFiles[0]?.text ?? '';
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  // A file that exists lets debuggers and stack traces show where an error comes from.
  const folder = join(root, 'node_modules/.cache/simulate');
  const path = join(folder, `${digest}.cjs`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  }
  const run = compileFunction(text, [...globalNames], { filename: path }) as (...globals: unknown[]) => void;
  return (globals) => run(...globalNames.map((name) => globals[name]));
}

/** Gives each source its own address, leaves the end of an entry to its caller, and applies edits. */
function editing(edits: readonly Edit[], used: Set<Edit>): Plugin {
  return {
    name: 'editing',
    setup(bundler) {
      bundler.onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
        if (path.includes('/node_modules/')) return undefined;
        const name = relative(root, path);
        let contents = readFileSync(path, 'utf8').replaceAll(
          'import.meta.url',
          JSON.stringify(pathToFileURL(path).href),
        );
        for (const edit of edits) {
          if (edit.file !== name) continue;
          const edited = contents.replace(edit.from, edit.to);
          if (edited !== contents) used.add(edit);
          contents = edited;
        }
        // CommonJS cannot wait at its top: whoever starts the program waits for this promise.
        contents = contents.replace(/^(\S.*)?await (\w+\(\));$/m, '$1globalThis.process.done = $2;');
        return { contents: contents.replaceAll('globalThis.process.done', 'process.done'), loader: 'ts' };
      });
    },
  };
}
