import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDay, noIntents, merge, newest, validationStats } from '../../build/intents/count.ts';
import { readIntents, rollJournals } from '../../build/intents/journals.ts';
import { intentActions } from '../../src/contract/catalog.ts';
import { ErrorResponse } from '../../src/contract/errors.ts';
import { Intent, IntentResponse, recentMaximum, ValidationStats } from '../../src/contract/intents.ts';
import { createJournal, type Journal } from '../../src/intents/journal.ts';
import { hostileText } from '../support/arbitraries.ts';
import { useDirectories } from '../support/directories.ts';
import { noJournal } from '../support/journal.ts';
import { useSample } from '../support/sample.ts';

const fresh = useDirectories('intents');
const roomy = { intentsPerMinute: 1e6, bytesPerDay: 1e9 };
const intent = (createdAt: string, changes: Partial<Intent> = {}): Intent => ({
  market: 'm',
  action: 'view',
  target: null,
  path: '/validate/m/view',
  referrer: null,
  userAgent: 'test',
  createdAt,
  ...changes,
});
const quiet = () => {};

describe('a journal', () => {
  it('a journal keeps every intent, by day and by process', async () => {
    const directory = fresh();
    const journals = [createJournal(directory, roomy, quiet), createJournal(directory, roomy, quiet)];
    const days = ['2026-08-01', '2026-08-02'];
    await Promise.all(
      Array.from({ length: 400 }, (_, at) =>
        (journals[at % 2] as Journal).append(
          intent(`${days[at % 3 === 0 ? 0 : 1]}T10:00:00.000Z`, { userAgent: `agent ${at}` }),
        ),
      ),
    );
    await Promise.all(journals.map((journal) => journal.close()));
    expect((await readdir(directory)).sort()).toEqual(days.map((date) => `${date}.jsonl`));
    const { counts } = await readIntents(directory, quiet);
    expect(counts.map(({ date, count }) => [date, count])).toEqual([
      [days[0], 134],
      [days[1], 266],
    ]);
  });

  it('a journal makes its directory with the first intent, and tries again after a failure', async () => {
    const blocked = join(fresh(), 'file');
    await writeFile(blocked, '');
    const journal = createJournal(join(blocked, 'intents'), roomy, quiet);
    await expect(journal.append(intent('2026-08-01T00:00:00.000Z'))).rejects.toThrow(/ENOTDIR|EEXIST/);
    await rm(blocked);
    await journal.append(intent('2026-08-01T00:00:00.000Z'));
    await journal.close();
    expect((await readIntents(join(blocked, 'intents'), quiet)).counts.length).toBe(1);
  });

  it('a journal writes lines that a single write holds', async () => {
    const directory = fresh();
    const journal = createJournal(directory, roomy, quiet);
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostileText, fc.string({ unit: 'binary', maxLength: 300 })), async (text) =>
        journal.append(
          intent('2026-08-01T00:00:00.000Z', {
            path: text.repeat(40).slice(0, 2000),
            referrer: text.repeat(9),
            userAgent: text.slice(0, 200),
          }),
        ),
      ),
      // Each control takes six bytes in JSON.
      { numRuns: 150, examples: [['\u0000'.repeat(300)]] },
    );
    await journal.close();
    const lines = (await readFile(join(directory, '2026-08-01.jsonl'), 'utf8'))
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBe(150);
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(4000);
    expect((await readIntents(directory, quiet)).counts[0]?.count).toBe(150);
  });

  it('a journal is read by its newlines alone', async () => {
    const directory = fresh();
    const journal = createJournal(directory, roomy, quiet);
    const breaks = '\u2028\u2029\u0085\r\n\v\f\0';
    for (let number = 0; number < 100; number++)
      await journal.append(
        intent('2026-08-01T00:00:00.000Z', {
          referrer: breaks.repeat(number % 20),
          userAgent: `ünï ${breaks}`.repeat(number % 30).slice(0, 200),
        }),
      );
    await journal.close();
    const told: string[] = [];
    const { counts, recent } = await readIntents(directory, (line) => void told.push(line));
    expect([counts.map(({ count }) => count), told, recent[0]?.userAgent?.startsWith('ünï') ?? true]).toEqual(
      [[100], [], true],
    );
  });

  it('a journal takes no more than its bounds, and says so once a minute', () => {
    const told: string[] = [];
    const journal = createJournal(
      'nowhere',
      { intentsPerMinute: 3, bytesPerDay: 1e9 },
      (event) => void told.push(event),
    );
    expect([1, 2, 3, 4, 5].map(() => journal.hasRoom(1000))).toEqual([true, true, true, false, false]);
    expect(told).toEqual(['intents_refused']);
    expect(journal.hasRoom(61_000)).toBe(true);
    const small = createJournal(
      'nowhere',
      { intentsPerMinute: 10, bytesPerDay: 100 },
      (event) => void told.push(event),
    );
    expect(small.hasRoom(0)).toBe(false);
  });
});

