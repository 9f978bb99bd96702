// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Change, CompanyEntry } from '../../src/contract/records.ts';
import { useDirectories } from '../support/directories.ts';
import { exportQuietly, recordsOf, withDuckDb } from '../support/exported.ts';
import type { Transaction } from '../../src/contract/ownership.ts';
import { contents, form4, transaction } from '../support/contents.ts';
import { createRandom } from '../support/generate.ts';
import { appendMadeUp, cikOf, company, filing } from '../support/ledgers.ts';
import { questions } from '../support/questions.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('warehouse');
const root = new URL('../..', import.meta.url);
const text = readFileSync(new URL('site/examples/warehouse/questions.sql', root), 'utf8');

type Rows = readonly Readonly<Record<string, unknown>>[];
/** The answers of the documented text, by the numbers of the questions. */
let answers: ReadonlyMap<number, Rows> = new Map();
/** How many filings each of the twenty questions finds. */
const numbers = new Map<string, unknown>();
let changes: readonly Change[] = [];
let newest: readonly Change[] = [];
let companies: readonly CompanyEntry[] = [];

/**
 * Exports a snapshot and asks the documented text of its tables. Returns the answers by the numbers of the questions.
 * `also` asks the same tables.
 */
async function ask(
  snapshotsDirectory: string,
  also: (rowsOf: (statement: string) => Promise<Rows>) => Promise<void> = async () => {},
): Promise<ReadonlyMap<number, Rows>> {
  const directory = join(fresh(), 'export');
  await exportQuietly({
    snapshotsDirectory,
    directory,
    location: pathToFileURL(directory).href,
    rangeRows: 2000,
  });
  return withDuckDb(async (connection) => {
    const found = new Map<number, Rows>();
    const rowsOf = async (statement: string) =>
      (await connection.runAndReadAll(statement)).getRowObjectsJson() as Rows;
    for (const statement of text.replaceAll("'export/", `'${directory}/`).split(/;\n/)) {
      const number = Number(/^-- (\d+)\./m.exec(statement)?.[1] ?? 0);
      if (/^\s*(--.*\s*)*$/.test(statement)) continue;
      const rows = await rowsOf(statement);
      if (number > 0) found.set(number, rows);
    }
    await also(rowsOf);
    return found;
  });
}

beforeAll(async () => {
  const snapshots = fresh();
  await buildQuietly(new URL('snapshots/sample', root).pathname, snapshots);
  ({ changes, companies } = await recordsOf(snapshots));
  newest = [...new Map(changes.map((change) => [change.filing.accessionNo, change])).values()];
  answers = await ask(snapshots, async (rowsOf) => {
    for (const { asks, where } of questions) {
      const [row] = await rowsOf(`SELECT count(*)::INT AS filings FROM filings WHERE ${where}`);
      numbers.set(asks, row?.['filings']);
    }
  });
}, 120_000);

