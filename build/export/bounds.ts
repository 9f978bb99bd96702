import type { PrimitiveType } from './columns.ts';

/**
 * The first characters of a text that stand in a bound: readers want bounds for pruning, and metadata should stay
 * small.
 */
const boundCharacters = 16;

/** A value of a column, as statistics of Parquet have it. */
export type BoundValue = string | number | bigint | boolean;

/** Whether a value comes before another one of the same type. Texts are compared by their UTF-8 bytes. */
export function isLess(a: BoundValue, b: BoundValue): boolean {
  return typeof a === 'string' && typeof b === 'string'
    ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
    : a < b;
}

/**
 * A bound in the single-value serialization of Iceberg: numbers are little-endian, a text is its UTF-8 bytes.
 * The bound of a long text has its first characters; an upper one is greater than the text then. Null if
 * there is no such bound.
 */
export function boundOf(type: PrimitiveType, value: BoundValue, isUpper: boolean): Buffer | null {
  if (typeof value === 'string') return textBound(value, isUpper);
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0]);
  const isLong = type === 'long' || type === 'timestamptz';
  const bytes = Buffer.alloc(isLong || type === 'double' ? 8 : 4);
  if (isLong) bytes.writeBigInt64LE(BigInt(value));
  else if (type === 'double') bytes.writeDoubleLE(Number(value));
  else bytes.writeInt32LE(Number(value));
  return bytes;
}

function textBound(text: string, isUpper: boolean): Buffer | null {
  const characters = [...text];
  if (characters.length <= boundCharacters) return Buffer.from(text);
  const kept = characters.slice(0, boundCharacters);
  if (!isUpper) return Buffer.from(kept.join(''));
  for (let last = kept.length - 1; last >= 0; last--) {
    const next = characterAfter(kept[last] as string);
    if (next !== null) return Buffer.from(kept.slice(0, last).join('') + next);
  }
  return null;
}

/** The character with the next code point; null after the greatest one. Surrogates are no characters. */
function characterAfter(character: string): string | null {
  const next = (character.codePointAt(0) as number) + 1;
  return next > 0x10ffff ? null : String.fromCodePoint(next >= 0xd800 && next < 0xe000 ? 0xe000 : next);
}
