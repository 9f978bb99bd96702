import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  garbage,
  json,
  ok,
  raw,
  reset,
  slow,
  startEdgarDouble,
  status,
  throttle,
  truncate,
  undeclared,
  type Behaviour,
} from './edgar-double.ts';
import { needs, recordings } from '../support/needs.ts';
import { startHarness, type Harness } from './edgar-harness.ts';

const wanted = { maxBytes: 100_000, parse: (body: Buffer) => body.toString() };
const body = JSON.stringify({ cik: '1', name: 'x'.repeat(2000) });
const elevenMinutes = 660_000;

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.close());

describe('a failed attempt', () => {
  const zipped = gzipSync(body);
  const faults: [string, Behaviour][] = [
    ['HTTP 500', status(500)],
    ['HTTP 503', status(503)],
    ['HTTP 403 of another kind', status(403, 'Access Denied')],
    ['HTTP 408', status(408)],
    ['HTTP 204', raw(204, {})],
    ['304 that was not asked for', raw(304, {})],
    ['a reset', reset()],
    ['a body cut off', truncate(body)],
    ['a body cut off in chunks', truncate(body, false)],
    ['a gzip body cut off', raw(200, { 'content-encoding': 'gzip' }, zipped.subarray(0, 40))],
    ['a gzip body that is none', raw(200, { 'content-encoding': 'gzip' }, body)],
    [
      'a gzip body with a byte flipped',
      raw(200, { 'content-encoding': 'gzip' }, Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)])),
    ],
    ['an encoding that was not asked for', raw(200, { 'content-encoding': 'br' }, body)],
  ];

  it.each(faults)('a request is tried again after %s, and not for ever', async (_, behaviour) => {
    const client = harness.client();
    expect(await client.get(harness.file('a.json', behaviour, ok(body)), wanted)).toMatchObject({
      kind: 'ok',
      parsed: body,
    });
    expect(client.counts).toMatchObject({ requests: 2, retries: 1 });
    expect(harness.slept).toEqual([375]);
    const always = harness.file('b.json', behaviour);
    await expect(harness.client({ maxAttempts: 3 }).get(always, wanted)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/b\.json: unavailable after 3 attempts: ./),
    });
    expect(harness.edgar.requests).toHaveLength(2 + 3);
    expect(await harness.cache.read(always)).toBeUndefined();
  });

  it.each([
    ['data.sec.gov/submissions/CIK-000000001.json.404', 404, 'HTTP 404 (NoSuchKey)'],
    ['www.sec.gov/Archives/edgar/full-index/2099/QTR1/form.gz.403', 403, 'HTTP 403 (AccessDenied)'],
  ])('the recorded error %s says that a file is absent', needs('recordings'), async (name, code, reason) => {
    const page = readFileSync(join(recordings, '_errors', name));
    const address = harness.file('a.json', raw(code, {}, page));
    expect(await harness.client().get(address, wanted)).toEqual({ kind: 'absent', status: code, reason });
  });

  it('an answer that does not come is a failed attempt', async () => {
    const address = harness.file('a.json', slow(new Promise(() => {}), ok('late')), ok('one'));
    expect(await harness.client({ timeoutMs: 300 }).get(address, wanted)).toMatchObject({ kind: 'ok' });
    expect(harness.log).toEqual([
      '/data.sec.gov/submissions/a.json: no complete answer within 300 ms; attempt 2 of 5 in 0.4 s',
    ]);
  });

  it('a host that cannot be reached is a failed attempt', async () => {
    const address = harness.file('a.json', ok('one'));
    await harness.edgar.close();
    await expect(harness.client().get(address, wanted)).rejects.toThrow('ECONNREFUSED');
  });

  it.each([
    [0, [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
    [0.9999999, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
  ])('failed attempts are followed by growing pauses, with jitter of %d', async (jitter, pauses) => {
    const client = harness.client({ random: () => jitter, maxAttempts: 9 });
    await expect(client.get(harness.file('a.json', status(500)), wanted)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(harness.slept.map(Math.round)).toEqual(pauses);
  });

  it('a failed attempt waits as long as upstream asks', async () => {
    const inTwoMinutes: Behaviour = (request, response) =>
      raw(503, { 'retry-after': new Date(harness.clock.nowMs + 120_000).toUTCString() })(request, response);
    const address = harness.file('a.json', raw(503, { 'retry-after': '77' }), ok('one'));
    const dated = harness.file('b.json', inTwoMinutes, raw(503, { 'retry-after': 'soon' }), ok('one'));
    await harness.client().get(address, wanted);
    await harness.client().get(dated, wanted);
    // An HTTP date has no milliseconds.
    expect(harness.slept.map((pauseMs) => Math.ceil(pauseMs / 1000) * 1000)).toEqual([77_000, 120_000, 1000]);
  });

  it('a request is given up if upstream asks for hours', async () => {
    const address = harness.file('a.json', raw(503, { 'retry-after': '3601' }));
    await expect(harness.client().get(address, wanted)).rejects.toThrow(
      'unavailable after 1 attempt: HTTP 503',
    );
  });

  it.each([400, 401, 416])('a request is given up after HTTP %d', async (code) => {
    await expect(harness.client().get(harness.file('a.json', status(code)), wanted)).rejects.toThrow(
      `unavailable after 1 attempt: HTTP ${code} (SEC.gov | Error ${code})`,
    );
  });
});

describe('the throttle page', () => {
  it('the throttle page stops all requests for eleven minutes', async () => {
    const times: Record<string, number> = {};
    const stamped =
      (then: Behaviour): Behaviour =>
      (request, response) => {
        times[request.url?.at(-1) as string] = harness.clock.nowMs;
        return then(request, response);
      };
    const others = ['b', 'c'].map((name) => harness.file(name, stamped(ok(name))));
    const answers: Promise<unknown>[] = [];
    const log = (line: string) => {
      harness.log.push(line);
      answers.push(...others.map((each) => client.get(each, wanted)));
    };
    const client = harness.client({ log });
    const begunAt = harness.clock.nowMs;
    expect(await client.get(harness.file('a', throttle(), stamped(ok('one'))), wanted)).toMatchObject({
      kind: 'ok',
    });
    await Promise.all(answers);
    expect(Object.keys(times).sort()).toEqual(['a', 'b', 'c']);
    for (const time of Object.values(times)) expect(time).toBeGreaterThanOrEqual(begunAt + elevenMinutes);
    expect(harness.log).toEqual([
      'HTTP 403 (SEC.gov | Request Rate Threshold Exceeded): no requests for 660.0 s',
    ]);
    expect(client.counts).toMatchObject({ requests: 4, throttled: 1, retries: 0 });
  });

  it('the throttle page is logged once if several requests meet it', async () => {
    const sleep = async (pauseMs: number) => {
      // The rest is long enough for all three answers to come.
      while (pauseMs > 60_000 && client.counts.throttled < 3)
        await new Promise((settle) => setImmediate(settle));
      harness.clock.nowMs += pauseMs;
    };
    const client = harness.client({ sleep });
    await Promise.all(
      ['a', 'b', 'c'].map((name) => client.get(harness.file(name, throttle(), ok(name)), wanted)),
    );
    expect(client.counts).toMatchObject({ requests: 6, throttled: 3 });
    expect(harness.log).toHaveLength(1);
  });

  it('the throttle page is waited for twice, and does not use up attempts', async () => {
    const client = harness.client({ maxAttempts: 2 });
    const address = harness.file('a', status(503), throttle(), throttle(), ok('one'));
    expect(await client.get(address, wanted)).toMatchObject({ kind: 'ok' });
    await expect(client.get(harness.file('b', throttle()), wanted)).rejects.toThrow(
      /b: throttled after 3 attempts: HTTP 403 .*Request Rate/,
    );
    expect(await client.get(harness.file('c', ok('one')), wanted), 'the block has ended').toMatchObject({
      kind: 'ok',
    });
  });

  it('the throttle page ends the run if it stays', async () => {
    const client = harness.client();
    for (const name of ['a', 'b', 'c', 'd'])
      await expect(client.get(harness.file(name, throttle()), wanted)).rejects.toMatchObject({
        kind: 'throttled',
      });
    expect(client.counts.requests).toBe(6);
  });

  it('the throttle page does not end the run if other files come in between', async () => {
    const client = harness.client();
    for (const name of ['a', 'b', 'c']) {
      await expect(client.get(harness.file(name, throttle()), wanted)).rejects.toMatchObject({
        kind: 'throttled',
      });
      expect(await client.get(harness.file('d', ok('d')), wanted)).toMatchObject({ kind: 'ok' });
    }
  });

  it('a throttle of hours ends the run', async () => {
    const client = harness.client();
    await expect(
      client.get(harness.file('a', raw(429, { 'retry-after': '99999999999' })), wanted),
    ).rejects.toThrow('retry after');
    await expect(client.get(harness.file('b', ok('b')), wanted)).rejects.toMatchObject({ kind: 'throttled' });
    expect(client.counts.requests).toBe(1);
  });
});

describe('the page for undeclared tools', () => {
  it('the page for undeclared tools ends all requests at once', async () => {
    let reach = () => {};
    const reached = new Promise<void>((settle) => void (reach = settle));
    const refuse: Behaviour = (request, response) => (reach(), undeclared()(request, response));
    const sleep = async (pauseMs: number) => {
      if (client.counts.requests > 0) await first.catch(() => {});
      harness.clock.nowMs += pauseMs;
    };
    const client = harness.client({ sleep, settings: { ...harness.settings, requestsPerSecond: 1 } });
    const first = client.get(harness.file('a', refuse), wanted);
    // Only a request that has begun may make the others wait.
    await reached;
    const results = await Promise.allSettled([
      first,
      ...['b', 'c'].map((name) => client.get(harness.file(name, ok(name)), wanted)),
    ]);
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'user_agent_rejected' } });
    expect(String((results[0] as PromiseRejectedResult).reason)).toContain(
      'a: user_agent_rejected after 1 attempt: HTTP 403 (SEC.gov | Your Request Originates from an Undeclared Automated Tool)',
    );
    expect(harness.edgar.requests).toHaveLength(1);
  });
});

