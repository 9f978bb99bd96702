import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bisect, lineEnd, lineStart, toBlock } from '../../src/table/block.ts';

const blockOf = (lines: readonly string[]) =>
  toBlock(Buffer.from(lines.map((line) => `${line}\n`).join('')), 'digest');
const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', ''));

describe('a block', () => {
  it('gives back its lines, whatever is in them', () =>
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const block = blockOf(lines);
        expect(block.ends.length).toBe(lines.length);
        expect(
          lines.map((_, at) => block.bytes.toString('utf8', lineStart(block, at), lineEnd(block, at))),
        ).toEqual(lines);
        expect(block.sha256).toBe('digest');
      }),
    ));
});

describe('bisect', () => {
  it('finds where a predicate turns true', () =>
    fc.assert(
      fc.property(fc.nat(50), fc.nat(60), (length, turn) => {
        const asked: number[] = [];
        expect(bisect(length, (index) => (asked.push(index), index >= turn))).toBe(Math.min(length, turn));
        expect(asked.every((index) => index >= 0 && index < length)).toBe(true);
        expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.log2(length + 1)));
      }),
    ));
});
