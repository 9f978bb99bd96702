import type { Filing } from '../../src/contract/records.ts';
import { listCikOf } from '../../src/contract/successors.ts';
import { historyOrder } from '../../src/contract/snapshot.ts';
import type { FoldedCompany, Ledger } from '../ledger/fold.ts';
import { publish, type Observation } from '../ledger/observation.ts';

/** The folded ledger with the orders and groups that every view needs, made once. */
export interface Catalogue {
  readonly ledger: Ledger;
  /** The newest observation of each filing, newest filing first. */
  readonly newestFirst: readonly Observation[];
  /** The same by list key, keys ascending. */
  readonly lists: ReadonlyMap<string, readonly Observation[]>;
  /** Every observation by list key, in the order of the change feed, keys ascending. */
  readonly feeds: ReadonlyMap<string, readonly Observation[]>;
  /** Companies by CIK, ascending. */
  readonly companies: readonly FoldedCompany[];
  /** The list key of a company: the newest CIK of predecessor and successor that the ledger holds. */
  listCikOf(cik: string): string;
  /** The record that is published for an observation. */
  publish(observation: Observation): Filing;
  /** The JSON of that record. Most tables hold it, so it is kept. */
  publishJson(observation: Observation): Json<Filing>;
}

/** The JSON of a record. */
export type Json<Value> = string & { readonly of?: Value };

/** Makes the JSON of a record. */
export function toJson<Value>(value: Value): Json<Value> {
  return JSON.stringify(value) as Json<Value>;
}

/** How much JSON of filings is kept, in characters: that of half a million. More of them take more time, and no more memory. */
const keptTextMaximum = 256 * 1024 * 1024;

/** Makes the catalogue of a ledger, which keeps so many characters of JSON. */
export function createCatalogue(ledger: Ledger, keptText = keptTextMaximum): Catalogue {
  const listKey = (cik: string) => listCikOf(cik, (each) => ledger.companies.has(each));
  const newestFirst = sortNewestFirst(ledger.filings);
  const companies = [...ledger.companies.values()].sort((a, b) => (a.cik < b.cik ? -1 : 1));
  const keys = [...new Set(companies.map(({ cik }) => listKey(cik)))].sort();
  return {
    ledger, newestFirst, companies,
    listCikOf: listKey,
    lists: groupBy(keys, newestFirst, (observation) => listKeys(observation, listKey)),
    feeds: groupBy(keys, ledger.observations, (observation) => feedKeys(observation, listKey)),
    publish,
    publishJson: keepTexts(ledger, keptText, (observation) => toJson(publish(observation))),
  };
}

/** Observations by key, in their order. Keys that are not among those that are given have no group. */
function groupBy(keys: readonly string[], observations: readonly Observation[], keysOf: (observation: Observation) => string[]): Map<string, Observation[]> {
  const groups = new Map(keys.map((key) => [key, [] as Observation[]]));
  for (const observation of observations) for (const key of keysOf(observation)) groups.get(key)?.push(observation);
  return groups;
}

/** Keeps the texts that were made first, as long as there is room. */
function keepTexts(ledger: Ledger, keptText: number, make: (observation: Observation) => Json<Filing>): (observation: Observation) => Json<Filing> {
  const texts = Array.from({ length: ledger.observations.length + 1 }, (): Json<Filing> | undefined => undefined);
  let left = keptText;
  return (observation) => {
    const kept = texts[observation.sequence];
    if (kept !== undefined) return kept;
    const text = make(observation);
    left -= text.length;
    if (left >= 0) texts[observation.sequence] = text;
    return text;
  };
}

/** The keys of the lists that a filing stands in, each once. `listKey` gives that of a company. */
export function listKeys({ parties }: Pick<Observation, 'parties'>, listKey: (cik: string) => string): string[] {
  const keys = parties.map(({ cik }) => listKey(cik));
  return keys.length === 1 ? keys : [...new Set(keys)];
}

/** The keys of the feeds that an observation stands in: those of its lists, and of the companies that it no longer names. */
export function feedKeys({ parties, lostCiks }: Pick<Observation, 'parties' | 'lostCiks'>, listKey: (cik: string) => string): string[] {
  const keys = listKeys({ parties }, listKey);
  return lostCiks.length === 0 ? keys : [...new Set([...keys, ...lostCiks.map(listKey)])];
}

function sortNewestFirst(filings: readonly Observation[]): Observation[] {
  const orders = filings.map((filing) => historyOrder({ filedAt: filing.filedAt, acceptanceDateTime: filing.acceptedAt, accessionNo: filing.accessionNo }));
  const places = Uint32Array.from(filings.keys()).sort((a, b) => ((orders[a] as string) < (orders[b] as string) ? 1 : -1));
  return Array.from(places, (place) => filings[place] as Observation);
}
