import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { filterOf } from '../../src/answers/lists.ts';
import { readFeed } from '../../src/answers/read-feed.ts';
import { readHistory } from '../../src/answers/read-history.ts';
import type { ListSource } from '../../src/answers/read-list.ts';
import type { ReadRows } from '../../src/table/merge.ts';
import type { RowFilter } from '../../src/answers/row-filter.ts';
import type { EndpointId } from '../../src/contract/endpoints.ts';
import { eachFilter, type FilterName } from '../../src/contract/filing-filters.ts';
import { changeCauses, type Change, type Filing } from '../../src/contract/records.ts';
import { ownershipFamilies } from '../../src/domain/event-types.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import { feedSortKey, historySortKey } from '../../src/format/snapshot.ts';
import { inPasses } from '../../src/table/passes.ts';
import { useDirectories } from '../support/directories.ts';
import { unevenHistories } from '../support/histories.ts';
import { changesOf, filingsOf, type LedgerModel, type ModelFilter } from '../support/ledger-model.ts';
import { cikOf, company, filing, madeUp } from '../support/ledgers.ts';
import { expectList, filteredLists, type World } from '../support/list-walks.ts';
import { listIn } from '../support/log.ts';
import { filedDays, filterValues, manyKinds } from '../support/many-kinds.ts';
import { openHistory, openPublished, type OpenHistory } from '../support/published.ts';
import { countingReads, partsIn } from '../support/table.ts';
import { queryOf, type Texts } from '../support/walk.ts';

const fresh = useDirectories('lists');
const names = Object.keys(filterValues) as FilterName[];
const takesOne = new Set(eachFilter.flatMap(({ name, takes }) => (takes === undefined ? [] : [name])));
const ofInsiders = { form: ['3', '4', '4/A', '5'], eventType: [...ownershipFamilies] };
const orNone = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 });

/** What a filter of a list is asked for, in any case. */
function anyValue(id: EndpointId, name: FilterName): fc.Arbitrary<string> {
  const values =
    (id === 'listInsiderTrades' && (ofInsiders as Partial<typeof filterValues>)[name]) || filterValues[name];
  return takesOne.has(name)
    ? fc.constantFrom(...values)
    : fc.subarray([...values], { minLength: 1 }).map((some) => some.join(', ').toLowerCase());
}

/** Any query of any list: some filters, some bounds, some companies of those that there are, by their numbers. */
const anyAsked = fc.constantFrom(...filteredLists.map(({ id }) => id)).chain((id) =>
  fc.record({
    id: fc.constant(id),
    filters: fc
      .subarray(names, { maxLength: 3 })
      .chain((some) => fc.record(Object.fromEntries(some.map((name) => [name, anyValue(id, name)])))),
    days: fc.subarray([...filedDays, '2026-02-02', '2026-02-03'].sort(), { maxLength: 2 }),
    isSince: fc.boolean(),
    corrections: orNone(fc.subarray([...changeCauses])),
    companies: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 4 }),
    naming: fc.constantFrom('nobody', 'one', 'several'),
    limit: fc.integer({ min: 1, max: 200 }),
    isRepeating: fc.boolean(),
  }),
);
type Asked = typeof anyAsked extends fc.Arbitrary<infer Value> ? Value : never;

/** The companies that a list is asked for: what some take, and others need. */
function whoseOf(model: LedgerModel, { id, companies, naming }: Asked): Texts {
  const all = [...model.companies.keys()];
  const [first = '', ...others] = companies.map((at) => all[at % all.length] as string);
  const tickers = [...new Set([first, ...others])].join(',');
  if (id === 'listWatchlistChanges') return { tickers };
  if (id === 'listCompanyFilings' || id === 'listCompanyEvents') return { ticker: first };
  if (id === 'listLatestFilings' || naming === 'nobody') return {};
  return naming === 'several' && id === 'listChanges' ? { tickers } : { ticker: first };
}

