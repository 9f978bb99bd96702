import { hash } from 'node:crypto';
import { CorruptSnapshot } from '../../src/files/bytes.ts';

/**
 * Compares lists of rows without keeping any row: one list adds its rows, another takes them away, in any
 * order. For each part of a segment only a sum of digests is kept, in lanes of 32 bits. An attacker who can
 * choose rows so that the sums agree can also forge the rows of all tables; only a comparison with the ledger
 * detects that.
 */
export interface Balance {
  add(segment: number, part: string, digest: Buffer): void;
  take(segment: number, part: string, digest: Buffer): void;
  /** Whether rows were added or taken in a part of a segment. */
  knows(segment: number, part: string): boolean;
  /**
   * Throws `CorruptSnapshot` if the rows that were added and taken in a part differ. `describe` makes the
   * message, which names the file.
   */
  settle(describe: (segment: number, part: string, difference: string) => string): void;
}

interface Sum {
  readonly lanes: Uint32Array;
  rows: number;
}

const laneCount = 8;

/**
 * The part for rows that newer segments replace. They are compared with each other, not with the rows that
 * are shown.
 */
export const replacedPart = 'replaced ';

/** Returns the words for a part in a message. */
export function describePart(part: string): string {
  return part.startsWith(replacedPart) ? 'among the rows that newer segments replace, ' : '';
}

/** SHA-256 of bytes, or of a text in UTF-8. */
export function digestOf(content: Buffer | string): Buffer {
  return hash('sha256', content, 'buffer');
}

const keyed = Buffer.alloc(64);

/**
 * Returns the digest of a row together with a company's CIK (ten digits), so that the same row of another
 * company has another digest.
 */
export function digestUnder(cik: string, digest: Buffer): Buffer {
  digest.copy(keyed, keyed.write(cik.slice(0, 32), 'latin1'));
  return digestOf(keyed.subarray(0, Math.min(cik.length, 32) + digest.length));
}

/** Creates an empty balance. */
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
