import type { Mutant } from '../mutant.ts';

/** Mends of the feed, its cursors and streams. */
export const feedMutants: readonly Mutant[] = [
  {
    name: 'a cursor of a ledger that continued differently is taken',
    breaks: 'After a restored ledger a client skips changes without a word.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'if (expected !== null && expected !== furthest.batch)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a cursor of another ledger is taken',
    breaks: 'A cursor of another service leads to changes of this one.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'if (parts[1] !== ledgerId.slice(0, digits))',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a cursor may be altered',
    breaks: 'A cursor with other numbers is taken for one that was given out.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'if (encode(parts) !== text || parts[0] !== kind)',
        to: 'if (parts[0] !== kind)',
      },
    ],
  },
  {
    name: 'a rollback forgets what was seen',
    breaks: 'After a rollback a new cursor is refused once the snapshots are back.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'batch === null && seen ? seen.furthest : {',
        to: 'false ? (seen as FeedCursor).furthest : {',
      },
    ],
  },
  {
    name: 'a watchlist stream loses the second event of a change',
    breaks: 'A change that belongs to two companies of a watchlist is told for one of them after a resume.',
    test: 'test/answers/stream.test.ts',
    edits: [
      {
        file: 'src/answers/watchlist.ts',
        from: 'Math.max(readUpTo(chain, seen), untold.has(chain) ? reached - 1 : reached),',
        to: 'Math.max(readUpTo(chain, seen), reached),',
      },
    ],
  },
  {
    name: 'held requests miss a publication in between',
    breaks: 'A request with wait sleeps although a publication came while its page was read.',
    test: 'test/answers/held.test.ts',
    edits: [{ file: 'src/requests/held.ts', from: 'if (published > publication) return true;', to: '' }],
  },
];