/** The texts of a request. Bounds are in their order. */
function textsOf(model: LedgerModel, asked: Asked): Texts {
  const { id, filters, days, isSince, corrections } = asked;
  const [from, to] = days.length === 1 ? (isSince ? days : [undefined, ...days]) : days;
  const { acceptedSince, acceptedUntil } = filters;
  const accepted =
    acceptedSince !== undefined && acceptedUntil !== undefined && acceptedUntil < acceptedSince
      ? { acceptedSince: acceptedUntil, acceptedUntil: acceptedSince }
      : {};
  const isFeed = id === 'listChanges' || id === 'listWatchlistChanges';
  const causes = corrections?.length === 0 ? 'none' : corrections?.join(',');
  return {
    ...whoseOf(model, asked),
    ...filters,
    ...accepted,
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
    ...(isFeed && causes !== undefined ? { corrections: causes } : {}),
  };
}

const expectAsked = (world: World, asked: Asked) =>
  expectList(world, asked.id, textsOf(world.model, asked), asked);

let many: OpenHistory;
beforeAll(async () => void (many = await openHistory(fresh(), manyKinds())));

/** Every list, the first four as the code knows them: of all companies, and of one that files beside all others. */
const lists: readonly (readonly [id: EndpointId, whose: Texts])[] = [
  ['listLatestFilings', {}],
  ['listChanges', {}],
  ['listCompanyFilings', { ticker: cikOf(4) }],
  ['listChanges', { ticker: cikOf(4) }],
  ['listInsiderTrades', { ticker: cikOf(1) }],
  ['listCompanyEvents', { ticker: cikOf(4) }],
  ['listWatchlistChanges', { tickers: `${cikOf(4)},${cikOf(1)}` }],
];

describe('every list of any ledger', () => {
  const check = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(
        unevenHistories,
        fc.array(anyAsked, { minLength: 20, maxLength: 20 }),
        async (history, requests) => {
          const world = await openHistory(fresh(), history);
          for (const asked of world.model.companies.size > 0 ? requests : []) await expectAsked(world, asked);
          await world.open.close();
        },
      ),
      { numRuns, interruptAfterTimeLimit: 240_000 },
    );
  it('every list of any ledger is a filtered and sorted array', { tags: ['slow'] }, () => check(20));
  it(
    'every list of many ledgers is a filtered and sorted array',
    { tags: ['slow', 'nightly'], timeout: 900_000 },
    () => check(400),
  );
});

describe('every list of a ledger with values of every filter', () => {
  const check = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(anyAsked, async (asked) => void (await expectAsked(many, asked))),
      { numRuns, interruptAfterTimeLimit: 240_000 },
    );
  it('every list is a filtered and sorted array for any query, in pages of any length', () => check(100));
  it(
    'every list is a filtered and sorted array for many queries',
    { tags: ['slow', 'nightly'], timeout: 900_000 },
    () => check(6000),
  );

  it('there are values of every filter, and several segments', () => {
    expect(names.toSorted()).toEqual(eachFilter.map(({ name }) => name).toSorted());
    expect(many.entries.length).toBeGreaterThan(2);
    expect(new Set(lists.map(([id]) => id))).toEqual(new Set(filteredLists.map(({ id }) => id)));
  });

  it.each(names)(
    'filter %s finds some rows in every list, alone, in bounds and with each other filter',
    async (name) => {
      for (const [at, [id, whose]] of lists.entries()) {
        const all = await expectList(many, id, whose);
        const isOfInsiders = id === 'listInsiderTrades';
        for (const value of filterValues[name].slice(0, 2)) {
          if (isOfInsiders && name === 'form' && !ofInsiders.form.includes(value)) continue;
          if (isOfInsiders && name === 'eventType' && !ownershipFamilies.has(value)) continue;
          const own = { ...whose, [name]: value };
          const found = await expectList(many, id, own, { limit: 20 });
          const label = [id, JSON.stringify(own)];
          if (isOfInsiders && name === 'items') expect([...label, found]).toEqual([...label, 0]);
          else if (!isOfInsiders) expect([...label, found > 0, found < all]).toEqual([...label, true, true]);
          for (const bound of [
            { since: '2026-01-02' },
            { until: '2026-01-01' },
            { since: '2026-01-01', until: '2026-01-02' },
            ...(id.endsWith('Changes') ? [{ corrections: 'contents,history' }] : []),
          ])
            await expectList(many, id, { ...own, ...bound });
          if (at > 3) continue;
          for (const other of names.slice(names.indexOf(name) + 1))
            for (const beside of filterValues[other].slice(0, 2))
              await expectList(many, id, { ...own, [other]: beside }, { limit: 50 });
        }
      }
    },
  );
});

