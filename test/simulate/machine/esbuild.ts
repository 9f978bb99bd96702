import { buildSync, type BuildOptions, type BuildResult } from 'esbuild';

const results = new Map<string, BuildResult>();

/** `esbuild` that bundles each thing once for all processes: the sources do not change during a run. */
export const esbuildModule = {
  buildSync(options: BuildOptions): BuildResult {
    const name = JSON.stringify(options);
    const result = results.get(name) ?? buildSync(options);
    results.set(name, result);
    return result;
  },
};
