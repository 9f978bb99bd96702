import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../build/ledger/observation.ts';
import { extentOf, filingExtentOf } from '../../src/rows/parts.ts';
import type { RowFilter } from '../../src/answers/row-filter.ts';
import type { ListSource } from '../../src/answers/read-list.ts';
import { eachFilter, type FilterName } from '../../src/contract/filing-filters.ts';
import { changeCauses, type Change, type ChangeCause, type Filing } from '../../src/contract/records.ts';
import { feedSortKey, historySortKey, type SegmentEntry } from '../../src/format/snapshot.ts';
import { useDirectories } from '../support/directories.ts';
import { createRandom } from '../support/generate.ts';
import {
  ciks,
  days,
  expectedRows,
  forms,
  isFeed,
  items,
  lists,
  observationsOf,
  readBoundedList,
  readList,
  request,
  said,
  sourceOf,
  writeObservations,
  type AskedList,
  type Said,
} from '../support/lists.ts';
import { listIn } from '../support/log.ts';
import { countingReads, partsIn } from '../support/table.ts';

const fresh = useDirectories('lists');

async function madeSource(groups: readonly (readonly Said[])[]): Promise<{
  readonly source: ListSource;
  readonly observations: Observation[][];
  readonly directory: string;
  readonly entries: SegmentEntry[];
}> {
  const directory = fresh();
  const observations = observationsOf(groups);
  const entries = await writeObservations(directory, observations);
  return { directory, entries, observations, source: await sourceOf(directory, entries, observations) };
}

/** The text that stands for a row in comparisons: the filing, in a feed with its sequence before it. */
const nameOf = (isFeed: boolean, sequence: number, filing: string) =>
  isFeed ? `${sequence} ${filing}` : filing;

/** Reads a list and expects the rows of the model. Returns their number. */
async function expectModel(
  { source, observations }: Pick<Awaited<ReturnType<typeof madeSource>>, 'source' | 'observations'>,
  asked: AskedList,
): Promise<number> {
  const rows = await readList(source, asked);
  const found = rows.map((row) => {
    const { bytes, from, to } = isFeed(asked.table) ? extentOf(row) : filingExtentOf(row);
    const text = bytes.toString('utf8', from, to);
    if (!isFeed(asked.table)) return text;
    const { sequence, filing } = JSON.parse(text) as Change;
    return nameOf(true, sequence, JSON.stringify(filing));
  });
  const expected = expectedRows(observations, asked);
  expect(found, JSON.stringify(asked)).toEqual(
    expected.map(({ sequence, filing }) => nameOf(isFeed(asked.table), sequence, JSON.stringify(filing))),
  );
  // The next page begins after the sort key of a row, so the sort keys have to be those of the model, too.
  const sorts = expected.map(({ sequence, filing }) =>
    isFeed(asked.table) ? feedSortKey(sequence) : historySortKey(filing),
  );
  expect(rows.map(({ sort }) => sort)).toEqual(sorts);
  return rows.length;
}

describe('a list', () => {
  it('a list equals a filtered array of the newest filings or changes, after any corrections in any segments', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(said, { maxLength: 8 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.constantFrom(...lists).chain(request), { minLength: 80, maxLength: 80, size: 'max' }),
        async (groups, requests) => {
          const made = await madeSource(groups);
          for (const asked of requests) await expectModel(made, asked);
        },
      ),
      { numRuns: 15 },
    ));

  it('pages that end early lead through a list, and give each row once', { tags: ['slow'] }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(said, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.constantFrom(...lists).chain(request), { minLength: 40, maxLength: 40, size: 'max' }),
        fc.integer({ min: 1, max: 70 }),
        async (groups, requests, leftOutMost) => {
          const { source, observations } = await madeSource(groups);
          for (const asked of requests) {
            const seen: string[] = [];
            for (let after = asked.after; ; ) {
              const page = await readBoundedList(source, { ...asked, after }, leftOutMost);
              seen.push(...page.rows.map(({ sort }) => sort));
              expect(page.rows.length).toBeLessThanOrEqual(asked.limit);
              const isFull = page.rows.length === asked.limit;
              const next = isFull ? page.rows.at(-1)?.sort : (page.goesOnAfter ?? undefined);
              if (next === undefined) break;
              // Each page goes on, so a client comes to an end.
              if (after !== undefined) expect(isFeed(asked.table) ? next > after : next < after).toBe(true);
              after = next;
            }
            const expected = expectedRows(observations, { ...asked, limit: Infinity });
            const sortOf = ({ sequence, filing }: Observation) =>
              isFeed(asked.table) ? feedSortKey(sequence) : historySortKey(filing);
            expect(seen, JSON.stringify(asked)).toEqual(expected.map(sortOf));
          }
        },
      ),
      { numRuns: 12 },
    ),
  );

  it('what was accepted oddly is found among many filings by its acceptance alone', {
    tags: ['slow'],
  }, async () => {
    const day = (at: number) => new Date(Date.UTC(2024, 0, 1) + Math.floor(at / 10) * 86_400_000);
    const groups = [0, 1].map((group) =>
      Array.from({ length: 2500 }, (_, index): Said => {
        const at = group * 2500 + index;
        const filedAt = day(at).toISOString().slice(0, 10);
        // One was accepted a year after its filing date, and one a year before.
        const accepted = at === 5 ? '2025-01-10' : at === 4900 ? '2024-01-05' : filedAt;
        return {
          number: at + 1,
          form: '4',
          items: [],
          filedAt,
          acceptanceDateTime: `${accepted.replaceAll('-', '')}120000`,
          parties: [ciks[0]],
          text: '',
        };
      }),
    );
    const made = await madeSource(groups);
    const bounds = [
      { acceptedSince: ['2025-01-10T00:00:00.000Z'], acceptedUntil: ['2025-01-10T23:00:00.000Z'] },
      { acceptedSince: ['2024-01-05T00:00:00.000Z'], acceptedUntil: ['2024-01-05T23:00:00.000Z'] },
    ];
    for (const bound of bounds)
      for (const table of lists) {
        const company = table.startsWith('company-') ? ciks[0] : null;
        expect(await expectModel(made, { table, company, limit: 500, ...bound })).toBe(11);
      }
  });
});

