import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/node_modules/**'],
    // Tests that start processes (ingest, build, server) are slow on a busy two-core machine; a limit only stops hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
