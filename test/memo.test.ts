import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../src/answers/body.ts';
import { createMemo } from '../src/http/memo.ts';

/** An answer of so many bytes that counts how often its body is made. */
function answerOf(bytes: number, fill = 'x'): Answer & { readonly made: () => number } {
  let made = 0;
  return { contentType: 'application/json', etag: `"${fill}${bytes}"`, body: () => (made++, Buffer.alloc(bytes, fill)), made: () => made };
}

describe('the memo', () => {
  it('gives back an answer with everything it has, its body made once', () => {
    const memo = createMemo(10_000);
    const answer = answerOf(100);
    const kept = memo.keep('one', '/a', answer);
    const found = memo.get('one', '/a');
    expect(found).toBe(kept);
    expect([found?.contentType, found?.etag, found?.body().toString()]).toEqual(['application/json', '"x100"', 'x'.repeat(100)]);
    expect(found?.body()).toBe(kept.body());
    expect(answer.made()).toBe(1);
  });

  it('knows nothing of other targets and of other snapshots', () => {
    const memo = createMemo(10_000);
    expect(memo.get(null, '/a')).toBeUndefined();
    memo.keep('one', '/a', answerOf(100));
    for (const target of ['/A', '/a?', '', '__proto__', 'constructor']) expect(memo.get('one', target)).toBeUndefined();
    expect(memo.get('two', '/a')).toBeUndefined();
    expect(memo.get(null, '/a')).toBeUndefined();
  });

  it('forgets a snapshot when it gets an answer of another one, also of the one before', () => {
    const memo = createMemo(10_000);
    memo.keep('one', '/a', answerOf(100, 'a'));
    memo.keep('two', '/b', answerOf(100, 'b'));
    expect([memo.get('one', '/a'), memo.get('two', '/a')]).toEqual([undefined, undefined]);
    expect(memo.get('two', '/b')).toBeDefined();
    // A request that was in flight when the snapshot changed must not be taken for an answer of the new one.
    memo.keep('one', '/b', answerOf(100, 'c'));
    expect(memo.get('two', '/b')).toBeUndefined();
    expect(memo.get('one', '/b')?.body().toString()).toBe('c'.repeat(100));
  });

  it('makes the compressed body once, and none of a short one', async () => {
    const memo = createMemo(100_000);
    const long = memo.keep('one', '/long', answerOf(5000));
    expect(long.gzip?.()).toBe(long.gzip?.());
    expect(gunzipSync((await long.gzip?.()) as Buffer)).toEqual(long.body());
    expect(memo.keep('one', '/short', answerOf(200)).gzip).toBeUndefined();
  });

  it('hands out an answer that is too long to keep, and does not keep it', () => {
    const memo = createMemo(8000);
    expect(memo.keep('one', '/a', answerOf(1500)).body().length).toBe(1500);
    expect(memo.get('one', '/a')).toBeUndefined();
  });

  it('keeps the latest answers within its bound', () =>
    fc.assert(fc.property(fc.array(fc.record({ target: fc.constantFrom(...'abcdefghijklmnop'), bytes: fc.integer({ min: 0, max: 200 }) }), { maxLength: 60 }), (steps) => {
      const maximum = 1600;
      const memo = createMemo(maximum);
      const model: { target: string; bytes: number }[] = [];
      for (const { target, bytes } of steps) {
        memo.keep('one', target, answerOf(bytes));
        if (bytes + 1 <= maximum / 8 && !model.some((each) => each.target === target)) model.push({ target, bytes });
        while (model.reduce((sum, each) => sum + each.bytes + 1, 0) > maximum) model.shift();
        for (const each of 'abcdefghijklmnop') expect(memo.get('one', each)?.body().length).toBe(model.find((known) => known.target === each)?.bytes);
      }
    })));
});
