import type { Mutant } from '../mutant.ts';

/** Mends of publishing, rolling back and removing snapshots. */
export const publishMutants: readonly Mutant[] = [
  {
    name: 'a few companies are many files',
    breaks: 'An export of 400 companies has a file for each ten of them, and a query reads 42 files.',
    test: 'test/export/export.test.ts',
    title: 'the companies are one file',
    edits: [
      {
        file: 'build/export/export.ts',
        from: 'snapshot.manifest.companyCount <= companiesMaximum ? companyNumbers : companiesRange',
        to: 'companiesRange',
      },
    ],
  },
  {
    name: 'a ledger that lacks batches replaces its snapshot',
    breaks: 'A restored backup takes published filings back.',
    test: 'test/publish/build.test.ts',
    title: 'a build refuses a ledger whose last batches',
    edits: [
      {
        file: 'build/snapshot/current-state.ts',
        from: 'if (isGuarded && isSame && !continues)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a sample replaces real data',
    breaks: 'A wrong setting publishes the sample.',
    test: 'test/publish/build.test.ts',
    title: 'a build refuses a sample',
    edits: [
      {
        file: 'build/snapshot/current-state.ts',
        from: 'if (isGuarded && !isSame && survey.isSample)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'an older version replaces what a newer one made',
    breaks: 'A rollback of the program loses the rules of the newer one.',
    test: 'test/publish/restate.test.ts',
    title: 'an older version neither',
    edits: [
      {
        file: 'build/snapshot/current-state.ts',
        from: 'if (isSame && rules > rulesNumber)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a rollback cannot be taken back',
    breaks: 'The snapshot that a rollback left is removed at once.',
    test: 'test/snapshot/pointer.test.ts',
    title: 'rollback serves a named',
    edits: [
      {
        file: 'build/snapshot/pointer.ts',
        from: 'left: ids.slice(0, at).slice(0, keptSnapshots)',
        to: 'left: []',
      },
    ],
  },
  {
    name: 'a build takes a rollback back',
    breaks: 'The next look of the follower publishes what an operator took back.',
    test: 'test/snapshot/pointer.test.ts',
    title: 'prune keeps a snapshot that a rollback',
    edits: [
      {
        file: 'build/snapshot/pointer.ts',
        from: 'for (const id of isCurrentGood ? left : [])',
        to: 'for (const id of [] as string[])',
      },
    ],
  },
  {
    name: 'a snapshot that is named is removed',
    breaks: 'A rollback leads to a snapshot that is gone.',
    test: 'test/snapshot/pointer.test.ts',
    title: 'prune keeps named',
    edits: [{ file: 'build/snapshot/prune.ts', from: '...(pointer?.previous ?? [])', to: '' }],
  },
  {
    name: 'what a snapshot needs is removed',
    breaks: 'Segments of a kept snapshot are gone.',
    test: 'test/snapshot/pointer.test.ts',
    title: 'prune keeps named',
    edits: [
      {
        file: 'build/snapshot/prune.ts',
        from: 'for (const { name } of manifest.segments) named.segments.add(name);',
        to: '',
      },
    ],
  },
  {
    name: 'a restatement takes rows of unpublished batches back',
    breaks: 'After an update a correction that was not published yet is undone.',
    test: 'test/publish/restate.test.ts',
    title: 'a restatement takes back nothing',
    edits: [
      {
        file: 'build/snapshot/restate.ts',
        from: 'const isAgain = next.done !== true && next.value.keys.sort === sort;',
        to: 'const isAgain = false as boolean;',
      },
    ],
  },
  {
    name: 'a follower that cannot publish says that it is not behind',
    breaks: 'Nobody learns from its line of status and its lag that filings of the ledger wait.',
    test: 'test/follow/follow-state.test.ts',
    title: 'a filing that is in the ledger is behind',
    edits: [
      {
        file: 'build/follow/status-line.ts',
        from: 'unpublishedSinceMs === null ?',
        to: '(true as boolean) ?',
      },
    ],
  },
  {
    name: 'an empty path is the working directory',
    breaks: 'A variable that is not set scatters the tables of an export over the checkout.',
    test: 'test/commands/main.test.ts',
    title: 'a wrong argument or setting',
    edits: [{ file: 'src/settings/argument-values.ts', from: "text.trim() === '' || ", to: '' }],
  },
  {
    name: 'an export on a full disk leaves what it wrote',
    breaks:
      'The disk stays full of files that no table names, and the follower on the same disk cannot append.',
    test: 'test/export/export.test.ts',
    title: 'full disk',
    edits: [{ file: 'build/export/export.ts', from: 'if (isDiskFull(error)) ', to: 'if (error === null) ' }],
  },
];
