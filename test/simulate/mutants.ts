import type { Edit } from './machine/bundle.ts';

/** A mend that is taken out, and the seed that finds it. */
export interface Mutant {
  readonly name: string;
  /** The number of the fault: up to 18 that in the issue "Right for years", then those that concern who reads from outside. */
  readonly point: number;
  readonly edits: readonly Edit[];
  /** The seed on record (`README.md` says in which words): one day shows that the mend is missing. */
  readonly seed: number;
}

/** Every mend that the simulator has to miss. */
export const mutants: readonly Mutant[] = [
  {
    name: 'rules stay mixed',
    point: 1,
    seed: 6,
    edits: [
      {
        file: 'build/snapshot/current-state.ts',
        from: 'isReadable && rules === rulesNumber && manifest.format',
        to: 'isReadable && manifest.format',
      },
      {
        file: 'build/snapshot/current-state.ts',
        from: 'restatesFrom: isReadable && rules < rulesNumber && !isRestated ? rules : null',
        to: 'restatesFrom: null',
      },
    ],
  },
  {
    name: 'symbols go back to their old holders',
    point: 2,
    seed: 1,
    edits: [
      {
        file: 'build/ledger/symbols.ts',
        from: 'if (byFiles.length > 0)\n    return',
        to: 'if (claim) return claim.cik;\n  if (byFiles.length > 0)\n    return',
      },
    ],
  },
  {
    name: 'days are compared by accession number alone',
    point: 3,
    seed: 38,
    edits: [
      {
        file: 'build/reconcile/compare.ts',
        from: 'return difference.ciks.length === 0',
        to: 'return true || difference.ciks.length === 0',
      },
    ],
  },
  {
    name: 'a request without an answer counts as an answer',
    point: 4,
    seed: 37,
    edits: [
      {
        file: 'build/follow/reading/pending.ts',
        from: "askedAgain(pending.file, answer === 'nothing', atMs)",
        to: 'askedAgain(pending.file, true, atMs)',
      },
      {
        file: 'build/reconcile/compare.ts',
        from: 'lacksDocuments: held.primaryDocument === null && held.sizeBytes === null',
        to: 'lacksDocuments: false',
      },
    ],
  },
  {
    name: 'a gap of more than a week is not looked at',
    point: 5,
    seed: 9,
    edits: [
      {
        file: 'build/reconcile/day.ts',
        from: '...filingDays(since, newest).filter(isNew)',
        to: '...filingDays(since, newest).filter((day) => isNew(day) && day >= dayFrom(newest, -7))',
      },
    ],
  },
  {
    name: 'withdrawals are skipped where the index is not cached',
    point: 6,
    seed: 16,
    edits: [
      {
        file: 'build/reconcile/quarter.ts',
        from: 'if (!isNeeded) return',
        to: 'if (!isNeeded || true) return',
      },
    ],
  },
  {
    name: 'writers do not take turns',
    point: 8,
    seed: 5,
    edits: [
      {
        file: 'build/ledger/batch.ts',
        from: /return withLock\(\s*join\(ledgerDirectory, '\.lock'\),\s*async/,
        to: "return (async (_path: string, work: () => Promise<Result>, _waiting: Waiting) => work())(join(ledgerDirectory, '.lock'), async",
      },
    ],
  },
  {
    name: 'builds do not take turns',
    point: 9,
    seed: 1,
    edits: [
      {
        file: 'build/snapshot/locks.ts',
        from: "return withLock(join(snapshotsDirectory, '.build.lock'), work, waiting);",
        to: 'return waiting === null ? withLock(snapshotsDirectory, work) : work();',
      },
      { file: 'build/snapshot/pointer.ts', from: 'if (replace || pointer === null)', to: 'if (true)' },
    ],
  },
  {
    name: 'snapshots are removed by the age of their files',
    point: 11,
    seed: 188,
    edits: [
      {
        file: 'build/snapshot/pointer.ts',
        from: 'if (before !== null && before.snapshotId !== snapshotId)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a full disk stays full',
    point: 12,
    seed: 188,
    edits: [
      {
        file: 'build/snapshot/build-room.ts',
        from: 'const removed = await withPartFolder(',
        to: 'const removed = await (async (..._: unknown[]): Promise<string[]> => [])(',
      },
      {
        file: 'build/follow/publisher.ts',
        from: 'startPrune();\n    const atMs',
        to: 'if (state.publishFailures === 0) startPrune();\n    const atMs',
      },
    ],
  },
  {
    name: 'protection against old pointers ends with the process',
    point: 17,
    seed: 32,
    edits: [
      {
        file: 'src/snapshot/accepted.ts',
        from: 'async greatest(key) {',
        to: 'async greatest(key) {\n      if (key) return null;',
      },
    ],
  },
  {
    name: 'a pointer signed anew for the same snapshot is not kept',
    point: 18,
    seed: 12,
    edits: [
      {
        file: 'src/snapshot/served-snapshot.ts',
        from: 'store.keepPointer?.(text, neededFor(manifestSha256, current));',
        to: '',
      },
    ],
  },
  {
    name: 'tables are continued after the ledger went on differently',
    point: 19,
    seed: 49,
    edits: [
      {
        file: 'build/export/position.ts',
        from: "=== log.batchOf(sequence) ? 'continues' : 'forked'",
        to: "=== (await log.batchOf(sequence)) ? 'continues' : 'continues'",
      },
    ],
  },
  {
    name: 'endpoints go on behind a bare sequence',
    point: 20,
    seed: 49,
    edits: [
      { file: 'build/deliver/feed.ts', from: 'changeKey(place) === change ?', to: 'change ?' },
      {
        file: 'build/deliver/feed.ts',
        from: "if (filter === filterKey(filterNow)) return place === undefined && isLast ? 'ahead' : 'lost';",
        to: '',
      },
    ],
  },
  {
    name: 'clients go on behind a bare sequence',
    point: 21,
    seed: 49,
    edits: [
      {
        file: 'clients/typescript/src/cursor.ts',
        from: 'if (found.sequence === sequence && changeKey(found) === change) return changes.slice(at + 1);',
        to: 'if (found) return changes.filter((each) => each.sequence > sequence);',
      },
    ],
  },
  {
    name: 'endpoints that hang keep the slots of others',
    point: 22,
    seed: 39,
    edits: [
      { file: 'build/deliver/attempt-slots.ts', from: '(isSlow ? slow : quick).enter', to: 'quick.enter' },
      {
        file: 'build/deliver/attempt-slots.ts',
        from: 'const timer = isSlow ?',
        to: 'const timer = true ?',
      },
    ],
  },
  {
    name: 'a stream of a limited key says nothing while it waits',
    point: 23,
    seed: 39,
    edits: [
      {
        file: 'src/rest/stream.ts',
        from: 'Math.min(waitMs, quietMs())',
        to: 'isWhole ? quietMs() : waitMs',
      },
      {
        file: 'src/rest/stream.ts',
        from: 'if (quietMs() > 0) continue;',
        to: 'if (!isWhole || quietMs() > 0) continue;',
      },
    ],
  },
  {
    name: 'publications that have nothing for a stream put its comments off',
    point: 24,
    seed: 65,
    edits: [
      {
        file: 'src/rest/stream.ts',
        from: 'Math.max(0, saidMs + commentEveryMs - elapsed())',
        to: '(saidMs > 0 ? 1 : 1) * commentEveryMs',
      },
      {
        file: 'src/rest/stream.ts',
        from: 'if (quietMs() > 0) continue;',
        to: 'if (isPublished) continue;',
      },
    ],
  },
  {
    name: 'a stream misses what is published while it reads a page',
    point: 25,
    seed: 39,
    edits: [
      { file: 'src/rest/stream.ts', from: 'const publication = held.publication();', to: '' },
      {
        file: 'src/rest/stream.ts',
        from: 'isWhole, publication };',
        to: 'isWhole, publication: held.publication() };',
      },
    ],
  },
];
