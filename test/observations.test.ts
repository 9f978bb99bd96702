import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFold, type BatchRows, type Ledger } from '../build/ledger/fold.ts';
import { createCatalogue } from '../build/views/catalogue.ts';
import { summarize } from '../build/views/summary.ts';
import { views } from '../build/views/tables.ts';
import type { Change, Filing } from '../src/contract/records.ts';
import { foldSymbol } from '../src/contract/shapes.ts';
import { historyOrder, type TableName } from '../src/contract/snapshot.ts';
import { newestCikOf, relatedCiks } from '../src/contract/successors.ts';
import { histories } from './support/histories.ts';
import { batchAt, cikOf, company, filing, foldedLedger } from './support/ledgers.ts';
import { modelOf } from './support/log-model.ts';

function fold(batches: readonly BatchRows[]): Ledger {
  const folding = createFold(foldSymbol);
  for (const batch of structuredClone(batches) as BatchRows[]) folding.add(batch);
  return folding.result() as Ledger;
}

interface Row {
  readonly key: string;
  readonly json: string;
}

/** The rows of every table, made when they are asked for. */
function publication(ledger: Ledger): (name: TableName) => Row[] {
  const catalogue = createCatalogue(ledger);
  return (name) => [...views[name](catalogue)].map(({ key, json }) => ({ key, json }));
}
const textsOf = (rows: readonly Row[]) => rows.map(({ json }) => json);
const recordsOf = <Record>(rows: readonly Row[]) => rows.map(({ json }) => JSON.parse(json) as Record);
function groupsOf(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.key, [...(groups.get(row.key) ?? []), row]);
  return groups;
}

/** Prefixes of a ledger, the shortest first: each of them may have been published. */
const prefixesOf = (batches: readonly BatchRows[]) => batches.map((_, at) => publication(fold(batches.slice(0, at + 1))));

const newestFirst = (filings: readonly Filing[]) => filings.toSorted((a, b) => (historyOrder(a) < historyOrder(b) ? 1 : -1));
const names = ({ parties }: Filing, key: string) => parties.some(({ cik }) => newestCikOf(cik) === newestCikOf(key));

describe('the change feed', () => {
  it('is what the specification says', () => {
    fc.assert(fc.property(histories, (batches) => {
      const { log } = modelOf(batches);
      expect(textsOf(publication(fold(batches))('changes'))).toEqual(log.map((entry) => JSON.stringify(entry)));
    }), { numRuns: 300 });
  });

  it('only grows: what was published before a batch stands there to the byte after it', () => {
    fc.assert(fc.property(histories, (batches) => {
      const published = prefixesOf(batches);
      const whole = textsOf((published.at(-1) as (typeof published)[number])('changes'));
      for (const each of published) {
        const part = textsOf(each('changes'));
        expect(whole.slice(0, part.length)).toEqual(part);
      }
    }));
  });

  it('of a company only grows, too, whatever key it lies under', () => {
    fc.assert(fc.property(histories, (batches) => {
      const feeds = prefixesOf(batches).map((each) => new Map([...groupsOf(each('company-changes'))].map(([key, rows]) => [newestCikOf(key), textsOf(rows)])));
      feeds.slice(1).forEach((after, at) => {
        for (const [chain, part] of feeds[at] ?? []) expect(after.get(chain)?.slice(0, part.length)).toEqual(part);
      });
    }));
  });

  it('gives a client that follows it through some of the publications every observation once, in order', () => {
    fc.assert(fc.property(histories, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), fc.integer({ min: 1, max: 4 }), (batches, visits, limit) => {
      const published = prefixesOf(batches);
      const seen: string[] = [];
      let sequence = 0;
      const poll = (rows: readonly Row[]) => {
        const page = rows.filter(({ json }) => (JSON.parse(json) as Change).sequence > sequence).slice(0, limit);
        seen.push(...textsOf(page));
        sequence = page.length > 0 ? (recordsOf<Change>(page).at(-1) as Change).sequence : sequence;
        return page.length;
      };
      published.forEach((each, at) => visits[at] && poll(each('changes')));
      const last = (published.at(-1) as (typeof published)[number])('changes');
      while (poll(last) > 0);
      expect(seen).toEqual(textsOf(last));
    }));
  });

  it('of a company has each observation that names it, or that the one before did', () => {
    fc.assert(fc.property(histories, (batches) => {
      const { log, companies } = modelOf(batches);
      const found = groupsOf(publication(fold(batches))('company-changes'));
      const before = new Map<number, Filing | undefined>();
      const newest = new Map<string, Filing>();
      for (const { sequence, filing: each } of log) {
        before.set(sequence, newest.get(each.accessionNo));
        newest.set(each.accessionNo, each);
      }
      for (const cik of companies.keys()) {
        const key = relatedCiks(cik).find((each) => companies.has(each)) ?? cik;
        const own = log.filter(({ sequence, filing: each }) => names(each, key) || names(before.get(sequence) ?? each, key));
        expect(textsOf(found.get(key) ?? [])).toEqual(own.map((entry) => JSON.stringify(entry)));
      }
    }));
  });
});

