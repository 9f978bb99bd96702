import { hash } from 'node:crypto';
import { CorruptSnapshot } from '../../src/files/bytes.ts';

/**
 * Holds lists of rows against each other without keeping any: what one list adds, another one takes away, in
 * any order. All that is kept is a sum of digests for each part of a segment, in lanes of 32 bits. Whoever
 * can choose rows so that sums agree can forge the rows of all tables as well: only the ledger tells then.
 */
export interface Balance {
  add(segment: number, part: string, digest: Buffer): void;
  take(segment: number, part: string, digest: Buffer): void;
  /** Whether rows were added or taken in a part of a segment. */
  knows(segment: number, part: string): boolean;
  /**
   * Throws `CorruptSnapshot` for a part in which something is left or missing. `describe` says which file it
   * is and what is wrong.
   */
  settle(describe: (segment: number, part: string, difference: string) => string): void;
}

interface Sum {
  readonly lanes: Uint32Array;
  rows: number;
}

const laneCount = 8;

/**
 * The part of a segment for rows that newer segments replace: they are held against each other, not against
 * what is shown.
 */
export const replacedPart = 'replaced ';

/** What a message says of a part. */
export function describePart(part: string): string {
  return part.startsWith(replacedPart) ? 'among the rows that newer segments replace, ' : '';
}

/** SHA-256 of bytes, or of a text in UTF-8. */
export function digestOf(content: Buffer | string): Buffer {
  return hash('sha256', content, 'buffer');
}

const keyed = Buffer.alloc(64);

/** The digest of a row under the key of ten digits of a company. */
export function digestUnder(cik: string, digest: Buffer): Buffer {
  digest.copy(keyed, keyed.write(cik.slice(0, 32), 'latin1'));
  return digestOf(keyed.subarray(0, Math.min(cik.length, 32) + digest.length));
}

/** Makes a balance of nothing. */
export function createBalance(): Balance {
  const segments: Map<string, Sum>[] = [];

  function sumOf(segment: number, part: string): Sum {
    const parts = (segments[segment] ??= new Map());
    let sum = parts.get(part);
    if (!sum) parts.set(part, (sum = { lanes: new Uint32Array(laneCount), rows: 0 }));
    return sum;
  }

  return {
    add(segment, part, digest) {
      const sum = sumOf(segment, part);
      sum.rows++;
      for (let lane = 0; lane < laneCount; lane++)
        sum.lanes[lane] = (sum.lanes[lane] as number) + digest.readUInt32LE(4 * lane);
    },
    take(segment, part, digest) {
      const sum = sumOf(segment, part);
      sum.rows--;
      for (let lane = 0; lane < laneCount; lane++)
        sum.lanes[lane] = (sum.lanes[lane] as number) - digest.readUInt32LE(4 * lane);
    },
    knows: (segment, part) => segments[segment]?.has(part) ?? false,
    settle(describe) {
      segments.forEach((parts, segment) => {
        for (const [part, { lanes, rows }] of parts) {
          if (rows === 0 && lanes.every((lane) => lane === 0)) continue;
          throw new CorruptSnapshot(
            describe(
              segment,
              part,
              rows === 0
                ? 'as many rows, but not the same'
                : rows > 0
                  ? `${rows} too few`
                  : `${-rows} too many`,
            ),
          );
        }
      });
    },
  };
}
