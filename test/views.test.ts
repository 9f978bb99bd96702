import { describe, expect, it } from 'vitest';
import type { Ledger } from '../build/ledger/fold.ts';
import { factsOf, factsOfFiling } from '../build/snapshot/facts.ts';
import { detailUrl } from '../build/ledger/addresses.ts';
import { attributedCik, firstFiler } from '../build/ledger/observation.ts';
import { createCatalogue, listKeys } from '../build/views/catalogue.ts';
import { views, type View } from '../build/views/tables.ts';
import { allKey, tableDefinition, tableNames, type RecordOf, type TableName } from '../src/contract/snapshot.ts';
import { batchAt, cikOf, company, filing, foldedLedger } from './support/ledgers.ts';

type Row = { readonly key: string; readonly record: Record<string, unknown> };
const rowsOf = (ledger: Ledger, name: TableName) => [...views[name](createCatalogue(ledger))].map(({ key, json }): Row => ({ key, record: JSON.parse(json) as Row['record'] }));
const accessionOf = ({ record }: Row) => Number(String((record['filing'] as Record<string, unknown> | undefined)?.['accessionNo'] ?? record['accessionNo']).slice(-6));
const listing = (ledger: Ledger, name: TableName) => rowsOf(ledger, name).map((row) => [row.key, accessionOf(row)]);
const [one, two, three, four] = [1, 2, 3, 4].map(cikOf) as [string, string, string, string];
const insider = { subjectCik: one, filerCiks: [three], form: '4' } as const;
const nobodyListed = () => false;

describe('attribution', () => {
  it.each([
    ['the issuer, whoever made the number', { accessionNo: `${three}-26-000001`, subjectCik: one, filerCiks: [three] }, nobodyListed, one],
    ['the only filer', { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [two] }, nobodyListed, two],
    ['of joint filers the one whose login made the number', { accessionNo: `${three}-26-000001`, subjectCik: null, filerCiks: [one, two, three] }, (cik: string) => cik === two, three],
    ['else the first that is listed', { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [one, two, three] }, (cik: string) => cik !== one, two],
    ['else the one with the lowest CIK', { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [one, two, three] }, nobodyListed, one],
  ])('is to %s', (_, of, isListed, cik) => {
    expect(attributedCik(of, isListed)).toBe(cik);
    if (of.subjectCik === null) expect(firstFiler(of, isListed)).toBe(cik);
  });

  it('shows in cik, ticker, companyName and detailUrl alike', () => {
    const ledger = foldedLedger({ companies: [company(1), company(2, null), company(3, 'AAA')], filings: [filing(1, { filerCiks: [one, two, three], accessionNo: `${two}-26-000001` }), filing(2, { subjectCik: three, filerCiks: [one] })] });
    const [joint, about] = rowsOf(ledger, 'summaries').map(({ record }) => record);
    expect(joint).toMatchObject({ cik: two, ticker: null, companyName: 'Company 2', detailUrl: detailUrl(two, `${two}-26-000001`) });
    expect(about).toMatchObject({ cik: three, ticker: 'AAA', companyName: 'Company 3' });
    expect(detailUrl('0000320193', '0000320193-25-000079')).toBe('https://www.sec.gov/Archives/edgar/data/320193/000032019325000079/0000320193-25-000079-index.htm');
  });

  it('to a company that has no record of its own says the CIK', () => {
    expect(rowsOf(foldedLedger({ companies: [company(1)], filings: [filing(1, { subjectCik: two })] }), 'latest').map(({ record }) => record)).toMatchObject([{ cik: two, ticker: null, companyName: `CIK ${two}` }]);
  });
});