/** Of the forms that have transactions there are more. */
const kinds = [...forms, '4', '4/A', '5'];
const acceptances = ['20260101000000', '20260102163000', '19991231180000', '20251102013000', null];
/**
 * Filings whose values go through those of every filter independently. Later batches correct some of them: form, items,
 * companies, day, transactions.
 */
const manyFilings = [300, 80, 20, 8, 3].map((count, group) =>
  Array.from({ length: count }, (_, at): Said => {
    const random = createRandom(group * 1000 + at + 1);
    const oneOf = <Value>(list: readonly Value[]) => list[Math.floor(random() * list.length)] as Value;
    const someOf = <Value>(list: readonly Value[]) => list.filter(() => random() < 0.4);
    return {
      number: group === 0 ? at + 1 : 1 + Math.floor(random() * 330),
      form: oneOf(kinds),
      items: someOf(items),
      filedAt: group > 0 && random() < 0.8 ? '' : oneOf(days),
      acceptanceDateTime: oneOf(acceptances),
      company: {
        sic: oneOf([null, '6022', '3571', '7011']),
        exchange: oneOf([null, 'Nasdaq', 'CBOE', 'NYSE']),
        ticker: oneOf([null, 'ABC']),
      },
      exhibits: random() < 0.2 ? null : someOf(['EX-99.1', 'ex-10.1', 'EX-99.4(A)', 'EX-5']),
      parties: [oneOf(ciks), ...someOf(ciks)].filter((cik, each, all) => all.indexOf(cik) === each),
      // Long rows: each list has many blocks.
      text: 'x'.repeat((at % 7) * 300),
      traded:
        random() < 0.15
          ? undefined
          : someOf(['P', 'S', 'M', 'F', null] as const).map((code) => ({
              code,
              value: oneOf([null, 0, 9000, 75_000, 100_000, 3e6, 2e9]),
            })),
      cause: oneOf(changeCauses),
    };
  }),
);
let made: Awaited<ReturnType<typeof madeSource>>;
beforeAll(async () => void (made = await madeSource(manyFilings)));
const isOfCompany = (table: (typeof lists)[number]) => table.startsWith('company-');

