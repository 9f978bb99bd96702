import { setTimeout as pause } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { exchangeOf } from '../../src/http/exchange.ts';
import { readKeyUsage, usagePathOf } from '../../src/keys/usage-files.ts';
import { streamReply } from '../../src/rest/stream.ts';
import { prefersEvents } from '../../src/http/negotiate.ts';
import { openEvents } from '../support/event-stream.ts';
import { keysWith } from '../support/edge.ts';
import { createRandom } from '../support/generate.ts';
import { useGrowingService } from '../support/growing-service.ts';
import { company, filing } from '../support/made-up.ts';
import { often } from '../support/often.ts';
import { listeningService, serviceKey as key } from '../support/service.ts';
import { until } from '../support/wait.ts';

interface Change {
  readonly sequence: number;
  readonly revision: number;
  readonly filing: { readonly accessionNo: string };
  readonly ticker?: string;
}

/** More than one page of a stream. */
const firstFilings = 120;
const grown = useGrowingService(
  'stream',
  ...Array.from({ length: firstFilings }, (_, at) =>
    filing(at + 1, {
      filerCiks: at % 3 === 0 ? [company(1).cik, company(2).cik] : [company(1 + (at % 2)).cik],
    }),
  ),
);
const { publish, look, open } = grown;
const ask = (target: string, headers: Record<string, string> = {}) => grown.ask(target, { headers });
const since = 'since=2020-01-01';
const changeOf = ({ data }: { readonly data: string }) => JSON.parse(data) as Change;
/** All changes by polling, in pages of their own length. */
const polled = (target: string) => grown.all<Change>(`${target}&limit=33`);

