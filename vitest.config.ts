import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/node_modules/**'],
    globalSetup: 'test/support/run.ts',
    // One worker for each core. The default leaves one core idle.
    maxWorkers: '100%',
    tags: [
      {
        name: 'slow',
        description:
          'Run by `npm run test:all` alone: many processes, kills, the browser, whole recordings, every file damaged in turn.',
      },
    ],
    // What hangs ends here. A test that needs longer has a limit of its own, and says why.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