describe('a body', () => {
  it.each([
    ['plain', raw(200, {}, Buffer.alloc(100_001))],
    ['gzipped', ok(Buffer.alloc(100_001))],
    ['a small one that unpacks to 50 MB', ok(Buffer.alloc(50_000_000))],
  ])('a body longer than allowed is refused: %s', async (_, behaviour) => {
    const client = harness.client();
    const address = harness.file('a', behaviour);
    await expect(client.get(address, wanted)).rejects.toMatchObject({
      kind: 'too_large',
      message: expect.stringContaining('after 1 attempt'),
    });
    expect(await harness.cache.read(address)).toBeUndefined();
    expect(await client.get(harness.file('b', ok('b')), wanted)).toMatchObject({ kind: 'ok' });
  });

  it('a body may be as long as allowed', async () => {
    expect(await harness.client().get(harness.file('a', ok(Buffer.alloc(100_000))), wanted)).toMatchObject({
      kind: 'ok',
      parsed: '\0'.repeat(100_000),
    });
  });

  it('the body of an error may be long', async () => {
    const long = `<Error><Code>AccessDenied</Code></Error>${' '.repeat(500_000)}`;
    expect(await harness.client().get(harness.file('a', raw(403, {}, long)), wanted)).toMatchObject({
      kind: 'absent',
      status: 403,
    });
    expect(
      await harness.client().get(harness.file('b', raw(404, { 'content-encoding': 'gzip' })), wanted),
    ).toMatchObject({ kind: 'absent', status: 404 });
  });
});

