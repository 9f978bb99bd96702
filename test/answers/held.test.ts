import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createHeldRequests } from '../../src/requests/held.ts';
import { useGrowingService } from '../support/growing-service.ts';
import { company, filing } from '../support/made-up.ts';
import { listeningService, serviceKey as key } from '../support/service.ts';
import { until } from '../support/wait.ts';

interface List {
  readonly data: { readonly filing?: { readonly accessionNo: string }; readonly count?: number }[];
  readonly meta: { readonly count: number; readonly nextCursor: string };
}

const sockets: Socket[] = [];
const grown = useGrowingService('held', filing(1, { filerCiks: [company(1).cik] }));
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Publishes a batch with a filing of company 1 or another one. */
const publish = (number: number, filer = 1) =>
  grown.publish(filing(number, { filerCiks: [company(filer).cik] }));
const { look, held, ask } = grown;
const list = async (answer: Response | Promise<Response>) => (await (await answer).json()) as List;
const endOfFeed = async () => (await list(ask('/v1/sec/changes?since=2026-01-01'))).meta.nextCursor;
const numbersIn = ({ data }: List) => data.map((change) => Number(change.filing?.accessionNo.slice(-6)));

describe('a request that waits', () => {
  it('a request with wait is answered at once where something matches', async () => {
    expect(numbersIn(await list(ask('/v1/sec/changes?since=2026-01-01&wait=60')))).toEqual([1]);
    expect(
      (await list(ask('/v1/sec/watchlist/changes?tickers=T1&since=2026-01-01&wait=60'))).meta.count,
    ).toBe(1);
  });

  it('a held request for several companies gets what one of them has, and goes on by its cursor', {
    tags: ['slow'],
  }, async () => {
    const cursor = await endOfFeed();
    const next = (from: string) =>
      list(ask(`/v1/sec/changes?cursor=${from}&tickers=T2,T1&form=10-Q&wait=60`));
    const second = next(cursor);
    await until(() => held() === 1);
    await publish(2, 2);
    await look();
    const found = await second;
    expect(numbersIn(found)).toEqual([2]);
    const third = next(found.meta.nextCursor);
    await until(() => held() === 1);
    await publish(3, 1);
    await look();
    expect(numbersIn(await third)).toEqual([3]);
  });

  it('a held request gets what matches as soon as it is published', { tags: ['slow'] }, async () => {
    const cursor = await endOfFeed();
    const ofSecond = list(ask(`/v1/sec/changes?cursor=${cursor}&ticker=T2&wait=60`));
    const ofAll = list(ask(`/v1/sec/changes?cursor=${cursor}&wait=60`));
    const watched = list(ask(`/v1/sec/watchlist/changes?tickers=T2&cursor=${cursor}&wait=60`));
    await until(() => held() === 3);
    await publish(2, 1);
    await look();
    const first = await ofAll;
    expect(numbersIn(first)).toEqual([2]);
    await until(() => held() === 2);
    await publish(3, 2);
    await look();
    expect(numbersIn(await ofSecond)).toEqual([3]);
    expect((await watched).data.map(({ count }) => count)).toEqual([1]);
    expect(numbersIn(await list(ask(`/v1/sec/changes?cursor=${first.meta.nextCursor}&wait=60`)))).toEqual([
      3,
    ]);
    expect(held()).toBe(0);
  });

  it('a held request gets an empty answer with a cursor when its time is over', {
    tags: ['slow'],
  }, async () => {
    const cursor = await endOfFeed();
    const startedMs = performance.now();
    const { data, meta } = await list(ask(`/v1/sec/changes?cursor=${cursor}&wait=1`));
    expect(performance.now() - startedMs).toBeGreaterThan(950);
    expect(data).toEqual([]);
    await publish(2);
    await look();
    expect(numbersIn(await list(ask(`/v1/sec/changes?cursor=${meta.nextCursor}`)))).toEqual([2]);
  });

  it('a held request ends when its client hangs up or the service stops', async () => {
    const cursor = await endOfFeed();
    const gone = new AbortController();
    const left = ask(`/v1/sec/changes?cursor=${cursor}&wait=60`, { signal: gone.signal }).catch(
      (error: Error) => error.name,
    );
    const stays = list(ask(`/v1/sec/changes?cursor=${cursor}&wait=60`));
    await until(() => held() === 2);
    gone.abort();
    expect(await left).toBe('AbortError');
    await until(() => held() === 1);
    // Who reads the log finds a request that was cut by its id, too.
    const cut = () =>
      grown.service
        .logged()
        .filter(({ path }) => path === '/v1/sec/changes')
        .at(-1);
    await until(() => cut()?.['whole'] === false || cut()?.['status'] !== undefined);
    expect(String(cut()?.['requestId'])).toMatch(/^[\w-]{36}$/);
    grown.service.services.held.close();
    expect((await stays).data).toEqual([]);
    // Nobody is held any more.
    expect((await list(ask(`/v1/sec/changes?cursor=${cursor}&wait=60`))).data).toEqual([]);
  });

  it('a held request has an ETag, HEAD and 304 like others', async () => {
    const cursor = await endOfFeed();
    const target = `/v1/sec/changes?cursor=${cursor}&wait=60`;
    const waiting = [ask(target), ask(target, { method: 'HEAD' })];
    await until(() => held() === 2);
    await publish(2);
    await look();
    const [whole, head] = (await Promise.all(waiting)) as [Response, Response];
    expect(head.headers.get('etag')).toBe(whole.headers.get('etag'));
    expect(
      (await ask(target, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })).status,
    ).toBe(304);
    expect(await head.text()).toBe('');
  });

  it.each(['-1', '61', '1.5', '1e1', '', 'x'])('wait=%o is refused', async (seconds) => {
    const answer = await ask(`/v1/sec/changes?since=2026-01-01&wait=${seconds}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('wait: must be an integer from 0 to 60');
  });

  it('a held request does not count among the requests in flight', async () => {
    await grown.service.close();
    grown.service = await listeningService(grown.directory, { inFlight: 2 });
    const cursor = await endOfFeed();
    const waiting = Array.from({ length: 20 }, () => list(ask(`/v1/sec/changes?cursor=${cursor}&wait=60`)));
    await until(() => held() === 20);
    expect((await ask('/v1/sec/latest?limit=1')).status).toBe(200);
    await publish(2);
    await look();
    for (const answer of await Promise.all(waiting)) expect(numbersIn(answer)).toEqual([2]);
    expect((await ask('/v1/sec/latest?limit=1')).status).toBe(200);
  });

  it('thousands of held requests take a few kilobytes each', {
    tags: ['slow'],
    timeout: 120_000,
  }, async () => {
    const cursor = await endOfFeed();
    const program = fork(
      fileURLToPath(new URL('../processes/held-memory.ts', import.meta.url)),
      [grown.directory],
      {
        execArgv: ['--expose-gc', '--import', 'tsx'],
      },
    );
    const next = async <Told>() => (await once(program, 'message'))[0] as Told;
    const told = (message: 'look' | 'figures') => {
      program.send(message);
      return next<{ held: number; heapBytes: number }>();
    };
    try {
      const { port } = await next<{ port: number }>();
      const before = await told('figures');
      const count = 2000;
      let answers = 0;
      for (let at = 0; at < count; at++) {
        const socket = connect(port, '127.0.0.1');
        socket.once('data', () => void answers++);
        socket.on('error', () => {});
        socket.write(
          `GET /v1/sec/changes?cursor=${cursor}&wait=60 HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`,
        );
        sockets.push(socket);
        if (at % 200 === 0) await until(async () => (await told('figures')).held >= at - 400);
      }
      await until(async () => (await told('figures')).held === count);
      const during = await told('figures');
      expect((during.heapBytes - before.heapBytes) / count).toBeLessThan(20_000);
      expect(
        (await fetch(`http://127.0.0.1:${port}/v1/sec/latest?limit=1`, { headers: { 'x-api-key': key } }))
          .status,
      ).toBe(200);
      await publish(2);
      await told('look');
      await until(() => answers === count);
      expect((await told('figures')).held).toBe(0);
    } finally {
      program.kill();
    }
  });
});

