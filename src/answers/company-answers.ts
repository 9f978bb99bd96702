import { ApiError } from '../contract/errors.ts';
import { foldSymbol, isCik } from '../domain/scalars.ts';
import { newestCikOf } from '../domain/successors.ts';
import { filingPartition } from '../format/filing-partition.ts';
import type { SymbolRow } from '../format/profile-rows.ts';
import { findRow, type FoundRow } from '../table/finder.ts';
import { both, noting, once, together } from '../table/passes.ts';
import { rowBytes, type Table } from '../table/table.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { firstRows, pageOfRows, theRow, type Page } from '../render/page.ts';
import {
  extentOf,
  latestSequenceIn,
  nameInProfile,
  ownershipExtentsOf,
  profileExtentsOf,
  sequenceOfSummary,
  sourceOfOwnership,
  summaryExtentsOf,
} from '../rows/parts.ts';
import type { Extent } from '../rows/members.ts';

/** A company that a request names, with its stored profile. */
export interface FoundCompany {
  readonly cik: string;
  readonly name: string;
  readonly profile: FoundRow;
}

/** The CIK that a ticker symbol or CIK names; null if no company has the symbol. */
export function cikNamed(snapshot: Pick<Snapshot, 'tables'>, symbol: string): string | null {
  const folded = foldSymbol(symbol);
  return isCik(folded) ? folded : cikOfSymbol(snapshot, folded);
}

/**
 * Finds a company by a ticker symbol or CIK; null if there is none. Where its profile has to be fetched first, `next` is
 * told the CIK, so that more can be read in the same round.
 */
export function findCompany(
  { tables }: Pick<Snapshot, 'tables'>,
  symbol: string,
  next: (cik: string) => void = () => {},
): FoundCompany | null {
  const cik = cikNamed({ tables }, symbol);
  if (cik === null) return null;
  const profile = noting(
    () => findRow(tables('profiles'), cik),
    () => next(cik),
  );
  return profile && { cik, name: nameInProfile(profile), profile };
}

/**
 * The name of the list of a company: the newest CIK of its chain of successors, by the rules that made the
 * snapshot. The rules of this program may be older or newer.
 */
export function listNameOf({ manifest }: Pick<Snapshot, 'manifest'>, cik: string): string {
  const { successors } = manifest;
  if (successors === undefined) return newestCikOf(cik);
  let newest = cik;
  for (let step = 0; step < successors.length; step++)
    newest = successors.find(([predecessor]) => predecessor === newest)?.[1] ?? newest;
  return newest;
}

/** The company that a folded symbol was last given to, by CIK; null if there is none. */
export function cikOfSymbol(
  source: { tables(name: 'symbols'): readonly Table[] },
  folded: string,
): string | null {
  const row = findRow(source.tables('symbols'), folded);
  return row && (JSON.parse(rowBytes(row).toString()) as SymbolRow).cik;
}

/** A parameter that names companies. */
type CompanyParameter = 'ticker' | 'tickers' | 'owner';

/** Companies that a request names. */
export interface NamedCompanies {
  /** The newest CIKs of their chains, in the order asked. Those of unknown CIKs have no filings. */
  readonly chains: readonly string[];
  /** Finds the entries that no company has, in the order asked. Throws `company_not_found` if none has one. */
  readonly unknown: () => readonly string[];
}

/**
 * Finds the chains of the companies that a parameter names. Their lists can be read while `unknown` looks for
 * their profiles. Throws `company_not_found` if no company has any of the symbols.
 */
export function nameCompanies(
  snapshot: Snapshot,
  parameter: CompanyParameter,
  symbols: readonly string[],
): NamedCompanies {
  const ciks = together(symbols, (symbol) => cikNamed(snapshot, symbol));
  const unknown = () => unknownOf(snapshot, parameter, symbols, ciks);
  if (ciks.every((cik) => cik === null)) unknown();
  return { chains: ciks.flatMap((cik) => (cik === null ? [] : [listNameOf(snapshot, cik)])), unknown };
}

/**
 * The entries that no company has. Throws `company_not_found`, whose message names them, if none has one. A symbol
 * always leads to a company that has a profile. A CIK is looked up in the oldest segments first: they have the profiles
 * of most companies, and no newer segment hides one.
 */
