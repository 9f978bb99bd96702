// The commands of the build: `node build/start.mjs build --ledger DIR`. A thread of the follower runs it, too.
import { runBundled } from '../src/bundle.mjs';

/** The assets of the site are in the bundle, so that no build has to make them again. */
async function constants() {
  const { bundleAssets } = await import('../site/bundle-assets.mjs');
  return { bundledAssets: bundleAssets() };
}

await runBundled('build/main.ts', ['build', 'clients/typescript/src', 'site', 'src'], constants);
