import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEdgarClient, type EdgarAnswer } from '../../build/edgar/client.ts';
import {
  accessDenied,
  drift,
  garbage,
  json,
  noSuchKey,
  ok,
  raw,
  slow,
  status,
  type Behaviour,
} from './edgar-double.ts';
import { startedAt, startHarness, type Harness } from './edgar-harness.ts';

const wanted = { maxBytes: 1_000_000, parse: (body: Buffer) => body.toString() };
const isJson = {
  ...wanted,
  parse(body: Buffer) {
    JSON.parse(body.toString());
    return body.toString();
  },
};

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.close());

const text = (answer: EdgarAnswer<string>) =>
  answer.kind === 'ok'
    ? `${answer.changed ? 'changed' : 'same'} ${answer.parsed}`
    : `${answer.kind} ${answer.status}`;
const sent = (header: string) => harness.edgar.requests.map(({ headers }) => headers[header]);

/** A behaviour of which the test knows when it began, and which it lets end. */
function held(then: Behaviour): { behaviour: Behaviour; reached: Promise<void>; release: () => void } {
  let [reach, release] = [() => {}, () => {}];
  const reached = new Promise<void>((settle) => void (reach = settle));
  const released = new Promise<void>((settle) => void (release = settle));
  return {
    reached,
    release: () => release(),
    behaviour: (request, response) => (reach(), slow(released, then)(request, response)),
  };
}

describe('a request', () => {
  it('a request has a User-Agent, accepts gzip and sends no more headers than needed', async () => {
    const client = harness.client();
    expect(text(await client.get(harness.file('a.json', json({ cik: '1' })), wanted))).toBe(
      'changed {"cik":"1"}',
    );
    expect(harness.edgar.requests[0]).toMatchObject({
      path: '/data.sec.gov/submissions/a.json',
      headers: { 'user-agent': 'Jane Doe jane@example.com', 'accept-encoding': 'gzip' },
    });
    expect(sent('if-none-match')).toEqual([undefined]);
    expect(client.counts).toMatchObject({ requests: 1, notModified: 0, retries: 0, throttled: 0 });
  });

  it('a request starts before another one has ended', async () => {
    let reach = () => {};
    const reached = new Promise<void>((settle) => void (reach = settle));
    const long: Behaviour = async (_, response) => {
      response.flushHeaders();
      await reached;
      response.end('long');
    };
    const client = harness.client({ settings: { ...harness.settings, requestsPerSecond: 1 } });
    const getting = client.get(harness.file('a.json', long), wanted);
    const other = client.get(
      harness.file('b.json', (request, response) => (reach(), ok('b')(request, response))),
      wanted,
    );
    expect([text(await getting), text(await other)]).toEqual(['changed long', 'changed b']);
  });

  it('the client asks for a compressed body, and gives it decompressed', async () => {
    const body = 'x'.repeat(500_000);
    expect(text(await harness.client().get(harness.file('a.json', ok(body)), wanted))).toBe(
      `changed ${body}`,
    );
    expect(sent('accept-encoding')).toEqual(['gzip']);
  });

  it('the client refuses a User-Agent without a mailbox and more than ten requests a second', () => {
    const options = { cache: harness.cache, now: () => 0 };
    expect(() =>
      createEdgarClient({ ...options, settings: { ...harness.settings, userAgent: 'curl/8' } }),
    ).toThrow('EDGAR_USER_AGENT');
    expect(() =>
      createEdgarClient({ ...options, settings: { ...harness.settings, requestsPerSecond: 11 } }),
    ).toThrow('EDGAR_RPS');
  });
});