function unknownOf(
  snapshot: Pick<Snapshot, 'tables'>,
  parameter: CompanyParameter,
  symbols: readonly string[],
  ciks: readonly (string | null)[],
): readonly string[] {
  const oldestFirst = [...snapshot.tables('profiles')].reverse();
  const areKnown = together(symbols, (symbol, at) => {
    const cik = ciks[at] ?? null;
    return cik !== null && (!isCik(foldSymbol(symbol)) || findRow(oldestFirst, cik) !== null);
  });
  const unknown = symbols.filter((_, at) => !areKnown[at]);
  if (unknown.length === symbols.length) throw notFound(parameter, unknown);
  return unknown;
}

function notFound(parameter: CompanyParameter, entries: readonly string[]): ApiError {
  const named = entries.map((entry) => JSON.stringify(entry)).join(', ');
  return new ApiError(
    'company_not_found',
    parameter === 'owner'
      ? `owner: no company or person of this service has the CIK ${named}`
      : `${parameter}: no company of this service has the ticker symbol or CIK ${named}`,
  );
}

/** The profile of a company. Throws `company_not_found`. */
export function profilePage(snapshot: Snapshot, symbol: string): Page {
  const company = findCompany(snapshot, symbol);
  if (company === null) throw notFound('ticker', [symbol]);
  const { profile } = company;
  const sequence = latestSequenceIn(profile);
  const extents =
    sequence === null ? [extentOf(profile)] : profileExtentsOf(snapshot.log.entry(sequence), profile);
  const meta = { generatedAt: snapshot.manifest.generatedAt, notInvestmentAdvice: true };
  return pageOfRows([extents], () => ({ envelope: { data: theRow, meta }, end: null }));
}

/** The summaries of filings by their accession numbers, in the order asked. `meta` names those that are unknown. */
export function filingsPage(
  snapshot: Pick<Snapshot, 'tables' | 'log' | 'manifest'>,
  accessionNumbers: readonly string[],
): Page {
  const found = together(accessionNumbers, (each, at) =>
    once(`filing ${at}`, () => findSummary(snapshot, each)),
  );
  return pageOfRows(
    found.map((row) => row ?? []),
    (count) => {
      const unknown = accessionNumbers.slice(0, count).filter((_, at) => found[at] === null);
      const meta = {
        count: count - unknown.length,
        unknown,
        newestFiledAt: snapshot.manifest.newestFiledAt,
        notInvestmentAdvice: true,
      };
      return { envelope: { data: firstRows(count), meta }, end: null };
    },
  );
}

const noFiling = (accessionNo: string) =>
  new ApiError('filing_not_found', `accessionNo: this service has no filing ${accessionNo}`);

/** The summary of a filing. Throws `filing_not_found`. */
export function summaryPage(snapshot: Pick<Snapshot, 'tables' | 'log'>, accessionNo: string): Page {
  const extents = findSummary(snapshot, accessionNo);
  if (!extents) throw noFiling(accessionNo);
  return pageOfRows([extents], () => ({ envelope: { data: theRow }, end: null }));
}

/** The document of a filing about ownership. Throws `filing_not_found`, and `not_found` for a filing without one. */
export function ownershipPage({ tables, log }: Pick<Snapshot, 'tables' | 'log'>, accessionNo: string): Page {
  const [summary, row] = both(
    () => findRow(tables('summaries'), filingPartition(accessionNo)),
    () => findRow(tables('ownership'), filingPartition(accessionNo)),
  );
  if (!summary) throw noFiling(accessionNo);
  if (!row)
    throw new ApiError(
      'not_found',
      `filing ${accessionNo} has no data about ownership: Forms 3, 4, 5 and 144 and Schedules 13D and 13G have, once their documents were read`,
    );
  const change = log.entry(sequenceOfSummary(extentOf(summary)));
  const meta = { accessionNo, source: sourceOfOwnership(row), notInvestmentAdvice: true };
  return pageOfRows([ownershipExtentsOf(change, row)], () => ({
    envelope: { data: theRow, meta },
    end: null,
  }));
}

/** The bytes of the summary of a filing; null if there is none. */
function findSummary(
  { tables, log }: Pick<Snapshot, 'tables' | 'log'>,
  accessionNo: string,
): readonly Extent[] | null {
  const [row, documents] = both(
    () => findRow(tables('summaries'), filingPartition(accessionNo)),
    () => findRow(tables('documents'), filingPartition(accessionNo)),
  );
  return row && summaryExtentsOf(log.entry(sequenceOfSummary(extentOf(row))), row, documents);
}
