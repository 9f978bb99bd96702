import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bisect, lineAt, lineEnd, lineStart, lineText, textMember, toChunk } from '../src/table/chunk.ts';
import { hostileText } from './support/arbitraries.ts';

const chunkOf = (lines: readonly string[]) => toChunk(Buffer.from(lines.map((line) => `${line}\n`).join('')), 'digest');
const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', ''));

describe('a chunk', () => {
  it('gives back its lines, whatever is in them', () =>
    fc.assert(fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const chunk = chunkOf(lines);
      expect(chunk.ends.length).toBe(lines.length);
      expect(lines.map((_, at) => lineText(chunk, at))).toEqual(lines);
      expect(lines.map((_, at) => chunk.bytes.toString('utf8', lineStart(chunk, at), lineEnd(chunk, at)))).toEqual(lines);
      expect(chunk.sha256).toBe('digest');
    })));

  it('knows the line of every offset; its newline belongs to it', () =>
    fc.assert(fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (lines) => {
      const chunk = chunkOf(lines);
      const expected = lines.flatMap((text, at) => Array.from({ length: Buffer.byteLength(text) + 1 }, () => at));
      expect(expected.map((_, offset) => lineAt(chunk, offset))).toEqual(expected);
      expect(lineAt(chunk, chunk.bytes.length)).toBe(lines.length);
    })));

  it('of no bytes has no lines', () => {
    const chunk = chunkOf([]);
    expect(chunk.ends.length).toBe(0);
    expect(lineAt(chunk, 0)).toBe(0);
  });
});

describe('bisect', () => {
  it('finds where a predicate turns true', () =>
    fc.assert(fc.property(fc.nat(50), fc.nat(60), (length, turn) => {
      const asked: number[] = [];
      expect(bisect(length, (index) => (asked.push(index), index >= turn))).toBe(Math.min(length, turn));
      expect(asked.every((index) => index >= 0 && index < length)).toBe(true);
      expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.log2(length + 1)));
    })));
});

describe('textMember', () => {
  const needle = Buffer.from('"filedAt":"');
  it('finds the member of the line that is asked for, and no other', () => {
    const chunk = chunkOf(['{"a":1,"filedAt":null}', '{"filedAt":"2026-01-02","b":"x"}', '{"a":1}', '{"b":2,"filedAt":"2026-03-04"}']);
    expect([0, 1, 2, 3].map((at) => textMember(chunk, at, needle))).toEqual([null, '2026-01-02', null, '2026-03-04']);
  });
  it('gives an empty text for one', () => expect(textMember(chunkOf(['{"filedAt":""}']), 0, needle)).toBe(''));
  it('is not deceived by what a text beside it holds', () =>
    fc.assert(fc.property(fc.oneof(hostileText, fc.constantFrom('","filedAt":"1999-01-01', '"filedAt":"', '\\","filedAt":"1999-01-01"', '\\\\"filedAt\\":\\"')), fc.boolean(), (text, isKnown) => {
      const chunk = chunkOf([JSON.stringify({ text, filedAt: isKnown ? '2026-01-02' : null, after: text })]);
      expect(textMember(chunk, 0, needle)).toBe(isKnown ? '2026-01-02' : null);
    })));
});
