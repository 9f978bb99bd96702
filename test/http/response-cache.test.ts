import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/http/http-answer.ts';
import { createResponseCache } from '../../src/http/response-cache.ts';
import { prepare, publicCaching } from '../../src/http/send.ts';
import { createShares } from '../../src/http/shares.ts';

/** An answer of so many bytes that counts how often its body is made. */
function answerOf(bytes: number, fill = 'x'): Answer & { readonly made: () => number } {
  let made = 0;
  return {
    contentType: 'application/json',
    etag: `"${fill}${bytes}"`,
    body: () => (made++, Buffer.alloc(bytes, fill)),
    made: () => made,
  };
}

describe('the response cache', () => {
  it('the response cache gives back an answer with everything it has, its body made once', () => {
    const cache = createResponseCache(100_000);
    const answer = answerOf(100);
    const kept = cache.keep('one', '/a', answer);
    const found = cache.get('one', '/a');
    expect(found).toBe(kept);
    expect([found?.contentType, found?.etag, found?.body().toString()]).toEqual([
      'application/json',
      '"x100"',
      'x'.repeat(100),
    ]);
    expect(found?.body()).toBe(kept.body());
    expect(answer.made()).toBe(1);
  });

  it('the response cache has nothing of other targets and other snapshots', () => {
    const cache = createResponseCache(100_000);
    expect(cache.get(null, '/a')).toBeUndefined();
    cache.keep('one', '/a', answerOf(100));
    for (const target of ['/A', '/a?', '', '__proto__', 'constructor'])
      expect(cache.get('one', target)).toBeUndefined();
    expect(cache.get('two', '/a')).toBeUndefined();
    expect(cache.get(null, '/a')).toBeUndefined();
  });

  it('the response cache keeps answers of a new snapshot when an older request ends late', () => {
    const cache = createResponseCache(100_000);
    cache.keep('two', '/a', answerOf(100, 'b'));
    cache.keep('one', '/a', answerOf(100, 'a'));
    expect(cache.get('two', '/a')?.body().toString()).toBe('b'.repeat(100));
    expect(cache.get('one', '/a')?.body().toString()).toBe('a'.repeat(100));
  });

  it('the response cache compresses a body once, and no short one', async () => {
    const cache = createResponseCache(1_000_000);
    const long = cache.keep('one', '/long', answerOf(5000));
    expect(long.gzip?.()).toBe(long.gzip?.());
    expect(gunzipSync((await long.gzip?.()) as Buffer)).toEqual(long.body());
    expect(cache.keep('one', '/short', answerOf(200)).gzip).toBeUndefined();
  });

  it('bodies beyond the bound of those that wait for compression are sent as they are', async () => {
    const megabyte = 1024 * 1024;
    const waiting: (() => void)[] = [];
    const unsent = createShares(100 * megabyte);
    const cache = createResponseCache(
      1_000_000,
      (body) => new Promise((resolve) => waiting.push(() => resolve(body.subarray(0, 10)))),
      unsent,
    );
    const gzipOf = (at: number) => cache.keep('one', `/${at}`, answerOf(4 * megabyte)).gzip?.();
    const found = Array.from({ length: 300 }, (_, at) => gzipOf(at));
    expect(found.filter((each) => each !== null).length).toBe(3);
    expect(unsent.left()).toBe(88 * megabyte);
    // An answer that has to go as it is still has its ETag, and no Content-Encoding.
    const refused = cache.keep('one', '/refused', answerOf(4 * megabyte));
    const { status, headers, body } = await prepare(
      { headers: { 'accept-encoding': 'gzip' } },
      refused,
      publicCaching,
    );
    expect([status, headers['ETag'], headers['Content-Encoding'], body?.length]).toEqual([
      200,
      refused.etag,
      undefined,
      4 * megabyte,
    ]);
    for (const finish of waiting) finish();
    await Promise.all(found);
    expect(unsent.left()).toBe(100 * megabyte);
    expect(gzipOf(1000)).not.toBeNull();
    // One that is longer than the bound is compressed alone.
    for (const finish of waiting) finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(cache.keep('one', '/long', answerOf(20 * megabyte)).gzip?.()).not.toBeNull();
  });

  it('the response cache counts compressed bodies, too', async () => {
    const cache = createResponseCache(1_000_000);
    const answer = cache.keep('one', '/long', answerOf(5000));
    const before = cache.size();
    const zipped = (await answer.gzip?.()) as Buffer;
    expect(cache.size()).toBe(before + zipped.length);
    expect(zipped.buffer.byteLength).toBe(zipped.length);
  });

  it('the response cache holds bytes of its own, not pieces of larger buffers', () => {
    const cache = createResponseCache(1_000_000);
    const piece = Buffer.alloc(100_000, 'x').subarray(10, 30);
    const kept = cache.keep('one', '/a', { contentType: 'text/plain', etag: '"a"', body: () => piece });
    expect([kept.body().toString(), kept.body().buffer.byteLength]).toEqual(['x'.repeat(20), 20]);
  });

  it('the response cache gives an answer that is too long, and does not keep it', () => {
    const cache = createResponseCache(40_000);
    expect(cache.keep('one', '/a', answerOf(6000)).body().length).toBe(6000);
    expect(cache.get('one', '/a')).toBeUndefined();
  });

  it('the response cache stays within its bound, and drops what was not asked for longest', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            target: fc.constantFrom(...'abcdefghijklmnop'),
            bytes: fc.integer({ min: 0, max: 2000 }),
            isRead: fc.boolean(),
          }),
          { maxLength: 60 },
        ),
        (steps) => {
          const maximum = 24_000;
          const cache = createResponseCache(maximum);
          let model: { target: string; bytes: number; size: number }[] = [];
          for (const { target, bytes, isRead } of steps) {
            if (isRead) cache.get('one', target);
            else cache.keep('one', target, answerOf(bytes));
            const known = model.find((each) => each.target === target);
            const kept = isRead ? known : { target, bytes, size: bytes + 2 * `one ${target}`.length + 1024 };
            model = model.filter((each) => each.target !== target);
            if (kept && kept.size <= maximum / 8) model.push(kept);
            while (model.reduce((sum, { size }) => sum + size, 0) > maximum) model.shift();
            expect(cache.size()).toBe(model.reduce((sum, { size }) => sum + size, 0));
          }
          for (const target of 'abcdefghijklmnop')
            expect(cache.get('one', target)?.body().length).toBe(
              model.find((known) => known.target === target)?.bytes,
            );
        },
      ),
    ));
});
