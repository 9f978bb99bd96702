import { resolveUniverse, type Universe } from '../ingest/universe.ts';
import type { TickerRow } from '../sources/tickers.ts';

/** The entities whose filings are followed. */
export interface Scope {
  isWanted(cik: string): boolean;
  /** The CIKs of the entities, ascending; null if everyone is followed. */
  readonly members: readonly string[] | null;
  /** Symbols of the universe that no company has. */
  readonly unknown: readonly string[];
  /** The rows of the ticker files from which the scope was made. */
  readonly tickers: readonly TickerRow[];
}

/**
 * Resolves a universe to its entities. Symbols are looked up in the ticker files. `remembered` has the
 * companies to which the ledger last gave the symbols that these files lack.
 */
export function scopeOf(
  universe: Universe,
  tickers: readonly TickerRow[],
  remembered: ReadonlyMap<string, string>,
): Scope {
  if (universe.kind === 'all') return { isWanted: () => true, members: null, unknown: [], tickers };
  const { ciks, unknown } = resolveUniverse(universe, tickers, remembered);
  const members = new Set(ciks);
  return { isWanted: (cik) => members.has(cik), members: ciks, unknown, tickers };
}

/**
 * Returns those of some entities that are followed, in their order; null if none is. The subject company
 * should be first: its submissions file lists the filings of others about it.
 */
export function wantedOf(scope: Scope, ciks: Iterable<string>): readonly [string, ...string[]] | null {
  const [first, ...others] = [...new Set(ciks)].filter((cik) => scope.isWanted(cik));
  return first === undefined ? null : [first, ...others];
}
