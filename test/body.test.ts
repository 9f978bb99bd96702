import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble, jsonAnswer, etagFor, type Part } from '../src/answers/body.ts';
import { toChunk, type Chunk } from '../src/table/chunk.ts';
import type { Slice } from '../src/table/page.ts';
import { sha256Of } from '../src/table/file.ts';

function chunkOf(rows: readonly string[]): Chunk {
  const bytes = Buffer.from(rows.map((row) => `${row}\n`).join(''));
  return toChunk(bytes, sha256Of(bytes));
}

/** Some neighbouring rows of a block, with their texts. */
const slice = fc
  .tuple(fc.array(fc.json(), { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat())
  .map(([rows, a, b]): { slice: Slice; rows: string[] } => {
    const from = a % rows.length;
    const to = from + 1 + (b % (rows.length - from));
    return { slice: { chunk: chunkOf(rows), from, to }, rows: rows.slice(from, to) };
  });

describe('a body', () => {
  it('is its rows with commas between them, and the text around them', () =>
    fc.assert(fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.array(slice, { maxLength: 4 })), { maxLength: 6 }), (parts) => {
      const expected = parts.map((part) => (typeof part === 'string' ? part : part.flatMap(({ rows }) => rows).join(','))).join('');
      expect(assemble(parts.map((part): Part => (typeof part === 'string' ? part : part.map((each) => each.slice)))).toString()).toBe(expected);
    })));

  it('that is long is whole, and does not touch the ones before it', () => {
    const rows = Array.from({ length: 40 }, (_, at) => JSON.stringify({ at, text: String(at % 10).repeat(40_000) }));
    const chunk = chunkOf(rows);
    const bodies = [1, 2, 7, 40, 3, 1, 20].map((to) => ({ to, body: assemble(['{"data":[', [{ chunk, from: 0, to }], ']}']) }));
    for (const { to, body } of bodies) expect(body.toString()).toBe(`{"data":[${rows.slice(0, to).join(',')}]}`);
  });

  it('owns its bytes, so that keeping it keeps nothing else', () => {
    const chunk = chunkOf(['{"a":1}']);
    const kept = assemble(['[', [{ chunk, from: 0, to: 1 }], ']']);
    for (const text of ['{"status":"ok"}', 'x'.repeat(100_000)]) {
      const passing = jsonAnswer([text.slice(0, 3), text.slice(3)]).body();
      expect(passing.toString()).toBe(text);
      for (const body of [passing, kept]) expect(body.buffer.byteLength).toBe(body.length);
    }
  });
});

describe('the tag of an answer', () => {
  const [one, other] = [chunkOf(['{"a":1}', '{"a":2}', '{"a":3}']), chunkOf(['{"a":1}', '{"a":2}', '{"a":4}'])];
  const tag = (...parts: Part[]) => jsonAnswer(parts).etag;
  const rows = (chunk: Chunk, from: number, to: number): Slice[] => [{ chunk, from, to }];

  it('is the same for the same content, from another copy of the block too', () => {
    expect(tag('[', rows(one, 0, 2), ']')).toBe(tag('[', rows(chunkOf(['{"a":1}', '{"a":2}', '{"a":3}']), 0, 2), ']'));
    expect(tag('[', rows(one, 0, 2), ']')).toMatch(/^"[\w-]{22}"$/);
  });

  it('is another one for other rows, for another envelope, and for the rows of another block', () => {
    const tags = [tag('[', rows(one, 0, 2), ']'), tag('[', rows(one, 0, 1), ']'), tag('[', rows(one, 1, 2), ']'), tag('[', rows(one, 0, 2), '] '), tag('[', rows(other, 0, 2), ']'), tag('[', [], ']'), tag('[', [...rows(one, 0, 1), ...rows(one, 0, 1)], ']')];
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('is one of the bytes where it is made of bytes', () => expect(etagFor('ü')).toBe(etagFor(Buffer.from('ü'))));
});
