import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble, jsonAnswer } from '../../src/render/json.ts';
import type { Piece, Rows } from '../../src/render/page.ts';
import type { Extent } from '../../src/rows/members.ts';
import { etagFor } from '../../src/http/http-answer.ts';

/** Texts one after the other, as in a block, and the offset of each. */
function extentsOf(rows: readonly string[]): Extent[] {
  const bytes = Buffer.from(rows.map((row) => `{"row":${row}}\n`).join(''));
  let at = 0;
  return rows.map((row) => {
    const from = at + '{"row":'.length;
    const to = from + Buffer.byteLength(row);
    at = to + '}\n'.length;
    return { bytes, from, to };
  });
}

/** Some rows of a few blocks, with their texts and the end of each. */
const rowsOfBlocks = fc
  .tuple(
    fc.array(fc.array(fc.json(), { maxLength: 5 }), { maxLength: 4 }),
    fc.constantFrom(undefined, '}', ']}'),
  )
  .map(([blocks, end]) => ({
    rows: { extents: blocks.flatMap(extentsOf), ...(end === undefined ? {} : { end }) } satisfies Rows,
    texts: blocks.flat().map((row) => row + (end ?? '')),
  }));

describe('a body', () => {
  it('a body is its rows with commas between, in its envelope', () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), rowsOfBlocks), { maxLength: 6 }),
        (parts) => {
          const expected = parts
            .map((part) => (typeof part === 'string' ? part : part.texts.join(',')))
            .join('');
          expect(
            assemble(parts.map((part): Piece => (typeof part === 'string' ? part : part.rows))).toString(),
          ).toBe(expected);
        },
      ),
    ));

  it('a long body is whole, and does not change the ones before it', () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      JSON.stringify({ at, text: String(at % 10).repeat(40_000) }),
    );
    const extents = extentsOf(rows);
    const bodies = [1, 2, 7, 40, 3, 1, 20].map((to) => ({
      to,
      body: assemble(['{"data":[', { extents: extents.slice(0, to) }, ']}']),
    }));
    for (const { to, body } of bodies)
      expect(body.toString()).toBe(`{"data":[${rows.slice(0, to).join(',')}]}`);
  });

  it('a body owns its bytes, so that keeping it keeps nothing else', () => {
    const kept = assemble(['[', { extents: extentsOf(['{"a":1}']) }, ']']);
    for (const text of ['{"status":"ok"}', 'x'.repeat(100_000)]) {
      const passing = jsonAnswer([text.slice(0, 3), text.slice(3)]).body();
      expect(passing.toString()).toBe(text);
      for (const body of [passing, kept]) expect(body.buffer.byteLength).toBe(body.length);
    }
  });
});

describe('the ETag of an answer', () => {
  const texts = ['{"a":1}', '{"a":2}', '{"a":3}'];
  const etag = (...parts: Piece[]) => jsonAnswer(parts).etag;
  const rows = (from: number, to: number, of = texts): Rows => ({ extents: extentsOf(of).slice(from, to) });

  it('the ETag is the same for the same content, from whichever block it comes', () => {
    const expected = etag('[', rows(0, 2), ']');
    expect(expected).toMatch(/^"[\w-]{22}"$/);
    expect(etag('[', rows(0, 2), ']')).toBe(expected);
    // The block has another row in a later snapshot: what was answered is the same.
    expect(etag('[', rows(0, 2, ['{"a":1}', '{"a":2}', '{"a":4}']), ']')).toBe(expected);
  });

  it('the ETag differs for other rows and for another envelope', () => {
    const again = rows(0, 1);
    const etags = [
      etag('[', rows(0, 2), ']'),
      etag('[', rows(0, 1), ']'),
      etag('[', rows(1, 2), ']'),
      etag('[', rows(0, 2), '] '),
      etag('[', rows(0, 2, ['{"a":1}', '{"a":4}']), ']'),
      etag('[', { extents: [] }, ']'),
      etag('[', { extents: [...again.extents, ...again.extents] }, ']'),
      etag('[', { ...rows(0, 2), end: '}' }, ']'),
    ];
    expect(new Set(etags).size).toBe(etags.length);
  });

  it('the ETag of a file is that of its bytes', () => expect(etagFor('ü')).toBe(etagFor(Buffer.from('ü'))));
});