describe('filters of transactions', { tags: ['slow'] }, () => {
  const asked: readonly Texts[] = [undefined, 'P', 'F,S', 'H'].flatMap((transactionCode) =>
    [undefined, '0', '8000', '10000', '75000.01', '100000', '1000000', '1999999999', '9999999999'].flatMap(
      (minValue) =>
        [{}, { form: '4' }, { form: '5,8-K' }, { eventType: 'insider_transaction' }].map((others) => ({
          ...others,
          transactionCode,
          minValue,
        })),
    ),
  );

  it.each(lists.slice(0, 4))(
    'list %s of %j has the filings of which one transaction meets both, page by page',
    async (id, whose) => {
      expect(asked.length).toBe(4 * 9 * 4);
      let found = 0;
      for (const each of asked) found += await expectList(many, id, { ...whose, ...each }, { limit: 20 });
      expect(found).toBeGreaterThan(1000);
    },
  );

  it.each(['latest', 'changes'] as const)(
    'list %s looks up no change that it does not give',
    async (list) => {
      const { snapshot } = many.open;
      let lookedUp = 0;
      const log = { ...snapshot.log, entry: (at: number) => (lookedUp++, snapshot.log.entry(at)) };
      for (const each of asked) {
        if ((each['transactionCode'] ?? each['minValue']) === undefined) continue;
        lookedUp = 0;
        const { rows } = await readDirectly({ ...snapshot, log }, list, null, rowFilterOf(each), {
          limit: 7,
        });
        expect(lookedUp).toBe(rows.length);
      }
    },
  );
});

/** The filter that handlers make of texts. */
const rowFilterOf = (texts: Texts): RowFilter => filterOf(queryOf('listChanges', texts));

/** The lists that there are below the operations: of all companies, and of one. */
const directLists = ['latest', 'changes', 'company-filings', 'company-changes'] as const;
type DirectList = (typeof directLists)[number];
const isFeed = (list: DirectList) => list === 'changes' || list === 'company-changes';
const companyOf = (list: DirectList) => (list.startsWith('company-') ? cikOf(1) : null);

/** Reads a page, which ends when about `leftOutMost` rows were left out. */
function readDirectly(
  source: ListSource,
  list: DirectList,
  company: string | null,
  filter: RowFilter,
  {
    after,
    limit = 1000,
    leftOutMost = Infinity,
  }: { after?: string | undefined; limit?: number; leftOutMost?: number } = {},
): Promise<ReadRows> {
  const chain = company === null ? null : newestCikOf(company);
  if (!isFeed(list))
    return inPasses(() => readHistory(source, { ...filter, company: chain, after, limit }, leftOutMost));
  const companies = chain === null ? null : new Map([[chain, Number(after ?? 0)]]);
  return inPasses(() =>
    readFeed(source, { ...filter, companies, after: Number(after ?? 0), limit }, leftOutMost),
  );
}

/** The sort keys of the rows that a list must have. */
function sortsOf(model: LedgerModel, list: DirectList, filter: Texts): string[] {
  const asked: ModelFilter = { ...filter, company: companyOf(list) ?? undefined };
  return isFeed(list)
    ? changesOf(model, asked).map(({ sequence }) => feedSortKey(sequence))
    : filingsOf(model, asked).map(historySortKey);
}