describe('a redirect', () => {
  it('a redirect within its host is followed, and cached by the first address', async () => {
    const address = harness.file('a', raw(301, { location: '/data.sec.gov/submissions/b?x=1' }));
    harness.edgar.route('/data.sec.gov/submissions/b?x=1', json({ cik: '1' }));
    const client = harness.client();
    expect(await client.get(address, wanted)).toMatchObject({ kind: 'ok', changed: true });
    expect(await client.get(address, wanted)).toMatchObject({ kind: 'ok', changed: false });
    expect(client.counts).toMatchObject({ requests: 4, notModified: 1 });
  });

  it('a redirect is followed once', async () => {
    await expect(
      harness.client().get(harness.file('a', raw(302, { location: 'a' })), wanted),
    ).rejects.toThrow('unavailable after 1 attempt: HTTP 302 to "a"');
    expect(harness.edgar.requests).toHaveLength(2);
  });

  it.each(['https://127.0.0.1/', 'http://[', '//localhost/'])(
    'a redirect to %s is an error',
    async (location) => {
      await expect(
        harness.client().get(harness.file('a', raw(302, { location })), wanted),
      ).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining(JSON.stringify(location)),
      });
    },
  );

  it('a redirect never reaches another host', async () => {
    const other = await startEdgarDouble();
    other.route('/x', garbage());
    await expect(
      harness.client().get(harness.file('a', raw(302, { location: `${other.url}/x` })), wanted),
    ).rejects.toMatchObject({ kind: 'unavailable' });
    expect(other.requests).toEqual([]);
    await other.close();
  });
});