describe('the cache', () => {
  it('the cache makes a second run ask only for what has changed', async () => {
    const address = harness.file('a.json', ok('one'));
    await harness.client().get(address, wanted);
    harness.clock.nowMs += 60_000;
    const second = harness.client();
    expect(text(await second.get(address, wanted))).toBe('same one');
    expect(second.counts).toMatchObject({ requests: 1, notModified: 1 });
    expect((await harness.cache.read(address))?.checkedAt).toBe(new Date(harness.clock.nowMs).toISOString());
    harness.file(
      'a.json',
      drift((number) => `${number}`),
    );
    expect(text(await harness.client().get(address, wanted))).toBe('changed 0');
    expect(text(await harness.client().get(address, wanted))).toBe('changed 1');
    const etags = sent('if-none-match');
    expect(etags[1]).toMatch(/^"\w+"$/);
    expect([etags[0], etags[2], etags[3] === etags[1]]).toEqual([undefined, etags[1], false]);
  });

  it('a conditional request sends the date where there is no ETag, and never both', async () => {
    const lastModified = 'Wed, 01 Jul 2026 09:00:00 GMT';
    const dated = harness.file('a.json', ok('one', { etag: false, lastModified }));
    const both = harness.file('b.json', ok('one', { lastModified }));
    for (const address of [dated, dated, both, both]) await harness.client().get(address, wanted);
    expect(sent('if-modified-since')).toEqual([undefined, lastModified, undefined, undefined]);
    expect(sent('if-none-match').map(Boolean)).toEqual([false, false, false, true]);
  });

  it('the cache says when a body was made, or else when it was checked', async () => {
    const lastModified = 'Wed, 01 Jul 2026 09:00:00 GMT';
    const dated = harness.file('a.json', ok('one', { lastModified }));
    const undated = harness.file('b.json', ok('one'));
    const fetched = harness.client();
    const resumed = harness.client({ freshSince: startedAt });
    for (const client of [fetched, resumed]) {
      expect(await client.get(dated, wanted)).toMatchObject({ asOfMs: Date.parse(lastModified) });
      const checkedAtMs =
        client === fetched
          ? harness.clock.nowMs
          : Date.parse((await harness.cache.read(undated))?.checkedAt as string);
      expect(
        Math.abs(((await client.get(undated, wanted)) as { asOfMs: number }).asOfMs - checkedAtMs),
      ).toBeLessThan(1000);
    }
    expect(await harness.client().get(dated, wanted), 'after a 304').toMatchObject({
      asOfMs: Date.parse(lastModified),
    });
  });

  it('the cache shows whether a body changed where upstream cannot say', async () => {
    const address = harness.file('a.json', ...['one', 'one', 'two'].map((body) => ok(body, { etag: false })));
    const answers = [];
    for (let run = 0; run < 3; run++) answers.push(text(await harness.client().get(address, wanted)));
    expect(answers).toEqual(['changed one', 'same one', 'changed two']);
  });

  it('a run that continues asks for nothing that it has checked', async () => {
    const files = ['a.json', 'b.json', 'c.json'].map((name) => harness.file(name, ok(name)));
    const stop = new AbortController();
    const first = harness.client({ signal: stop.signal });
    await first.get(files[0] as string, wanted);
    await first.get(files[1] as string, wanted);
    stop.abort();
    await expect(first.get(files[2] as string, wanted)).rejects.toMatchObject({ name: 'AbortError' });
    const second = harness.client({ freshSince: startedAt });
    const answers = [];
    for (const address of files) answers.push(text(await second.get(address, wanted)));
    expect(answers).toEqual(['same a.json', 'same b.json', 'changed c.json']);
    expect(second.counts.requests).toBe(1);
  });

  it('the cache counts a 304 as a check, and nothing older', async () => {
    const address = harness.file('a.json', ok('one'));
    await harness.client().get(address, wanted);
    harness.clock.nowMs += 60_000;
    const freshSince = new Date(harness.clock.nowMs).toISOString();
    const counts = [];
    for (let run = 0; run < 2; run++) {
      const client = harness.client({ freshSince });
      await client.get(address, wanted);
      counts.push(client.counts.requests);
    }
    expect(counts).toEqual([1, 0]);
  });

  it('the cache takes no body that fails its check, and keeps the last good one', async () => {
    const address = harness.file('a.json', json({ cik: '1' }));
    await harness.client().get(address, isJson);
    harness.file('a.json', garbage());
    const client = harness.client();
    await expect(client.get(address, isJson)).rejects.toThrow(
      /^\/data\.sec\.gov\/submissions\/a\.json: unavailable after 5 attempts: .*JSON/,
    );
    expect(client.counts).toMatchObject({ requests: 5, retries: 4 });
    expect((await harness.cache.read(address))?.body.toString()).toBe('{"cik":"1"}');
  });

  it('the cache takes a body that passes at a later attempt', async () => {
    const address = harness.file('a.json', garbage(), ok('{"cik":'), json({ cik: '1' }));
    expect(text(await harness.client().get(address, isJson))).toBe('changed {"cik":"1"}');
    expect((await harness.cache.read(address))?.body.toString()).toBe('{"cik":"1"}');
  });

  it('the cache drops a body that fails its check, and the client asks without a condition', async () => {
    const address = harness.file('a.json', ok('{"cik":'));
    await harness.client().get(address, wanted);
    await expect(
      harness.client({ freshSince: startedAt, maxAttempts: 1 }).get(address, isJson),
    ).rejects.toThrow('JSON');
    expect(sent('if-none-match')).toEqual([undefined, undefined]);
    expect(await harness.cache.read(address)).toBeUndefined();
  });

  it('the cache gives no body that is longer than allowed', async () => {
    const address = harness.file('a.json', ok('0123456789'));
    await harness.client().get(address, wanted);
    await expect(
      harness.client({ freshSince: startedAt }).get(address, { ...wanted, maxBytes: 9 }),
    ).rejects.toMatchObject({ kind: 'too_large' });
  });

  it.each([
    ['AccessDenied', accessDenied(), 403],
    ['NoSuchKey', noSuchKey(), 404],
    ['File Not Found', status(404, 'File Not Found Error Alert (404)'), 404],
    ['Error 410', status(410), 410],
  ])('the cache keeps what it has when upstream says %s', async (reason, behaviour, code) => {
    const address = harness.file('a.json', ok('one'), behaviour);
    await harness.client().get(address, wanted);
    const client = harness.client();
    expect(await client.get(address, wanted)).toEqual({
      kind: 'absent',
      status: code,
      reason: expect.stringContaining(reason),
    });
    expect(client.counts).toMatchObject({ requests: 1, retries: 0 });
    expect((await harness.cache.read(address))?.body.toString()).toBe('one');
  });
});

