import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { drainable } from '../../src/http/drain.ts';
import { until } from '../support/wait.ts';

/** Longer than any of these tests takes: only what is waited for may end them. */
const longMs = 600_000;
const large = Buffer.alloc(64 * 1024 * 1024, 'x');

let server: Server;
let clients: Client[] = [];
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
  server.closeAllConnections();
  await until(() => !server.listening);
});

interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  /** Bytes received. */
  readonly count: () => number;
  readonly isClosed: () => boolean;
}

async function listen(listener: RequestListener): Promise<(withinMs: number, done: () => void) => void> {
  server = createServer({ keepAliveTimeout: longMs }, listener);
  const drain = drainable(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return drain;
}

async function connected(): Promise<Client> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  let bytes = 0;
  let closed = false;
  socket.on('data', (part: Buffer) => {
    bytes += part.length;
    if (text.length < 100_000) text += part.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => (closed = true));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  const client = { socket, received: () => text, count: () => bytes, isClosed: () => closed };
  clients.push(client);
  return client;
}

const wholeRequest = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('a server that stops', () => {
  it('a stopping server ends when nothing is in flight, and takes no new connection', async () => {
    const drain = await listen((_, outgoing) => void outgoing.end('x'));
    const { port } = server.address() as AddressInfo;
    const idle = await connected();
    idle.socket.write(wholeRequest);
    await until(() => idle.received().endsWith('x'));
    let done = false;
    drain(longMs, () => (done = true));
    await until(() => done && idle.isClosed());
    const refused = await new Promise((resolve) =>
      connect(port, '127.0.0.1')
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
        .on('connect', () => resolve('connected')),
    );
    expect(refused).toBe('ECONNREFUSED');
  });

  it('a stopping server answers what it has begun to read, and then closes the connection', async () => {
    const releases: (() => void)[] = [];
    const drain = await listen((_, outgoing) => void releases.push(() => void outgoing.end('late')));
    const [working, sending] = [await connected(), await connected()];
    sending.socket.write('GET / HTTP/1.1\r\nHo');
    working.socket.write(wholeRequest);
    // When this request is at work, the server has read what came before on the other connection.
    await until(() => releases.length === 1);
    let done = false;
    drain(longMs, () => (done = true));
    releases[0]?.();
    await until(() => working.isClosed());
    expect(working.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*late$/);
    expect([done, sending.isClosed()]).toEqual([false, false]);
    sending.socket.write('st: x\r\n\r\n');
    await until(() => releases.length === 2);
    releases[1]?.();
    await until(() => done && sending.isClosed());
    expect(sending.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*late$/);
  });

  it('a stopping server sends a whole answer to a slow client', async () => {
    let written = false;
    const drain = await listen((_, outgoing) => void outgoing.end(large, () => (written = true)));
    const slow = await connected();
    slow.socket.pause();
    let asked = false;
    server.on('request', () => (asked = true));
    slow.socket.write(wholeRequest);
    await until(() => asked);
    let done = false;
    drain(longMs, () => (done = true));
    // Several rounds of the server pass by while it waits.
    for (let round = 0; round < 10; round++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect([written, done]).toEqual([false, false]);
    slow.socket.resume();
    await until(() => done && slow.isClosed());
    expect(slow.count() - slow.received().indexOf('\r\n\r\n') - 4).toBe(large.length);
  });

  it('a stopping server does not wait for ever', async () => {
    const drain = await listen(() => {});
    const stuck = await connected();
    let asked = false;
    server.on('request', () => (asked = true));
    stuck.socket.write(wholeRequest);
    await until(() => asked);
    let done = false;
    drain(100, () => (done = true));
    await until(() => done && stuck.isClosed());
    expect(stuck.received()).toBe('');
  });
});
