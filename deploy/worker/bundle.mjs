import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { commitOf } from '../../src/bundle.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Bundles the worker into one file, for tests and for `wrangler deploy`. */
await build({
  entryPoints: [path('../../src/edge.ts')],
  outfile: process.argv[2] ?? path('dist/edge.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'node',
  mainFields: ['module', 'main'],
  conditions: ['workerd', 'worker', 'import'],
  minify: true,
  legalComments: 'none',
  define: { programCommit: JSON.stringify(commitOf(path('../..'))) },
  external: ['node:*'],
  logLevel: 'warning',
  // Some packages import Node's modules without the prefix `node:`, which the engine of workers requires.
  alias: Object.fromEntries(
    [
      'assert',
      'buffer',
      'crypto',
      'events',
      'fs',
      'path',
      'process',
      'stream',
      'string_decoder',
      'url',
      'util',
      'zlib',
      'http',
      'https',
      'net',
    ].map((name) => [name, `node:${name}`]),
  ),
});
