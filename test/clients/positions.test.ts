import { expect, it } from 'vitest';
import fc from 'fast-check';
import { createChanges } from '../../clients/typescript/src/changes.ts';
import {
  changeKey,
  memoryCursor,
  parsePosition,
  positionText,
  type CursorStore,
} from '../../clients/typescript/src/cursor.ts';
import { FilingEventsError, type Change } from '../../clients/typescript/src/node.ts';
import type { ChangePage, ChangeSource } from '../../clients/typescript/src/source.ts';

// The same for the client in Python is in clients/python/tests/test_positions.py.

/** A ledger as a feed gives it: the numbers of the filings of each batch. */
type Ledger = readonly (readonly number[])[];

/** When each batch was recorded tells ledgers apart that went on differently. */
interface Log {
  readonly ledger: Ledger;
  /** From which batch on it is another ledger than the first one. */
  readonly forkedAt: number;
}

const batchOf = ({ forkedAt }: Log, batch: number) => `${batch}${batch >= forkedAt ? 'b' : 'a'}`;

function changesOf(log: Log): { readonly change: Change; readonly batch: string }[] {
  let sequence = 0;
  return log.ledger.flatMap((numbers, at) =>
    numbers.map((number) => {
      const batch = batchOf(log, at);
      sequence++;
      const filing = { accessionNo: `0000000001-26-${String(number).padStart(6, '0')}` };
      return { change: { sequence, revision: 1, observedAt: batch, filing } as unknown as Change, batch };
    }),
  );
}

/** Pages of a few rows, which end where the log ends. Cursors name the batch of their last row, as those of the service do. */
function sourceOf(log: Log, isWanted: (change: Change) => boolean, rows: number): ChangeSource {
  const all = changesOf(log);
  return async function* pages({ cursor }): AsyncGenerator<ChangePage> {
    let [read = 0, batch = ''] = (cursor ?? '0:')
      .split(':')
      .map((part, at) => (at === 0 ? Number(part) : part)) as [number, string];
    if (read > 0 && all[read - 1] !== undefined && all[read - 1]?.batch !== batch)
      throw new FilingEventsError('the ledger was rolled back and continued differently', {
        code: 'invalid_cursor',
      });
    for (;;) {
      const found = all.filter(({ change }) => change.sequence > read && isWanted(change)).slice(0, rows);
      // The cursor of a page that is not full is at the end of the log.
      const end = found.length === rows ? found.at(-1) : all.at(-1);
      if (end !== undefined && end.change.sequence > read) [read, batch] = [end.change.sequence, end.batch];
      yield { changes: found.map(({ change }) => change), cursor: `${read}:${batch}` };
      if (found.length < rows) return;
    }
  };
}

const noFeed = {
  listChanges: () => Promise.reject(new Error('the source is asked')),
  listBulkFiles: () => Promise.reject(new Error('the follower has a date')),
};

/** Handles changes until there are no more, or `most`. The last one of those is cut: the loop never asks for the next. */
async function handled(source: ChangeSource, cursor: CursorStore, most = Infinity): Promise<string[]> {
  const keys: string[] = [];
  const client = { feed: noFeed, source, tellUnknown: () => {} };
  for await (const change of createChanges(client, { since: '2026-01-01' }).follow({ cursor })) {
    keys.push(`${change.sequence} ${changeKey(change)}`);
    if (keys.length === most) break;
  }
  return keys;
}

const batches = (least: number) =>
  fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }), {
    minLength: least,
    maxLength: 6,
  });
const history = fc.record({
  before: batches(1),
  /** How many batches are in the backup. */
  kept: fc.nat(6),
  after: batches(0),
  later: batches(4),
  most: fc.integer({ min: 1, max: 30 }),
  rows: fc.integer({ min: 1, max: 9 }),
  every: fc.constantFrom(1, 2, 3),
});

it('a follower that stopped anywhere loses no change after the ledger was restored and continued differently, or is refused', {
  tags: ['slow'],
}, async () => {
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ before, kept, after, later, most, rows, every }) => {
      const isWanted = ({ sequence }: Change) => sequence % every === 0;
      const store = memoryCursor();
      const first = await handled(
        sourceOf({ ledger: before, forkedAt: Infinity }, isWanted, rows),
        store,
        most,
      );
      const begin = before.slice(0, kept);
      const seen = new Set(first);
      // The first time the log may be shorter than what was handled.
      const logs = [
        [...begin, ...after],
        [...begin, ...after, ...Array.from({ length: 8 }, () => later).flat()],
      ];
      for (const ledger of logs) {
        const log = { ledger, forkedAt: begin.length };
        const there = changesOf(log)
          .map(({ change }) => change)
          .filter(isWanted)
          .map((change) => `${change.sequence} ${changeKey(change)}`);
        try {
          for (const key of await handled(sourceOf(log, isWanted, rows), store)) {
            if (first.slice(0, -1).includes(key)) throw new Error(`${key} comes again`);
            seen.add(key);
          }
        } catch (error) {
          if ((error as FilingEventsError).code !== 'invalid_cursor') throw error;
          // Nobody is refused while nothing was replaced.
          if (kept >= before.length) throw error;
          refusals++;
          return;
        }
        if (ledger === logs[1]) expect([...seen]).toEqual(expect.arrayContaining(there));
      }
    }),
    { numRuns: 600 },
  );
  expect(refusals).toBeGreaterThan(50);
});

it('a position of an older version, which has a sequence alone, brings the changes behind its cursor again', async () => {
  const source = sourceOf({ ledger: [[1, 2, 3, 4]], forkedAt: Infinity }, () => true, 4);
  expect(await handled(source, memoryCursor('1:0a 3'))).toEqual(
    changesOf({ ledger: [[1, 2, 3, 4]], forkedAt: Infinity })
      .slice(1)
      .map(({ change }) => `${change.sequence} ${changeKey(change)}`),
  );
});

it('positions are the same after they were written and read', () => {
  for (const position of [
    { cursor: 'abc', sequence: 0, change: undefined },
    { cursor: 'abc', sequence: 7, change: undefined },
    { cursor: null, sequence: 7, change: '0000000001-26-000001.1@2026-01-01T00:00:00.000Z' },
  ])
    expect(parsePosition(positionText(position))).toEqual(position);
  for (const text of ['', 'no cursor at all', 'a b', 'a 7 b c', 'a  7', 'a -7'])
    expect(() => parsePosition(text)).toThrow('no position');
});
