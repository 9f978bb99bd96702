import { LedgerUniverse } from '../../src/format/snapshot.ts';

/**
 * Returns what the record of a run says about universes. `target` is that of an ingest, of `follow`
 * (`follow: all`) or of `reconcile` (`reconcile 2026-03-02: all`).
 */
function universesOf(target: string): LedgerUniverse[] {
  const filled = /^(all|listed)( since \S+)?$/.exec(target)?.[1];
  return [
    ...(filled === undefined ? [] : [LedgerUniverse.parse(filled)]),
    ...(/^(follow: |reconcile [^:]*: )?all( since \S+)?$/.test(target) ? (['everyone'] as const) : []),
  ];
}

/** Collects the universes of a ledger. `before` are those of its older batches. */
export function createUniverses(before: readonly LedgerUniverse[]): {
  /** Takes the target of one run. */
  add(target: string): void;
  /** All universes so far, always in the same order. */
  all(): LedgerUniverse[];
} {
  const found = new Set(before);
  // Most batches have the same few targets.
  let last: string | null = null;
  return {
    add(target) {
      if (target !== last) for (const universe of universesOf(target)) found.add(universe);
      last = target;
    },
    all: () => LedgerUniverse.options.filter((universe) => found.has(universe)),
  };
}

/** Whether a ledger with these universes was ever filled with all companies of a universe. */
export function wasFilledWith(kind: 'all' | 'listed', universes: readonly LedgerUniverse[]): boolean {
  return universes.includes('all') || universes.includes(kind);
}