it('pages that end early lead through a list, and give each row once', { tags: ['slow'] }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...directLists),
      anyAsked,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 70 }),
      async (list, drawn, limit, leftOutMost) => {
        const { ticker: _, tickers: __, corrections: ___, ...filter } = textsOf(many.model, drawn);
        const seen: string[] = [];
        for (let after: string | undefined; ; ) {
          const how = { after, limit, leftOutMost };
          const page = await readDirectly(
            many.open.snapshot,
            list,
            companyOf(list),
            rowFilterOf(filter),
            how,
          );
          seen.push(...page.rows.map(({ sort }) => sort));
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          const next = page.rows.length === limit ? page.rows.at(-1)?.sort : (page.goesOnAfter ?? undefined);
          if (next === undefined) break;
          // Each page goes on, so a client comes to an end.
          if (after !== undefined) expect(isFeed(list) ? next > after : next < after).toBe(true);
          after = next;
        }
        expect(seen, JSON.stringify([list, filter])).toEqual(sortsOf(many.model, list, filter));
      },
    ),
    { numRuns: 250 },
  ),
);

it('what was accepted oddly is found among many filings by its acceptance alone', {
  tags: ['slow'],
}, async () => {
  const filings = Array.from({ length: 5000 }, (_, at) => {
    const filedAt = new Date(Date.UTC(2024, 0, 1) + Math.floor(at / 10) * 86_400_000)
      .toISOString()
      .slice(0, 10);
    // One was accepted a year after its filing date, and one a year before.
    const accepted = at === 5 ? '2025-01-10' : at === 4900 ? '2024-01-05' : filedAt;
    const acceptedEastern = `${accepted.replaceAll('-', '')}120000`;
    return filing(at + 1, { filedAt, acceptedEastern, filerCiks: [cikOf(4)] });
  });
  const world = await openHistory(
    fresh(),
    madeUp({ companies: [company(4)], filings: filings.slice(0, 2500) }, { filings: filings.slice(2500) }),
  );
  for (const day of ['2025-01-10', '2024-01-05'])
    for (const [id, whose] of lists.slice(0, 4)) {
      const asked = { ...whose, acceptedSince: `${day}T00:00:00Z`, acceptedUntil: `${day}T23:00:00Z` };
      expect(await expectList(world, id, asked)).toBe(11);
    }
});

