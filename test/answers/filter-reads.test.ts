import { describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { EndpointId } from '../../src/contract/endpoints.ts';
import { useDirectories } from '../support/directories.ts';
import { createRandom } from '../support/generate.ts';
import { cikOf, company, filing } from '../support/ledgers.ts';
import { openPublished, publishSegments } from '../support/published.ts';
import { countingReads, partsIn, type Read } from '../support/table.ts';
import { request, type Texts } from '../support/walk.ts';
import { headsOf } from '../support/heads.ts';

const fresh = useDirectories('reads');

/** Filings of the big company: prospectuses nearly all. What is rare is as rare at any size. */
const [big, other, owner, issuer] = [1, 2, 3, 4].map(cikOf) as [string, string, string, string];
const firstDayMs = Date.UTC(1996, 0, 2);
const days = 30 * 365;
const dayAt = (share: number) =>
  new Date(firstDayMs + Math.floor(share * days) * 86_400_000).toISOString().slice(0, 10);

/** Filing number `at` of so many, in the order of their days; a few come late. */
function bigFiling(at: number, count: number, random: () => number): LedgerFiling {
  const isNth = (times: number, offset: number) => at % Math.floor(count / times) === offset;
  const [form, items] = isNth(30, 13)
    ? ['10-K', []]
    : isNth(10, 17)
      ? ['8-K/A', ['2.02', '9.01']]
      : at === Math.floor(count / 3)
        ? ['8-K', ['5.01']]
        : at % 100 === 7
          ? ['8-K', ['8.01', '9.01']]
          : at % 100 === 9
            ? ['8-K', ['2.02', '9.01']]
            : ['424B2', []];
  const filedAt = dayAt(Math.max(0, at / count - (random() < 0.03 ? (random() * 20) / days : 0)));
  return filing(at + 1, {
    accessionNo: `0000000001-26-${String(at).padStart(6, '0')}`,
    form: form as string,
    items: items as string[],
    filedAt,
    filerCiks: [big],
  });
}

/**
 * Filings of the other companies: one has forms that the big one lacks, another files what it owns of a
 * third.
 */
function otherFilings(): LedgerFiling[] {
  const at = (number: number) => dayAt(number / 1500);
  return Array.from({ length: 1500 }, (_, number) => {
    const accessionNo = `0000000002-26-${String(number).padStart(6, '0')}`;
    if (number % 150 === 5)
      return filing(number, {
        accessionNo,
        form: '4',
        filedAt: at(number),
        subjectCik: owner,
        filerCiks: [other],
      });
    if (number % 3 > 0)
      return filing(number, {
        accessionNo,
        form: '4',
        filedAt: at(number),
        subjectCik: issuer,
        filerCiks: [owner],
      });
    return filing(number, {
      accessionNo,
      form: number % 2 === 0 ? 'S-1' : '10-Q',
      filedAt: at(number),
      filerCiks: [other],
    });
  });
}

/** A ledger whose newer batches correct filings of every age, in three segments. */
async function makeLedger(ledger: string, count: number): Promise<void> {
  const random = createRandom(3);
  const filings = Array.from({ length: count }, (_, at) => bigFiling(at, count, random));
  const ends = [0.6, 0.88, 0.98, 1].map((share) => Math.floor(count * share));
  for (const [at, end] of ends.entries()) {
    const begin = ends[at - 1] ?? 0;
    const corrected = new Map(
      Array.from(
        { length: at === 0 ? 0 : Math.floor((end - begin) / 50) },
        () => filings[Math.floor(random() * begin)] as LedgerFiling,
      ).map((row) => [row.accessionNo, { ...row, sizeBytes: 200 + at }]),
    );
    const rows = [...filings.slice(begin, end), ...corrected.values(), ...(at === 0 ? otherFilings() : [])];
    await appendBatch(ledger, {
      run: {
        target: 'made up',
        status: 'success',
        message: null,
        createdAt: new Date(Date.UTC(2026, 3, at + 1)).toISOString(),
      },
      filings: rows,
      companies: at === 0 ? [1, 2, 3, 4].map((number) => company(number)) : [],
      refusals: [],
    });
  }
}

interface Answered {
  readonly rows: number;
  readonly reads: readonly Read[];
}

/** Asks with nothing in memory, and tells how many rows came and which blocks were read for them. */
async function answered(
  ledger: string,
  directory: string,
  entries: Awaited<ReturnType<typeof publishSegments>>,
  id: EndpointId,
  texts: Texts,
): Promise<Answered> {
  const parts = countingReads(partsIn(directory));
  const open = await openPublished(ledger, directory, entries, parts);
  parts.reads.length = 0;
  const { meta } = await request<{ meta: { count: number } }>(open, id, texts);
  await open.close();
  return { rows: meta.count, reads: parts.reads };
}

const week: Texts = { since: dayAt(0.5), until: dayAt(0.5 + 7 / days) };
/** What is asked, and how many rows it has at least and at most. */
const asked: readonly (readonly [name: string, filters: Texts, least: number, most: number])[] = [
  ['a rare form', { form: '10-K', limit: '200' }, 30, 32],
  ['a rare form, a page of it', { form: '10-K', limit: '5' }, 5, 5],
  ['an absent form', { form: 'S-1' }, 0, 0],
  ['an absent family', { eventType: 'insider_transaction' }, 0, 0],
  ['a rare item', { items: '5.01' }, 1, 1],
  ['an absent item', { items: '1.05' }, 0, 0],
  ['an item of a rare form', { form: '8-K/A', items: '2.02' }, 10, 11],
  ['an item that a form never has', { form: '8-K/A', items: '8.01' }, 0, 0],
  ['a frequent form in one week', { form: '424B2', limit: '5', ...week }, 5, 5],
  ['a rare form in one week', { form: '10-K', ...week }, 0, 1],
  ['an item in one week', { items: '5.01', ...week }, 0, 0],
  ['an item of a rare form in one week', { form: '8-K/A', items: '2.02', ...week }, 0, 1],
  ['everything of one day', { since: dayAt(0.5), until: dayAt(0.5), limit: '200' }, 0, 60],
  ['a frequent form in one week, all of it', { form: '424B2', limit: '200', ...week }, 1, 200],
  ['rare forms together', { form: '10-K,8-K/A,S-1', limit: '20' }, 20, 20],
];
const lists: readonly (readonly [id: EndpointId, texts: Texts])[] = [
  ['listCompanyFilings', { ticker: big }],
  ['listLatestFilings', {}],
  ['listChanges', { ticker: big, since: '1990-01-01' }],
  ['listChanges', { since: '1990-01-01' }],
  ['listWatchlistChanges', { tickers: big, since: '1990-01-01' }],
];
/** The owner is the issuer of ten of some thousand filings that it is named in. */
const ofInsiders: typeof asked = [
  ['all', { limit: '200' }, 10, 10],
  ['an absent form', { form: '3' }, 0, 0],
  ['one week', { form: '4', ...week }, 0, 1],
];

/**
 * For each row a block of the list, one of the feed that it leads to, and one of their indexes; and some in
 * each segment to find the way, more of them where the index of a company has several blocks.
 */
const readsFor = (rows: number) => 3 * rows + 36;

async function expectFewReads(count: number): Promise<void> {
  const [ledger, directory] = [fresh(), fresh()];
  await makeLedger(ledger, count);
  const entries = await publishSegments(ledger, directory, [], (await headsOf(ledger)).length);
  // One or two joins wait or not, by the number of rows.
  expect(entries.length).toBeGreaterThan(1);
  const requests = [
    ...lists.flatMap(([id, texts]) => asked.map((each) => [id, texts, each] as const)),
    ...ofInsiders.map((each) => ['listInsiderTrades', { ticker: owner } as Texts, each] as const),
  ];
  for (const [id, texts, [name, filters, least, most]] of requests) {
    const { rows, reads } = await answered(ledger, directory, entries, id, { ...texts, ...filters });
    const label = `${id} ${JSON.stringify(texts)}, ${name}: ${rows} rows`;
    expect(rows, label).toBeGreaterThanOrEqual(least);
    // Other companies have what the big one lacks.
    if (texts['ticker'] !== undefined || texts['tickers'] !== undefined)
      expect(rows, label).toBeLessThanOrEqual(most);
    expect(reads.length, label).toBeLessThanOrEqual(readsFor(rows));
  }
}

describe('a filtered page of a big company', () => {
  it('a filtered page reads what it gives, not what it skips', { tags: ['slow'] }, () =>
    expectFewReads(6_000),
  );
  it(
    'a filtered page reads no more where there is more to skip',
    { tags: ['slow', 'nightly'], timeout: 900_000 },
    () => expectFewReads(100_000),
  );
});
