import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarize } from '../../build/fold/summary.ts';
import type { Change, Company, CompanyProfile, Filing } from '../../src/contract/records.ts';
import type { SymbolRow } from '../../src/format/profile-rows.ts';
import { allPartition, historySortKey } from '../../src/format/snapshot.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import { useDirectories } from '../support/directories.ts';
import { histories } from '../support/histories.ts';
import {
  changesOf,
  filingsOf,
  foldBatches,
  insiderFilingsOf,
  profileOf,
  summaryOf,
  type BatchRows,
} from '../support/ledger-model.ts';
import { batchAt, cikOf, company, filing, madeUp, type MadeUpBatch } from '../support/ledgers.ts';
import { modelOf } from '../support/log-model.ts';
import {
  publishedRows,
  publishSegments,
  rowsIn,
  writeHistory,
  withFilings,
  type ListedName,
  type PublishedRow,
} from '../support/published.ts';

const fresh = useDirectories('observations');

type Tables = Record<ListedName, PublishedRow[]>;
/** Rows of one partition of a table, parsed; that of all companies if none is named. */
const recordsOf = <Row>(tables: Tables, name: ListedName, partition: string = allPartition) =>
  tables[name].filter((row) => row.partition === partition).map(({ json }) => JSON.parse(json) as Row);
const publication = (...batches: readonly MadeUpBatch[]) =>
  publishedRows(fresh(), madeUp(...batches)).then(withFilings);

/** The tables after each batch of a history, every one of them published. */
async function prefixesOf(batches: readonly BatchRows[]): Promise<Tables[]> {
  const [ledger, directory] = [fresh(), fresh()];
  await writeHistory(ledger, batches);
  const published: Tables[] = [];
  let entries: Awaited<ReturnType<typeof publishSegments>> = [];
  for (let number = 1; number <= batches.length; number++) {
    entries = await publishSegments(ledger, directory, entries, number);
    published.push(withFilings(await rowsIn(directory, entries)));
  }
  return published;
}

const newestFirst = (filings: readonly Filing[]) =>
  filings.toSorted((a, b) => (historySortKey(a) < historySortKey(b) ? 1 : -1));
const names = ({ parties }: Filing, key: string) =>
  parties.some(({ cik }) => newestCikOf(cik) === newestCikOf(key));
/** Feeds of a table, by partition, each as the bytes that are served. */
function feedsOf(rows: readonly PublishedRow[]): Map<string, string[]> {
  const feeds = new Map<string, string[]>();
  for (const { partition, json } of rows) feeds.set(partition, [...(feeds.get(partition) ?? []), json]);
  return feeds;
}

// What is published is held against the same model in `equality.test.ts`, so that most of these need no
// publication.
describe('the change feed', () => {
  it('the change feed is what the specification says', { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const { log } = modelOf(batches);
        expect(changesOf(foldBatches(batches))).toEqual(log);
      }),
      { numRuns: 300 },
    );
  });

  it('published, the change feed and the feed of each company are as specified', { tags: ['slow'] }, () =>
    fc.assert(
      fc.asyncProperty(histories, async (batches) => {
        const { log } = modelOf(batches);
        const tables = withFilings(await publishedRows(fresh(), batches));
        expect(recordsOf<Change>(tables, 'log')).toEqual(log);
        const before = new Map<number, Filing | undefined>();
        const newest = new Map<string, Filing>();
        for (const { sequence, filing: each } of log) {
          before.set(sequence, newest.get(each.accessionNo));
          newest.set(each.accessionNo, each);
        }
        const chains = new Set(
          log.flatMap(({ filing: each }) => each.parties.map(({ cik }) => newestCikOf(cik))),
        );
        expect(
          new Set(tables['company-changes'].map(({ partition }) => partition.replace(/ item$/, ''))),
        ).toEqual(chains);
        for (const chain of chains) {
          const own = log.filter(
            ({ sequence, filing: each }) => names(each, chain) || names(before.get(sequence) ?? each, chain),
          );
          expect(recordsOf<Change>(tables, 'company-changes', chain)).toEqual(own);
          expect(recordsOf<Change>(tables, 'company-changes', `${chain} item`)).toEqual(
            own.filter(({ filing: { items } }) => items.length > 0),
          );
        }
      }),
      { numRuns: 20 },
    ),
  );

  it(
    'every feed only grows: what was published before a batch is there to the byte after it',
    { tags: ['slow'] },
    () =>
      fc.assert(
        fc.asyncProperty(histories, async (batches) => {
          const published = await prefixesOf(batches);
          for (const table of ['log', 'company-changes'] as const) {
            const feeds = published.map((each) => feedsOf(each[table]));
            feeds.slice(1).forEach((after, at) => {
              for (const [partition, part] of feeds[at] ?? [])
                expect(after.get(partition)?.slice(0, part.length)).toEqual(part);
            });
          }
        }),
        { numRuns: 15 },
      ),
  );
});

