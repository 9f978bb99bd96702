import { compareText } from '../../src/contract/scalars.ts';
import { describeRefusal, type Refusal } from './rows.ts';

/**
 * What a run could not have or understand. Of very many the first are kept, and all are counted: one format
 * that changes upstream must not fill the memory.
 */
export interface Refusals {
  add(...refusals: readonly Refusal[]): void;
  /** All of them, also those that are not kept. */
  count(): number;
  /** In order, with one row at the end that says how many are not listed. */
  rows(): Refusal[];
}

/** As many as nobody reads, and few enough for memory and for one file. */
const keptDefault = 100_000;

/** Begins a list without refusals. */
export function createRefusals(keptMaximum = keptDefault): Refusals {
  const kept: Refusal[] = [];
  let count = 0;
  return {
    add(...refusals) {
      count += refusals.length;
      for (const refusal of refusals) if (kept.length < keptMaximum) kept.push(refusal);
    },
    count: () => count,
    rows() {
      const rows = kept.toSorted(compareRefusals);
      if (count > kept.length)
        rows.push({
          cik: '',
          file: '',
          accessionNo: '',
          reason: `and ${count - kept.length} more that are not listed`,
        });
      return rows;
    },
  };
}

/** Orders refusals. */
export function compareRefusals(a: Refusal, b: Refusal): number {
  const keyOf = ({ cik, file, accessionNo, reason }: Refusal) => `${cik} ${file} ${accessionNo} ${reason}`;
  return compareText(keyOf(a), keyOf(b));
}

const lossesShown = 10;

/** What was lost, in one line: of many the first. */
export function describeLosses(refusals: readonly Refusal[], count = refusals.length): string {
  const shown = refusals.slice(0, lossesShown).map(describeRefusal);
  const rest = count - shown.length;
  return `${count} lost: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more in refusals.csv` : ''}`;
}
