import { issuerLabel } from '../../src/contract/snapshot.ts';
import { noteOf, rowExtent } from '../../src/table/line.ts';
import type { TableRow } from '../../src/table/table.ts';
import type { RowFacts } from './table-writer.ts';

/** What the index says about every row of a table that nobody filters. */
export const noFacts: RowFacts = { filedAt: '', labels: [] };
/** What the index of a filtered table says about a row that hides. */
const factsOfHiding: RowFacts = { filedAt: '', labels: ['*'] };

const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const issuerNeedle = Buffer.from(',"issuer":true');
const filedAtNeedle = Buffer.from('"filedAt":"');
const [quote, bracket] = [0x22, 0x5d];

/**
 * Reads what the index of a filtered table says about a row. The row is a change, a listed filing, or a
 * filing date alone. Nothing is parsed: members are found as bytes, in the order in which the contract has
 * them. This is safe because JSON escapes every quote in a string, and no form or item has a character that
 * JSON escapes.
 */
export function factsOf({ chunk, line }: TableRow): RowFacts {
  const { bytes } = chunk;
  const { from, to } = rowExtent(chunk, line);
  if (to - from === 4) return factsOfHiding;
  if (bytes[from] === quote) return { filedAt: bytes.toString('latin1', from + 1, to - 1), labels: [] };
  const formFrom = behind(bytes, formNeedle, from, to);
  const formTo = offsetOf(bytes, quote, formFrom);
  const itemsFrom = behind(bytes, itemsNeedle, formTo, to);
  const itemsTo = offsetOf(bytes, bracket, itemsFrom);
  const labels = [bytes.toString('latin1', formFrom, formTo)];
  if (itemsTo > itemsFrom) labels.push(...bytes.toString('latin1', itemsFrom + 1, itemsTo - 1).split('","'));
  // Only rows of corrections have a note.
  if (noteOf(chunk, line) !== null) labels.push('*');
  // A listed filing ends here, or with the member `issuer`.
  if (itemsTo + 2 >= to) return { filedAt: '', labels };
  if (standsAt(bytes, issuerNeedle, itemsTo + 1)) {
    labels.push(issuerLabel);
    return { filedAt: '', labels };
  }
  return { filedAt: dateBehind(bytes, itemsTo, to), labels };
}

function dateBehind(bytes: Buffer, at: number, to: number): string {
  const from = behind(bytes, filedAtNeedle, at, to);
  return bytes.toString('latin1', from, from + 10);
}

/**
 * The offset behind the first such bytes; `to` if there are none. The bytes are near, so this loop finds them
 * sooner than a call of `indexOf`, which took a tenth of a build.
 */
function behind(bytes: Buffer, needle: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at++) if (standsAt(bytes, needle, at)) return at + needle.length;
  return to;
}

function standsAt(bytes: Buffer, needle: Buffer, at: number): boolean {
  let same = 0;
  while (same < needle.length && bytes[at + same] === needle[same]) same++;
  return same === needle.length;
}

/** The offset of the first such byte; the length if there is none. */
function offsetOf(bytes: Buffer, byte: number, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== byte) at++;
  return at;
}
