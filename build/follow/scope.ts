import { resolveUniverse, type Universe } from '../ingest/universe.ts';
import type { TickerRow } from '../sources/tickers.ts';

/** Whose filings are followed. */
export interface Scope {
  isWanted(cik: string): boolean;
  /** Every entity by CIK, ascending; null for everyone. */
  readonly members: readonly string[] | null;
  /** Entries of the universe that nobody has as a symbol. */
  readonly unknown: readonly string[];
  /** The ticker files that it was made of. */
  readonly tickers: readonly TickerRow[];
}

/**
 * The scope of a universe by the ticker files; of symbols that they lack, the ledger remembers who had them.
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
 * Those of some entities that are wanted, the one whose file tells most of a filing first: its subject
 * company, which is named first.
 */
export function wantedOf(scope: Scope, ciks: Iterable<string>): readonly [string, ...string[]] | null {
  const [first, ...others] = [...new Set(ciks)].filter((cik) => scope.isWanted(cik));
  return first === undefined ? null : [first, ...others];
}
