// @ts-check
// Bundles what pages load. This file is JavaScript because the start of a command runs it, too, when it writes the
// bundle of the program: Node 20 does not run TypeScript.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));

/**
 * The sources of the assets that pages load, by name. The mark is drawn, not bundled.
 * @satisfies {Record<Exclude<import('./pages/parts/shell.ts').AssetName, 'mark'>, string>}
 */
const entries = {
  style: 'styles/site.css',
  site: 'scripts/site-script.ts',
  landing: 'scripts/landing-script.ts',
  companies: 'scripts/companies-script.ts',
  company: 'scripts/company-script.ts',
  filing: 'scripts/filing-script.ts',
  filings: 'scripts/filings-script.ts',
  operations: 'scripts/operations-script.ts',
  reference: 'scripts/reference-script.ts',
  search: 'scripts/search-script.ts',
  market: 'scripts/market-script.ts',
  status: 'scripts/status-script.ts',
};

/**
 * Returns the scripts and styles of the site, each with its name, the extension of its file, and its text. Throws if
 * a source cannot be bundled.
 * @returns {{ name: keyof typeof entries, extension: 'css' | 'js', text: string }[]}
 */
export function bundleAssets() {
  // Loading it takes 33 ms, and commands that start from a bundle never need it.
  const { buildSync } = /** @type {typeof import('esbuild')} */ (createRequire(import.meta.url)('esbuild'));
  const { outputFiles } = buildSync({
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, path]) => [name, `${folder}${path}`]),
    ),
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const names = /** @type {(keyof typeof entries)[]} */ (Object.keys(entries));
  return names.map((name) => {
    const extension = entries[name].endsWith('.css') ? 'css' : 'js';
    const output = outputFiles.find((each) => each.path === join(folder, `${name}.${extension}`));
    if (output === undefined) throw new Error(`the asset ${name} was not bundled`);
    return { name, extension, text: output.text };
  });
}