describe('lists', () => {
  const ledger = foldedLedger(
    { companies: [company(1), company(2), company(3, null)], filings: [filing(1), filing(2, { filerCiks: [one, two] }), filing(3, { ...insider })] },
    { filings: [filing(4, { filerCiks: [two], filedAt: '2026-01-05' })] },
  );

  it('hold a filing once, newest first, and as changes in the order in which they came', () => {
    expect(listing(ledger, 'latest')).toEqual([3, 2, 1, 4].map((number) => [allKey, number]));
    expect(listing(ledger, 'changes')).toEqual([1, 2, 3, 4].map((number) => [allKey, number]));
  });
  it('hold a filing under every company that it names', () => {
    const expected = [[one, 3], [one, 2], [one, 1], [two, 2], [two, 4], [three, 3]];
    expect(listing(ledger, 'company-filings')).toEqual(expected);
    expect(listing(ledger, 'company-events')).toEqual(expected);
    expect(listing(ledger, 'company-changes')).toEqual([[one, 1], [one, 2], [one, 3], [two, 2], [two, 4], [three, 3]]);
  });
  it('have no key for a company that nobody described', () => {
    expect(listing(foldedLedger({ companies: [company(1)], filings: [filing(1, { filerCiks: [one, four] })] }), 'company-filings')).toEqual([[one, 1]]);
  });
  it('order filings of a day by acceptance, an unknown one last, then by accession number', () => {
    const filedAt = '2026-02-02';
    const day = foldedLedger({ companies: [company(1)], filings: [filing(1, { filedAt, acceptedAt: null }), filing(2, { filedAt, acceptedAt: '20260202060000' }), filing(3, { filedAt, acceptedAt: '20260202060000' }), filing(4, { filedAt, acceptedAt: '20260201210000' })] });
    expect(listing(day, 'latest').map(([, number]) => number)).toEqual([3, 2, 4, 1]);
    expect(listing(day, 'changes').map(([, number]) => number)).toEqual([1, 4, 2, 3]);
  });
  it('hold insider filings alone, and by issuer, not by owner', () => {
    const mixed = foldedLedger({
      companies: [company(1), company(2), company(3, null)],
      filings: [filing(1, { ...insider, form: '3' }), filing(2, { ...insider, form: '4/A' }), filing(3, { ...insider, form: '5' }), filing(4, { ...insider, form: '144' }), filing(5), filing(6, { form: '4', filerCiks: [three] }), filing(7, { ...insider, subjectCik: two, filerCiks: [one] })],
    });
    expect(listing(mixed, 'insider-trades').map(([, number]) => number)).toEqual([7, 6, 3, 2, 1]);
    expect(listing(mixed, 'issuer-insider-trades')).toEqual([[one, 3], [one, 2], [one, 1], [two, 7]]);
  });
  it('hold for changes what kind they are, when they were seen, and corrections', () => {
    const kinds = foldedLedger({ companies: [company(1)], filings: [filing(1), filing(2, { form: '10-Q/A' }), filing(3, { form: '8-K', items: ['2.02'] })] }, { filings: [filing(1, { form: '10-K' })] });
    expect(rowsOf(kinds, 'changes').map(({ record }) => [record['sequence'], record['changeType'], record['observedAt'], record['revision'], record['corrected']])).toEqual([
      [1, 'new', batchAt(1), 1, undefined], [2, 'amended', batchAt(1), 1, undefined], [3, 'material_event', batchAt(1), 1, undefined], [4, 'amended', batchAt(2), 2, ['form', 'eventType']],
    ]);
    expect([0, 3].map((at) => rowsOf(kinds, 'changes')[at]?.record['filing'])).toMatchObject([{ form: '10-Q', ingestedAt: batchAt(1) }, { form: '10-K', ingestedAt: batchAt(1) }]);
  });
  it('give a correction a place of its own in the feed of everybody, and a company that was found later that place alone', () => {
    const grown = foldedLedger({ companies: [company(1), company(2)], filings: [filing(1), filing(2)] }, { filings: [filing(1, { filerCiks: [one, two] }), filing(3, { filerCiks: [one, two] })] });
    const places = rowsOf(grown, 'company-changes').map((row) => [row.key, accessionOf(row), row.record['sequence']]);
    expect(places).toEqual([[one, 1, 1], [one, 2, 2], [one, 3, 3], [one, 1, 4], [two, 3, 3], [two, 1, 4]]);
    expect(rowsOf(grown, 'changes').map(({ record }) => record['sequence'])).toEqual([1, 2, 3, 4]);
  });
});

