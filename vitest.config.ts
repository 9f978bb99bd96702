import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { reportSkipped } from './test/support/skipped.ts';

/** Files that take longest, by name: they start first, so that none is left over for the end of a run. */
const longest = [
  'browser',
  'edge',
  'deploy-proxy',
  'simulate',
  'trial',
  'releases',
  'ingest-archive',
  'reconcile-gap',
  'follow-threads',
  'follow-contents',
  'prepare',
  'main',
  'server',
  'build',
];

/** Vitest takes a sequencer as a class alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Tests that ask how long others wait beside a flood: nothing else runs meanwhile. */
const floods = 'test/campaign/floods.test.ts';

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'floods', include: [floods], sequence: { groupOrder: 2 } } },
      {
        extends: true,
        test: {
          name: 'others',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/node_modules/**', floods],
          sequence: { groupOrder: 1 },
        },
      },
    ],
    reporters: ['default', reportSkipped],
    globalSetup: 'test/support/run.ts',
    setupFiles: 'test/support/after-tests.ts',
    // Tests wait for a third of their time: for processes that they start, and for EDGAR's limit of requests.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // The files of a worker share the modules that they import. To load them for each file costs a third of the run.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Tests that run at once wait for EDGAR's limit of requests, not for the processor.
    maxConcurrency: 20,
    tags: [
      {
        name: 'slow',
        description:
          'Run by `npm run test:all` alone: many processes, kills, the browser, whole recordings, every file damaged in turn.',
      },
      {
        name: 'nightly',
        description:
          'Run by `npm run test:nightly` alone: what another test does few times, many times. It has the tag `slow` as well.',
      },
    ],
    // What hangs ends here. A test that needs longer has a limit of its own, and says why.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a page or a process comes to show is waited for as long as the test may take: one second is too short for a
    // busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
