import { filingsPath, isForPublicData, type Filters } from '../pages/parts/company-view.ts';
import type { ShownFiling } from '../pages/parts/filings-table.ts';
import { foldWords } from '../../src/domain/folded-words.ts';
import type { Change, Company, Filing } from '../../src/contract/records.ts';
import { dataPath, newestDataPath } from '../pages/parts/company-links.ts';
import { labelOf } from '../pages/parts/filter-fields.ts';
import { ask, type Outcome } from './ask-service.ts';
import { readChanges } from './feed-pages.ts';

/** A page of filings, newest first. */
export interface FilingPage {
  readonly filings: readonly ShownFiling[];
  /** The cursor of the next older page; null if there is none. */
  readonly next: string | null;
}

/** The newest filings with purchases or sales, whether they are all that there are, and the newest Forms 4 and 5. */
export interface TradePage {
  readonly filings: readonly ShownFiling[];
  readonly newest: readonly ShownFiling[];
  readonly isAll: boolean;
}

/** A company that a reader can name: by its ticker symbol, or by its CIK if it has none. */
export interface NamedCompany {
  readonly value: string;
  readonly name: string;
}

/** Where the filings of a company come from. */
export interface Source {
  /**
   * The filings that are known without a request. The timeline shows all of them, pale if filters exclude
   * them.
   */
  readonly known: readonly ShownFiling[];
  page(filters: Filters, next: string | null): Promise<Outcome<FilingPage>>;
  /**
   * The newest correction of each filing of a page that has one, by accession number. It may have corrections
   * of other filings, too. It is empty if the source has no change feed.
   */
  corrections(filters: Filters, filings: readonly ShownFiling[]): Promise<ReadonlyMap<string, Change>>;
  /** What insiders bought and sold, if the page does not show it already. */
  trades?(): Promise<TradePage>;
}

/** Filings of all companies, and what the companies are called. */
export interface ListSource extends Source {
  /** Companies by a part of a name, or by a ticker symbol or CIK, the best ones first; empty if none fits. */
  companies(text: string): Promise<readonly NamedCompany[]>;
}

/** Whether a filing matches the filters, by the rules of the service. Each must be one that public data can test. */
export function matchesFilters(filters: Filters, filing: ShownFiling): boolean {
  const { since = '', until = '', ticker: _, ...others } = filters;
  const filedAt = filing.filedAt ?? '';
  const members = filing as unknown as Readonly<Record<string, unknown>>;
  return (
    Object.entries(others).every(
      ([name, text]) =>
        text === '' || valuesOf(text).some((value) => valuesIn(members[name]).includes(value)),
    ) &&
    (since === '' || filedAt >= since) &&
    (until === '' || (filedAt !== '' && filedAt <= until))
  );
}

function valuesOf(text: string): string[] {
  return text.split(',').map((each) => each.trim().toLowerCase());
}

/** The values of a member, which is one value or a list of them. */
function valuesIn(member: unknown): string[] {
  return [member].flat().map((value) => String(value).toLowerCase());
}

/** A member of a filing in the public data of a company. Lists are texts. */
type Cell = string | number | boolean | null;

/** A company with public data of its own. Data that a browser kept from an earlier release has no `tickers`. */
interface OpenCompany {
  readonly symbol: string;
  readonly tickers?: readonly string[];
  readonly ciks: readonly string[];
}

/** Public data: filings, and, with those of all companies, which companies have public data of their own. */
export interface PublicSource extends Source {
  readonly open: readonly OpenCompany[];
}

/** The public data at a path; null if it cannot be read. */
export async function publicSource(path: string): Promise<PublicSource | null> {
  const answer = await fetch(path).catch(() => null);
  if (!answer?.ok) return null;
  const { data } = (await answer.json()) as {
    data: { columns: string[]; rows: Cell[][]; companies?: PublicSource['open'] };
  };
  const known = data.rows.map((row) => toFiling(data.columns, row));
  return {
    known,
    open: data.companies ?? [],
    page: async (filters) => publicPage(known, filters),
    corrections: async () => new Map(),
  };
}

/** Those of some filings that match the filters; trouble if there are filters that only the service can test. */
function publicPage(filings: readonly ShownFiling[], filters: Filters): Outcome<FilingPage> {
  const untested = Object.entries(filters).flatMap(([name, text]) =>
    text !== '' && !isForPublicData(name) ? [labelOf(name)] : [],
  );
  if (untested.length === 0)
    return { body: { filings: filings.filter((each) => matchesFilters(filters, each)), next: null } };
  const text = `Without a key these filters of the address cannot be tested: ${untested.join(', ')}.`;
  return { trouble: { about: 'request', code: 'no_key', text } };
}

function toFiling(columns: readonly string[], row: readonly Cell[]): ShownFiling {
  const filing = Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]));
  return {
    ...filing,
    items: filing['items'] ? String(filing['items']).split(' ') : [],
    parties: JSON.parse(String(filing['parties'] ?? '[]')) as unknown,
    ownership: JSON.parse(String(filing['ownership'] ?? 'null')) as unknown,
    exhibits: JSON.parse(String(filing['exhibits'] ?? 'null')) as unknown,
  } as unknown as ShownFiling;
}

