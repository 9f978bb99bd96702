import { resolveUniverse, type Universe } from '../../ingest/universe.ts';
import type { TickerRow } from '../../sources/tickers.ts';

/** The entities whose filings the follower takes. */
export interface Scope {
  readonly universe: Universe;
  isWanted(cik: string): boolean;
  /** The CIKs of these entities, ascending; null if the follower takes all filings. */
  readonly members: readonly string[] | null;
  /** Entries of the universe that name no known company. */
  readonly unknown: readonly string[];
  /** The rows of the ticker files from which the scope was made. */
  readonly tickers: readonly TickerRow[];
}

/**
 * Resolves a universe to its entities. Looks up symbols in the ticker files. If these lack a symbol,
 * `remembered` gives the CIK of the company that last had it in the ledger.
 */
export function scopeOf(
  universe: Universe,
  tickers: readonly TickerRow[],
  remembered: ReadonlyMap<string, string>,
): Scope {
  if (universe.kind === 'all') return { universe, isWanted: () => true, members: null, unknown: [], tickers };
  const { ciks, unknown } = resolveUniverse(universe, tickers, remembered);
  const members = new Set(ciks);
  return { universe, isWanted: (cik) => members.has(cik), members: ciks, unknown, tickers };
}

/**
 * Returns those of `ciks` that the scope has, in the same order; null if it has none. Callers give the
 * subject company first, because its submissions file also lists what others filed about it.
 */
export function wantedOf(scope: Scope, ciks: Iterable<string>): readonly [string, ...string[]] | null {
  const [first, ...others] = [...new Set(ciks)].filter((cik) => scope.isWanted(cik));
  return first === undefined ? null : [first, ...others];
}