describe('a stream of changes', () => {
  it('a stream gives what polling gives, byte for byte, and each id goes on exactly behind its event', async () => {
    for (const filter of ['', '&form=10-Q', '&ticker=T1', '&tickers=T2,T1']) {
      const expected = await polled(`/v1/sec/changes?${since}${filter}`);
      const stream = await open(`/v1/sec/changes?${since}${filter}`);
      const events = await stream.changes(expected.length);
      expect(events.map(changeOf)).toEqual(expected);
      for (const at of [0, 1, 49, 50, expected.length - 2]) {
        const rest = await open(`/v1/sec/changes?${since}${filter}`, {
          'Last-Event-ID': events[at]?.id ?? '',
        });
        expect((await rest.changes(1)).map(({ data }) => data)).toEqual([events[at + 1]?.data]);
      }
    }
  });

  it('a stream gives each new change when it is published, and an id that polling takes', async () => {
    const stream = await open(`/v1/sec/changes?${since}`);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toBe('no-store');
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.response.headers.get('vary')).toContain('Accept,');
    expect((await ask(`/v1/sec/changes?${since}`)).headers.get('vary')).toContain('Accept,');
    const last = (await stream.changes(firstFilings)).at(-1);
    for (let number = 200; number < 203; number++) {
      await publish(filing(number));
      await look();
      expect((await stream.changes(1)).map((event) => changeOf(event).filing.accessionNo)).toEqual([
        filing(number).accessionNo,
      ]);
    }
    const rest = await grown.json<{ data: unknown[] }>(`/v1/sec/changes?cursor=${last?.id}`);
    expect(rest.data).toHaveLength(3);
  });

  it('the stream of a watchlist tells each change of each entry, in the order of sequences, and goes on anywhere', async () => {
    const target = `/v1/sec/watchlist/changes?tickers=T2,T1,NOBODY&${since}`;
    const stream = await open(target);
    const events: { id: string; data: string }[] = [];
    const unknown: string[] = [];
    const expected = firstFilings + firstFilings / 3;
    while (events.length < expected) {
      const event = await stream.next();
      if (event?.type === 'change') events.push(event);
      if (event?.type === 'comment') unknown.push(event.type);
    }
    expect(unknown).toHaveLength(1);
    const changes = events.map(changeOf);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      changes.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
    for (const ticker of ['T1', 'T2'])
      expect(
        changes
          .filter((each) => each.ticker === ticker)
          .map((each) => Object.fromEntries(Object.entries(each).filter(([name]) => name !== 'ticker'))),
      ).toEqual(await polled(`/v1/sec/changes?${since}&ticker=${ticker}`));
    for (let at = 0; at < events.length - 1; at += 7) {
      const rest = await open(target, { 'Last-Event-ID': events[at]?.id ?? '' });
      expect((await rest.changes(1)).map(({ data }) => data)).toEqual([events[at + 1]?.data]);
      await rest.close();
    }
  });

  it('a stream is refused as a poll is, and takes neither limit nor wait', async () => {
    const refused = (target: string, headers = {}) =>
      grown.refusal(target, { Accept: 'text/event-stream', ...headers });
    expect(await refused('/v1/sec/changes')).toEqual([400, 'invalid_parameter']);
    expect(await refused(`/v1/sec/changes?${since}&limit=5`)).toEqual([400, 'invalid_parameter']);
    expect(await refused(`/v1/sec/changes?${since}&wait=5`)).toEqual([400, 'invalid_parameter']);
    expect(await refused(`/v1/sec/changes?${since}&ticker=NOBODY`)).toEqual([404, 'company_not_found']);
    expect(await refused(`/v1/sec/changes?${since}`, { 'Last-Event-ID': 'x' })).toEqual([
      400,
      'invalid_cursor',
    ]);
    const named = await ask(`/v1/sec/changes?${since}`, {
      Accept: 'text/event-stream',
      'Last-Event-ID': 'x',
    });
    expect(await named.text()).toContain('"message":"Last-Event-ID: must be');
    expect(await refused(`/v1/sec/changes?${since}`, { 'x-api-key': 'wrong' })).toEqual([
      401,
      'unauthorized',
    ]);
    expect(grown.held()).toBe(0);
  });

  it('who does not ask for events alone gets a page, also where another one is streamed', async () => {
    const target = `/v1/sec/changes?${since}`;
    await (await ask(target)).arrayBuffer();
    expect((await open(target)).response.headers.get('content-type')).toMatch('text/event-stream');
    expect(['text/event-stream', 'Text/Event-Stream, */*;q=0.1'].map(prefersEvents)).toEqual([true, true]);
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream'])
      expect((await ask(target, { Accept: accept })).headers.get('content-type')).toBe('application/json');
    expect((await ask('/v1/sec/latest', { Accept: 'text/event-stream' })).headers.get('content-type')).toBe(
      'application/json',
    );
  });

  it('a client that goes gives back its place, and a service that stops ends its streams', async () => {
    const gone = await open(`/v1/sec/changes?${since}`);
    const stays = await open(`/v1/sec/changes?${since}`);
    await gone.changes(firstFilings);
    await stays.changes(firstFilings);
    expect(grown.held()).toBe(2);
    await until(() => grown.service.services.counts.inFlight === 0);
    await gone.close();
    await until(() => grown.held() === 1);
    grown.service.services.held.close();
    expect(await stays.next()).toBeNull();
    await until(() => grown.held() === 0);
    expect(grown.service.logged().filter(({ path }) => path === '/v1/sec/changes')).toHaveLength(2);
  });

  it('a HEAD request of a stream says what the stream is, checks what it asks for, and holds nothing', async () => {
    const head = (target: string) =>
      fetch(`http://127.0.0.1:${grown.service.port}${target}`, {
        method: 'HEAD',
        headers: { 'x-api-key': key, Accept: 'text/event-stream' },
      });
    const stream = await open(`/v1/sec/changes?${since}`);
    const said = await head(`/v1/sec/changes?${since}`);
    for (const name of ['content-type', 'cache-control', 'vary'])
      expect([name, said.headers.get(name)]).toEqual([name, stream.response.headers.get(name)]);
    expect([said.status, grown.held()]).toEqual([200, 1]);
    expect((await head(`/v1/sec/changes?${since}&limit=5`)).status).toBe(400);
    expect((await head('/v1/sec/changes?cursor=nonsense')).status).toBe(400);
  });

  it('what a stream sends counts for its key while it lasts, on the day on which it is sent, and once', async () => {
    const file = join(grown.directory, 'keys.json');
    writeFileSync(file, keysWith('a-reading-key'));
    let nowMs = Date.parse('2026-05-01T23:00:00Z');
    await grown.service.close();
    grown.service = await listeningService(grown.directory, {}, { host: null, secrets: [] }, file, {
      now: () => nowMs,
      elapsed: () => performance.now(),
    });
    const used = async () => {
      await grown.service.services.usage.save(0, true);
      return readKeyUsage(usagePathOf(file));
    };
    const stream = await open(`/v1/sec/changes?${since}`, { 'x-api-key': 'a-reading-key' });
    const least = (await stream.changes(firstFilings)).reduce((sum, { data }) => sum + data.length, 0);
    await until(async () => ((await used())[0]?.bytes ?? 0) > least);
    expect((await used()).map(({ day, requests }) => [day, requests])).toEqual([['2026-05-01', 1]]);
    const before = (await used())[0]?.bytes;
    nowMs += 2 * 60 * 60 * 1000;
    await publish(filing(500));
    await look();
    const [change] = await stream.changes(1);
    await stream.close();
    await until(() => grown.held() === 0);
    const [first, second, ...others] = await used();
    expect([first?.day, first?.bytes, others]).toEqual(['2026-05-01', before, []]);
    expect([second?.day, second?.requests]).toEqual(['2026-05-02', 0]);
    expect(second?.bytes).toBeGreaterThan(change?.data.length ?? Infinity);
    expect(second?.bytes).toBeLessThan(1000 + (change?.data.length ?? 0));
  });

  /** A stream whose clock moves only when `pass` says so, and what it has said: at which second, and the text. */
  async function streamByHand(target: string, apiKey: string = key, file: string | null = null) {
    let second = 0;
    await grown.service.close();
    grown.service = await listeningService(grown.directory, {}, { host: null, secrets: [] }, file, {
      now: Date.now,
      elapsed: () => second * 1000,
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { body } = await streamReply(
      grown.service.services,
      endpoints.find(({ id }) => id === 'listChanges') as Endpoint,
      exchangeOf({ method: 'GET', target, host: '', headers: { 'x-api-key': apiKey }, body: '' }),
    );
    const said: [second: number, text: string][] = [];
    void (async () => {
      for await (const bytes of body) said.push([second, String(bytes)]);
    })();
    /** What it says of what is no change, within so many seconds. */
    const pass = async (seconds: number) => {
      for (let end = second + seconds; second < end; ) {
        // Pages that are being read come without a timer.
        await pause(10);
        second++;
        await vi.advanceTimersByTimeAsync(1000);
      }
      await pause(10);
      return said.filter(([, text]) => !/^(event|retry): /.test(text));
    };
    return { services: grown.service.services, said, pass };
  }

  it('a stream whose key has used up its minute has a comment every 15 seconds, and counts as no refusal', async () => {
    const file = join(grown.directory, 'keys.json');
    writeFileSync(file, keysWith('a-limited-key', 1));
    const { services, said, pass } = await streamByHand(`/v1/sec/changes?${since}`, 'a-limited-key', file);
    expect(await pass(59)).toEqual([15, 30, 45].map((second) => [second, ':\n\n']));
    const pages = () => said.filter(([, text]) => text.startsWith('event: change'));
    expect(pages()).toHaveLength(1);
    await pass(16);
    expect(pages()).toHaveLength(2);
    expect(services.counts.keysRefused.limit).toBe(0);
  });

  it('a stream without news has a comment every 15 seconds, and moves the place of a client that a filter leaves out', async () => {
    for (const filter of ['', '&form=4']) {
      const { said, pass } = await streamByHand(`/v1/sec/changes?${since}${filter}`);
      const [moved, ...comments] = await pass(46);
      expect(said.map(([, text]) => text.split('event: change').length - 1).reduce((a, b) => a + b)).toBe(
        filter === '' ? firstFilings : 0,
      );
      expect([moved?.[0], comments]).toEqual([15, [30, 45].map((second) => [second, ':\n\n'])]);
      const [, id = ''] = /^id: (\S+)\n\n$/.exec(moved?.[1] ?? '') ?? [];
      vi.useRealTimers();
      const rest = await grown.json<{ data: unknown[] }>(`/v1/sec/changes?cursor=${id}`);
      expect(rest.data).toEqual([]);
    }
  });

  it('publications that have nothing for a stream do not put its comments off', async () => {
    const { services, pass } = await streamByHand(`/v1/sec/changes?${since}&form=4`);
    for (let publication = 0; publication < 6; publication++) {
      await pass(6);
      services.held.release();
    }
    expect((await pass(0)).map(([second]) => second)).toEqual([15, 30]);
  });

  it('a publication that comes while a page is read is told at once, by a stream and to a request that waits', async () => {
    const { turns } = grown.service.services;
    onTestFinished(() => void vi.restoreAllMocks());
    const begin = turns.begin.bind(turns);
    /** What is read next is a page of the snapshot before: the one with this filing becomes current meanwhile. */
    const publishMeanwhile = (number: number) =>
      vi.spyOn(turns, 'begin').mockImplementationOnce(async (caller) => {
        vi.mocked(turns.begin).mockImplementation(begin);
        await publish(filing(number));
        await look();
        return begin(caller);
      });
    const endOf = async (target: string) => {
      const { meta } = await grown.json<{ meta: { nextCursor: string } }>(`${target}${since}&limit=200`);
      return `${target}cursor=${meta.nextCursor}`;
    };
    for (const [number, target] of [
      [300, '/v1/sec/changes?'],
      [301, '/v1/sec/watchlist/changes?tickers=T1,T2&'],
    ] as const) {
      const end = await endOf(target);
      publishMeanwhile(number);
      const stream = await open(end);
      const told = stream.changes(1).then(([event]) => event && changeOf(event).filing.accessionNo);
      // Long before the first comment.
      const late = new Promise((resolve) => void setTimeout(resolve, 8000, 'nothing'));
      expect(await Promise.race([told, late])).toBe(filing(number).accessionNo);
    }
    const end = await endOf('/v1/sec/changes?');
    publishMeanwhile(302);
    expect((await grown.json<{ data: unknown[] }>(`${end}&wait=5`)).data).toHaveLength(1);
  });

  it('a stream ends when its key is revoked, and a client with too many streams is told', {
    tags: ['slow'],
    timeout: 100_000,
  }, async () => {
    const file = join(grown.directory, 'keys.json');
    writeFileSync(file, keysWith('a-revoked-key'));
    await grown.service.close();
    grown.service = await listeningService(grown.directory, {}, { host: null, secrets: [] }, file);
    const stream = await open(`/v1/sec/changes?${since}`, { 'x-api-key': 'a-revoked-key' });
    await stream.changes(firstFilings);
    writeFileSync(file, JSON.stringify({ format: 1, keys: [] }));
    await grown.service.keys.refresh();
    await publish(filing(300));
    // The connection is trusted to have its key for a second.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await look();
    expect(await stream.next()).toBeNull();
    expect((await ask(`/v1/sec/changes?${since}`, { 'x-api-key': 'a-revoked-key' })).status).toBe(401);
  });

  it('streams that nobody reads take no more room for what is not sent than their key may have', async () => {
    await grown.service.close();
    grown.service = await listeningService(grown.directory, { unsentBytes: 600_000 });
    const { services } = grown.service;
    const begin = async () => {
      const { body, end } = await streamReply(
        services,
        endpoints.find(({ id }) => id === 'listChanges') as Endpoint,
        exchangeOf({
          method: 'GET',
          target: `/v1/sec/changes?${since}`,
          host: '',
          headers: { 'x-api-key': key },
          body: '',
        }),
      );
      onTestFinished(end);
      return body[Symbol.asyncIterator]();
    };
    /** The first page of a stream, which stays unsent until the next piece is asked for; undefined if there is none. */
    const firstPage = async (stream: AsyncIterator<Buffer>) => {
      expect(String((await stream.next()).value)).toMatch(/^retry: /);
      return ((await stream.next()) as IteratorResult<Buffer, undefined>).value;
    };
    const stalled: AsyncIterator<Buffer>[] = [];
    for (;;) {
      const stream = await begin();
      const page = await firstPage(stream);
      if (page === undefined) break;
      stalled.push(stream);
      expect(stalled.length * page.length).toBeLessThan(600_000 / 2 + page.length);
    }
    expect(services.unsent.left()).toBeGreaterThan(200_000);
    expect(stalled.length).toBeGreaterThan(1);
    await stalled[0]?.return?.();
    expect((await firstPage(await begin()))?.length).toBeGreaterThan(0);
  });

  for (const { times, options } of often(100, 300, 2000))
    it(
      `whatever breaks, ${times} times, a client that goes on with the last id has each change once, in order`,
      options,
      async () => {
        const random = createRandom(20261123);
        const targets = [
          `/v1/sec/changes?${since}`,
          `/v1/sec/changes?${since}&tickers=T1,T2`,
          `/v1/sec/changes?${since}&ticker=T2`,
        ];
        const read = new Map(targets.map((target) => [target, { seen: [] as Change[], id: '' }]));
        for (let round = 0; round < times; round++) {
          const target = targets[round % targets.length] as string;
          const client = read.get(target) as { seen: Change[]; id: string };
          const stream = await openEvents(`http://127.0.0.1:${grown.service.port}${target}`, {
            'x-api-key': key,
            ...(client.id === '' ? {} : { 'Last-Event-ID': client.id }),
          });
          expect(stream.response.status).toBe(200);
          const until_ = Math.floor(random() * 9);
          const ended = setTimeout(() => void stream.close(), 40);
          for (let taken = 0; taken < until_; ) {
            const event = await stream.next().catch(() => null);
            if (event === null) break;
            if (event.type !== 'change') continue;
            taken++;
            client.seen.push(changeOf(event));
            client.id = event.id;
          }
          clearTimeout(ended);
          await stream.close();
          if (round % 20 === 7) {
            await publish(filing(400 + round), filing(1 + Math.floor(random() * 100), { form: '10-K' }));
            await look();
          }
          if (round % 60 === 31) {
            await grown.service.close();
            grown.service = await listeningService(grown.directory);
          }
        }
        for (const [target, { seen, id }] of read) {
          const expected = await polled(target);
          const { data: rest } = await grown.json<{ data: Change[] }>(
            `${target}${id === '' ? '' : `&cursor=${id}`}&limit=200`,
          );
          expect([...seen, ...rest].slice(0, expected.length)).toEqual(expected);
          expect(seen.length).toBeGreaterThan(times / 5);
        }
      },
    );
});
