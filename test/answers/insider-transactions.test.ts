/** A naive model expands the newest observations to their transactions, and every page is compared with it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { transactionsPage } from '../../src/answers/transaction-list.ts';
import type { InsiderTransaction } from '../../src/contract/insider-transactions.ts';
import type { Owner, Section16Ownership } from '../../src/contract/ownership.ts';
import type { Query } from '../../src/contract/parameters.ts';
import { form4, transaction } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';
import { createdAt, digest } from '../support/histories.ts';
import { filingsOf, foldBatches, type BatchRows, type LedgerModel } from '../support/ledger-model.ts';
import { cikOf, company, filing } from '../support/made-up.ts';
import { openPublished, publishSegments, writeHistory, type OpenSegmentsOnly } from '../support/published.ts';
import { request, walk, type Texts } from '../support/walk.ts';

const fresh = useDirectories('insider-transactions');
const codes = ['P', 'S', 'M', null] as const;
const values = [null, 0, 9000, 75_000, 100_000, 1_200_000, 3e9] as const;
const kinds = ['4', '4', '4', '4/A', '5', '3', '8-K'] as const;
const issuers = [1, 2, 3] as const;
const people = [11, 12, 13] as const;

/** A number between 0 and 9972 that looks like chance. */
const mixed = (number: number, salt: number) => (number * 7919 + salt * 104_729) % 9973;

function filingOf(number: number): LedgerFiling {
  const chance = mixed(number, 1);
  const form = kinds[chance % kinds.length] as string;
  const issuer = issuers[chance % issuers.length] as number;
  const isAbout = form !== '8-K';
  return filing(number, {
    form,
    filedAt: `2026-02-${String((chance % 9) + 1).padStart(2, '0')}`,
    acceptedEastern: null,
    subjectCik: isAbout ? cikOf(issuer) : null,
    filerCiks: isAbout ? [cikOf(people[chance % people.length] as number)] : [cikOf(issuer)],
    ...(isAbout
      ? {
          roles: [
            `${cikOf(issuer)}:issuer`,
            `${cikOf(people[chance % people.length] as number)}:reporting_owner`,
          ],
        }
      : {}),
  });
}

function contentsOf(number: number, salt: number): LedgerContents {
  const chance = mixed(number, salt);
  const { filerCiks } = filingOf(number);
  // One filing has several pages of transactions.
  const count = number === 7 ? 130 : chance % 5;
  const document = form4(
    [Number(filerCiks[0])],
    Array.from({ length: count }, (_, at) => {
      const each = mixed(chance, at + 3);
      return transaction(at + 1, {
        code: codes[each % codes.length] as (typeof codes)[number],
        value: values[each % values.length] as (typeof values)[number],
        direction: each % 3 === 0 ? 'disposed' : each % 3 === 1 ? 'acquired' : null,
        isDerivative: each % 4 === 1,
      });
    }),
  );
  const [owner] = document.ownership.owners as [Owner];
  const owners: Owner[] = [
    {
      ...owner,
      isDirector: chance % 2 === 0,
      isOfficer: chance % 3 === 0,
      isTenPercentOwner: chance % 7 === 0,
    },
    ...(chance % 4 === 0
      ? [{ ...owner, cik: cikOf(11), name: 'Second', isDirector: false, isOther: chance % 8 === 0 }]
      : []),
  ];
  const isPlanned = chance % 3 === 0 ? null : chance % 3 === 1;
  return {
    accessionNo: filingOf(number).accessionNo,
    source: 'document',
    ownership: { ...document, ownership: { ...document.ownership, owners, isPlanned } },
  };
}

