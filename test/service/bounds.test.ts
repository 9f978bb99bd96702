import { once } from 'node:events';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { addKey } from '../../build/keys.ts';
import {
  exchangeBytes,
  listeningService,
  sendBytes,
  serviceKey as key,
  type ListeningService,
} from '../support/service.ts';
import { madeUpCompany } from '../support/generate.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { until } from '../support/wait.ts';

let made: MadeSnapshot;
let service: ListeningService;
beforeAll(async () => {
  made = await makeSnapshot({ filings: 2000, companies: 8, batches: 1 });
});

const roomy = { connections: 1000, waitingRequests: 4000 };
const get = (path: string, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nConnection: ${connection}\r\n\r\n`;
/** An answer of some 100 KB. */
const large = '/v1/sec/latest?limit=200';

/** A connection that takes nothing of what is sent to it. */
const deaf = (text: string): Socket => sendBytes(service.port, text).pause();

/** A day after the newest filing: nothing matches, so a request that may wait is held. */
const nothingSince = '2030-01-01';

const isClosed = (socket: Socket) => socket.closed || socket.destroyed;
const statusOf = async (path = '/health') =>
  Number(/^HTTP\/1\.1 (\d+)/.exec(await exchangeBytes(service.port, get(path, 'close')))?.[1]);
const answered = () => service.logged().filter(({ event }) => event === 'request').length;

const openConnections = () =>
  new Promise<number>((resolve) => service.server.getConnections((_, count) => resolve(count)));

/** Waits until nothing is answered any more and returns how many requests were. */
async function settled(): Promise<number> {
  let before = -1;
  await until(async () => {
    const [last, now] = [before, answered()];
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return now === last && now > 0;
  });
  return before;
}

describe('requests that arrive at the same time', () => {
  /** Lets all requests wait for their turn until the function that is returned is called. */
  function holdArrivals(): () => void {
    const { turns } = service.services as { turns: { arrive(nowMs: number): Promise<void> | null } };
    let goOn = () => {};
    const later = new Promise<void>((resolve) => (goOn = resolve));
    turns.arrive = () => later;
    return goOn;
  }

  it('the liveness probe is answered while other requests wait for their turn', async () => {
    service = await listeningService(made.directory);
    const goOn = holdArrivals();
    const waiting = statusOf('/health');
    expect(await statusOf('/livez')).toBe(200);
    expect(service.services.counts.inFlight).toBe(1);
    goOn();
    expect(await waiting).toBe(200);
  });

  it('a request whose client leaves before its turn is not answered, and not counted in flight', async () => {
    service = await listeningService(made.directory);
    const goOn = holdArrivals();
    const socket = sendBytes(service.port, get('/health'));
    await statusOf('/livez');
    socket.destroy();
    await until(async () => (await openConnections()) === 0);
    goOn();
    await statusOf('/livez');
    expect(service.services.counts.inFlight).toBe(0);
    expect(service.logged().filter(({ path }) => path === '/health')).toMatchObject([{ aborted: true }]);
  });
});

describe('requests of one connection', () => {
  it('requests of one connection are all answered in their order', async () => {
    service = await listeningService(made.directory);
    const limits = Array.from({ length: 300 }, (_, at) => (at % 200) + 1);
    const received = await exchangeBytes(
      service.port,
      limits
        .map((limit, at) =>
          get(`/v1/sec/latest?limit=${limit}`, at === limits.length - 1 ? 'close' : 'keep-alive'),
        )
        .join(''),
    );
    expect([...received.matchAll(/"meta":\{"count":(\d+),/g)].map(([, count]) => Number(count))).toEqual(
      limits,
    );
  });

  it('a request waits until the client has taken the answers before it', async () => {
    service = await listeningService(made.directory);
    deaf(get(large).repeat(500));
    expect(await settled()).toBeLessThan(250);
    expect(await statusOf()).toBe(200);
  });

  it('waiting requests beyond the bound close their own connection and no other', async () => {
    service = await listeningService(made.directory, { connections: { ...roomy, waitingRequests: 50 } });
    const few = deaf(get(large).repeat(20));
    const many = deaf(get('/health').repeat(200));
    many.resume();
    await until(() => isClosed(many));
    expect(isClosed(few)).toBe(false);
    expect(await statusOf()).toBe(200);
  });
});

describe('answers that clients do not take', () => {
  it('answers that clients do not take are dropped beyond the bound of their bytes', async () => {
    // Room for two of six answers of some 260 KB.
    service = await listeningService(made.directory, { unsentBytes: 600_000 });
    const clients = Array.from({ length: 6 }, () => deaf(get('/openapi.json').repeat(400)));
    const cutOff = () => service.logged().filter(({ aborted }) => aborted === true).length;
    await until(() => cutOff() >= 3);
    await settled();
    expect(cutOff()).toBeLessThan(clients.length);
    expect(await statusOf(large)).toBe(200);
  });

  it('a caller whose answers take as many bytes as are left gets 503 overloaded, and no other caller does', async () => {
    const keysFile = join(made.directory, 'keys.json');
    const { key: otherKey } = await addKey(keysFile, 'other', null, Date.now());
    // Answers that begin at the same moment all find room: five of 100 KB are less than what is left for others.
    service = await listeningService(made.directory, { unsentBytes: 1_200_000 }, undefined, keysFile);
    // Each target is another one, so that no answer comes from the response cache.
    const targets = Array.from({ length: 60 }, (_, at) => `${large}&until=2030-01-${10 + (at % 20)}`);
    const clients = Array.from({ length: 4 }, () => deaf(targets.map((target) => get(target)).join('')));
    let refused = '';
    await until(async () => {
      refused = await exchangeBytes(service.port, get(`${large}&since=2000-01-01`, 'close'));
      return refused.startsWith('HTTP/1.1 503 ');
    });
    expect(refused).toMatch(/\r\nRetry-After: 1\r\n/i);
    expect(refused).toContain('"code":"overloaded"');
    const other = await service.ask(large, {
      headers: { 'x-api-key': otherKey },
    });
    expect([other.status, await statusOf('/demo'), await statusOf('/livez')]).toEqual([200, 200, 200]);
    expect(service.logged().filter(({ aborted }) => aborted === true)).toEqual([]);
    for (const each of clients) each.destroy();
    await until(async () => (await statusOf(`${large}&since=2000-01-02`)) === 200);
  });

  it('an answer counts as a request in flight until it is sent or its client is gone', async () => {
    service = await listeningService(made.directory, { inFlight: 3 });
    const held = [1, 2, 3].map(() => deaf(get(large).repeat(400)));
    // Each of the three is in flight for good once the system takes no more bytes for its client.
    await until(async () => (await settled()) > 0 && (await statusOf()) === 503);
    const refused = await exchangeBytes(service.port, get('/health', 'close'));
    expect(refused).toMatch(/\r\nRetry-After: 1\r\n/i);
    expect(refused).toContain('"code":"overloaded"');
    // The process is busy with other work.
    expect([await statusOf('/livez'), await statusOf('/readyz')]).toEqual([200, 503]);
    for (const each of held) each.destroy();
    await until(async () => (await statusOf()) === 200);
  });
});

describe('connections', () => {
  it('a connection beyond the bound closes a silent one before one that is held', async () => {
    service = await listeningService(made.directory, { connections: { ...roomy, connections: 5 } });
    const waiting = sendBytes(service.port, get(`/v1/sec/changes?since=${nothingSince}&wait=60`));
    const downloading = deaf(get(large).repeat(400));
    const idle = sendBytes(service.port, get('/health'));
    for (const each of [waiting, idle]) each.resume();
    await until(() => service.services.held.size() === 1 && answered() > 2);
    const silent: Socket[] = [];
    for (let more = 0; more < 5; more++) {
      silent.push(deaf(''));
      await once(silent.at(-1) as Socket, 'connect');
    }
    for (const each of silent) each.resume();
    await until(() => silent.filter(isClosed).length >= 3);
    expect([waiting, downloading, idle].map(isClosed)).toEqual([false, false, false]);
    expect(service.services.held.size()).toBe(1);
  });

  it('a connection beyond the bound closes the one that was idle for longest', async () => {
    service = await listeningService(made.directory, { connections: { ...roomy, connections: 5 } });
    const quiet = deaf('');
    await once(quiet, 'connect');
    const busy = sendBytes(service.port, get('/health'));
    busy.resume();
    await until(() => answered() === 1);
    for (let more = 0; more < 4; more++) {
      const socket = deaf('');
      await once(socket, 'connect');
    }
    quiet.resume();
    await until(() => isClosed(quiet));
    busy.write(get('/health'));
    await until(() => answered() === 2);
    expect(await statusOf()).toBe(200);
  });
});

describe('bodies that come slowly', () => {
  const slow = (path: string) =>
    sendBytes(
      service.port,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
    );
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const call = (path: string) =>
    exchangeBytes(
      service.port,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`,
    );

  it.each(['/mcp', '/a2a'])(
    'slow bodies do not block %s for others: the oldest are dropped',
    { tags: ['slow'] },
    async (path) => {
      service = await listeningService(made.directory, {
        inFlight: 20,
        connections: { ...roomy, connections: 2000 },
      });
      const waiting = Array.from({ length: 1100 }, () => slow(path));
      let told = 0;
      for (const each of waiting) each.on('data', () => told++);
      await until(() => waiting.filter(isClosed).length >= 90);
      // Who takes too long is told so later. These were dropped for others.
      expect(told).toBe(0);
      expect(await call(path)).toMatch(/^HTTP\/1\.1 200 /);
      expect(isClosed(waiting.at(-1) as Socket)).toBe(false);
    },
  );

  it('a slow body becomes a request when it has arrived', async () => {
    service = await listeningService(made.directory);
    const socket = sendBytes(
      service.port,
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${ping.length}\r\n\r\n`,
    );
    let received = '';
    socket.on('data', (part: Buffer) => (received += part.toString()));
    await once(socket, 'connect');
    for (const letter of ping) {
      socket.write(letter);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => isClosed(socket));
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*"result":\{\}/);
  });

  it('a slow body that is too long is refused, with and without a Content-Length', async () => {
    service = await listeningService(made.directory);
    const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    for (const path of ['/mcp', '/a2a', '/validate/a/b']) {
      const received = await exchangeBytes(
        service.port,
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${piece.repeat(6)}0\r\n\r\n`,
      );
      expect(received, path).toMatch(/^HTTP\/1\.1 413 /);
    }
  });
});

