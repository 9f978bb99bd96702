/** A seed that has found a fault, which is mended since then. */
export interface KeptSeed {
  readonly seed: number;
  readonly days: number;
  /** What was wrong. */
  readonly found: string;
}

/** All of them. A new draw changes their histories: then each fault is looked for again, with its mend taken out. */
export const keptSeeds: readonly KeptSeed[] = [];
