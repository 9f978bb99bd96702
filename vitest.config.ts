import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/node_modules/**'],
    tags: [{ name: 'slow', description: 'Run by `npm run test:all` alone: many processes, kills, the browser, whole recordings, every file damaged in turn.' }],
    // Tests that start processes (ingest, build, server) are slow on a busy two-core machine; a limit only stops hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
