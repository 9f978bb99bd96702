import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeptPause, pauseFile } from '../../build/edgar/kept-pause.ts';
import { outcomeOf } from '../../build/edgar/outcome.ts';
import { hourMs, minuteMs } from '../../src/time/units.ts';
import { useDirectories } from '../support/directories.ts';
import { ok, raw, throttle, undeclared } from './edgar-double.ts';
import { startHarness, type Harness } from './edgar-harness.ts';

const [rateTitle, toolTitle] = [
  'Request Rate Threshold Exceeded',
  'Your Request Originates from an Undeclared Automated Tool',
];
/** The page as the SEC serves it: its title says the rate, and its text speaks of undeclared tools, too. */
const pageOf = (title: string, text: string) =>
  `\n<!DOCTYPE html>\n<html lang="en"><head><title>SEC.gov | ${title}</title></head><body><h1>${text}</h1></body></html>`;
const realPage = pageOf(rateTitle, toolTitle);

const answerOf = (status: number, body: string, retryAfter: string | null = null) => ({
  status,
  etag: null,
  lastModified: null,
  location: null,
  retryAfter,
  body: Buffer.from(body),
  isWhole: true,
});
const kindOf = (status: number, body: string) => {
  const outcome = outcomeOf(answerOf(status, body), false, 0);
  return outcome.kind === 'failed' ? outcome.as : outcome.kind;
};
const wanted = { maxBytes: 1_000_000, parse: (body: Buffer) => body.toString() };

describe('a page of EDGAR that says why there is no file', () => {
  it('the title decides, with every status and whatever the text says', () => {
    const text = fc.constantFrom('', rateTitle, toolTitle, `${toolTitle}, ${rateTitle}`);
    fc.assert(
      fc.property(fc.constantFrom(200, 400, 403, 404, 429, 500, 503), text, text, (status, before, after) => {
        expect(kindOf(status, pageOf(rateTitle, before + after))).toBe('throttled');
        expect(kindOf(status, pageOf(toolTitle, before + after))).toBe('user_agent_rejected');
      }),
    );
  });

  it('if the title says neither, the text decides, and an address that is blocked comes first', () => {
    expect(kindOf(403, pageOf('Error', toolTitle))).toBe('user_agent_rejected');
    expect(kindOf(403, pageOf('Error', `${toolTitle} ${rateTitle}`))).toBe('throttled');
    expect(kindOf(403, rateTitle)).toBe('throttled');
    expect(kindOf(429, 'slow down')).toBe('throttled');
  });

  it('a file that has such words in its text is a file', () => {
    for (const body of [
      JSON.stringify({ name: rateTitle }),
      `<?xml version="1.0"?><feed><title>${rateTitle}</title></feed>`,
      pageOf('A filing', `${rateTitle} ${toolTitle}`),
      '',
    ])
      expect(kindOf(200, body), body).toBe('body');
  });

  it('a page that never ends is an answer, too', () => {
    for (const part of ['<title>', '<title', '<!--', ' ', '<Code>', '<html>'])
      for (const status of [200, 403]) expect(typeof kindOf(status, part.repeat(200_000))).toBe('string');
  });
});