describe('lists', () => {
  it('are what replaying the change feed by accession number gives', () => {
    fc.assert(fc.property(histories, (batches) => {
      const rowsOf = publication(fold(batches));
      const replayed = newestFirst([...new Map(recordsOf<Change>(rowsOf('changes')).map((entry) => [entry.filing.accessionNo, entry.filing])).values()]);
      expect(recordsOf<Filing>(rowsOf('latest'))).toEqual(replayed);
      expect(recordsOf<Filing>(rowsOf('insider-trades'))).toEqual(replayed.filter(({ form }) => form === '4'));
      expect(recordsOf<{ accessionNo: string; summary: string }>(rowsOf('summaries')).map(({ accessionNo, summary }) => [accessionNo, summary]))
        .toEqual(replayed.toSorted((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1)).map((each) => [each.accessionNo, summarize(each)]));
    }), { numRuns: 200 });
  });

  it('of a company are what replaying its own feed gives, without the filings that no longer name it', () => {
    fc.assert(fc.property(histories, (batches) => {
      const rowsOf = publication(fold(batches));
      const feeds = groupsOf(rowsOf('company-changes'));
      const [filings, events, issuers] = (['company-filings', 'company-events', 'issuer-insider-trades'] as const).map((name) => groupsOf(rowsOf(name)));
      const profiles = new Map(recordsOf<{ cik: string; filingCount: number }>(rowsOf('profiles')).map(({ cik, filingCount }) => [cik, filingCount]));
      for (const { cik, listCik } of recordsOf<{ cik: string; listCik: string }>(rowsOf('symbols'))) {
        const replayed = new Map(recordsOf<Change>(feeds.get(listCik) ?? []).map((entry) => [entry.filing.accessionNo, entry.filing]));
        const own = newestFirst([...replayed.values()].filter((each) => names(each, listCik)));
        expect(recordsOf<Filing>(filings?.get(listCik) ?? [])).toEqual(own);
        expect(recordsOf<Filing>(events?.get(listCik) ?? []).map(({ accessionNo }) => accessionNo)).toEqual(own.map(({ accessionNo }) => accessionNo));
        const isAbout = ({ parties }: Filing) => parties.some((party) => party.role === 'issuer' && newestCikOf(party.cik) === newestCikOf(listCik));
        expect(recordsOf<Filing>(issuers?.get(listCik) ?? [])).toEqual(own.filter((each) => each.form === '4' && isAbout(each)));
        expect(profiles.get(cik)).toBe(own.length);
      }
    }), { numRuns: 200 });
  });
});

