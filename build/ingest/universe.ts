import { readFileSync } from 'node:fs';
import { foldSymbol, isCik } from '../../src/contract/scalars.ts';
import { relatedCiks } from '../../src/contract/successors.ts';
import type { TickerRow } from '../sources/tickers.ts';

/**
 * What a run is to cover: named companies, everyone in the ticker files, or everyone: people and funds are
 * companies of EDGAR like others.
 */
export type Universe = NarrowUniverse | { readonly kind: 'all' };

/** A universe whose members can be told. */
export type NarrowUniverse =
  | { readonly kind: 'listed' }
  | { readonly kind: 'named'; readonly entries: readonly string[] };

/** The most companies that one run takes by name. */
const entriesMaximum = 200_000;

/**
 * Understands `--universe`: `AAPL,0000320193`, `@file` with entries divided by commas, spaces or lines (`#`
 * begins a comment), `listed` or `all`, which are written small: `ALL` is a symbol. Throws an `Error` with
 * one line for anything else.
 */
export function parseUniverse(text: string): Universe {
  if (text === 'listed' || text === 'all') return { kind: text };
  const list = text.startsWith('@') ? readList(text.slice(1)) : text;
  const entries = [
    ...new Set(
      list
        .split(/[\s,]+/)
        .filter((entry) => entry !== '')
        .map(foldSymbol),
    ),
  ];
  if (entries.length === 0) throw new Error('--universe names no company');
  if (entries.length > entriesMaximum)
    throw new Error(`--universe names ${entries.length} companies, the most is ${entriesMaximum}`);
  const wrong = entries.find((entry) => !/^[A-Z0-9][A-Z0-9-]{0,19}$/.test(entry));
  if (wrong !== undefined)
    throw new Error(`--universe: ${JSON.stringify(wrong.slice(0, 40))} is neither a ticker symbol nor a CIK`);
  return { kind: 'named', entries };
}

function readList(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/#.*$/gm, '');
  } catch (error) {
    throw new Error(`--universe: @${path} cannot be read: ${(error as Error).message}`);
  }
}

/** How a run names its universe in its record. */
export function describeUniverse(universe: Universe, since: string | null): string {
  const bound = since === null ? '' : ` since ${since}`;
  if (universe.kind !== 'named') return `${universe.kind}${bound}`;
  const shown = universe.entries.slice(0, 10).join(',');
  return `${shown}${universe.entries.length > 10 ? ` and ${universe.entries.length - 10} more` : ''}${bound}`;
}

/**
 * The CIKs of a universe, ascending, with the predecessors and successors of each, and the entries nobody
 * knows. Symbols are looked up in the ticker files first, then among those the ledger remembers.
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

/**
 * Whether the record of a run names everyone as its universe: of an ingest, of what is followed, or of what
 * was reconciled.
 */
export function isOfEveryone(target: string): boolean {
  return /^(follow: |reconcile [^:]*: )?all( since \S+)?$/.test(target);
}

/** Whether the record of a run says that it has brought everything of a universe into the ledger. */
export function hasFilled(universe: Universe, target: string): boolean {
  return (
    /^all( since \S+)?$/.test(target) || (universe.kind === 'listed' && /^listed( since \S+)?$/.test(target))
  );
}
