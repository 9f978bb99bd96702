import { allKey, type RecordOf, type TableName } from '../../src/contract/snapshot.ts';
import type { Change, Event, Filing } from '../../src/contract/records.ts';
import { listCikOf } from '../../src/contract/successors.ts';
import type { FoldedFiling } from '../ledger/fold.ts';
import { sequenceIn, type Catalogue } from './catalogue.ts';
import { companyProfiles, searchRows, symbolRows } from './companies.ts';
import { changeTypeOf, insiderFamilies } from './rules.ts';
import { summarize } from './summary.ts';

/** A row of a table with the key under which it is listed. */
export interface ViewRow<Name extends TableName> {
  readonly key: string;
  readonly record: RecordOf<Name>;
}

/** A view: from the catalogue to the rows of a table, in the order in which the table holds them. */
export type View<Name extends TableName> = (catalogue: Catalogue) => Iterable<ViewRow<Name>>;

/** One view for each table; the compiler refuses this until all exist. */
export const views: { readonly [Name in TableName]: View<Name> } = {
  latest: ({ newestFirst, publish }) => rows(allKey, newestFirst, publish),
  'company-filings': (catalogue) => byCompany(catalogue, catalogue.publish),
  'company-events': (catalogue) => byCompany(catalogue, (filing) => toEvent(catalogue.publish(filing))),
  'insider-trades': ({ newestFirst, publish }) => rows(allKey, newestFirst, (filing) => insiderOnly(publish(filing))),
  'issuer-insider-trades': (catalogue) => byCompany(catalogue, (filing, key) => insiderOnly(catalogue.publish(filing), filing, key)),
  changes: ({ ledger, publish }) => rows(allKey, ledger.filings, (filing) => toChange(filing, filing.sequence, publish(filing))),
  'company-changes': (catalogue) => byCompany(catalogue, (filing, key) => toChange(filing, sequenceIn(filing, key), catalogue.publish(filing)), inFeedOrder),
  profiles: companyProfiles,
  summaries: function* ({ ledger, publish }) {
    for (const filing of ledger.filings.toSorted((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1))) {
      const published = publish(filing);
      yield { key: filing.accessionNo, record: { ...published, summary: summarize(published), notInvestmentAdvice: true } };
    }
  },
  symbols: symbolRows,
  companies: searchRows,
};

function* rows<Row>(key: string, filings: readonly FoldedFiling[], make: (filing: FoldedFiling) => Row | undefined): Iterable<{ key: string; record: Row }> {
  for (const filing of filings) {
    const record = make(filing);
    if (record !== undefined) yield { key, record };
  }
}

function* byCompany<Row>(
  { lists }: Catalogue,
  make: (filing: FoldedFiling, key: string) => Row | undefined,
  order: (filings: readonly FoldedFiling[], key: string) => readonly FoldedFiling[] = (filings) => filings,
): Iterable<{ key: string; record: Row }> {
  for (const [key, filings] of lists) yield* rows(key, order(filings, key), (filing) => make(filing, key));
}

function inFeedOrder(filings: readonly FoldedFiling[], key: string): readonly FoldedFiling[] {
  return filings.toSorted((a, b) => sequenceIn(a, key) - sequenceIn(b, key));
}

/** The filing if it is a Form 3, 4 or 5; with a key, only if that company is its issuer. */
function insiderOnly(published: Filing, filing?: FoldedFiling, key?: string): Filing | undefined {
  if (!insiderFamilies.has(published.eventType)) return undefined;
  return key === undefined || (filing?.subjectCik != null && listCikOf(filing.subjectCik) === key) ? published : undefined;
}

function toChange(filing: FoldedFiling, sequence: number, published: Filing): Change {
  return { sequence, changeType: changeTypeOf(published.form, published.items), observedAt: filing.ingestedAt, filing: published };
}

function toEvent({ accessionNo, companyName, ticker, form, eventType, items, filedAt, detailUrl, acceptanceDateTime }: Filing): Event {
  return { accessionNo, companyName, ticker, form, eventType, items, filedAt, detailUrl, acceptanceDateTime };
}