/** Companies that a field offers at most. */
const offeredCompanies = 10;

/** The most pages of filings with purchases and sales that a plot is made from. */
const tradePagesMaximum = 3;

/**
 * Filings by requests with the key of the page: of the company that `symbol` names by a ticker symbol or CIK, or, if
 * it is null, of all companies or the one that the filters name.
 */
export function liveSource(symbol: string | null): ListSource {
  const list: ListSource = {
    known: [],
    async page(filters, next) {
      const path = filingsPath(symbol === null ? filters : { ...filters, ticker: symbol });
      const { body, trouble } = await ask<{ data: Filing[]; meta: { nextCursor: string | null } }>(
        next === null ? path : `${path}&cursor=${encodeURIComponent(next)}`,
      );
      return trouble ? { trouble } : { body: { filings: body.data, next: body.meta.nextCursor } };
    },
    async corrections(filters, filings) {
      const found = new Map<string, Change>();
      // The corrections of a day of all companies would be many pages of the feed.
      if (symbol === null) return found;
      // The newest change of a filing has the values that `filings` has. So the change matches the filters,
      // too, and its filing date is between the least and the greatest of `dates`.
      const dates = filings.flatMap(({ filedAt }) => filedAt ?? []).sort();
      const since = dates[0];
      if (since === undefined) return found;
      const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
      const { changes } = await readChanges({
        ...given,
        ticker: symbol,
        since,
        until: dates.at(-1) ?? since,
      });
      for (const change of changes) if (change.revision > 1) found.set(change.filing.accessionNo, change);
      return found;
    },
    async companies(text) {
      const { body } = await ask<{ data: Company[] }>(
        `/v1/sec/companies/search?q=${encodeURIComponent(text)}`,
      );
      return (body?.data ?? [])
        .slice(0, offeredCompanies)
        .map(({ cik, ticker, name }) => ({ value: ticker ?? cik, name }));
    },
  };
  return symbol === null ? list : { ...list, trades: () => tradesFrom(list) };
}

async function tradesFrom(list: Source): Promise<TradePage> {
  let page = await list.page({ transactionCode: 'P,S' }, null);
  const filings = [...(page.body?.filings ?? [])];
  for (let read = 1; read < tradePagesMaximum && page.body?.next; read++) {
    page = await list.page({ transactionCode: 'P,S' }, page.body.next);
    filings.push(...(page.body?.filings ?? []));
  }
  const newest = await list.page({ eventType: 'insider_transaction' }, null);
  return { filings, newest: newest.body?.filings ?? [], isAll: page.body?.next === null };
}

/** The public sample: the newest filings of all companies, and those of a company that is shown without a key. */
export async function sampleSource(): Promise<ListSource | null> {
  const newest = await publicSource(newestDataPath);
  if (!newest) return null;
  const named = new Map(
    newest.known.map(({ cik = '', ticker, companyName = '' }) => [ticker ?? cik, companyName] as const),
  );
  return {
    ...newest,
    async page(filters, next) {
      const { ticker = '' } = filters;
      if (ticker === '') return newest.page(filters, next);
      const symbol = symbolOf(ticker, newest);
      const company = symbol === null ? null : await publicSource(`${dataPath(symbol)}.json`);
      if (company) return company.page(filters, next);
      return publicPage(
        newest.known.filter((each) => isOfCompany(ticker, each)),
        filters,
      );
    },
    async companies(text) {
      const asked = foldWords(text);
      const fits = ([value, name]: readonly [string, string]) =>
        asked.every((word) =>
          [value.toLowerCase(), ...foldWords(name)].some((each) => each.startsWith(word)),
        );
      return [...named]
        .filter(fits)
        .slice(0, offeredCompanies)
        .map(([value, name]) => ({ value, name }));
    },
  };
}

/** The symbol under which a company has public data of its own, given by a ticker symbol or CIK; null if it has none. */
export function symbolOf(company: string, { open }: PublicSource): string | null {
  const cik = cikOf(company);
  const asked = company.toUpperCase();
  const found =
    open.find(({ symbol, ciks }) => symbol === asked || (cik !== null && ciks.includes(cik))) ??
    open.find(({ tickers = [] }) => tickers.includes(asked));
  return found?.symbol ?? null;
}

const cikOf = (text: string): string | null => (/^\d{1,10}$/.test(text) ? text.padStart(10, '0') : null);

/** Whether a filing names a company, given by a ticker symbol or CIK. */
export function isOfCompany(symbol: string, { ticker, cik, parties = [] }: ShownFiling): boolean {
  if (symbol.toUpperCase() === ticker) return true;
  const wanted = cikOf(symbol);
  return wanted !== null && (cik === wanted || parties.some((party) => party.cik === wanted));
}
