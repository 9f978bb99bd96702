import { foldSymbol } from '../../src/domain/scalars.ts';
import { groupBy } from '../work/groups.ts';

/** The company that the ledger leads a symbol to. */
export interface Holder {
  readonly cik: string;
  /** When the batch was recorded that gave it the symbol, UTC; empty if that is not known. */
  readonly at: string;
}

/** A company whose own submissions file names a symbol. */
export interface Claim {
  readonly cik: string;
  /** When EDGAR made the file, in milliseconds since 1970. */
  readonly asOfMs: number;
}

/** What sources and the ledger say about who has a symbol. Symbols are folded. */
export interface SymbolSources {
  /** The CIKs to which the ticker files that were just read give a symbol; several if the files disagree. */
  readonly listed: (symbol: string) => readonly string[];
  /** The submissions file of this run that names a symbol. */
  readonly claimed: (symbol: string) => Claim | undefined;
  /** The company that the ledger leads a symbol to. */
  readonly held: (symbol: string) => Holder | undefined;
}

/** Returns the CIKs to which rows of ticker files give each symbol, those of the first file first. */
export function listedSymbols(
  rows: readonly { readonly ticker: string; readonly cik: string }[],
): (symbol: string) => readonly string[] {
  const bySymbol = groupBy(rows, ({ ticker }) => foldSymbol(ticker));
  return (symbol) => [...new Set((bySymbol.get(symbol) ?? []).map(({ cik }) => cik))];
}

/**
 * Returns the CIK of the company that has a symbol now. The ticker files decide. If they disagree, one of them
 * is old: the company that names the symbol itself is right. A company's own file takes a symbol that no ticker
 * file has, and that the ledger leads to another company, only if EDGAR made the file after the ledger had
 * learned of the other one: files lag behind, and a file that was read for another reason must not take a
 * symbol back. Undefined if nobody has the symbol.
 */
export function holderOf(symbol: string, { listed, claimed, held }: SymbolSources): string | undefined {
  const byFiles = listed(symbol);
  const [claim, holder] = [claimed(symbol), held(symbol)];
  if (byFiles.length > 0)
    return [claim?.cik, holder?.cik].find((cik) => cik !== undefined && byFiles.includes(cik)) ?? byFiles[0];
  const isNewer = claim && (!holder || holder.at === '' || claim.asOfMs > Date.parse(holder.at));
  return isNewer ? claim.cik : holder?.cik;
}

/**
 * Adds the symbols that a submissions file names to those of the other files of a run. If several name a
 * symbol, the company with the greatest CIK gets it, so that the order of the files does not matter.
 */
export function addClaims(
  claims: Map<string, Claim>,
  entity: { readonly cik: string; readonly tickers: readonly string[]; readonly asOfMs?: number },
): void {
  const { cik, tickers, asOfMs = 0 } = entity;
  for (const symbol of tickers.map(foldSymbol))
    if ((claims.get(symbol)?.cik ?? '') < cik) claims.set(symbol, { cik, asOfMs });
}

/** The companies to which the ledger leads symbols that another company has now. */
export function losersTo(
  { cik, tickers }: { readonly cik: string; readonly tickers: readonly string[] },
  held: ReadonlyMap<string, Holder>,
): string[] {
  const others = tickers.map((ticker) => held.get(foldSymbol(ticker))?.cik);
  return [...new Set(others)].filter((other) => other !== undefined && other !== cik) as string[];
}

/** A company of the ledger without the symbols that others have now; null if it keeps all of them. */
export function withoutLost<
  Company extends {
    readonly cik: string;
    readonly tickers: readonly string[];
    readonly exchange: string | null;
  },
>(company: Company, holder: (symbol: string) => string | undefined): Company | null {
  const tickers = company.tickers.filter(
    (ticker) => (holder(foldSymbol(ticker)) ?? company.cik) === company.cik,
  );
  if (tickers.length === company.tickers.length) return null;
  return { ...company, tickers, exchange: tickers.length === 0 ? null : company.exchange };
}
