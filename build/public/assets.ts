import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { lastingHeaders } from '../../site/pages/parts/headers.ts';
import type { AssetName, AssetPaths } from '../../site/pages/parts/shell.ts';
import type { PublicFile } from '../content/public-file.ts';

/** The sources of the assets that pages load. The mark is drawn, not bundled. */
const entries = {
  style: 'styles/site.css',
  site: 'scripts/site.ts',
  landing: 'scripts/landing.ts',
  explore: 'scripts/explore.ts',
  companies: 'scripts/companies.ts',
  operations: 'scripts/operations.ts',
  reference: 'scripts/reference.ts',
  search: 'scripts/search.ts',
  market: 'scripts/market.ts',
  status: 'scripts/status.ts',
} as const satisfies Record<Exclude<AssetName, 'mark'>, string>;

/** Files that pages load, and the path of each. */
export interface Assets extends AssetPaths {
  readonly files: readonly PublicFile[];
}

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const folder = fileURLToPath(new URL('../../site/', import.meta.url));
let bundled: { name: AssetName; extension: string; bytes: Buffer }[] | undefined;

/** Bundles the assets once for each process, because the sources do not change while it runs. */
function bundle(): { name: AssetName; extension: string; bytes: Buffer }[] {
  return (bundled ??= bundleOnce());
}

function bundleOnce(): { name: AssetName; extension: string; bytes: Buffer }[] {
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
  return (Object.keys(entries) as (keyof typeof entries)[]).map((name) => {
    const extension = entries[name].endsWith('.css') ? 'css' : 'js';
    const output = outputFiles.find(({ path }) => path === join(folder, `${name}.${extension}`));
    if (output === undefined) throw new Error(`the asset ${name} was not bundled`);
    return { name, extension, bytes: Buffer.from(output.contents) };
  });
}

/** Returns the assets of a site: the bundles, and pictures that were drawn for it. */
export function createAssets(
  pictures: readonly { name: AssetName; extension: string; bytes: Buffer }[],
): Assets {
  const found = [...bundle(), ...pictures].map(({ name, extension, bytes }) => ({
    name,
    file: {
      path: `/assets/${name}.${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${extension}`,
      contentType: contentTypes[extension] ?? 'application/octet-stream',
      bytes,
      headers: lastingHeaders,
    },
  }));
  return {
    files: found.map(({ file }) => file),
    pathOf: (name) => found.find((asset) => asset.name === name)?.file.path ?? '/assets/missing',
  };
}