describe('a successor', () => {
  const predecessorCik = '0000034088';
  const successorCik = '0002115436';
  const old = (number: number) => filing(number, { filerCiks: [predecessorCik] });
  const young = (number: number) => filing(number, { filerCiks: [successorCik] });
  const companies = [company(34088, null, { name: 'EXXON MOBIL CORP' }), company(2115436, 'XOM', { name: 'ExxonMobil Holdings Corp' })];
  const ledger = foldedLedger({ companies, filings: [old(1), old(2), young(3), filing(4, { filerCiks: [predecessorCik, successorCik] })] });

  it('is found with its predecessor by the symbol and by either CIK', () => {
    const symbols = new Map(rowsOf(ledger, 'symbols').map(({ key, record }) => [key, record]));
    expect([...symbols.keys()].sort()).toEqual([predecessorCik, successorCik, 'XOM'].sort());
    for (const record of symbols.values()) expect(record).toMatchObject({ listCik: successorCik });
    expect(symbols.get(predecessorCik)).toMatchObject({ cik: predecessorCik, name: 'EXXON MOBIL CORP' });
    expect(symbols.get('XOM')).toMatchObject({ cik: successorCik });
  });
  it('has one list of both histories, a filing of both once, and each filing keeps its own CIK', () => {
    const rows = rowsOf(ledger, 'company-filings');
    expect(rows.map((row) => [row.key, accessionOf(row), row.record['cik']])).toEqual([[successorCik, 4, successorCik], [successorCik, 3, successorCik], [successorCik, 2, predecessorCik], [successorCik, 1, predecessorCik]]);
    expect(listKeys(ledger.filings[3] as Ledger['filings'][number], createCatalogue(ledger).listCikOf)).toEqual([successorCik]);
    expect(rows.every(({ record }) => record['ticker'] === 'XOM')).toBe(true);
  });
  it('has a profile beside its predecessor’s, with the same filings, each naming the other', () => {
    const profiles = rowsOf(ledger, 'profiles').map(({ record }) => record);
    expect(profiles).toMatchObject([{ cik: predecessorCik, filingCount: 4, relatedCiks: [successorCik], ticker: null }, { cik: successorCik, filingCount: 4, relatedCiks: [predecessorCik], ticker: 'XOM' }]);
  });
  it('that nobody described does not keep the predecessor from having a list', () => {
    const alone = foldedLedger({ companies: [company(34088, 'XOM')], filings: [old(1), filing(2, { subjectCik: successorCik, filerCiks: [one], form: '4' })] });
    for (const name of ['company-filings', 'company-events', 'company-changes'] as const) expect(listing(alone, name).map(([key]) => key)).toEqual([predecessorCik, predecessorCik]);
    expect(listing(alone, 'issuer-insider-trades')).toEqual([[predecessorCik, 2]]);
    expect(rowsOf(alone, 'profiles').map(({ record }) => record)).toMatchObject([{ cik: predecessorCik, filingCount: 2, relatedCiks: [], ticker: 'XOM' }]);
    expect(rowsOf(alone, 'symbols').map(({ key, record }) => [key, record['cik'], record['listCik']])).toEqual([[predecessorCik, predecessorCik, predecessorCik], ['XOM', predecessorCik, predecessorCik]]);
    expect(rowsOf(alone, 'companies').map(({ record }) => record['company'])).toMatchObject([{ cik: predecessorCik, filingCount: 2 }]);
    expect(rowsOf(alone, 'latest').map(({ record }) => [record['cik'], record['ticker']])).toEqual([[successorCik, 'XOM'], [predecessorCik, 'XOM']]);
  });
  it('has one place for a correction that also names the other', () => {
    const grown = foldedLedger({ companies, filings: [old(1)] }, { filings: [filing(1, { filerCiks: [predecessorCik, successorCik] })] });
    expect(rowsOf(grown, 'company-changes').map((row) => [row.key, row.record['sequence']])).toEqual([[successorCik, 1], [successorCik, 2]]);
  });
});