describe('a correction', () => {
  const [one, two, three] = [1, 2, 3].map(cikOf) as [string, string, string];
  const companies = [company(1), company(2), company(3, null)];
  const entriesOf = (ledger: Ledger) => recordsOf<Change>(publication(ledger)('changes'));

  it('of an acceptance time that was null reaches the feed, and moves the filing in the lists', () => {
    const [early, late] = [filing(1, { acceptedAt: null, filedAt: '2026-02-05' }), filing(2, { acceptedAt: '20260205100000', filedAt: '2026-02-05' })];
    const ledger = foldedLedger({ companies, filings: [early, late] }, { filings: [{ ...early, acceptedAt: '20260205163000' }] });
    expect(entriesOf(ledger)).toMatchObject([
      { sequence: 1, revision: 1, filing: { acceptanceDateTime: null } }, { sequence: 2, revision: 1 },
      { sequence: 3, revision: 2, changeType: 'amended', corrected: ['acceptanceDateTime', 'acceptedAt'], observedAt: batchAt(2), filing: { accessionNo: early.accessionNo, acceptanceDateTime: '20260205163000', ingestedAt: batchAt(1) } },
    ]);
    expect(recordsOf<Filing>(publication(ledger)('latest')).map(({ accessionNo }) => accessionNo)).toEqual([early.accessionNo, late.accessionNo]);
  });

  it('is not made by a name or a symbol, which profiles and search show alone', () => {
    const ledger = foldedLedger({ companies, filings: [filing(1)] }, { companies: [company(1, 'NEW', { name: 'Renamed' }), company(2, 'T1')], filings: [filing(1), filing(2)] });
    const rowsOf = publication(ledger);
    expect(entriesOf(ledger).map(({ revision, filing: { ticker, companyName, parties } }) => [revision, ticker, companyName, parties[0]?.name])).toEqual([[1, 'T1', 'Company 1', 'Company 1'], [1, 'NEW', 'Renamed', 'Renamed']]);
    expect(recordsOf(rowsOf('profiles'))).toMatchObject([{ ticker: 'NEW', name: 'Renamed', filingCount: 2 }, { ticker: 'T1' }, {}]);
    expect(recordsOf<{ company: object }>(rowsOf('companies'))[0]?.company).toMatchObject({ ticker: 'NEW', name: 'Renamed' });
    expect(recordsOf<{ symbol: string; cik: string; name: string }>(rowsOf('symbols')).find(({ symbol }) => symbol === 'T1')).toMatchObject({ cik: two });
  });

  it('names what a new name changed with it, so that a copy of the record is right', () => {
    const ledger = foldedLedger({ companies, filings: [filing(1)] }, { companies: [company(1, 'T1', { name: 'Renamed' })] }, { filings: [filing(1, { form: '10-K' })] });
    expect(entriesOf(ledger).map(({ corrected }) => corrected)).toEqual([undefined, ['companyName', 'form', 'eventType', 'parties']]);
  });

  it('that finds another company brings the filing into its feed and lists', () => {
    const ledger = foldedLedger({ companies, filings: [filing(1)] }, { filings: [filing(1, { filerCiks: [one, two] })] });
    expect(entriesOf(ledger)[1]).toMatchObject({ revision: 2, corrected: ['parties'] });
    const rowsOf = publication(ledger);
    expect(rowsOf('company-changes').map(({ key, json }) => [key, (JSON.parse(json) as Change).sequence])).toEqual([[one, 1], [one, 2], [two, 2]]);
    expect(rowsOf('company-filings').map(({ key }) => key)).toEqual([one, two]);
  });

  it('that takes a company away reaches its feed, and the filing leaves its lists', () => {
    const ledger = foldedLedger({ companies, filings: [filing(1, { filerCiks: [one, two] }), filing(2, { filerCiks: [two] })] }, { filings: [filing(1, { filerCiks: [one] })] }, { filings: [filing(1, { filerCiks: [one], form: '10-K' })] });
    const rowsOf = publication(ledger);
    expect(rowsOf('company-changes').map(({ key, json }) => [key, (JSON.parse(json) as Change).sequence])).toEqual([[one, 1], [one, 3], [one, 4], [two, 1], [two, 2], [two, 3]]);
    expect(recordsOf<Filing>(rowsOf('company-filings').filter(({ key }) => key === two)).map(({ accessionNo }) => accessionNo)).toEqual([filing(2).accessionNo]);
    expect(recordsOf(rowsOf('profiles'))).toMatchObject([{ filingCount: 1 }, { filingCount: 1 }, { filingCount: 0 }]);
  });

  it('back to what it was is one, too', () => {
    const ledger = foldedLedger({ companies, filings: [filing(1)] }, { filings: [filing(1, { form: '10-K' })] }, { filings: [filing(1)] });
    expect(entriesOf(ledger).map(({ revision, filing: { form } }) => [revision, form])).toEqual([[1, '10-Q'], [2, '10-K'], [3, '10-Q']]);
  });

  it.each<[string, string | null, string[], (string | null)[]]>([
    ['4', one, [three], ['issuer', 'reporting_owner']], ['4', null, [three], ['reporting_owner']], ['144', one, [three], ['issuer', 'filed_by']], ['SC 13G/A', one, [two, three], ['subject', 'filed_by', 'filed_by']],
    ['SC 13G', null, [two], [null]], ['10-K', null, [one, two], ['filer', 'filer']], ['UPLOAD', null, [one], [null]], ['PX14A6G', null, [one, three], [null, null]],
  ])('leaves the parties of a %s of %s and %s with the roles that EDGAR tells', (form, subjectCik, filerCiks, roles) => {
    const ledger = foldedLedger({ companies: [company(1), company(2)], filings: [filing(1, { form, subjectCik, filerCiks })] });
    const parties = entriesOf(ledger)[0]?.filing.parties ?? [];
    expect(parties.map(({ role }) => role)).toEqual(roles);
    expect(parties.map(({ cik, name }) => [cik, name])).toEqual([...(subjectCik === null ? [] : [subjectCik]), ...filerCiks].map((cik) => [cik, cik === three ? null : `Company ${Number(cik)}`]));
  });
});
