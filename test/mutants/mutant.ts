import type { Edit } from '../simulate/machine/bundle.ts';

/** A mend that is taken out, to see that a test finds it. */
export interface Mutant {
  /** A few words that name it on the command line. */
  readonly name: string;
  /** What goes wrong where the mend is missing. */
  readonly breaks: string;
  /** What takes the mend out. Each has to change its file. */
  readonly edits: readonly Edit[];
  /** The file of the test that finds it, below the root. */
  readonly test: string;
  /** Only tests with these words in their title are run; all of the file if left out. */
  readonly title?: string;
}
