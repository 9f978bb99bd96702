import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drivenLanguages } from '../support/driven-clients.ts';
import { reopenable } from '../support/servers.ts';

/** A list that takes two requests: the first company of each part is the one that has changes. */
const tickers = Array.from({ length: 300 }, (_, at) => `T${at}`);
const firstOfPart = ['T0', 'T250'];

interface Entry {
  /** The parts of the list that the filing concerns. */
  readonly parts: readonly number[];
}

const changeOf = ({ parts }: Entry, at: number) => ({
  sequence: at + 1,
  revision: 1,
  observedAt: 'then',
  filing: {
    accessionNo: `0000000001-26-${String(at + 1).padStart(6, '0')}`,
    // The other party is nobody of the list.
    parties: [...parts, 'other'].map((each) => ({ cik: `${each}`, name: null, role: null })),
  },
});
type FakeChange = ReturnType<typeof changeOf>;

/** How the feed of a test differs from the usual one. */
interface Feed {
  readonly log: Entry[];
  /** Is called before each page, with the part that it is for; null for the feed of anybody. */
  readonly before?: (part: number | null) => void;
  /** Pages end early behind this sequence. */
  readonly earlyAt?: number;
}

/** Starts a service whose cursors are sequences. */
async function serve({ log, before = () => {}, earlyAt = 0 }: Feed): Promise<string> {
  let requests = 0;
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const last = () => log.length;
    const send = (data: unknown, meta: object) => {
      response.statusCode = ++requests > 500 ? 400 : 200;
      response.end(JSON.stringify({ data, meta: { unknown: [], newestFiledAt: null, ...meta } }));
    };
    if (pathname === '/v1/sec/bulk') {
      const file = {
        name: 'changes-000000000001.jsonl.gz',
        bytes: 1,
        rows: last(),
        sha256: '0'.repeat(64),
        firstSequence: 1,
        lastSequence: last(),
        closed: false,
      };
      return send(last() === 0 ? [] : [file], { nextCursor: `${last()}` });
    }
    const asked = searchParams.get('tickers')?.split(',') ?? null;
    const part = asked === null ? null : firstOfPart.findIndex((each) => asked.includes(each));
    before(part);
    const after = Number(searchParams.get('cursor') ?? 0);
    const end = after < earlyAt ? earlyAt : last();
    const found: FakeChange[] = log
      .map((entry, at) => ({ entry, change: changeOf(entry, at) }))
      .filter(({ entry }) => part === null || entry.parts.includes(part))
      .map(({ change }) => change)
      .filter(({ sequence }) => sequence > after && sequence <= end)
      .slice(0, Number(searchParams.get('limit')));
    const isFull = found.length === Number(searchParams.get('limit'));
    send(found, {
      nextCursor: `${isFull ? found.at(-1)?.sequence : end}`,
      ...(!isFull && end < last() ? { endedEarly: true } : {}),
    });
  });
  const { address, down } = await reopenable(server);
  onTestFinished(down);
  return address;
}

const times = (count: number, parts: readonly number[]): Entry[] =>
  Array.from({ length: count }, () => ({ parts }));
const sequences = (changes: readonly { readonly sequence: number }[]) =>
  changes.map(({ sequence }) => sequence);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe.each(drivenLanguages)('a list of companies in parts, of the client for $language', ({ open }) => {
  /** A log that grows while the second part is read: by a filing of both parts, and many of the second alone. */
  function growing(): Feed & { readonly whole: number } {
    const log = [...times(3, [0]), ...times(250, [1])];
    const news = [...times(1, [0, 1]), ...times(2, [0]), ...times(600, [1]), ...times(5, [0])];
    const whole = log.length + news.length;
    let pages = 0;
    const before = (part: number | null) => {
      if (part === 1 && ++pages === 2) log.push(...news.splice(0));
    };
    return { log, before, whole };
  }

  it('what is published while parts are read comes once and in order, whoever has it first', async () => {
    const feed = growing();
    const { changes } = await open({ baseUrl: await serve(feed), retries: 0 }).follow({
      filter: { tickers, since: '2026-01-01' },
      most: feed.whole,
    });
    expect(sequences(changes)).toEqual(upTo(feed.whole));
  });

  it('the loop that ends gives what there was when it began, or more, each once and in order', async () => {
    const feed = growing();
    const changes = await open({ baseUrl: await serve(feed), retries: 0 }).changes({
      tickers,
      since: '2026-01-01',
    });
    expect(changes.length).toBeGreaterThanOrEqual(253);
    expect(sequences(changes)).toEqual(upTo(changes.length));
  });

  it('it goes on behind a page that ended early before what was handled last', async () => {
    const address = await serve({ log: times(8, [0]), earlyAt: 5 });
    const text = '2 7 0000000001-26-000007.1@then\n8\nhandled';
    const { changes, cursor } = await open({ baseUrl: address, retries: 0 }).follow({
      filter: { tickers },
      text,
      most: 1,
    });
    expect(sequences(changes)).toEqual([8]);
    expect(cursor).toBe(text);
  });
});
