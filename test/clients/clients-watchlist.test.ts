import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createClient,
  type Change,
  type Client,
  type FilingEventsError,
  memoryCursor,
} from '../../clients/typescript/src/node.ts';
import { createParts, filtersOfParts } from '../../clients/typescript/src/parts.ts';
import { clients, clientService, pythonEnvironment, run, type ClientService } from '../support/clients.ts';
import { needs } from '../support/needs.ts';
import { serviceKey } from '../support/service.ts';

let served: ClientService;
beforeAll(async () => {
  served = await clientService(5);
});
afterAll(() => served.close());

const unknownEntries = Array.from({ length: 600 }, (_, at) => `NO${at}`);
/** A list for which three requests are needed. Of the companies of its second part none is known. */
const watched = [...unknownEntries.slice(0, 249), 'T1', ...unknownEntries.slice(249), 'T2'];

function watching(told: string[] = []): Client {
  return createClient({
    baseUrl: served.address,
    apiKey: serviceKey,
    onUnknown: (entries) => void told.push(...entries),
  });
}

async function all(changes: AsyncIterable<Change>): Promise<number[]> {
  const sequences: number[] = [];
  for await (const { sequence } of changes) sequences.push(sequence);
  return sequences;
}

it('a list of any number of companies has the changes of those that are known, and the others are told once', async () => {
  const told: string[] = [];
  const changes = watching(told).changes({ tickers: watched, since: '2026-01-01' });
  expect(await all(changes)).toEqual([1, 2, 3, 4, 5]);
  expect(await all(changes)).toEqual([1, 2, 3, 4, 5]);
  expect(told.sort()).toEqual([...unknownEntries].sort());
});

it('a list of which no company is known is refused, short or long', async () => {
  for (const tickers of [unknownEntries.slice(0, 2), unknownEntries])
    await expect(all(watching().changes({ tickers, since: '2026-01-01' }))).rejects.toThrow(
      expect.objectContaining({ code: 'company_not_found' } satisfies Partial<FilingEventsError>),
    );
});

it('followers of a list that needs several requests go on behind what was handled, and have what is new', async () => {
  const cursor = memoryCursor();
  const told: string[] = [];
  const take = async (count: number) => {
    const taken: number[] = [];
    const changes = watching(told).changes({ tickers: watched, since: '2026-01-01' });
    for await (const { sequence } of changes.follow({ cursor })) {
      taken.push(sequence);
      if (taken.length === count) break;
    }
    return taken;
  };
  expect(await take(3)).toEqual([1, 2, 3]);
  // The last one was cut: the loop never asked for the next.
  expect(await take(2)).toEqual([3, 4]);
  const rest = take(4);
  await served.publish(2);
  expect(await rest).toEqual([4, 5, 6, 7]);
  expect((await cursor.load())?.split('\n').length).toBe(4);
});

const python = `
import os, sys
from filing_events import Client, FilingEventsError, MemoryCursor
told, store = [], MemoryCursor()
client = Client(os.environ["BASE_URL"], os.environ["API_KEY"], on_unknown=told.extend)
unknown = [f"NO{at}" for at in range(600)]
watched = [*unknown[:249], "T1", *unknown[249:], "T2"]
changes = client.changes(tickers=watched, since="2026-01-01")
print([change["sequence"] for change in changes][:5], sorted(told) == sorted(unknown))
for most in (3, 2, 3):
    taken = []
    for change in client.changes(tickers=watched, since="2026-01-01").follow(cursor=store):
        taken.append(change["sequence"])
        if len(taken) == most:
            break
    print(taken)
for tickers in (unknown[:2], unknown):
    try:
        list(client.changes(tickers=tickers, since="2026-01-01"))
    except FilingEventsError as failure:
        print(failure.code)
Client(os.environ["BASE_URL"], os.environ["API_KEY"])
list(Client(os.environ["BASE_URL"], os.environ["API_KEY"]).changes(tickers=["T1", "ZZZZ"], since="2026-01-01"))
`;

it('the Python client reads such lists in the same way', needs('python'), async () => {
  const environment = { ...pythonEnvironment, BASE_URL: served.address, API_KEY: serviceKey };
  const { stdout, stderr } = await run('python3', ['-c', python], { env: environment, cwd: join(clients) });
  expect(stdout.split('\n')).toEqual([
    '[1, 2, 3, 4, 5] True',
    '[1, 2, 3]',
    '[3, 4]',
    '[4, 5, 6]',
    'company_not_found',
    'company_not_found',
    '',
  ]);
  expect(stderr).toBe("the service holds no company with the ticker symbol or CIK 'ZZZZ'\n");
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

it('a change that concerns several parts of a list comes once, whenever the reader is stopped', async () => {
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
        expect([...seen].sort((a, b) => a - b)).toEqual(wanted.map(({ sequence }) => sequence));
      },
    ),
  );
});
