import type { Extent } from '../../src/rows/members.ts';
import { fingerprintOf, fingerprintOfText } from './fingerprint.ts';

/**
 * Compares two lists of rows without keeping any row: one list adds its rows, the other takes them away, in
 * any order. Only a sum of fingerprints is kept, in two words of 32 bits. A row is a text, which may be given
 * as bytes, and two numbers.
 */
export interface Balance {
  /** Adds a row `times` times; takes it away if that is negative. */
  add(times: number, text: string | Extent, number?: number, other?: number): void;
  /** How the lists differ; null if they have the same rows. */
  readonly difference: () => string | null;
}

/** Creates an empty balance. */
export function createBalance(): Balance {
  let [low, high, rows] = [0, 0, 0];
  return {
    add(times, text, number = 0, other = 0) {
      const found =
        typeof text === 'string'
          ? fingerprintOfText(text, number, other)
          : fingerprintOf(text.bytes, text.from, text.to, number, other);
      rows += times;
      low = (low + Math.imul(found.low, times)) | 0;
      high = (high + Math.imul(found.high, times)) | 0;
    },
    difference() {
      if (rows !== 0) return rows > 0 ? `${rows} too few` : `${-rows} too many`;
      return low === 0 && high === 0 ? null : 'as many rows, but not the same';
    },
  };
}

/**
 * Holds rows of a table against the entry of the log that each one repeats, of which it says the sequence.
 * Two bytes are kept for each entry: how many rows repeat it.
 */
export interface Echo {
  /** Takes a row that repeats a text of an entry. */
  take(sequence: number, text: string | Extent): void;
  /** How many rows repeat an entry. */
  readonly rowsOf: (sequence: number) => number;
  /** Gives what the log says in an entry, as often as rows repeat it. */
  add(sequence: number, text: string): void;
  /** How the rows differ from the log; null if each one repeats its entry. Call it after the last entry. */
  readonly difference: () => string | null;
}

/** Creates the echo of a log that ends at a sequence. */
export function createEcho(lastSequence: number): Echo {
  const balance = createBalance();
  const rows = new Uint16Array(lastSequence + 1);
  return {
    take(sequence, text) {
      rows[sequence] = (rows[sequence] ?? 0) + 1;
      balance.add(-1, text, sequence);
    },
    rowsOf: (sequence) => rows[sequence] ?? 0,
    add(sequence, text) {
      const times = rows[sequence] ?? 0;
      if (times > 0) balance.add(times, text, sequence);
    },
    difference: balance.difference,
  };
}
