import { readFileSync } from 'node:fs';
import { foldSymbol, isCik } from '../../src/domain/scalars.ts';
import { relatedCiks } from '../../src/domain/successors.ts';
import type { TickerRow } from '../sources/tickers.ts';

/**
 * The companies that a run covers: named ones, all in the ticker files (`listed`), or all (`all`). People and
 * funds count as companies, because EDGAR gives them a CIK, too.
 */
export type Universe = NarrowUniverse | { readonly kind: 'all' };

/** A universe whose members are known before anything is read. */
export type NarrowUniverse =
  | { readonly kind: 'listed' }
  | { readonly kind: 'named'; readonly entries: readonly string[] };

/** The most companies that one run accepts by name. */
const entriesMaximum = 200_000;

/**
 * Parses `--universe`: `AAPL,0000320193`, or `@file` with entries separated by commas, spaces or line ends
 * (`#` begins a comment), or `listed` or `all`. The last two must be lower case: `ALL` is a ticker symbol.
 * Throws an `Error` with a one-line message for anything else.
 */
export function parseUniverse(text: string): Universe {
  if (text === 'listed' || text === 'all') return { kind: text };
  const path = listFileOf(text);
  return universeOfList(path === null ? text : readList(path));
}

/** The file of a universe that is given as `@file`; null for any other. */
export const listFileOf = (text: string): string | null => (text.startsWith('@') ? text.slice(1) : null);

/** Parses the list of a universe, as a file has it. Throws like `parseUniverse`. */
export function universeOfList(list: string): Universe {
  const entries = [
    ...new Set(
      list
        .replace(/#.*$/gm, '')
        .split(/[\s,]+/)
        .filter((entry) => entry !== '')
        .map(foldSymbol),
    ),
  ];
  if (entries.length === 0) throw new Error('--universe names no company');
  if (entries.length > entriesMaximum)
    throw new Error(`--universe names ${entries.length} companies, more than ${entriesMaximum}`);
  const wrong = entries.find((entry) => !/^[A-Z0-9][A-Z0-9-]{0,19}$/.test(entry));
  if (wrong !== undefined)
    throw new Error(`--universe: ${JSON.stringify(wrong.slice(0, 40))} is neither a ticker symbol nor a CIK`);
  return { kind: 'named', entries };
}

function readList(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`--universe: @${path} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Says that no company was found for a symbol. If a ticker file is missing, that does not mean that nobody has
 * the symbol.
 */
export function unknownSymbolText(entry: string, isTickerFileMissing: boolean): string {
  return isTickerFileMissing
    ? `the symbol ${entry} cannot be looked up without the ticker files`
    : `nobody has the symbol ${entry}`;
}

/** Returns the name of a universe in the record of a run. */
export function describeUniverse(universe: Universe, since: string | null): string {
  const bound = since === null ? '' : ` since ${since}`;
  if (universe.kind !== 'named') return `${universe.kind}${bound}`;
  const shown = universe.entries.slice(0, 10).join(',');
  return `${shown}${universe.entries.length > 10 ? ` and ${universe.entries.length - 10} more` : ''}${bound}`;
}

/**
 * Returns the CIKs of a universe with their predecessors and successors, ascending, and the entries that are
 * not known. Symbols are looked up in the ticker files first, then in `remembered`, the symbols of the
 * ledger.
 */
export function resolveUniverse(
  universe: NarrowUniverse,
  tickers: readonly TickerRow[],
  remembered: ReadonlyMap<string, string>,
): { ciks: string[]; unknown: string[] } {
  const bySymbol = new Map(remembered);
  for (const { ticker, cik } of tickers) bySymbol.set(foldSymbol(ticker), cik);
  const found = new Set<string>();
  const unknown: string[] = [];
  const entries = universe.kind === 'listed' ? tickers.map(({ cik }) => cik) : universe.entries;
  for (const entry of entries) {
    const cik = isCik(entry) ? entry : bySymbol.get(entry);
    if (cik === undefined) unknown.push(entry);
    else for (const related of relatedCiks(cik)) found.add(related);
  }
  return { ciks: [...found].sort(), unknown };
}