const batchOf = (number: number, rows: Partial<BatchRows>): BatchRows => ({
  number,
  sha256: digest(number),
  run: { target: `run ${number}`, status: 'success', message: null, createdAt: createdAt(number) },
  filings: [],
  companies: [],
  contents: [],
  ...rows,
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

/** Contents come with their filings, later, or anew; some filings are corrected to another form or day. */
const history: BatchRows[] = [
  batchOf(1, {
    filings: range(1, 400).map(filingOf),
    companies: [...issuers, ...people].map((number) => company(number)),
    contents: range(1, 330).map((number) => contentsOf(number, 2)),
  }),
  batchOf(2, {
    filings: [
      ...range(400, 430).map(filingOf),
      ...range(1, 12).map((number) => ({ ...filingOf(number), form: '4/A' })),
      ...range(20, 26).map((number) => ({ ...filingOf(number), filedAt: '2026-02-05' })),
    ],
    contents: [...range(30, 40), ...range(390, 430)].map((number) => contentsOf(number, 5)),
  }),
  batchOf(3, {
    filings: range(430, 436).map(filingOf),
    contents: range(430, 436).map((each) => contentsOf(each, 2)),
  }),
];

/** The transactions that a list has, newest filing first. */
function transactionsOf(model: LedgerModel): InsiderTransaction[] {
  return filingsOf(model).flatMap((each) => {
    const { form, ownership } = each;
    if (!['4', '4/A', '5', '5/A'].includes(form) || ownership?.kind !== 'section_16') return [];
    const { owners, isPlanned, transactions } = ownership as Section16Ownership;
    const { accessionNo, filedAt, acceptedAt, cik, ticker, companyName, detailUrl, documentUrl } = each;
    const head = {
      accessionNo,
      form,
      isAmendment: form.endsWith('/A'),
      filedAt,
      acceptedAt,
      cik,
      ticker,
      companyName,
    };
    return transactions.map((row) => ({ ...head, owners, isPlanned, detailUrl, documentUrl, ...row }));
  });
}

type Asked = Readonly<Partial<Record<string, string>>>;

function matches(row: InsiderTransaction, asked: Asked): boolean {
  const flags = {
    director: 'isDirector',
    officer: 'isOfficer',
    ten_percent_owner: 'isTenPercentOwner',
    other: 'isOther',
  };
  const { code, minValue, direction, isDerivative, isPlanned, since, until, owner, ticker, tickers } = asked;
  const flag = flags[(asked['relationship'] ?? 'other') as keyof typeof flags] as 'isOther';
  return (
    (code === undefined || code.split(',').includes(row.code ?? '-')) &&
    (minValue === undefined || (row.value !== null && row.value >= Number(minValue))) &&
    (direction === undefined || row.direction === direction) &&
    (isDerivative === undefined || String(row.isDerivative) === isDerivative) &&
    (isPlanned === undefined || String(row.isPlanned) === isPlanned) &&
    (asked['relationship'] === undefined || row.owners.some((each) => each[flag])) &&
    (owner === undefined || row.owners.some(({ cik }) => cik === owner)) &&
    (ticker === undefined || row.ticker === ticker) &&
    (tickers === undefined || tickers.split(',').includes(row.ticker ?? '-')) &&
    (since === undefined || (row.filedAt ?? '') >= since) &&
    (until === undefined || (row.filedAt ?? '') <= until)
  );
}

const keyOf = ({ accessionNo, number }: InsiderTransaction) => `${accessionNo} ${number}`;

describe('insider transactions', () => {
  const [ledger, snapshots] = [fresh(), fresh()];
  const model = foldBatches(history);
  const all = transactionsOf(model);
  let open: OpenSegmentsOnly;
  beforeAll(async () => {
    await writeHistory(ledger, history);
    open = await openPublished(
      ledger,
      snapshots,
      await publishSegments(ledger, snapshots, [], history.length),
    );
  });
  afterAll(() => open?.close());

  const pagesOf = (asked: Asked, limit: number) => {
    const texts: Texts = { ...asked, limit: String(limit) };
    return walk<InsiderTransaction, { count: number; total: number | null }>(
      open,
      'listInsiderTransactions',
      texts,
      texts,
      () => false,
    );
  };

  it('a walk gives each transaction that meets all filters once, in the order of filings and documents', async () => {
    expect(all.length).toBeGreaterThan(300);
    let found = 0;
    const orNone = <Value>(value: fc.Arbitrary<Value>, freq = 1) =>
      fc.option(value, { nil: undefined, freq });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          code: orNone(fc.constantFrom('P', 'S,M', 'H', 'P,S,M')),
          minValue: orNone(
            fc.constantFrom('0', '9000.5', '10000', '75000', '100000.01', '1000000', '9999999999'),
          ),
          direction: orNone(fc.constantFrom('acquired', 'disposed')),
          relationship: orNone(fc.constantFrom('director', 'officer', 'ten_percent_owner', 'other')),
          isDerivative: orNone(fc.constantFrom('true', 'false')),
          isPlanned: orNone(fc.constantFrom('true', 'false')),
          since: orNone(fc.constantFrom('2026-02-03', '2026-02-08')),
          until: orNone(fc.constantFrom('2026-02-08', '2026-02-09')),
          owner: orNone(fc.constantFrom(...people.map(cikOf))),
          who: orNone(fc.constantFrom({ ticker: 'T1' }, { tickers: 'T1,T3' })),
        }),
        fc.integer({ min: 1, max: 200 }),
        async ({ who = {}, ...others }, limit) => {
          const asked = Object.fromEntries(
            Object.entries({ ...others, ...who }).filter(([, value]) => value !== undefined),
          ) as Asked;
          const expected = all.filter((row) => matches(row, asked));
          const pages = await pagesOf(asked, Math.max(limit, Math.ceil(expected.length / 20)));
          expect(
            pages.flatMap(({ data }) => data),
            JSON.stringify(asked),
          ).toEqual(expected);
          for (const { data, meta } of pages) expect(meta.count).toBe(data.length);
          if (pages.length === 1) expect(pages[0]?.meta.total).toBe(expected.length);
          found += expected.length;
        },
      ),
      {
        numRuns: 40,
        examples: [
          [{ direction: 'disposed', isDerivative: 'true', isPlanned: 'true' }, 60],
          [{}, 200],
          [{ code: 'S' }, 3],
          [{ relationship: 'other' }, 50],
        ] as never,
      },
    );
    expect(found).toBeGreaterThan(1000);
  });

  it('a filing with more transactions than a page goes on in its middle, also when others come meanwhile', async () => {
    const [before, after] = [fresh(), fresh()];
    const first = foldBatches(history.slice(0, 2));
    const segments = await publishSegments(ledger, before, [], 2);
    const opened = await openPublished(ledger, before, segments);
    const later = await openPublished(ledger, after, await publishSegments(ledger, after, [], 3));
    try {
      const rows: InsiderTransaction[] = [];
      for (let cursor: string | undefined, page = 0; ; page++) {
        const { data, meta } = await request<{
          data: InsiderTransaction[];
          meta: { nextCursor: string | null };
        }>(page < 2 ? opened : later, 'listInsiderTransactions', { limit: '29', cursor });
        rows.push(...data);
        if (meta.nextCursor === null) break;
        cursor = meta.nextCursor;
      }
      expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
      const known = new Set(transactionsOf(first).map(keyOf));
      expect(rows.map(keyOf).filter((key) => known.has(key))).toEqual(transactionsOf(first).map(keyOf));
      expect(rows.filter(({ accessionNo }) => accessionNo.endsWith('000007')).length).toBe(130);
    } finally {
      await opened.close();
      await later.close();
    }
  });

  it('of filings with several transactions not one is read for each row; over a host the page is the same', async () => {
    const { snapshot } = open;
    const pageOf = async (isFar: boolean, limit: number) => {
      let looked = 0;
      const entry = (sequence: number) => {
        looked++;
        return snapshot.log.entry(sequence);
      };
      const tables: typeof snapshot.tables = (name) =>
        snapshot.tables(name).map((table) => ({ ...table, isFar }));
      const page = await transactionsPage({ ...snapshot, tables, log: { ...snapshot.log, entry } }, {
        limit,
        code: ['P', 'S', 'M'],
      } as Query);
      return { looked, rows: Array.from({ length: page.count }, (_, at) => page.record(at)) };
    };
    for (const limit of [1, 50, 100, 200]) {
      const [near, far] = [await pageOf(false, limit), await pageOf(true, limit)];
      expect(near.rows).toEqual(far.rows);
      expect(near.rows.length).toBe(limit);
      expect(near.looked).toBeLessThanOrEqual(far.looked);
      if (limit === 100) expect(near.looked).toBeLessThan(limit);
    }
  });

  it('what can match nothing, and cursors of other lists, are refused', async () => {
    const refusal = async (texts: Texts) =>
      Promise.resolve()
        .then(() => request(open, 'listInsiderTransactions', texts))
        .then(
          () => 'taken',
          (error: Error) => error.message,
        );
    expect(await refusal({ code: 'Q' })).toMatch(/^code: must be one of P, S, A/);
    expect(await refusal({ code: 'PS' })).toMatch(/^code: must be 1 to 10/);
    for (const minValue of ['-1', '1e5', ' 5', '0x10', '1.234', '1000000000000000'])
      expect(await refusal({ minValue })).toMatch(/^minValue: must be a number of US dollars/);
    expect(await refusal({ direction: 'sold' })).toMatch(/^direction: must be one of acquired, disposed/);
    expect(await refusal({ relationship: 'wife' })).toMatch(/^relationship: must be one of director/);
    expect(await refusal({ isPlanned: '1' })).toMatch(/^isPlanned: must be true or false/);
    expect(await refusal({ owner: 'T1' })).toMatch(/^owner: must be a 10-digit CIK/);
    expect(await refusal({ owner: cikOf(99) })).toMatch(/^owner: no company of this service/);
    expect(await refusal({ ticker: 'T1', tickers: 'T2' })).toMatch(/give one of them/);
    expect(await refusal({ since: '2026-02-03', until: '2026-02-01' })).toMatch(/^until: must not be before/);
    const { meta } = await request<{ meta: { nextCursor: string } }>(open, 'listLatestFilings', {
      limit: '1',
    });
    expect(await refusal({ cursor: meta.nextCursor })).toMatch(/^cursor: must be the nextCursor/);
    expect(await refusal({ tickers: 'T1,NOPE' })).toBe('taken');
  });
});