describe('lists', () => {
  it('replaying the change feed gives the lists', { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const model = foldBatches(batches);
        const replayed = newestFirst([
          ...new Map(modelOf(batches).log.map((entry) => [entry.filing.accessionNo, entry.filing])).values(),
        ]);
        expect(filingsOf(model)).toEqual(replayed);
        expect(insiderFilingsOf(model)).toEqual(replayed.filter(({ form }) => form === '4'));
        for (const each of replayed)
          expect(summaryOf(model, each.accessionNo)).toMatchObject({ ...each, summary: summarize(each) });
      }),
      { numRuns: 200 },
    );
  });

  it('replaying the feed of a company gives its lists', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const model = foldBatches(batches);
        for (const cik of model.companies.keys()) {
          const replayed = new Map(
            changesOf(model, { company: cik }).map((entry) => [entry.filing.accessionNo, entry.filing]),
          );
          const own = newestFirst([...replayed.values()].filter((each) => names(each, cik)));
          expect(filingsOf(model, { company: cik })).toEqual(own);
          const isAbout = ({ parties }: Filing) =>
            parties.some((party) => party.role === 'issuer' && newestCikOf(party.cik) === newestCikOf(cik));
          expect(insiderFilingsOf(model, cik)).toEqual(
            own.filter((each) => each.form === '4' && isAbout(each)),
          );
          expect(profileOf(model, cik)).toMatchObject({
            filingCount: own.length,
            latestFiling: own[0] ?? null,
          });
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a correction', () => {
  const [one, two, three] = [1, 2, 3].map(cikOf) as [string, string, string];
  const companies = [company(1), company(2), company(3, null)];
  const entriesOf = (tables: Tables) => recordsOf<Change>(tables, 'log');
  const profilesOf = (tables: Tables) =>
    tables.profiles.map(({ json }) => JSON.parse(json) as CompanyProfile);
  const sequencesOf = (tables: Tables) =>
    tables['company-changes'].map(({ partition, json }) => [
      partition,
      (JSON.parse(json) as Change).sequence,
    ]);

  it('a corrected acceptance time reaches the feed, and moves the filing in the lists', async () => {
    const [early, late] = [
      filing(1, { acceptedEastern: null, filedAt: '2026-02-05' }),
      filing(2, { acceptedEastern: '20260205100000', filedAt: '2026-02-05' }),
    ];
    const ledger = await publication(
      { companies, filings: [early, late] },
      { filings: [{ ...early, acceptedEastern: '20260205163000' }] },
    );
    expect(entriesOf(ledger)).toMatchObject([
      { sequence: 1, revision: 1, filing: { acceptanceDateTime: null } },
      { sequence: 2, revision: 1 },
      {
        sequence: 3,
        revision: 2,
        changeType: 'amended',
        corrected: ['acceptanceDateTime', 'acceptedAt'],
        observedAt: batchAt(2),
        filing: {
          accessionNo: early.accessionNo,
          acceptanceDateTime: '20260205163000',
          ingestedAt: batchAt(1),
        },
      },
    ]);
    expect(recordsOf<Filing>(ledger, 'latest').map(({ accessionNo }) => accessionNo)).toEqual([
      early.accessionNo,
      late.accessionNo,
    ]);
  });

  it('a new name or symbol makes no correction', async () => {
    const ledger = await publication(
      { companies, filings: [filing(1)] },
      {
        companies: [company(1, 'NEW', { name: 'Renamed' }), company(2, 'T1')],
        filings: [filing(1), filing(2)],
      },
    );
    expect(
      entriesOf(ledger).map(({ revision, filing: { ticker, companyName, parties } }) => [
        revision,
        ticker,
        companyName,
        parties[0]?.name,
      ]),
    ).toEqual([
      [1, 'T1', 'Company 1', 'Company 1'],
      [1, 'NEW', 'Renamed', 'Renamed'],
    ]);
    expect(profilesOf(ledger)).toMatchObject([
      { ticker: 'NEW', name: 'Renamed', filingCount: 2 },
      { ticker: 'T1' },
      {},
    ]);
    expect(recordsOf<Company>(ledger, 'companies').find(({ cik }) => cik === one)).toMatchObject({
      ticker: 'NEW',
      name: 'Renamed',
      filingCount: 2,
    });
    expect(
      ledger.search.filter(({ sort }) => sort.endsWith(` ${one}`)).map(({ partition }) => partition),
    ).toContain('rename');
    expect(recordsOf<SymbolRow>(ledger, 'symbols', 'T1')).toEqual([
      { symbol: 'T1', cik: two, at: batchAt(2) },
    ]);
  });

  it('a correction names every member that a new name changed with it', async () => {
    const ledger = await publication(
      { companies, filings: [filing(1)] },
      { companies: [company(1, 'T1', { name: 'Renamed' })] },
      { filings: [filing(1, { form: '10-K' })] },
    );
    expect(entriesOf(ledger).map(({ corrected }) => corrected)).toEqual([
      undefined,
      ['companyName', 'form', 'eventType', 'parties'],
    ]);
  });

  it('a correction that finds another company brings the filing into its feed and lists', async () => {
    const ledger = await publication(
      { companies, filings: [filing(1)] },
      { filings: [filing(1, { filerCiks: [one, two] })] },
    );
    expect(entriesOf(ledger)[1]).toMatchObject({ revision: 2, corrected: ['parties'] });
    expect(sequencesOf(ledger)).toEqual([
      [one, 1],
      [one, 2],
      [two, 2],
    ]);
    expect(ledger['company-filings'].map(({ partition }) => partition)).toEqual([one, two]);
  });

  it('a correction that removes a company reaches its feed, and the filing leaves its lists', async () => {
    const ledger = await publication(
      { companies, filings: [filing(1, { filerCiks: [one, two] }), filing(2, { filerCiks: [two] })] },
      { filings: [filing(1, { filerCiks: [one] })] },
      { filings: [filing(1, { filerCiks: [one], form: '10-K' })] },
    );
    expect(sequencesOf(ledger)).toEqual([
      [one, 1],
      [one, 3],
      [one, 4],
      [two, 1],
      [two, 2],
      [two, 3],
    ]);
    expect(recordsOf<Filing>(ledger, 'company-filings', two).map(({ accessionNo }) => accessionNo)).toEqual([
      filing(2).accessionNo,
    ]);
    expect(profilesOf(ledger)).toMatchObject([{ filingCount: 1 }, { filingCount: 1 }, { filingCount: 0 }]);
  });

  it('a correction back to the former value is a correction', async () => {
    const ledger = await publication(
      { companies, filings: [filing(1)] },
      { filings: [filing(1, { form: '10-K' })] },
      { filings: [filing(1)] },
    );
    expect(entriesOf(ledger).map(({ revision, filing: { form } }) => [revision, form])).toEqual([
      [1, '10-Q'],
      [2, '10-K'],
      [3, '10-Q'],
    ]);
  });

  it.each<[string, string | null, string[], (string | null)[]]>([
    ['4', one, [three], ['issuer', 'reporting_owner']],
    ['4', null, [three], ['reporting_owner']],
    ['144', one, [three], ['subject', 'reporting_owner']],
    ['SC 13G/A', one, [two, three], ['subject', 'filed_by', 'filed_by']],
    ['SC 13G', null, [two], [null]],
    ['10-K', null, [one, two], ['filer', 'filer']],
    ['UPLOAD', null, [one], [null]],
    ['PX14A6G', null, [one, three], [null, null]],
  ])(
    'the parties of a %s of %s and %s have the roles that EDGAR tells',
    async (form, subjectCik, filerCiks, roles) => {
      const ledger = await publication({
        companies: [company(1), company(2)],
        filings: [filing(1, { form, subjectCik, filerCiks })],
      });
      const parties = entriesOf(ledger)[0]?.filing.parties ?? [];
      expect(parties.map(({ role }) => role)).toEqual(roles);
      expect(parties.map(({ cik, name }) => [cik, name])).toEqual(
        [...(subjectCik === null ? [] : [subjectCik]), ...filerCiks].map((cik) => [
          cik,
          cik === three ? null : `Company ${Number(cik)}`,
        ]),
      );
    },
  );
});