describe('each filter with each other one', () => {
  /** Values of every filter of filings; each has some filings, and not all. */
  const values: Readonly<Record<FilterName, readonly (readonly string[])[]>> = {
    form: [['4'], ['8-K', '10-K']],
    eventType: [['current_report'], ['insider_transaction']],
    items: [['2.02'], ['9.01', '1']],
    transactionCode: [['P'], ['S', 'M']],
    minValue: [['10000'], ['1000000']],
    sic: [['6022'], ['3571', '6022']],
    exchange: [['NASDAQ'], ['CBOE']],
    listed: [['true'], ['false']],
    acceptedSince: [['2026-01-01T05:00:01.000Z'], ['2025-11-02T06:30:00.000Z']],
    acceptedUntil: [['2026-01-01T05:00:01.000Z'], ['2025-11-02T06:30:00.000Z']],
    exhibit: [['EX-99.1'], ['EX-10.1', 'EX-99.4(A)']],
  };
  const names = Object.keys(values) as FilterName[];

  /** What lists are asked for beside filters: days, and for the lists that take them, causes and the issuer. */
  const boundsOf = (table: (typeof lists)[number]): readonly Partial<AskedList>[] => [
    { since: '2026-01-02' },
    { until: '2026-01-01' },
    { since: '2026-01-01', until: '2026-01-02' },
    ...(isFeed(table) ? [{ corrections: ['contents', 'rules'] as ChangeCause[] }] : []),
    ...(table === 'company-filings' ? [{ isIssuer: true }] : []),
  ];

  it('there are values of every filter', () =>
    expect(names.toSorted()).toEqual(eachFilter.map(({ name }) => name).toSorted()));

  it.each(names)('filter %s', async (name) => {
    for (const table of lists) {
      const asked = { table, company: isOfCompany(table) ? ciks[0] : null, limit: 1000 };
      const all = await expectModel(made, asked);
      for (const own of values[name]) {
        const found = await expectModel(made, { ...asked, [name]: own });
        expect([name, table, found > 0, found < all]).toEqual([name, table, true, true]);
        for (const bound of boundsOf(table)) await expectModel(made, { ...asked, ...bound, [name]: own });
        const [last] = (await readList(made.source, { ...asked, limit: 5, [name]: own })).slice(-1);
        await expectModel(made, { ...asked, limit: 5, after: last?.sort, [name]: own });
        for (const other of names.slice(names.indexOf(name) + 1))
          for (const value of values[other])
            await expectModel(made, { ...asked, limit: 9, [name]: own, [other]: value });
      }
    }
  });
});

describe('filters of transactions', { tags: ['slow'] }, () => {
  const asked: readonly Partial<AskedList>[] = [undefined, ['P'], ['F', 'S'], ['Z']].flatMap(
    (transactionCode) =>
      [undefined, '0', '8000', '10000', '75000.01', '100000', '1000000', '1999999999', '9999999999'].flatMap(
        (least) =>
          [{}, { form: ['4'] }, { form: ['5', '8-K'] }, { eventType: ['insider_transaction'] }].map(
            (others) => ({
              ...others,
              transactionCode,
              minValue: least === undefined ? undefined : [least],
            }),
          ),
      ),
  );

  it.each(lists)(
    'list %s has the filings of which one transaction meets both, page by page',
    async (table) => {
      expect(asked.length).toBe(4 * 9 * 4);
      let found = 0;
      for (const each of asked)
        for (const limit of [5, 1000]) {
          const whole = { table, company: isOfCompany(table) ? ciks[0] : null, limit, ...each };
          found += await expectModel(made, whole);
          const last = (await readList(made.source, whole)).at(-1);
          if (last && limit === 5) await expectModel(made, { ...whole, after: last.sort });
        }
      expect(found).toBeGreaterThan(2000);
    },
  );

  it.each(['latest', 'changes'] as const)(
    'list %s looks up no change that it does not give',
    async (table) => {
      const { source } = made;
      let lookedUp = 0;
      const log = { ...source.log, entry: (at: number) => (lookedUp++, source.log.entry(at)) };
      for (const each of asked) {
        const { transactionCode, minValue } = each;
        if (transactionCode === undefined && minValue === undefined) continue;
        lookedUp = 0;
        const rows = await readList({ ...source, log }, { table, company: null, limit: 7, ...each });
        expect(lookedUp).toBe(rows.length);
      }
    },
  );
});