describe('reading journals', () => {
  it('reading journals counts whole lines, and says how many are not', async () => {
    const directory = fresh();
    const whole = JSON.stringify(intent('2026-08-01T10:00:00.000Z'));
    await writeFile(join(directory, '2026-08-01.jsonl'), `\n${whole}\n${whole.slice(0, 30)}\n${whole}\n`);
    await appendFile(join(directory, '2026-08-01.jsonl'), Buffer.from([0xff, 0xfe, 0x0a]));
    const strange = [
      { ...intent('2026-08-01T10:00:00.000Z'), action: 'fly' },
      intent('2026-08-02T10:00:00.000Z'),
      [],
      null,
    ];
    await appendFile(
      join(directory, '2026-08-01.jsonl'),
      `${strange.map((each) => `${JSON.stringify(each)}\n`).join('')}${whole}`,
    );
    for (const other of ['notes.txt', '2026-13-01.jsonl', '2026-08-01.jsonl.bak'])
      await writeFile(join(directory, other), whole);
    const said: string[] = [];
    const { counts, recent } = await readIntents(directory, (line) => void said.push(line));
    expect(counts).toEqual([
      {
        date: '2026-08-01',
        market: 'm',
        action: 'view',
        target: null,
        count: 3,
        lastSeenAt: '2026-08-01T10:00:00.000Z',
      },
    ]);
    expect(recent.length).toBe(3);
    expect(said).toEqual(['intents of 2026-08-01: 6 lines are not intents and are not counted']);
    expect(await readIntents(join(directory, 'nowhere'), quiet)).toEqual(noIntents);
  });

  it('reading journals refuses damaged counts, and names their file', async () => {
    const directory = fresh();
    await writeFile(join(directory, '2026-01-01.counts.json'), '{"format":1');
    await expect(readIntents(directory, quiet)).rejects.toThrow('2026-01-01.counts.json');
  });

  it('builds that roll and read the same journals at the same time all succeed, and count the same', async () => {
    const directory = fresh();
    const days = Array.from({ length: 20 }, (_, at) => `2026-01-${String(at + 1).padStart(2, '0')}`);
    for (const date of days) {
      const journal = createJournal(directory, roomy, quiet);
      for (let number = 0; number < 5; number++) await journal.append(intent(`${date}T01:00:00.000Z`));
      await journal.close();
    }
    const { counts } = await readIntents(directory, quiet);
    const build = async () => {
      await rollJournals(directory, '2026-08-01', quiet);
      return (await readIntents(directory, quiet)).counts;
    };
    const read = async () => (await readIntents(directory, quiet)).counts;
    for (const each of await Promise.all([build(), read(), build(), read(), build(), read()]))
      expect(each).toEqual(counts);
    expect((await readdir(directory)).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  });

  it('counts are the same before and after days are rolled up, also if that is interrupted', async () => {
    const directory = fresh();
    const days = ['2026-01-01', '2026-03-01', '2026-07-31', '2026-08-01'];
    for (const [at, date] of days.entries()) {
      const journal = createJournal(directory, roomy, quiet);
      for (let number = 0; number <= at; number++)
        await journal.append(
          intent(`${date}T0${number}:00:00.000Z`, {
            action: intentActions[number] ?? 'view',
            target: number % 2 ? 't' : null,
          }),
        );
      await journal.close();
    }
    const { counts } = await readIntents(directory, quiet);
    const journalBefore = await readFile(join(directory, '2026-01-01.jsonl'));
    await rollJournals(directory, '2026-08-01', quiet);
    expect((await readdir(directory)).sort()).toEqual([
      '.lock',
      '2026-01-01.counts.json',
      '2026-03-01.counts.json',
      '2026-07-31.jsonl',
      '2026-08-01.jsonl',
    ]);
    expect((await readIntents(directory, quiet)).counts).toEqual(counts);
    // Killed after the counts were there and before the journal was gone.
    await writeFile(join(directory, '2026-01-01.jsonl'), journalBefore);
    expect((await readIntents(directory, quiet)).counts).toEqual(counts);
    await rollJournals(directory, '2026-08-01', quiet);
    expect(await readdir(directory)).not.toContain('2026-01-01.jsonl');
    // Too long together: also younger days are rolled, but neither today nor yesterday.
    await rollJournals(directory, '2026-08-01', quiet, { keptDays: 100, bytes: 0 });
    expect(await readdir(directory)).toContain('2026-07-31.jsonl');
    await rollJournals(directory, '2026-08-03', quiet, { keptDays: 100, bytes: 0 });
    expect((await readdir(directory)).sort()).toEqual([
      '.lock',
      ...days.map((date) => `${date}.counts.json`),
    ]);
    expect((await readIntents(directory, quiet)).counts).toEqual(counts);
  });
});

describe('statistics', () => {
  const anyIntent = fc
    .record({
      market: fc.constantFrom('a', 'b'),
      action: fc.constantFrom(...intentActions),
      target: fc.constantFrom(null, 'x', 'y'),
      day: fc.integer({ min: 1, max: 28 }),
      hour: fc.integer({ min: 10, max: 23 }),
    })
    .map(({ day, hour, ...rest }) =>
      intent(`2026-02-${String(day).padStart(2, '0')}T${hour}:00:00.000Z`, rest),
    );
  const countsOf = (intents: readonly Intent[]) => {
    const days = [...new Set(intents.map(({ createdAt }) => createdAt.slice(0, 10)))];
    return {
      counts: merge(
        days.flatMap((date) =>
          countDay(
            date,
            intents.filter(({ createdAt }) => createdAt.startsWith(date)),
          ),
        ),
      ),
      recent: newest(intents),
    };
  };

  it('statistics are what counting one by one gives', () => {
    fc.assert(
      fc.property(
        fc.array(anyIntent, { maxLength: 80 }),
        fc.constantFrom(1, 7, 30, 90),
        fc.integer({ min: 1, max: 28 }),
        (intents, days, last) => {
          const lastDay = `2026-02-${String(last).padStart(2, '0')}`;
          const stats = validationStats(countsOf(intents), ['a', 'b', 'c'], days, lastDay);
          expect(ValidationStats.parse(stats)).toEqual(stats);
          const inside = intents.filter(
            ({ createdAt }) =>
              createdAt.slice(0, 10) <= lastDay &&
              Date.parse(createdAt.slice(0, 10)) > Date.parse(lastDay) - days * 86_400_000,
          );
          expect(stats.total).toBe(inside.length);
          const number = (wanted: Partial<Intent>) =>
            inside.filter((each) =>
              Object.entries(wanted).every(([name, value]) => each[name as keyof Intent] === value),
            ).length;
          for (const { market, count } of stats.byMarket) expect(count).toBe(number({ market }));
          expect(stats.byMarket.map(({ market }) => market).sort()).toEqual(['a', 'b', 'c']);
          for (const { market, action, count } of stats.byAction)
            expect(count).toBe(number({ market, action }));
          for (const { market, action, target, count } of stats.byTarget)
            expect(count).toBe(number({ market, action, target }));
          expect(stats.byTarget.reduce((sum, { count }) => sum + count, 0)).toBe(inside.length);
          expect(stats.daily.reduce((sum, { count }) => sum + count, 0)).toBe(inside.length);
          for (const funnel of [...stats.funnels, ...stats.targetFunnels]) {
            const of: Partial<Intent> =
              'target' in funnel
                ? { market: funnel.market, target: funnel.target as string | null }
                : { market: funnel.market };
            expect([
              funnel.views,
              funnel.requests,
              funnel.demos,
              funnel.downloads,
              funnel.marketplaceClicks,
            ]).toEqual(intentActions.map((action) => number({ ...of, action })));
            expect(funnel.strongIntent).toBe(funnel.requests + funnel.downloads + funnel.marketplaceClicks);
            expect(funnel.viewToStrongIntentRate).toBe(
              funnel.views === 0 ? null : funnel.strongIntent / funnel.views,
            );
          }
          const newestFirst = intents
            .map(({ createdAt }) => createdAt)
            .sort()
            .reverse()
            .slice(0, recentMaximum);
          expect(countsOf(intents).recent.map(({ createdAt }) => createdAt)).toEqual(newestFirst);
        },
      ),
    );
  });

  it('statistics are zero without intents', () => {
    const stats = validationStats(noIntents, ['a'], 7, '2026-02-01');
    expect(stats).toMatchObject({
      total: 0,
      byMarket: [{ market: 'a', count: 0, lastSeenAt: null }],
      funnels: [{ views: 0, viewToStrongIntentRate: null, lastSeenAt: null, lastStrongIntentAt: null }],
      recent: [],
    });
  });
});

describe('addresses of intents', () => {
  let written: Intent[] = [];
  let failure: Error | null = null;
  let room = true;
  const journal: Journal = {
    ...noJournal,
    hasRoom: () => room,
    append: async (each) => (failure ? Promise.reject(failure) : void written.push(each)),
  };
  const service = useSample(undefined, journal);
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'user-agent': 'Mozilla/5.0' };
  const visit = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    written = [];
    const response = await service.get(path, { 'x-api-key': '', ...headers }, method);
    return { response, written };
  };

  it('the service records an intent before it acknowledges it', async () => {
    for (const method of ['GET', 'POST']) {
      const { response, written: kept } = await visit(
        '/validate/sec-filings/request?target=companies&email=a%40example.com',
        { referer: 'https://example.com/a/b?secret=1#x', 'user-agent': 'u'.repeat(500) },
        method,
      );
      expect(response.status).toBe(202);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const body = IntentResponse.parse(await response.json());
      expect(body.data).toEqual({
        market: 'sec-filings',
        action: 'request',
        target: 'companies',
        counted: true,
        url: '/markets/sec-filings#requested',
      });
      expect(kept.length).toBe(1);
      expect(Intent.parse(kept[0])).toMatchObject({
        market: 'sec-filings',
        action: 'request',
        target: 'companies',
        path: '/validate/sec-filings/request?target=companies',
        referrer: 'https://example.com/a/b',
        userAgent: 'u'.repeat(200),
      });
    }
  });

  it.each([
    ['view', '/markets/consumer-product-safety#product-recalls'],
    ['request', '/markets/consumer-product-safety#requested'],
    ['demo', '/markets/consumer-product-safety/product-recalls.json'],
    ['download', '/markets/consumer-product-safety/product-recalls.csv'],
    ['marketplace', '/subscribe'],
  ])('an intent redirects a browser: %s', async (action, location) => {
    const { response, written: kept } = await visit(
      `/validate/consumer-product-safety/${action}?target=product-recalls`,
      browser,
    );
    expect([response.status, response.headers.get('location'), kept.length]).toEqual([303, location, 1]);
    expect((await visit(`/validate/consumer-product-safety/${action}`)).written[0]?.target).toBeNull();
  });

  it.each<[string, Record<string, string>, string?]>([
    ['what only asks for headers', {}, 'HEAD'],
    ['a prefetch', { 'sec-purpose': 'prefetch;prerender' }],
    ['an old prefetch', { purpose: 'prefetch' }],
    ['a bot', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }],
    ['a crawler', { 'user-agent': 'ExampleCrawler' }],
    ['a picture of a link', { 'user-agent': 'WhatsApp/2.23.20.0' }],
  ])('intents do not count %s', async (_, headers, method) => {
    const { response, written: kept } = await visit('/validate/sec-filings/view', headers, method);
    expect([response.status, kept]).toEqual([202, []]);
    if (method !== 'HEAD') expect(IntentResponse.parse(await response.json()).data.counted).toBe(false);
  });

  it.each([
    'Mozilla/5.0 (Linux; Android 9; CUBOT KING KONG) Mobile Safari/537.36',
    'curl/8.5.0',
    'robotics-lab/1.0',
  ])('intents count %s', async (userAgent) => {
    expect((await visit('/validate/sec-filings/view', { 'user-agent': userAgent })).written.length).toBe(1);
  });

  it('unknown markets and actions get 404', async () => {
    for (const path of [
      '/validate/nothing/view',
      '/validate/sec-filings/fly',
      '/validate/sec-filings/view?target=nothing',
      '/validate/__proto__/view',
      '/validate/sec-filings/view?target=constructor',
    ]) {
      const { response, written: kept } = await visit(path);
      expect([path, response.status, ErrorResponse.parse(await response.json()).error.code, kept]).toEqual([
        path,
        404,
        'not_found',
        [],
      ]);
    }
    for (const path of [
      '/validate/sec-filings/view?target=',
      '/validate/sec-filings/view?target=companies&target=companies',
    ])
      expect((await visit(path)).response.status).toBe(400);
    const refused = await visit('/validate/sec-filings/view', {}, 'DELETE');
    expect([refused.response.status, refused.response.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, POST, OPTIONS',
    ]);
    expect(
      (await visit('/validate/sec-filings/view', {}, 'OPTIONS')).response.headers.get(
        'access-control-allow-methods',
      ),
    ).toContain('POST');
  });

  it('the journal keeps nothing of an unknown address', async () => {
    for (const referer of ['javascript:alert(1)', 'about:blank', 'x', 'data:text/html,x'])
      expect((await visit('/validate/sec-filings/view', { referer })).written[0]?.referrer).toBeNull();
  });

  it('a program learns that an intent was not kept, and a browser is redirected', async () => {
    room = false;
    const flooded = await visit('/validate/sec-filings/view');
    expect([flooded.response.status, flooded.response.headers.get('retry-after')]).toEqual([503, '60']);
    expect((await visit('/validate/sec-filings/view', browser)).response.status).toBe(303);
    room = true;
    failure = new Error('disk full');
    expect((await visit('/validate/sec-filings/view')).response.status).toBe(500);
    expect((await visit('/validate/sec-filings/view', browser)).response.status).toBe(303);
    failure = null;
  });
});
