import type { Edit } from './machine/bundle.ts';

/** A mend that is taken out, and the seed that finds it. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The seed on record: one day shows that the mend is missing. */
  readonly seed: number;
  /** In which words it did so when it was recorded. */
  readonly says: string;
}

/** Every mend that the simulator has to miss. */
export const mutants: readonly Mutant[] = [
  {
    name: 'rules stay mixed',
    seed: 6,
    says: 'verify fails',
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
    seed: 1,
    says: "service: the symbol SYM12 goes back to 0001000112; EDGAR's ticker files give it to 0001000084",
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
    seed: 38,
    says: '0001000084-26-000268: its form is 10-Q at the end, EDGAR says 10-Q/A',
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
    seed: 37,
    says: '0001000126-26-000264: its document is null at the end, EDGAR says d264.htm',
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
    seed: 9,
    says: '0001000063-26-000099, DEF 14A of 20260420090246, is lost',
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
    seed: 16,
    says: '0001000014-26-000303 of 2026-07-29 was withdrawn by EDGAR, and the result of the day does not say so',
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
    seed: 5,
    says: 'the command reconcile --since 2026-06-25 fails while nothing is wrong',
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
    seed: 1,
    says: '20260727-a173729265d27403, which has 12 batches, was current, and now it is 20260727-7e9bb54549b41581 with 10, although nobody rolled back',
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
    seed: 188,
    says: 'the snapshot 20260910-0ef061ab3e920bce is gone, although it was current 4 minutes ago: it may be read',
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
    seed: 188,
    says: 'the snapshot 20260910-e9d67184dfe3c476 is still on the disk 58 minutes after the pointer named it last',
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
    seed: 32,
    says: 'mirror: it went back to 20261016-0d635935ffa2e82f, which was published before the one that it served',
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
    seed: 12,
    says: 'mirror: it has nothing to serve: No good snapshot is available',
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
    seed: 49,
    says: 'the exported table changes lacks 11 rows of 65, and has 11 others',
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
    seed: 49,
    says: 'the endpoint all: it has entry 21, 0001000084-26-000266.1, where the feed has 0001000021-26-000224.1, and nobody was told',
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
    name: 'endpoints that hang keep the slots of others',
    seed: 39,
    says: 'the endpoint all did not accept 0001000049-26-000156.2, and gets it again later than 5 seconds after',
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
    seed: 39,
    says: 'the stream /v1/sec/changes says nothing for 35 seconds',
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
    seed: 65,
    says: 'the stream /v1/sec/changes says nothing for 27 seconds',
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
    seed: 39,
    says: 'a stream has not told entry 260, 0001000042-26-000159, 5 seconds after a poll got it',
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