describe('long answers', () => {
  const watchlist = (since: string) => ({
    tickers: Array.from({ length: 8 }, (_, number) => madeUpCompany(number).cik),
    limit: 200,
    since,
  });
  const whole = { detail: 'full', maxTokens: 1_000_000 };
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: 'sec_watchlist_changes',
      arguments: { ...watchlist(`2000-01-01T00:00:00.${100 + id}Z`), ...whole },
    },
  });
  const post = (message: unknown, headers: Record<string, string> = {}) =>
    service.ask('/mcp', {
      method: 'POST',
      body: JSON.stringify(message),
      headers: { 'content-type': 'application/json', ...headers },
    });
  interface Member {
    readonly id: number;
    readonly result?: { readonly structuredContent: { readonly meta: { readonly count: number } } };
    readonly error?: object;
  }

  it('a batch calls no more tools once its answers are long, and says so in each member', async () => {
    service = await listeningService(made.directory);
    const single = await (await post(call(0))).text();
    const fitting = Math.ceil((2 * 1024 * 1024) / single.length);
    expect(fitting).toBeLessThan(5);
    const members = (await (await post(Array.from({ length: 10 }, (_, id) => call(id)))).json()) as Member[];
    expect(members.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(members.map(({ result }) => result !== undefined)).toEqual(members.map((_, at) => at < fitting));
    expect(members[0]).toEqual(JSON.parse(single));
    expect(members.at(-1)?.error).toEqual({
      code: -32000,
      message: expect.stringContaining('send this call by itself'),
      data: { code: 'payload_too_large' },
    });
    expect(service.services.unsent.left()).toBe(48 * 1024 * 1024);
  });

  it.each([
    ['batch', () => post([call(1), call(2)])],
    ['tool call', () => post(call(3))],
    ['call that the packages answer', () => post(call(4), { 'mcp-method': 'tools/call' })],
    [
      'REST answer',
      () =>
        service.ask(
          `/v1/sec/watchlist/changes?${new URLSearchParams({ ...watchlist('2000-01-02'), limit: '200', tickers: watchlist('').tickers.join() }).toString()}`,
        ),
    ],
  ])('turns of the event loop come while a long %s is made', async (_, ask) => {
    let nowMs = 0;
    // By this clock every step takes long, so that the number of turns does not depend on the machine.
    service = await listeningService(made.directory, {}, undefined, null, {
      now: Date.now,
      elapsed: () => (nowMs += 10),
    });
    await (await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).text();
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    const answering = ask();
    setImmediate(count);
    const answer = await answering;
    isOver = true;
    expect(answer.status).toBe(200);
    expect((await answer.text()).length).toBeGreaterThan(500_000);
    expect(turns).toBeGreaterThan(30);
  });

  it('a result that passes through the packages is the one that a plain call gets', async () => {
    service = await listeningService(made.directory);
    const plain = (await (await post(call(5))).json()) as Member;
    const packaged = (await (await post(call(5), { 'mcp-method': 'tools/call' })).json()) as Member;
    expect(plain.result?.structuredContent.meta.count).toBeGreaterThan(1000);
    expect(packaged).toEqual(plain);
  });
});