describe('stopping', () => {
  const aborted = { name: 'AbortError' };

  it('stopping ends a request that waits for its answer, and closes connections', async () => {
    const stop = new AbortController();
    const { behaviour, reached } = held(ok('one'));
    const idle = harness.file('idle.json', ok('idle'));
    const address = harness.file('a.json', ok('before'), behaviour);
    const client = harness.client({ signal: stop.signal });
    await client.get(address, wanted);
    const getting = client.get(address, wanted);
    await reached;
    await client.get(idle, wanted);
    expect(await harness.edgar.connections()).toBe(2);
    stop.abort(new Error('a reason of its own'));
    await expect(getting).rejects.toMatchObject(aborted);
    await expect(client.get(idle, wanted)).rejects.toMatchObject(aborted);
    while ((await harness.edgar.connections()) > 0) await new Promise((settle) => setImmediate(settle));
    expect((await harness.cache.read(address))?.body.toString()).toBe('before');
  });

  it('stopping ends a pause between attempts and a wait for a turn', async () => {
    const stop = new AbortController();
    let sleepers = 0;
    const sleep = async (pauseMs: number, signal: AbortSignal): Promise<void> => {
      if (client.counts.requests === 0) return void (harness.clock.nowMs += pauseMs);
      if (++sleepers === 2) setImmediate(() => stop.abort());
      await delay(pauseMs, undefined, { signal });
    };
    let waiting: Promise<unknown> | undefined;
    const log = () =>
      void (waiting ??= expect(client.get(harness.file('b.json', ok('b')), wanted)).rejects.toMatchObject(
        aborted,
      ));
    const options = {
      sleep,
      log,
      signal: stop.signal,
      random: () => 0.5,
      settings: { ...harness.settings, requestsPerSecond: 0.001 },
    };
    const client = harness.client(options);
    await expect(
      client.get(harness.file('a.json', raw(503, { 'retry-after': '3000' })), wanted),
    ).rejects.toMatchObject(aborted);
    await waiting;
    expect(sleepers).toBe(2);
    expect(client.counts.requests).toBe(1);
  });

  it('stopping ends a body that has begun', async () => {
    const stop = new AbortController();
    const client = harness.client({ signal: stop.signal, maxAttempts: 1 });
    let reach = () => {};
    const isWritten = new Promise<void>((settle) => void (reach = settle));
    const stuck: Behaviour = (_, response) => void response.write('half', reach);
    const getting = expect(client.get(harness.file('a.json', stuck), wanted)).rejects.toMatchObject(aborted);
    await isWritten;
    await new Promise((settle) => setTimeout(settle, 20));
    stop.abort();
    await getting;
  });

  it('stopping waits until the cache is written', async () => {
    const done: string[] = [];
    let [reach, release] = [() => {}, () => {}];
    const reached = new Promise<void>((settle) => void (reach = settle));
    const released = new Promise<void>((settle) => void (release = settle));
    const write: typeof harness.cache.write = async (...entry) => {
      reach();
      await released;
      await harness.cache.write(...entry);
      done.push('written');
    };
    const client = harness.client({ cache: { ...harness.cache, write } });
    const getting = client.get(harness.file('a.json', ok('one')), wanted);
    await reached;
    const closing = client.close().then(() => void done.push('closed'));
    while ((await harness.edgar.connections()) > 0) await new Promise((settle) => setImmediate(settle));
    release();
    expect(text(await getting)).toBe('changed one');
    await closing;
    expect(done).toEqual(['written', 'closed']);
  });

  it('close ends what is underway and lets nothing begin', async () => {
    const { behaviour, reached } = held(ok('one'));
    const client = harness.client();
    const address = harness.file('a.json', behaviour);
    const getting = expect(client.get(address, wanted)).rejects.toMatchObject(aborted);
    await reached;
    await client.close();
    await getting;
    await expect(client.get(address, wanted)).rejects.toMatchObject(aborted);
    await client.close();
    expect(harness.edgar.requests).toHaveLength(1);
  });
});
