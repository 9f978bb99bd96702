import { blockBytes } from './snapshot.ts';

/** How the indexes of a segment are made. */
export interface IndexLayout {
  /** A block of an index ends before the line that would make it longer than this many bytes, before compression. */
  readonly blockBytes: number;
  /** Whether entries of the root have labels. Nearly every one would have nearly all of them. */
  readonly hasRootLabels: boolean;
}

/**
 * How the indexes of a segment are made, by the number of the rules that made it. A look-up inflates a block of the
 * index for one entry, so since rules 5 these blocks are shorter. There are twice as many, and without labels the root
 * is no longer for it.
 */
export function indexLayout(rules: number): IndexLayout {
  return rules < 5
    ? { blockBytes, hasRootLabels: true }
    : { blockBytes: blockBytes / 2, hasRootLabels: false };
}