describe('a client that EDGAR asks for a pause', () => {
  let harness: Harness;
  beforeEach(async () => void (harness = await startHarness()));
  afterEach(() => harness.close());

  it.each([403, 200, 429, 503])(
    'waits after the page as it is, with status %d, and goes on',
    async (status) => {
      const page = raw(status, { 'content-type': 'text/html' }, realPage);
      const client = harness.client();
      expect(await client.get(harness.file('a', page, ok('one')), wanted)).toMatchObject({ kind: 'ok' });
      expect(client.counts).toMatchObject({ requests: 2, throttled: 1 });
      expect(harness.slept).toContain(11 * minuteMs);
    },
  );

  it('waits also where the page comes instead of a download', async () => {
    const page = raw(200, { 'content-type': 'text/html' }, realPage);
    const path = join(harness.cache.directory, 'archive.zip');
    const client = harness.client();
    expect(
      await client.download(harness.file('a', page, ok('one')), path, { bytesMaximum: 100 }),
    ).toMatchObject({ kind: 'ok' });
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(client.counts.throttled).toBe(1);
  });

  it('takes no other page of HTML for a download', async () => {
    const page = raw(200, { 'content-type': 'text/html; charset=utf-8' }, pageOf('Welcome', ''));
    const path = join(harness.cache.directory, 'archive.zip');
    const client = harness.client({ maxAttempts: 2 });
    await expect(client.download(harness.file('a', page), path, { bytesMaximum: 10_000 })).rejects.toThrow(
      'a page of HTML instead of the file',
    );
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ['an hour at most', String(10 ** 12), hourMs],
    ['as long as it says', '90', 90_000],
  ])('obeys Retry-After: %s', async (_, retryAfter, pauseMs) => {
    const client = harness.client();
    const address = harness.file('a', raw(429, { 'retry-after': retryAfter }, realPage), ok('one'));
    await client.get(address, wanted).catch(() => {});
    await client.close();
    const next = harness.client();
    expect(await next.get(address, wanted)).toMatchObject({ kind: 'ok' });
    expect(
      Math.max(...harness.slept, harness.clock.nowMs - Date.parse('2026-07-01T10:00:00Z')),
    ).toBeGreaterThanOrEqual(pauseMs);
    expect(harness.clock.nowMs).toBeLessThan(Date.parse('2026-07-01T10:00:00Z') + pauseMs + minuteMs);
  });

  it('a program that starts meanwhile sends nothing before the pause is over', async () => {
    const address = harness.file('a', throttle(), ok('one'));
    const stopped = new AbortController();
    const first = harness.client({
      sleep: async (pauseMs) => {
        if (pauseMs > minuteMs) stopped.abort();
        stopped.signal.throwIfAborted();
        harness.clock.nowMs += pauseMs;
      },
    });
    await expect(first.get(address, wanted)).rejects.toThrow();
    await first.close();
    const askedAtMs: number[] = [];
    const throttledAtMs = harness.clock.nowMs;
    const second = harness.client({ onAnswer: () => void askedAtMs.push(harness.clock.nowMs) });
    expect(harness.log.at(-1)).toMatch(/^EDGAR asked this address for a pause: no requests for 6\d\d\.\d s$/);
    expect(await second.get(address, wanted)).toMatchObject({ kind: 'ok' });
    expect(askedAtMs.length).toBe(1);
    expect(askedAtMs[0]).toBeGreaterThanOrEqual(throttledAtMs + 11 * minuteMs - 1);
    expect(readdirSync(harness.cache.directory), 'what is over is not kept').not.toContain(pauseFile);
  });

  it('a program that runs beside sends nothing either', async () => {
    const [first, second] = [harness.client(), harness.client()];
    const askedAtMs: number[] = [];
    const beside = harness.client({ onAnswer: () => void askedAtMs.push(harness.clock.nowMs) });
    await first.get(harness.file('a', ok('one')), wanted);
    const beganAtMs = harness.clock.nowMs;
    await expect(second.get(harness.file('b', throttle()), wanted)).rejects.toThrow('throttled');
    await beside.get(harness.file('c', ok('one')), wanted);
    expect(askedAtMs[0]).toBeGreaterThanOrEqual(beganAtMs + 33 * minuteMs);
  });

  it('a rejected User-Agent is no pause: a program with another one may ask at once', async () => {
    await expect(harness.client().get(harness.file('a', undeclared()), wanted)).rejects.toThrow('rejected');
    const beganAtMs = harness.clock.nowMs;
    await harness.client().get(harness.file('b', ok('one')), wanted);
    expect(harness.clock.nowMs - beganAtMs).toBeLessThan(minuteMs);
  });
});

describe('the pause that programs keep', () => {
  const fresh = useDirectories('edgar-pause');

  it('ends when it would have ended for the program that was told it, and never later than the longest one', () => {
    const directory = fresh();
    const paths = [join(directory, 'a', pauseFile), join(directory, 'b', pauseFile)];
    let nowMs = 10 ** 12;
    const open = () =>
      openKeptPause(
        () => paths,
        hourMs,
        () => nowMs,
      );
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ pauseMs: fc.integer({ min: 0, max: 3 * hourMs }), passedMs: fc.nat(2 * hourMs) }),
        ),
        (steps) => {
          let untilMs = nowMs;
          for (const { pauseMs, passedMs } of steps) {
            open().keep(pauseMs);
            untilMs = Math.max(untilMs, nowMs + Math.min(pauseMs, hourMs));
            nowMs += passedMs;
            expect(open().leftMs()).toBe(Math.max(0, untilMs - nowMs));
          }
          nowMs += 2 * hourMs;
        },
      ),
      { numRuns: 30 },
    );
  });

  it('a file that cannot be understood, or is of another clock, keeps nobody waiting', () => {
    const directory = fresh();
    mkdirSync(join(directory, 'as-a-folder'));
    const path = join(directory, pauseFile);
    const pause = openKeptPause(
      () => [path],
      hourMs,
      () => 1000,
    );
    for (const text of [
      '',
      '{}',
      '<<<',
      'null',
      '{"beganAtMs":1e300,"pauseMs":1e300}',
      '{"beganAtMs":0,"pauseMs":-5}',
      '{"beganAtMs":0,"pauseMs":1e999}',
      JSON.stringify({ beganAtMs: 2 * minuteMs, pauseMs: hourMs }),
    ]) {
      writeFileSync(path, text);
      expect(pause.leftMs(), text).toBe(0);
    }
    expect(
      openKeptPause(
        () => [join(directory, 'as-a-folder')],
        hourMs,
        () => 0,
      ).leftMs(),
    ).toBe(0);
  });
});
