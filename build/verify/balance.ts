import { hash } from 'node:crypto';

/**
 * Compares two lists of rows without keeping any row: one list adds its rows, the other takes them away, in
 * any order. Only a sum of digests is kept, in lanes of 32 bits. An attacker who can choose rows so that the
 * sums agree can also forge the rows of all tables; only a comparison with the ledger detects that.
 */
export interface Balance {
  /** Adds a row so many times. */
  add(digest: Buffer, times?: number): void;
  take(digest: Buffer): void;
  /** How the lists differ; null if they have the same rows. */
  readonly difference: () => string | null;
}

const laneCount = 8;

/** SHA-256 of bytes, or of a text in UTF-8. */
export function digestOf(content: Buffer | string): Buffer {
  return hash('sha256', content, 'buffer');
}

/** Creates an empty balance. */
export function createBalance(): Balance {
  const lanes = new Uint32Array(laneCount);
  let rows = 0;
  const add = (digest: Buffer, times: number) => {
    rows += times;
    for (let lane = 0; lane < laneCount; lane++)
      lanes[lane] = (lanes[lane] as number) + Math.imul(digest.readUInt32LE(4 * lane), times);
  };
  return {
    add: (digest, times = 1) => add(digest, times),
    take: (digest) => add(digest, -1),
    difference() {
      if (rows !== 0) return rows > 0 ? `${rows} too few` : `${-rows} too many`;
      return lanes.every((lane) => lane === 0) ? null : 'as many rows, but not the same';
    },
  };
}

/**
 * Holds rows of a table against the entry of the log that each one repeats, of which it says the sequence.
 * Two bytes are kept for each entry: how many rows repeat it.
 */
export interface Echo {
  /** Takes a row that repeats an entry. `digest` is that of what it repeats. */
  take(sequence: number, digest: Buffer): void;
  /** How many rows repeat an entry. */
  readonly rowsOf: (sequence: number) => number;
  /** Gives what the log says in an entry, as often as rows repeat it. */
  add(sequence: number, digest: Buffer): void;
  /** How the rows differ from the log; null if each one repeats its entry. Call it after the last entry. */
  readonly difference: () => string | null;
}

/** Creates the echo of a log that ends at a sequence. */
export function createEcho(lastSequence: number): Echo {
  const balance = createBalance();
  const rows = new Uint16Array(lastSequence + 1);
  return {
    take(sequence, digest) {
      rows[sequence] = (rows[sequence] ?? 0) + 1;
      balance.take(digest);
    },
    rowsOf: (sequence) => rows[sequence] ?? 0,
    add: (sequence, digest) => balance.add(digest, rows[sequence] ?? 0),
    difference: balance.difference,
  };
}
