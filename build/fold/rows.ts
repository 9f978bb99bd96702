import { amendsEarlier, eventTypeOfForm } from '../../src/contract/event-types.ts';
import { itemTitle } from '../../src/contract/items.ts';
import type { Change, Filing, FilingSummary } from '../../src/contract/records.ts';
import {
  allPartition,
  feedOrder,
  formPartition,
  historyOrder,
  itemPartition,
  type ListedFiling,
} from '../../src/contract/snapshot.ts';
import { newestCikOf } from '../../src/contract/successors.ts';
import { linksOf } from '../ledger/addresses.ts';
import type { Observation } from '../ledger/observation.ts';
import type { Runs } from '../segments/runs.ts';
import { summarize } from './summary.ts';

/**
 * What a fold keeps of a correction beside its entry in the feed of a company: the form under which the
 * company had the filing before, if it had it.
 */
export interface FeedNote {
  readonly before: string | null;
}

/** What stands beside a summary, and beside a listed filing of a company; left out in revision 1. */
export interface RevisionNote {
  readonly revision: number;
}

/** Takes the entries of the feed of all companies, which come in its order: the JSON of a change. */
export type Feed = (sequence: number, filedAt: string, change: string) => void;

/**
 * Adds the rows of an observation to every table of filings, and hides those of the observation before that
 * lie elsewhere. The change stands in the feeds as a whole; lists in other orders lead to it by its sequence.
 */
export function addObservation(runs: Runs, feed: Feed, observation: Observation): void {
  const { filing, before, sequence, revision } = observation;
  const order = historyOrder(filing);
  const partitions = partitionsOf(filing);
  const companies = companiesOf(filing);
  const issuer = issuerOf(filing);
  const listed = listedFiling(filing, sequence, false);
  const listedOfIssuer = issuer === null ? listed : listedFiling(filing, sequence, true);
  const revisionNote = before ? JSON.stringify({ revision } satisfies RevisionNote) : undefined;
  for (const partition of partitions) runs.add('latest', partition, order, String(sequence));
  for (const company of companies)
    runs.add('company-filings', company, order, company === issuer ? listedOfIssuer : listed, revisionNote);
  if (before) hideBefore(runs, before, order, partitions, companies);

  const json = JSON.stringify(filing);
  const change = changeJson(observation, json);
  const position = feedOrder(sequence);
  const filedAt = filing.filedAt ?? '';
  feed(sequence, filedAt, change);
  const day = JSON.stringify(filedAt);
  for (const partition of partitions)
    if (partition !== allPartition) runs.add('changes', partition, position, day);
  const companiesBefore = before ? companiesOf(before) : [];
  const noteFor = (company: string) =>
    before
      ? JSON.stringify({ before: companiesBefore.includes(company) ? before.form : null } satisfies FeedNote)
      : undefined;
  for (const company of before ? new Set([...companies, ...companiesBefore]) : companies)
    runs.add('company-changes', company, position, change, noteFor(company));

  runs.add('summaries', filing.accessionNo, '', summaryJson(filing, json), revisionNote);
}

function hideBefore(
  runs: Runs,
  before: Filing,
  order: string,
  partitions: readonly string[],
  companies: readonly string[],
): void {
  const orderBefore = historyOrder(before);
  const hasMoved = orderBefore !== order;
  for (const partition of partitionsOf(before))
    if (hasMoved || !partitions.includes(partition)) runs.add('latest', partition, orderBefore, null);
  for (const company of companiesOf(before))
    if (hasMoved || !companies.includes(company)) runs.add('company-filings', company, orderBefore, null);
}

/** The partitions of `latest` and `changes` that a filing stands in. */
export function partitionsOf({ form, items }: Pick<Filing, 'form' | 'items'>): string[] {
  const partitions = [allPartition, formPartition(form)];
  for (const code of new Set(items)) partitions.push(itemPartition(code, form));
  return partitions;
}

/** The lists of companies that a filing stands in: the newest CIK of the chain of each party. */
export function companiesOf({ parties }: Pick<Filing, 'parties'>): string[] {
  return parties.length === 1
    ? [newestCikOf((parties[0] as Filing['parties'][number]).cik)]
    : [...new Set(parties.map(({ cik }) => newestCikOf(cik)))];
}

/** The list of the company that is the issuer of a filing; null if no party is. */
export function issuerOf({ parties }: Pick<Filing, 'parties'>): string | null {
  const issuer = parties.find(({ role }) => role === 'issuer');
  return issuer ? newestCikOf(issuer.cik) : null;
}

/** The JSON of a filing in the list of a company. */
export function listedFiling(
  { form, items }: Pick<Filing, 'form' | 'items'>,
  sequence: number,
  isIssuer: boolean,
): string {
  return JSON.stringify({
    sequence,
    form,
    items,
    ...(isIssuer ? { issuer: true } : {}),
  } satisfies ListedFiling);
}

/** The JSON of a change around that of its filing. */
function changeJson(
  { sequence, revision, observedAt, corrected, filing }: Observation,
  json: string,
): string {
  const head: Omit<Change, 'filing'> = {
    sequence,
    changeType: revision === 1 ? changeTypeOf(filing.form, filing.items) : 'amended',
    observedAt,
    revision,
    ...(revision === 1 ? {} : { corrected: [...corrected] }),
  };
  return `${JSON.stringify(head).slice(0, -1)},"filing":${json}}`;
}

/** The JSON of a filing with its summary, the titles of its items and its addresses behind it. */
function summaryJson(filing: Filing, json: string): string {
  const itemTitles = filing.items.map((code) => itemTitle(code) ?? null);
  const tail: Omit<FilingSummary, keyof Filing> = {
    summary: summarize(filing),
    itemTitles,
    links: linksOf(filing),
    notInvestmentAdvice: true,
  };
  return `${json.slice(0, -1)},${JSON.stringify(tail).slice(1)}`;
}

/**
 * The change type of a filing that is seen for the first time, by the first rule that holds. `amended` comes
 * first because it tells a reader to revisit a record; that the filing is an 8-K stays visible in its event
 * type and items. Form 8-K is the regulator's own definition of an event worth a report, so it is a
 * `material_event`, unless exhibits (9.01) are all it brings.
 */
export function changeTypeOf(form: string, items: readonly string[]): Change['changeType'] {
  if (amendsEarlier(form)) return 'amended';
  if (eventTypeOfForm(form) !== 'current_report') return 'new';
  return items.length === 0 || items.some((code) => code !== '9.01') ? 'material_event' : 'new';
}
