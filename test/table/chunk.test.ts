import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bisect, lineEnd, lineStart, toChunk } from '../../src/table/chunk.ts';

const chunkOf = (lines: readonly string[]) =>
  toChunk(Buffer.from(lines.map((line) => `${line}\n`).join('')), 'digest');
const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', ''));

describe('a chunk', () => {
  it('gives back its lines, whatever is in them', () =>
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const chunk = chunkOf(lines);
        expect(chunk.ends.length).toBe(lines.length);
        expect(
          lines.map((_, at) => chunk.bytes.toString('utf8', lineStart(chunk, at), lineEnd(chunk, at))),
        ).toEqual(lines);
        expect(chunk.sha256).toBe('digest');
      }),
    ));

  it('of no bytes has no lines', () => {
    const chunk = chunkOf([]);
    expect(chunk.ends.length).toBe(0);
  });
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
