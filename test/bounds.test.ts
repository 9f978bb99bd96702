import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  exchangeBytes,
  listeningService,
  sendBytes,
  serviceKey as key,
  type ListeningService,
} from './support/service.ts';
import { makeSnapshot, type MadeSnapshot } from './support/snapshot.ts';
import { until } from './support/wait.ts';

let made: MadeSnapshot;
let service: ListeningService;
const sockets: Socket[] = [];
beforeAll(async () => {
  made = await makeSnapshot({ filings: 2000, companies: 8, batches: 1 });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});
afterAll(() => made.remove());

const roomy = { connections: 1000, waitingRequests: 4000, unsentBytes: 64 * 1024 * 1024 };
const get = (path: string, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nConnection: ${connection}\r\n\r\n`;
/** An answer of some 100 KB. */
const large = '/v1/sec/latest?limit=200';

/** A connection that takes nothing of what is sent to it. */
function deaf(text: string): Socket {
  const socket = sendBytes(service.port, text);
  socket.pause();
  sockets.push(socket);
  return socket;
}

const isClosed = (socket: Socket) => socket.closed || socket.destroyed;
const statusOf = async (path = '/health') =>
  Number(/^HTTP\/1\.1 (\d+)/.exec(await exchangeBytes(service.port, get(path, 'close')))?.[1]);
const answered = () => service.logged().filter(({ event }) => event === 'request').length;

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
    service = await listeningService(made.directory, { connections: { ...roomy, unsentBytes: 250_000 } });
    const clients = Array.from({ length: 6 }, () => deaf(get(large).repeat(400)));
    const cutOff = () => service.logged().filter(({ aborted }) => aborted === true).length;
    await until(() => cutOff() >= 3);
    await settled();
    expect(cutOff()).toBeLessThan(clients.length);
    expect(await statusOf(large)).toBe(200);
  });

  it('an answer counts as a request in flight until it is sent or its client is gone', async () => {
    service = await listeningService(made.directory, { inFlight: 3 });
    const held = [1, 2, 3].map(() => deaf(get(large).repeat(400)));
    await until(async () => (await statusOf()) === 503);
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
  it('a connection beyond the bound closes the one that was idle for longest', async () => {
    service = await listeningService(made.directory, { connections: { ...roomy, connections: 5 } });
    const quiet = deaf('');
    await once(quiet, 'connect');
    const busy = sendBytes(service.port, get('/health'));
    sockets.push(busy);
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
    async (path) => {
      service = await listeningService(made.directory, {
        inFlight: 20,
        connections: { ...roomy, connections: 2000 },
      });
      const waiting = Array.from({ length: 1100 }, () => slow(path));
      sockets.push(...waiting);
      for (const each of waiting) each.resume();
      await until(() => waiting.filter(isClosed).length >= 90);
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
    sockets.push(socket);
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