describe('a filter', () => {
  // Long rows: a block has few of them. Forms and items are rare, and dates ascend.
  const groups = [300, 60, 12].map((count, group) =>
    Array.from(
      { length: count },
      (_, at): Said => ({
        number: group * 1000 + at + 1,
        form: at % 60 === 7 ? '10-K' : at % 25 === 3 ? '8-K' : '4',
        items: at % 50 === 3 ? ['2.02'] : at % 25 === 3 ? ['9.01'] : [],
        filedAt: new Date(Date.UTC(2025, group, 1) + at * 86_400_000).toISOString().slice(0, 10),
        acceptanceDateTime: null,
        parties: [ciks[at % 3] as string],
        text: `${'x'.repeat(12_000)}${at}`,
      }),
    ),
  );
  // One filing is corrected.
  const corrected = [...groups, [{ ...(groups[0]?.[28] as Said), form: '8-K/A' }]];
  let made: Awaited<ReturnType<typeof madeSource>>;
  beforeAll(async () => void (made = await madeSource(corrected)));

  /**
   * Whether a block of a feed, or a member of the log, may have a row that matches. Rows of feeds never hide or
   * replace other rows.
   */
  function mayMatch(text: string, { form: anyForm, items: anyItem, since, until }: RowFilter): boolean {
    const filings = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Change | { row: Change })
      .map((line): Filing => ('row' in line ? line.row : line).filing);
    const filed = filings.map(({ filedAt }) => filedAt ?? '').sort();
    return (
      (!anyForm || filings.some(({ form }) => anyForm.includes(form))) &&
      (!anyItem || filings.some((filing) => anyItem.some((item) => filing.items.includes(item)))) &&
      (since === undefined || (filed.at(-1) ?? '') >= since) &&
      (until === undefined || (filed[0] ?? '') <= until)
    );
  }

  const asked: [string, RowFilter][] = [
    ['a form', { form: ['10-K'] }],
    ['two forms', { form: ['10-K', '8-K'] }],
    ['an item', { items: ['2.02'] }],
    ['a form and items', { form: ['8-K'], items: ['2.02', '9.01'] }],
    ['a form and an item that never meet', { form: ['10-K'], items: ['2.02'] }],
    ['a first day', { since: '2025-10-01' }],
    ['a last day', { until: '2025-01-20' }],
    ['days', { since: '2025-03-01', until: '2025-03-10' }],
    ['a form on few days', { form: ['8-K'], since: '2025-03-01', until: '2025-03-31' }],
  ];
  const requests = lists.flatMap((table) => asked.map(([name, filter]) => ({ table, name, filter })));

  it.each(requests)(
    'a filter of $name reads no block of $table that cannot match',
    async ({ table, filter }) => {
      const { directory, entries, observations } = made;
      const parts = countingReads(partsIn(directory));
      const source = await sourceOf(directory, entries, observations, parts);
      parts.reads.length = 0;
      const wanted: AskedList = {
        ...filter,
        table,
        company: table.startsWith('company-') ? ciks[0] : null,
        limit: 1000,
      };
      const rows = await readList(source, wanted);
      expect(rows.length).toBe(expectedRows(observations, wanted).length);
      const { files } = listIn(directory, entries.at(-1)?.lastSequence ?? 0);
      const isOfCompany = table.startsWith('company-');
      const blocks = parts.reads.filter(({ part }) =>
        isOfCompany
          ? part.endsWith('/company-changes.jsonl.gz')
          : files.some(({ sha256 }) => part.endsWith(sha256)),
      );
      expect(blocks.length).toBe(new Set(blocks.map(({ part, offset }) => `${part} ${offset}`)).size);
      const texts = await Promise.all(
        blocks.map(async ({ part, offset, length }) =>
          gunzipSync(await partsIn(directory).read(part, offset, length)).toString(),
        ),
      );
      expect(texts.filter((text) => !mayMatch(text, filter))).toEqual([]);
      // The list reads no other table.
      const read = isOfCompany ? [table, 'company-changes'] : [table === 'changes' ? 'change-dates' : table];
      const isOfLog = ({ part }: { part: string }) => !isOfCompany && part.startsWith('files/');
      expect(
        parts.reads.every((each) => isOfLog(each) || read.some((name) => each.part.includes(`/${name}.`))),
      ).toBe(true);
      const all = entries.reduce(
        (sum, { name }) =>
          sum +
          (source.segments.find((segment) => segment.name === name)?.head.tables[read[0] as string]?.rows ??
            0),
        0,
      );
      expect(all).toBeGreaterThan(rows.length);
    },
  );

  it('a filter of a form that no filing has reads no block', async () => {
    const { directory, entries, observations } = made;
    const parts = countingReads(partsIn(directory));
    const source = await sourceOf(directory, entries, observations, parts, 0);
    parts.reads.length = 0;
    for (const table of lists)
      expect(
        await readList(source, {
          table,
          company: null,
          form: ['SC 13D'],
          eventType: ['current_report'],
          limit: 50,
        }),
      ).toEqual([]);
    expect(parts.reads).toEqual([]);
  });

  it('a page reads a block or two of each segment, and a feed only the members behind its cursor', async () => {
    const { directory, entries, observations } = made;
    const parts = countingReads(partsIn(directory));
    const source = await sourceOf(directory, entries, observations, parts, 0);
    const { files } = source.log.list;
    const blocksOf = async (wanted: Omit<AskedList, 'company'>) => {
      parts.reads.length = 0;
      await readList(source, { ...wanted, company: null });
      return parts.reads.filter(({ part }) =>
        wanted.table === 'changes'
          ? files.some(({ sha256 }) => part.endsWith(sha256))
          : part.endsWith(`/${wanted.table}.jsonl.gz`),
      );
    };
    expect((await blocksOf({ table: 'latest', limit: 3 })).length).toBeLessThanOrEqual(2 * entries.length);
    const tail = await blocksOf({
      table: 'changes',
      limit: 3,
      after: String(entries[2]?.lastSequence).padStart(12, '0'),
    });
    // The newest filing is alone in its segment and in the last file of the log.
    expect(tail.map(({ part }) => part.split('/').at(-1))).toEqual([files.at(-1)?.sha256]);
    expect(
      await blocksOf({
        table: 'changes',
        limit: 3,
        after: String(entries[3]?.lastSequence).padStart(12, '0'),
      }),
    ).toEqual([]);
  });
});
