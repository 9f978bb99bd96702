import { ApiError } from '../contract/errors.ts';
import type { CompanyProfile } from '../contract/records.ts';
import { foldSymbol, isCik } from '../domain/scalars.ts';
import { newestCikOf } from '../domain/successors.ts';
import type { SymbolRow } from '../format/snapshot.ts';
import { findRow } from '../table/merge.ts';
import { rowBytes, type Table, type TableRow } from '../table/table.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/http-answer.ts';
import { jsonAnswer } from './body.ts';
import { extentOf, sequenceOfSummary, summaryExtentsOf } from '../rows/parts.ts';
import type { Extent } from '../rows/members.ts';

/** A company that a request names, with its stored profile. */
export interface FoundCompany {
  readonly cik: string;
  readonly name: string;
  readonly profile: TableRow;
}

/** Finds a company by a ticker symbol or CIK; null if there is none. */
export async function findCompany(
  snapshot: Pick<Snapshot, 'tables'>,
  symbol: string,
): Promise<FoundCompany | null> {
  const folded = foldSymbol(symbol);
  const cik = isCik(folded) ? folded : await cikOfSymbol(snapshot, folded);
  const profile = cik === null ? null : await findRow(snapshot.tables('profiles'), cik);
  if (cik === null || profile === null) return null;
  const { name } = JSON.parse(rowBytes(profile).toString()) as Pick<CompanyProfile, 'name'>;
  return { cik, name, profile };
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
export async function cikOfSymbol(
  source: { tables(name: 'symbols'): readonly Table[] },
  folded: string,
): Promise<string | null> {
  const row = await findRow(source.tables('symbols'), folded);
  return row && (JSON.parse(rowBytes(row).toString()) as SymbolRow).cik;
}

/** Finds the one company that a request names. Throws `company_not_found`. */
export async function requireCompany(snapshot: Snapshot, symbol: string): Promise<FoundCompany> {
  const [company] = await requireCompanies(snapshot, 'ticker', [symbol]);
  return company as FoundCompany;
}

/**
 * Finds the companies that a parameter names, in their order. Throws `company_not_found`, whose message names
 * all entries that are unknown.
 */
export async function requireCompanies(
  snapshot: Pick<Snapshot, 'tables'>,
  parameter: 'ticker' | 'tickers',
  symbols: readonly string[],
): Promise<FoundCompany[]> {
  const found = await Promise.all(symbols.map((symbol) => findCompany(snapshot, symbol)));
  const unknown = symbols.filter((_, at) => found[at] === null).map((symbol) => JSON.stringify(symbol));
  if (unknown.length > 0)
    throw new ApiError(
      'company_not_found',
      `${parameter}: no company of this service has the ticker symbol or CIK ${unknown.join(', ')}`,
    );
  return found.filter((company) => company !== null);
}

/** The profile of a company. Throws `company_not_found`. */
export async function profileAnswer(snapshot: Snapshot, symbol: string): Promise<Answer> {
  const { profile } = await requireCompany(snapshot, symbol);
  const meta = JSON.stringify({ generatedAt: snapshot.manifest.generatedAt, notInvestmentAdvice: true });
  return jsonAnswer(['{"data":', { extents: [extentOf(profile)] }, `,"meta":${meta}}`]);
}

/** The summaries of filings by their accession numbers, in the order asked. `meta` names those that are unknown. */
export async function filingsAnswer(
  snapshot: Pick<Snapshot, 'tables' | 'log' | 'manifest'>,
  accessionNumbers: readonly string[],
): Promise<Answer> {
  const found = await Promise.all(accessionNumbers.map((each) => findSummary(snapshot, each)));
  const rows = found.filter((row) => row !== null);
  const meta = {
    count: rows.length,
    unknown: accessionNumbers.filter((_, at) => found[at] === null),
    newestFiledAt: snapshot.manifest.newestFiledAt,
    notInvestmentAdvice: true,
  };
  return jsonAnswer(['{"data":[', { extents: rows.flat() }, `],"meta":${JSON.stringify(meta)}}`]);
}

/** The summary of a filing. Throws `filing_not_found`. */
export async function summaryAnswer(
  snapshot: Pick<Snapshot, 'tables' | 'log'>,
  accessionNo: string,
): Promise<Answer> {
  const extents = await findSummary(snapshot, accessionNo);
  if (!extents)
    throw new ApiError('filing_not_found', `accessionNo: this service has no filing ${accessionNo}`);
  return jsonAnswer(['{"data":', { extents }, '}']);
}

/** The bytes of the summary of a filing; null if there is none. */
async function findSummary(
  { tables, log }: Pick<Snapshot, 'tables' | 'log'>,
  accessionNo: string,
): Promise<readonly Extent[] | null> {
  const row = await findRow(tables('summaries'), accessionNo);
  return row && summaryExtentsOf(await log.entry(sequenceOfSummary(extentOf(row))), row);
}