describe('the list of held requests', () => {
  it('a request is not held after a missed publication or without time', async () => {
    const requests = createHeldRequests(1);
    const seen = requests.publication();
    const hold = requests.enter(null, 'a');
    requests.release();
    expect(await hold.until(seen, 1000)).toBe(true);
    expect(await hold.until(requests.publication(), 0)).toBe(false);
    hold.leave();
    hold.leave();
    expect([requests.size(), hold.isOver()]).toEqual([0, true]);
    expect(await hold.until(requests.publication(), 1000)).toBe(false);
  });

  it('a caller holds as many requests as it leaves to others, and what is too much is refused, not answered', async () => {
    const requests = createHeldRequests(4);
    const wait = async (caller: string) => {
      const hold = requests.enter(null, caller);
      return hold.until(requests.publication(), 60_000).finally(hold.leave);
    };
    const codeOf = (waiting: Promise<boolean>) => waiting.catch(({ code }: { code: string }) => code);
    const held = [wait('a'), wait('a')];
    expect(await codeOf(wait('a'))).toBe('rate_limited');
    held.push(wait('b'));
    expect(await codeOf(wait('b'))).toBe('rate_limited');
    held.push(wait('c'));
    expect(await codeOf(wait('d'))).toBe('overloaded');
    expect(requests.size()).toBe(4);
    requests.release();
    expect(await Promise.all(held)).toEqual([true, true, true, true]);
    expect(requests.size()).toBe(0);
    // Places are free again.
    const again = wait('a');
    requests.close();
    expect(await Promise.race([again, new Promise((resolve) => setTimeout(resolve, 1000, 'held'))])).toBe(
      false,
    );
  });
});
