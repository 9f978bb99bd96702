import { createHash } from 'node:crypto';
import { lastingHeaders } from './pages/parts/page-headers.ts';
import type { AssetName, AssetPaths } from './pages/parts/shell.ts';
import type { PublicFile } from './content/public-file.ts';
import { bundleAssets } from './bundle-assets.mjs';

/** Files that pages load, and the path of each. */
export interface Assets extends AssetPaths {
  readonly files: readonly PublicFile[];
}

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The bundle of the program has the assets of its sources in this name (`build/start.mjs`). */
declare const bundledAssets: ReturnType<typeof bundleAssets> | undefined;

let bundled: { name: AssetName; extension: string; bytes: Buffer }[] | undefined;

/** Returns the bundled assets. Without a bundle of the program they are made once for each process. */
function bundle(): { name: AssetName; extension: string; bytes: Buffer }[] {
  bundled ??= (typeof bundledAssets === 'undefined' ? bundleAssets() : bundledAssets).map(
    ({ name, extension, text }) => ({ name, extension, bytes: Buffer.from(text) }),
  );
  return bundled;
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