describe('a filter', () => {
  // Long rows: a block has few of them. Forms and items are rare, and dates ascend.
  const groups = [300, 60, 12].map((count, group) =>
    Array.from({ length: count }, (_, at) =>
      filing(group * 1000 + at + 1, {
        form: at % 60 === 7 ? '10-K' : at % 25 === 3 ? '8-K' : '4',
        items: at % 50 === 3 ? ['2.02'] : at % 25 === 3 ? ['9.01'] : [],
        filedAt: new Date(Date.UTC(2025, group, 1) + at * 86_400_000).toISOString().slice(0, 10),
        acceptedEastern: null,
        filerCiks: [cikOf((at % 3) + 1)],
        primaryDocDescription: `${'x'.repeat(16_000)}${at}`,
      }),
    ),
  );
  // One filing is corrected.
  const corrected = [...groups, [{ ...(groups[0]?.[28] as (typeof groups)[number][number]), form: '8-K/A' }]];
  let made: OpenHistory;
  beforeAll(async () => {
    const companies = [1, 2, 3].map((number) => company(number));
    made = await openHistory(
      fresh(),
      madeUp(...corrected.map((filings, at) => ({ filings, companies: at === 0 ? companies : [] }))),
    );
  });

  /** The snapshot with nothing in memory, and what is read of it. */
  async function counted() {
    const { ledger, directory, entries } = made;
    const parts = countingReads(partsIn(directory));
    const { snapshot } = await openPublished(ledger, directory, entries, parts);
    parts.reads.length = 0;
    return { snapshot, parts, ...listIn(directory, entries.at(-1)?.lastSequence ?? 0) };
  }

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
      (!anyItem || filings.some((each) => anyItem.some((item) => each.items.includes(item)))) &&
      (since === undefined || (filed.at(-1) ?? '') >= since) &&
      (until === undefined || (filed[0] ?? '') <= until)
    );
  }

  const asked: [string, Texts][] = [
    ['a form', { form: '10-K' }],
    ['two forms', { form: '10-K,8-K' }],
    ['an item', { items: '2.02' }],
    ['a form and items', { form: '8-K', items: '2.02,9.01' }],
    ['a form and an item that never meet', { form: '10-K', items: '2.02' }],
    ['a first day', { since: '2025-10-01' }],
    ['a last day', { until: '2025-01-20' }],
    ['days', { since: '2025-03-01', until: '2025-03-10' }],
    ['a form on few days', { form: '8-K', since: '2025-03-01', until: '2025-03-31' }],
  ];
  const requests = directLists.flatMap((list) => asked.map(([name, filter]) => ({ list, name, filter })));

  it.each(requests)(
    'a filter of $name reads no block of $list that cannot match',
    async ({ list, filter }) => {
      const { snapshot, parts, files } = await counted();
      const { rows } = await readDirectly(snapshot, list, companyOf(list), rowFilterOf(filter));
      expect(rows.map(({ sort }) => sort)).toEqual(sortsOf(made.model, list, filter));
      const isOfCompany = list.startsWith('company-');
      const blocks = parts.reads.filter(({ part }) =>
        isOfCompany
          ? part.endsWith('/company-changes.jsonl.gz')
          : files.some(({ sha256 }) => part.endsWith(sha256)),
      );
      expect(blocks.length).toBe(new Set(blocks.map(({ part, offset }) => `${part} ${offset}`)).size);
      const texts = await Promise.all(
        blocks.map(async ({ part, offset, length }) =>
          gunzipSync(await partsIn(made.directory).read(part, offset, length)).toString(),
        ),
      );
      expect(texts.filter((text) => !mayMatch(text, rowFilterOf(filter)))).toEqual([]);
      // The list reads no other table.
      const read = isOfCompany ? [list, 'company-changes'] : [list === 'changes' ? 'change-dates' : list];
      const isOfLog = ({ part }: { part: string }) => !isOfCompany && part.startsWith('files/');
      expect(
        parts.reads.every((each) => isOfLog(each) || read.some((name) => each.part.includes(`/${name}.`))),
      ).toBe(true);
      const all = snapshot.segments.map(({ head }) => head.tables[read[0] as string]?.rows ?? 0);
      expect(all.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(rows.length);
    },
  );

  it('a filter of a form that no filing has reads no block', async () => {
    const { snapshot, parts } = await counted();
    const absent = { form: ['SC 13D'], eventType: ['current_report'] };
    for (const list of directLists)
      expect((await readDirectly(snapshot, list, null, absent, { limit: 50 })).rows).toEqual([]);
    expect(parts.reads).toEqual([]);
  });

  it('a page reads a block or two of each segment, and a feed only the members behind its cursor', async () => {
    const { snapshot, parts, files } = await counted();
    const blocksOf = async (list: 'latest' | 'changes', after?: string) => {
      parts.reads.length = 0;
      await readDirectly(snapshot, list, null, {}, { limit: 3, after });
      return parts.reads.filter(({ part }) =>
        list === 'changes'
          ? files.some(({ sha256 }) => part.endsWith(sha256))
          : part.endsWith(`/${list}.jsonl.gz`),
      );
    };
    expect((await blocksOf('latest')).length).toBeLessThanOrEqual(2 * made.entries.length);
    const [before = 0, last = 0] = made.model.batches.slice(-2).map(({ lastSequence }) => lastSequence);
    // The newest filing is alone in its batch and in the last file of the log.
    const tail = await blocksOf('changes', feedSortKey(before));
    expect(tail.map(({ part }) => part.split('/').at(-1))).toEqual([files.at(-1)?.sha256]);
    expect(await blocksOf('changes', feedSortKey(last))).toEqual([]);
  });
});