const answer = (number: number) => answers.get(number) ?? [];
/** Counts by a key, as rows of key and count. */
const counted = (keys: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

describe('twenty questions, each in one line of SQL', () =>
  it.each(questions)('$asks', ({ asks, matches }) =>
    expect(Number(numbers.get(asks))).toBe(newest.filter(({ filing }) => matches(filing)).length),
  ));

describe('the questions of the page about warehouses', () => {
  it('the documented text answers fifteen questions', () =>
    expect([...answers.keys()]).toEqual(Array.from({ length: 15 }, (_, at) => at + 1)));

  it('filings are counted by month and form', () =>
    expect(
      new Map(
        answer(1).map(({ month, form, filings }) => [`${String(month)} ${String(form)}`, Number(filings)]),
      ),
    ).toEqual(
      counted(
        newest.flatMap(({ filing: { filedAt, form } }) =>
          filedAt === null ? [] : [`${filedAt.slice(0, 7)}-01 ${form}`],
        ),
      ),
    ));

  it('press releases are counted among the listed documents', () =>
    expect(answer(15)).toEqual([{ month: '2026-03-01', reports: '1', withPressRelease: '0', newest: null }]));

  it('the filings of a company are its filings, newest first', () => {
    const own = newest.filter(({ filing }) => filing.ticker === 'AAPL');
    expect(own.length).toBeGreaterThan(20);
    expect(
      answer(2)
        .map(({ documentUrl }) => documentUrl)
        .sort(),
    ).toEqual(own.map(({ filing }) => filing.documentUrl).sort());
    const days = answer(2).map(({ filedAt }) => String(filedAt));
    expect(days).toEqual([...days].sort().reverse());
  });

  it('results of a day are those filings with the item', () => {
    const own = newest.filter(
      ({ filing }) =>
        filing.filedAt === '2026-07-30' && filing.form === '8-K' && filing.items.includes('2.02'),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(
      answer(3)
        .map(({ companyName }) => companyName)
        .sort(),
    ).toEqual(own.map(({ filing }) => filing.companyName).sort());
  });

  it('a filing is found by its accession number', () =>
    expect(answer(4)).toEqual([
      expect.objectContaining({
        accessionNo: '0000320193-26-000018',
        companyName: 'Apple Inc.',
        form: '8-K',
      }),
    ]));

  it('insiders are counted by their filings about a company', () => {
    const owners = newest
      .filter(({ filing }) =>
        filing.parties.some(({ cik, role }) => cik === '0000789019' && role === 'issuer'),
      )
      .flatMap(({ filing }) => filing.parties)
      .filter(({ role }) => role === 'reporting_owner');
    expect(owners.length).toBeGreaterThan(3);
    expect(new Map(answer(5).map(({ cik, filings }) => [cik, Number(filings)]))).toEqual(
      counted(owners.map(({ cik }) => cik)),
    );
  });

  it('companies that changed their auditor are counted by year and state', () => {
    const stateOf = new Map(companies.map(({ cik, stateOfIncorporation }) => [cik, stateOfIncorporation]));
    const found = new Set(
      newest
        .filter(({ filing }) => filing.items.includes('4.01') && stateOf.has(filing.cik))
        .map(({ filing }) => `${filing.filedAt?.slice(0, 4)} ${stateOf.get(filing.cik)} ${filing.cik}`),
    );
    expect(
      new Map(
        answer(6).map(({ year, state, companies: many }) => [
          `${String(year)} ${String(state)}`,
          Number(many),
        ]),
      ),
    ).toEqual(counted([...found].map((each) => each.slice(0, -11))));
  });

  it('each day of observation has its first observations', () =>
    expect(new Map(answer(7).map(({ day, filings }) => [day, Number(filings)]))).toEqual(
      counted(
        changes
          .filter(({ revision, filing }) => revision === 1 && filing.acceptedAt !== null)
          .map(({ observedAt }) => String(observedAt?.slice(0, 10))),
      ),
    ));

  it('corrected members are counted', () => {
    const members = changes.flatMap(({ corrected }) => corrected ?? []);
    expect(members.length).toBeGreaterThan(10);
    expect(new Map(answer(8).map(({ member, corrections }) => [member, Number(corrections)]))).toEqual(
      counted(members),
    );
  });

  it('what was known at a time is the newest observation until then', () => {
    const until = changes.filter(({ observedAt }) => (observedAt ?? '') <= '2026-05-01T00:00:00.000Z');
    const known = new Map(until.map(({ filing }) => [filing.accessionNo, filing]));
    expect(known.size).toBeGreaterThan(100);
    expect(answer(9)).toEqual([
      {
        filings: String(known.size),
        withoutDocument: String(
          [...known.values()].filter(({ primaryDocument }) => primaryDocument === null).length,
        ),
      },
    ]);
  });

  it('late notices are those of the industries that sent them', () => {
    const sicOf = new Map(companies.map(({ cik, sic }) => [cik, sic]));
    const sics = newest
      .filter(({ filing }) => ['NT 10-K', 'NT 10-Q'].includes(filing.form))
      .flatMap(({ filing }) => sicOf.get(filing.cik) ?? []);
    expect(
      answer(10)
        .map(({ sic }) => sic)
        .sort(),
    ).toEqual([...new Set(sics)].sort());
  });
});

describe('the questions about insiders', () => {
  /** A trade with its filing: what the questions are about. */
  interface Trade extends Transaction {
    readonly accessionNo: string;
    readonly form: string;
    readonly filedAt: string;
    readonly issuer: string;
    readonly buyer: string;
    readonly isByOfficer: boolean;
    readonly isPlanned: boolean | null;
  }
  const trades: Trade[] = [];
  const filedDays = new Set<string>();
  let found: ReadonlyMap<number, Rows> = new Map();
  const dayOf = (number: number) =>
    new Date(Date.UTC(2026, 0, 2) + number * 86_400_000).toISOString().slice(0, 10);

  beforeAll(async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    const random = createRandom(7);
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
    const made = Array.from({ length: 300 }, (_, at) => {
      // Weekends and some other days have no filings.
      const days = Array.from({ length: 120 }, (_day, day) => day).filter((day) => day % 7 > 1 && day !== 20);
      const filed = pick(days);
      const issuer = 1 + Math.floor(random() * 4);
      const form = pick(['4', '4', '4', '4/A', '5']);
      const row = filing(at + 1, {
        form,
        filedAt: dayOf(filed),
        acceptedEastern: null,
        subjectCik: cikOf(issuer),
        filerCiks: [],
      });
      filedDays.add(dayOf(filed));
      const owners = pick([[11], [12], [13], [14], [15, 16]]);
      const transactions = Array.from({ length: pick([1, 2, 3]) }, (_row, index) => {
        const price = pick([0, 2.5, 10.01, null]);
        const shares = 100 * (1 + index);
        return transaction(index + 1, {
          code: pick(['P', 'S', 'A']),
          on: dayOf(filed - pick([0, 1, 2, 3, 4, 9])),
          deemedExecutedOn: pick([null, null, dayOf(filed)]),
          price,
          shares,
          value: price === null ? null : Math.round(price * shares * 100) / 100,
          isDerivative: pick([false, false, true]),
        });
      });
      const document = form4(owners, transactions);
      const isPlanned = pick([true, false, null]);
      const isByOfficer = random() < 0.5;
      const ownership = {
        ...document.ownership,
        isPlanned,
        owners: document.ownership.owners.map((owner) => ({ ...owner, isOfficer: isByOfficer })),
      };
      const { accessionNo } = row;
      const buyer = cikOf(owners[0] as number);
      for (const each of transactions)
        trades.push({
          ...each,
          accessionNo,
          form,
          filedAt: dayOf(filed),
          issuer: cikOf(issuer),
          buyer,
          isByOfficer,
          isPlanned,
        });
      return { row, contents: contents(accessionNo, { ...document, ownership }) };
    });
    await appendMadeUp(ledger, 1, {
      filings: made.map(({ row }) => row),
      companies: [1, 2, 3, 4].map((number) => company(number)),
      contents: made.map((each, at) => ({
        ...each.contents,
        ...(at === 0
          ? { documents: [{ sequence: 1, type: '4', description: null, name: 'a.xml', size: 1 }] }
          : {}),
      })),
    });
    await buildQuietly(ledger, snapshots);
    found = await ask(snapshots);
  }, 120_000);

  const rowsOf = (number: number) => found.get(number) ?? [];
  /** Trades by a key, in the order of the keys. */
  function grouped(rows: readonly Trade[], keyOf: (trade: Trade) => string): [string, Trade[]][] {
    const groups = new Map<string, Trade[]>();
    for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
    return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  }
  const dollarsOf = (rows: readonly Trade[]) => rows.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const original = ({ form, isDerivative }: Trade) => form !== '4/A' && !isDerivative;

  it('purchases of officers are counted and added up by month, without amendments', () => {
    const bought = trades.filter((each) => original(each) && each.code === 'P' && each.isByOfficer);
    expect(bought.length).toBeGreaterThan(30);
    expect(
      rowsOf(11).map(({ month, companies: many, purchases, dollars }) => [
        month,
        Number(many),
        Number(purchases),
        Number(dollars),
      ]),
    ).toEqual(
      grouped(bought, ({ on }) => `${on?.slice(0, 7)}-01`).map(([month, rows]) => [
        month,
        new Set(rows.map(({ issuer }) => issuer)).size,
        rows.length,
        expect.closeTo(dollarsOf(rows), 2),
      ]),
    );
  });

  it('clusters of buyers are companies in which three bought within thirty days', () => {
    const bought = trades.filter(({ code, isDerivative }) => code === 'P' && !isDerivative);
    const clusters = grouped(bought, ({ issuer, on }) => `${issuer} ${on}`).flatMap(([key]) => {
      const [issuer = '', since = ''] = key.split(' ');
      const end = new Date(Date.parse(since) + 29 * 86_400_000).toISOString().slice(0, 10);
      const within = bought.filter(
        (each) => each.issuer === issuer && String(each.on) >= since && String(each.on) <= end,
      );
      const buyers = new Set(within.map(({ buyer }) => buyer)).size;
      return buyers < 3 ? [] : [`${issuer} ${since} ${buyers}`];
    });
    expect(clusters.length).toBeGreaterThan(10);
    expect(
      rowsOf(12)
        .map(({ cik, since, buyers }) => `${String(cik)} ${String(since)} ${String(buyers)}`)
        .sort(),
    ).toEqual(clusters.sort());
  });

  it('the planned share of sales is that of their value, where the document tells', () => {
    const sold = trades.filter(
      (each) => original(each) && each.code === 'S' && each.isPlanned !== null && (each.value ?? 0) > 0,
    );
    expect(sold.length).toBeGreaterThan(30);
    expect(rowsOf(13).map(({ quarter, plannedPercent }) => [quarter, Number(plannedPercent)])).toEqual(
      grouped(
        sold,
        ({ on }) =>
          `${on?.slice(0, 4)}-${String(3 * Math.floor((Number(on?.slice(5, 7)) - 1) / 3) + 1).padStart(2, '0')}-01`,
      ).map(([quarter, rows]) => [
        quarter,
        expect.closeTo((100 * dollarsOf(rows.filter(({ isPlanned }) => isPlanned))) / dollarsOf(rows), 1),
      ]),
    );
  });

  it('late reports came more than two business days after the trade', () => {
    const days = [...filedDays].sort();
    const traded = trades.flatMap((each) => {
      const { form, code, filedAt } = each;
      const day = each.deemedExecutedOn ?? each.on ?? '';
      if (form !== '4' || (code !== 'P' && code !== 'S') || day < (days[0] as string)) return [];
      return [{ ...each, after: days.filter((other) => other > day && other <= filedAt).length }];
    });
    expect(traded.filter(({ after }) => after > 2).length).toBeGreaterThan(10);
    expect(
      rowsOf(14).map(({ month, transactions, late }) => [month, Number(transactions), Number(late)]),
    ).toEqual(
      grouped(traded, ({ filedAt }) => `${filedAt.slice(0, 7)}-01`).map(([month, rows]) => [
        month,
        rows.length,
        (rows as typeof traded).filter(({ after }) => after > 2).length,
      ]),
    );
  });
});