describe('companies', () => {
  const ledger = foldedLedger(
    { companies: [company(1, 'AAA', { name: 'Zeta & Söhne', formerNames: ["O'Neil-Smith", 'Two'] }), company(2, null), company(3, 'OLD'), company(4, 'BRK.B', { tickers: ['BRK.B', 'BRK-A'] })], filings: [filing(1), filing(2, { form: '8-K' }), filing(3, { form: '8-K' }), filing(4, { ...insider })] },
    { companies: [company(3, null), company(5, 'OLD')], filings: [filing(5, { filerCiks: [cikOf(5)] })] },
  );

  it('have profiles with counts that add up, most frequent first', () => {
    const profiles = rowsOf(ledger, 'profiles').map(({ record }) => record);
    expect(profiles.map((profile) => [profile['cik'], profile['filingCount']])).toEqual([[one, 4], [two, 0], [three, 1], [four, 0], [cikOf(5), 1]]);
    expect(profiles[0]).toMatchObject({ forms: [{ form: '8-K', count: 2 }, { form: '10-Q', count: 1 }, { form: '4', count: 1 }], latestFilingAt: '2026-02-05', latestFiling: { form: '4' }, latestIngestedAt: batchAt(1), updatedAt: batchAt(1), tickers: ['AAA'], formerNames: ["O'Neil-Smith", 'Two'] });
    expect(profiles[1]).toMatchObject({ ticker: null, exchange: null, forms: [], latestFiling: null, latestFilingAt: null, latestIngestedAt: null, tickers: [], relatedCiks: [] });
    expect(profiles[2]).toMatchObject({ updatedAt: batchAt(2), latestIngestedAt: batchAt(1) });
  });
  it('are found by CIK and by each symbol in one spelling; a symbol leads to whom it was last given', () => {
    expect(rowsOf(ledger, 'symbols').map(({ key, record }) => [key, record['cik']])).toEqual([[one, one], [two, two], [three, three], [four, four], [cikOf(5), cikOf(5)], ['AAA', one], ['BRK-A', four], ['BRK-B', four], ['OLD', cikOf(5)]]);
  });
  it('keep a symbol that nobody else has taken', () => {
    const dropped = foldedLedger({ companies: [company(1, 'ATVI')] }, { companies: [company(1, null)] });
    expect(rowsOf(dropped, 'symbols').map(({ key }) => key)).toEqual([one, 'ATVI']);
  });
  it('with a symbol of digits do not take the place of the CIK that reads alike', () => {
    const digits = foldedLedger({ companies: [company(1, '2'), company(2, 'BBB'), company(3, '77')] });
    const found = new Map(rowsOf(digits, 'symbols').map(({ key, record }) => [key, record['cik']]));
    expect(found.get(two)).toBe(two);
    expect(found.has(cikOf(77))).toBe(false);
  });
  it('are ranked: listed ones first, then by filings, name and CIK', () => {
    const ranked = foldedLedger({ companies: [company(1, null), company(2), company(3, 'CCC', { name: 'A' }), company(4, 'DDD', { name: 'A' }), company(5, 'EEE')], filings: [filing(1), filing(2), filing(3, { filerCiks: [cikOf(5)] })] });
    expect(rowsOf(ranked, 'companies').map(({ record }) => (record['company'] as { cik: string }).cik)).toEqual([cikOf(5), three, four, two, one]);
  });
  it('have words for the search: folded, a space around each, former names apart', () => {
    const rows = rowsOf(ledger, 'companies').map(({ record }) => record);
    expect(rows.find(({ company: found }) => (found as { cik: string }).cik === one)).toMatchObject({ symbols: ` ${one} AAA `, name: ' zeta sohne ', formerNames: ' oneil smith | two ' });
    expect(rows.find(({ company: found }) => (found as { cik: string }).cik === three)).toMatchObject({ symbols: ` ${three} ` });
    expect(rows.find(({ company: found }) => (found as { cik: string }).cik === four)).toMatchObject({ symbols: ` ${four} BRK-B BRK-A ` });
  });
});

describe('every view', () => {
  const hostile = company(1, 'AAA', { name: 'N, "Inc" \\ \u2028 🦆 <br> "filing":{', formerNames: ['"accessionNo":"0000000000-00-000000"'] });
  const ledgers = {
    full: foldedLedger({ companies: [hostile, company(2), company(3, null)], filings: [filing(1, { primaryDocDescription: '"filedAt":"1999-01-01","form":"X",' }), filing(2, { ...insider, reportDate: null, acceptedAt: null, sizeBytes: null, primaryDocument: null }), filing(3, { form: '8-K', items: ['2.02', '9.01'], subjectCik: two })] }),
    'without filings': foldedLedger({ companies: [hostile] }),
    'without anything': foldedLedger({}),
  };
  it.each(Object.entries(ledgers).flatMap(([name, ledger]) => tableNames.map((table) => [table, name, ledger] as const)))('%s of a ledger %s keeps its promises', (name, _, ledger) => {
    const { record, keyMember } = tableDefinition(name);
    const rows = rowsOf(ledger, name);
    for (const row of rows) {
      expect(record.parse(row.record)).toEqual(row.record);
      if (keyMember) expect([Object.keys(row.record)[0], row.record[keyMember]]).toEqual([keyMember, row.key]);
    }
    expect(rows).toEqual(rowsOf(ledger, name));
  });
  it.each(tableNames)('%s has the same rows however much JSON is kept, and facts that follow from them', (name) => {
    const view = views[name] as View<TableName>;
    const [all, ...others] = [Infinity, 700, 0].map((kept) => [...view(createCatalogue(ledgers.full, kept))]);
    for (const rows of others) expect(rows).toEqual(all);
    for (const { json, filing: about, sequence } of all ?? []) {
      const record = JSON.parse(json) as RecordOf<typeof name>;
      expect(JSON.stringify(record)).toBe(json);
      expect(factsOfFiling(name, about, sequence)).toEqual(factsOf(name, record));
    }
  });
});
