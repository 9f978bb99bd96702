import type { IngestRun } from '../../src/contract/records.ts';
import { compareText } from '../../src/domain/scalars.ts';
import { describeRefusal, type Refusal } from './ledger-rows.ts';

/**
 * The rows and files that a run could not fetch or understand. Only the first ones are kept, and all are
 * counted: if a format changes upstream, there may be too many for memory.
 */
export interface Refusals {
  add(...refusals: readonly Refusal[]): void;
  /** The number of all refusals, including those that are not kept. */
  count(): number;
  /** The kept refusals in order. If some were not kept, a last row tells how many. */
  rows(): Refusal[];
}

/** More refusals than anybody reads, and few enough for memory and for one file. */
const keptDefault = 100_000;

/** Creates an empty list of refusals. */
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

/** Orders refusals by CIK, file, accession number and reason. */
export function compareRefusals(a: Refusal, b: Refusal): number {
  const keyOf = ({ cik, file, accessionNo, reason }: Refusal) => `${cik} ${file} ${accessionNo} ${reason}`;
  return compareText(keyOf(a), keyOf(b));
}

const lossesShown = 10;

/**
 * Describes refusals in one line; only the first ones if there are many. Files come first: what could not be
 * fetched is often the reason why something else is not known.
 */
export function describeLosses(refusals: readonly Refusal[], count = refusals.length): string {
  const [files, others] = [
    refusals.filter(({ file }) => file !== ''),
    refusals.filter(({ file }) => file === ''),
  ];
  const shown = [...files, ...others].slice(0, lossesShown).map(describeRefusal);
  const rest = count - shown.length;
  return `${count} lost: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more in refusals.csv` : ''}`;
}

/**
 * The record of a run with what it refused: `partial` if there is any. `count` is the number of refusals where not all are
 * given. `createdAt` is in UTC.
 */
export function runRecord(
  target: string,
  createdAt: string,
  refusals: readonly Refusal[],
  count = refusals.length,
): IngestRun {
  const isWhole = refusals.length === 0;
  return {
    target,
    status: isWhole ? 'success' : 'partial',
    message: isWhole ? null : describeLosses(refusals, count),
    createdAt,
  };
}
