import { allKey, type RecordOf, type TableName } from '../../src/contract/snapshot.ts';
import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import { itemTitle } from '../../src/contract/items.ts';
import type { Change, Event, Filing, FilingSummary } from '../../src/contract/records.ts';
import { newestCikOf } from '../../src/contract/successors.ts';
import { linksOf } from '../ledger/addresses.ts';
import { ownershipFamilies } from '../ledger/parties.ts';
import type { Observation } from '../ledger/observation.ts';
import { toJson, type Catalogue, type Json } from './catalogue.ts';
import { companyProfiles, searchRows, symbolRows } from './companies.ts';
import { changeTypeOf } from './rules.ts';
import { summarize } from './summary.ts';

/** A row of a table with the key under which it is listed. */
export interface ViewRow<Name extends TableName> {
  readonly key: string;
  readonly json: Json<RecordOf<Name>>;
  /** The observation that a row of a list holds, and its place in the change feed. */
  readonly filing?: Observation;
  readonly sequence?: number;
}

/** A view: from the catalogue to the rows of a table, in the order in which the table holds them. */
export type View<Name extends TableName> = (catalogue: Catalogue) => Iterable<ViewRow<Name>>;

/** One view for each table; the compiler refuses this until all exist. */
export const views: { readonly [Name in TableName]: View<Name> } = {
  latest: ({ newestFirst, publishJson }) => rows(allKey, newestFirst, publishJson),
  'company-filings': (catalogue) => byCompany(catalogue, catalogue.publishJson),
  'company-events': (catalogue) => byCompany(catalogue, (filing) => toJson(toEvent(catalogue.publish(filing)))),
  'insider-trades': ({ newestFirst, publishJson }) => rows(allKey, newestFirst.filter(isInsider), publishJson),
  'issuer-insider-trades': (catalogue) => byCompany(catalogue, catalogue.publishJson, (filings, key) => filings.filter((filing) => isInsider(filing) && isIssuer(filing, key))),
  changes: ({ ledger, publishJson }) => rows(allKey, ledger.observations, (observation) => changeJson(observation, publishJson(observation))),
  'company-changes': function* ({ feeds, publishJson }) {
    for (const [key, observations] of feeds) yield* rows(key, observations, (observation) => changeJson(observation, publishJson(observation)));
  },
  profiles: (catalogue) => records(companyProfiles(catalogue)),
  summaries: function* ({ ledger, publish, publishJson }) {
    for (const filing of ledger.filings.toSorted((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1))) {
      yield { key: filing.accessionNo, json: summaryJson(publishJson(filing), publish(filing)) };
    }
  },
  symbols: (catalogue) => records(symbolRows(catalogue)),
  companies: (catalogue) => records(searchRows(catalogue)),
};

function* records<Row>(made: Iterable<{ key: string; record: Row }>): Iterable<{ key: string; json: Json<Row> }> {
  for (const { key, record } of made) yield { key, json: toJson(record) };
}

interface ListRow<Row> {
  readonly key: string;
  readonly json: Json<Row>;
  readonly filing: Observation;
  readonly sequence: number;
}

type Make<Row> = (observation: Observation) => Json<Row>;

function* rows<Row>(key: string, observations: readonly Observation[], make: Make<Row>): Iterable<ListRow<Row>> {
  for (const filing of observations) yield { key, json: make(filing), filing, sequence: filing.sequence };
}

function* byCompany<Row>(
  { lists }: Catalogue,
  make: Make<Row>,
  select: (filings: readonly Observation[], key: string) => readonly Observation[] = (filings) => filings,
): Iterable<ListRow<Row>> {
  for (const [key, filings] of lists) yield* rows(key, select(filings, key), make);
}

/** Whether it is a Form 3, 4 or 5. */
function isInsider({ form }: Observation): boolean {
  return ownershipFamilies.has(eventTypeOfForm(form));
}

function isIssuer({ subjectCik }: Observation, key: string): boolean {
  return subjectCik !== null && newestCikOf(subjectCik) === newestCikOf(key);
}

/** The JSON of a change around that of its filing. */
function changeJson({ sequence, revision, form, items, observedAt, corrected }: Observation, filing: Json<Filing>): Json<Change> {
  const head: Omit<Change, 'filing'> = {
    sequence, changeType: revision === 1 ? changeTypeOf(form, items) : 'amended', observedAt, revision, ...(revision === 1 ? {} : { corrected: [...corrected] }),
  };
  return `${toJson(head).slice(0, -1)},"filing":${filing}}` as Json<Change>;
}

/** The JSON of a filing with its summary, the titles of its items and its addresses behind it. */
function summaryJson(json: Json<Filing>, filing: Filing): Json<FilingSummary> {
  const itemTitles = filing.items.map((code) => itemTitle(code) ?? null);
  const tail: Omit<FilingSummary, keyof Filing> = { summary: summarize(filing), itemTitles, links: linksOf(filing), notInvestmentAdvice: true };
  return `${json.slice(0, -1)},${toJson(tail).slice(1)}` as Json<FilingSummary>;
}

function toEvent({ accessionNo, companyName, ticker, form, eventType, items, filedAt, detailUrl, acceptanceDateTime }: Filing): Event {
  return { accessionNo, companyName, ticker, form, eventType, items, filedAt, detailUrl, acceptanceDateTime };
}
