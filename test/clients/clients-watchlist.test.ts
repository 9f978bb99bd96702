import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Change } from '../../clients/typescript/src/node.ts';
import { createParts, filtersOfParts } from '../../clients/typescript/src/parts.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { drivenLanguages } from '../support/driven-clients.ts';

const directory = useDirectories('watchlist');
let served: ClientService;
beforeAll(async () => {
  served = await clientService(5);
});
afterAll(() => served.close());

const unknownEntries = Array.from({ length: 600 }, (_, at) => `NO${at}`);
/** A list for which three requests are needed. Of the companies of its second part none is known. */
const watched = [...unknownEntries.slice(0, 249), 'T1', ...unknownEntries.slice(249), 'T2'];

describe.each(drivenLanguages)('a list of companies of the client for $language', ({ open }) => {
  const since = '2026-01-01';
  const client = () => open({ baseUrl: served.address });
  const sequencesOf = (changes: readonly Change[]) => changes.map(({ sequence }) => sequence);

  it('a list of any number of companies has the changes of those that are known, and the others are told once', async () => {
    const watching = client();
    const { changes } = await watching.follow({ filter: { tickers: watched, since }, most: 5 });
    expect(sequencesOf(changes)).toEqual([1, 2, 3, 4, 5]);
    expect((await watching.told()).unknown.toSorted()).toEqual(unknownEntries.toSorted());
    expect(sequencesOf(await client().changes({ tickers: watched, since })).slice(0, 5)).toEqual([
      1, 2, 3, 4, 5,
    ]);
  });

  it('a list of which no company is known is refused, short or long', async () => {
    for (const tickers of [unknownEntries.slice(0, 2), unknownEntries])
      await expect(client().changes({ tickers, since })).rejects.toMatchObject({ code: 'company_not_found' });
  });

  it('followers of a list that needs several requests go on behind what was handled, and have what is new', async () => {
    const file = join(directory(), 'state');
    const growing = await clientService(5);
    const take = async (most: number) => {
      const reader = open({ baseUrl: growing.address });
      return sequencesOf((await reader.follow({ filter: { tickers: watched, since }, most, file })).changes);
    };
    expect(await take(3)).toEqual([1, 2, 3]);
    // The last one was cut: the loop never asked for the next.
    expect(await take(2)).toEqual([3, 4]);
    const rest = take(4);
    await growing.publish(2);
    expect(await rest).toEqual([4, 5, 6, 7]);
    expect(readFileSync(file, 'utf8').trim().split('\n').length).toBe(4);
    await growing.close();
  });
});

interface Filed {
  readonly sequence: number;
  /** Which parts of the list its parties are in. */
  readonly parts: readonly number[];
}

/** A feed of a list of three parts, which grows with each request; one replica knows less of it than the other. */
function growingFeed(filed: readonly Filed[], grows: (requests: number) => number) {
  let requests = 0;
  let length = 0;
  return {
    listBulkFiles: async () => ({ data: length === 0 ? [] : [{ lastSequence: length }] }),
    async listChanges({ tickers, cursor = '0' }: { tickers?: string | readonly string[]; cursor?: string }) {
      length = Math.min(filed.length, length + grows(requests++));
      const part = Number(tickers?.[0]?.slice(0, 1));
      const found = filed
        .slice(0, length)
        .filter(({ sequence, parts }) => sequence > Number(cursor) && parts.includes(part))
        .slice(0, 200);
      const end = found.length === 200 ? found.at(-1)?.sequence : Math.max(length, Number(cursor));
      const data = found.map(({ sequence, parts }) => ({
        sequence,
        revision: 1,
        observedAt: 'then',
        filing: { accessionNo: `${sequence}`, parties: parts.map(String) },
      }));
      return { data, meta: { nextCursor: `${end}`, unknown: [] } };
    },
  };
}

it('a change that concerns several parts of a list comes once and in order, whenever the reader is stopped', async () => {
  const filters = filtersOfParts({
    tickers: Array.from({ length: 700 }, (_, at) => `${Math.floor(at / 250)}X${at}`),
  });
  expect(filters.length).toBe(3);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1 }), { maxLength: 40 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 9 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      async (parties, growth, stops) => {
        const filed = parties.map((parts, at) => ({ sequence: at + 1, parts }));
        const feed = growingFeed(
          filed,
          (requests) => (growth[requests % growth.length] ?? 0) + (requests > 60 ? 1 : 0),
        );
        const client = { feed: feed as never, tellUnknown: () => {} };
        const seen: number[] = [];
        let saved: string | null = null;
        for (let starts = 0; starts < 40; starts++) {
          const parts = createParts(client, filters, saved, null);
          let left = starts < 30 ? (stops[starts % stops.length] ?? 1) : Infinity;
          for await (const { changes, cursor } of parts.changes()) {
            // A program that is stopped here has not handled the change.
            if (left-- === 0) break;
            seen.push(...changes.map(({ sequence }) => sequence));
            saved = cursor;
          }
        }
        const wanted = filed.filter(({ parts }) => parts.some((part) => part < 3));
        expect(seen).toEqual(wanted.map(({ sequence }) => sequence));
      },
    ),
  );
});
