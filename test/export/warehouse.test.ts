// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Change, CompanyProfile } from '../../src/contract/records.ts';
import { useDirectories } from '../support/directories.ts';
import { exportQuietly, recordsOf, withDuckDb } from '../support/exported.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('warehouse');
const root = new URL('../..', import.meta.url);
const text = readFileSync(new URL('site/examples/warehouse/questions.sql', root), 'utf8');

type Rows = readonly Readonly<Record<string, unknown>>[];
/** The answers of the documented text, by the numbers of the questions. */
const answers = new Map<number, Rows>();
let changes: readonly Change[] = [];
let newest: readonly Change[] = [];
let companies: readonly CompanyProfile[] = [];

beforeAll(async () => {
  const [snapshots, directory] = [fresh(), join(fresh(), 'export')];
  await buildQuietly(new URL('snapshots/sample', root).pathname, snapshots);
  await exportQuietly({
    snapshotsDirectory: snapshots,
    directory,
    location: pathToFileURL(directory).href,
    rangeRows: 2000,
  });
  ({ changes, companies } = await recordsOf(snapshots));
  newest = [...new Map(changes.map((change) => [change.filing.accessionNo, change])).values()];
  await withDuckDb(async (connection) => {
    for (const statement of text.replaceAll("'export/", `'${directory}/`).split(/;\n/)) {
      const number = Number(/^-- (\d+)\./m.exec(statement)?.[1] ?? 0);
      if (/^\s*(--.*\s*)*$/.test(statement)) continue;
      const rows = (await connection.runAndReadAll(statement)).getRowObjectsJson();
      if (number > 0) answers.set(number, rows as Rows);
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

describe('the questions of the page about warehouses', () => {
  it('the documented text answers ten questions', () =>
    expect([...answers.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));

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
