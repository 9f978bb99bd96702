/** A naive model expands the newest observations to their transactions, and every page is compared with it. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { transactionsPage } from '../../src/answers/transaction-list.ts';
import type { InsiderTransaction } from '../../src/contract/insider-transactions.ts';
import type { Query } from '../../src/contract/parameters.ts';
import { useDirectories } from '../support/directories.ts';
import { reportOf } from '../support/filter-model.ts';
import { cikOfSymbol, filingsOf, type BatchRows, type LedgerModel } from '../support/ledger-model.ts';
import { cikOf } from '../support/made-up.ts';
import { filedDays, longReport, manyKinds } from '../support/many-kinds.ts';
import { openHistory, type OpenHistory, type OpenSegmentsOnly } from '../support/published.ts';
import { queryOf, request, walk, type Texts } from '../support/walk.ts';

const fresh = useDirectories('insider-transactions');
/** The transactions that a list has, newest filing first. */
function transactionsOf(model: LedgerModel): InsiderTransaction[] {
  return filingsOf(model).flatMap((each) => {
    const report = reportOf(each);
    if (report === null) return [];
    const { owners, isPlanned, transactions } = report;
    const { accessionNo, form, filedAt, acceptedAt, cik, ticker, companyName, detailUrl, documentUrl } = each;
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

function matches(row: InsiderTransaction, asked: Asked, cikOf: (symbol: string) => string | null): boolean {
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
    (ticker === undefined || row.cik === cikOf(ticker)) &&
    (tickers === undefined || tickers.split(',').map(cikOf).includes(row.cik)) &&
    (since === undefined || (row.filedAt ?? '') >= since) &&
    (until === undefined || (row.filedAt ?? '') <= until)
  );
}

const keyOf = ({ accessionNo, number }: InsiderTransaction) => `${accessionNo} ${number}`;

describe('insider transactions', () => {
  const history = manyKinds();
  let made: OpenHistory;
  let open: OpenSegmentsOnly;
  let all: InsiderTransaction[];
  beforeAll(async () => {
    made = await openHistory(fresh(), history);
    ({ open } = made);
    all = transactionsOf(made.model);
  });

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
          since: orNone(fc.constantFrom(filedDays[0], filedDays[1])),
          until: orNone(fc.constantFrom(filedDays[2], filedDays[3])),
          owner: orNone(fc.constantFrom(...[4, 5, 6].map(cikOf))),
          who: orNone(fc.constantFrom({ ticker: 'T1' }, { tickers: 'T1,T3' })),
        }),
        fc.integer({ min: 1, max: 200 }),
        async ({ who = {}, ...others }, limit) => {
          const asked = Object.fromEntries(
            Object.entries({ ...others, ...who }).filter(([, value]) => value !== undefined),
          ) as Asked;
          const expected = all.filter((row) =>
            matches(row, asked, (symbol) => cikOfSymbol(made.model, symbol)),
          );
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
    const [last] = history.slice(-1) as [BatchRows];
    const asNew = <Row extends { readonly accessionNo: string }>(row: Row): Row => ({
      ...row,
      accessionNo: row.accessionNo.replace('-26-', '-27-'),
    });
    const others = { ...last, filings: last.filings.map(asNew), contents: last.contents?.map(asNew) ?? [] };
    const { open: later } = await openHistory(fresh(), [...history, others]);
    const rows: InsiderTransaction[] = [];
    for (let cursor: string | undefined, page = 0; ; page++) {
      const { data, meta } = await request<{
        data: InsiderTransaction[];
        meta: { nextCursor: string | null };
      }>(page < 2 ? open : later, 'listInsiderTransactions', { limit: '29', cursor });
      rows.push(...data);
      if (meta.nextCursor === null) break;
      cursor = meta.nextCursor;
    }
    expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
    const known = new Set(all.map(keyOf));
    expect(rows.map(keyOf).filter((key) => known.has(key))).toEqual(all.map(keyOf));
    expect(rows.filter(({ accessionNo }) => accessionNo === longReport).length).toBe(130);
  });

  it('a page ends where it has left out many filings that cannot match, and its cursor goes on', async () => {
    const { snapshot } = open;
    for (const texts of [
      { code: 'S', minValue: '75000' },
      { minValue: '100000.01', relationship: 'director' },
      { code: 'P', minValue: '9999999999' },
    ]) {
      const expected = all.filter((row) => matches(row, texts, () => null));
      const [rows, ends]: [unknown[], number[]] = [[], []];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = queryOf('listInsiderTransactions', { ...texts, limit: '50', cursor });
        const page = transactionsPage(snapshot, query, 5);
        for (let at = 0; at < page.count; at++) rows.push(page.record(at));
        ({ nextCursor: cursor } = page.first(page.count).envelope.meta as { nextCursor: string | null });
        ends.push(page.count);
      }
      expect(rows).toEqual(expected);
      expect(ends.length, JSON.stringify(texts)).toBeGreaterThan(Math.ceil(expected.length / 50) + 2);
    }
  });

  it('of filings with several transactions not one is read for each row; over a host the page is the same', async () => {
    const { snapshot } = open;
    const pageOf = async (isFar: boolean, limit: number, asked: Partial<Query> = {}) => {
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
        ...asked,
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
    // A filing that was looked up in vain counts as two. Over a host the filings of a page are one read all the same.
    const asked: Partial<Query> = { direction: 'acquired', isPlanned: true, isDerivative: true };
    const [near, far] = [await pageOf(false, 200, asked), await pageOf(true, 200, asked)];
    const matching = new Set(near.rows.map((row) => (row as InsiderTransaction).accessionNo)).size;
    expect(near.rows.length).toBeLessThan(200);
    expect(Math.abs(matching + 2 * (near.looked - matching) - 250)).toBeLessThan(3);
    expect(far).toEqual({ looked: 201, rows: near.rows });
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
    expect(await refusal({ owner: cikOf(99) })).toBe(
      `owner: no company or person of this service has the CIK "${cikOf(99)}"`,
    );
    expect(await refusal({ ticker: 'T1', tickers: 'T2' })).toMatch(/give one of them/);
    expect(await refusal({ since: '2026-02-03', until: '2026-02-01' })).toMatch(/^until: must not be before/);
    const { meta } = await request<{ meta: { nextCursor: string } }>(open, 'listLatestFilings', {
      limit: '1',
    });
    expect(await refusal({ cursor: meta.nextCursor })).toMatch(/^cursor: must be the nextCursor/);
    expect(await refusal({ tickers: 'T1,NOPE' })).toBe('taken');
  });
});
