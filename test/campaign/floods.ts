import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { readAnswer, type Answered } from './response.ts';
import type { Service } from './service.ts';

/** What other clients got during a flood. */
export interface Others {
  /**
   * Statuses of the answers that a well-meaning client got meanwhile; 0 stands for none within `patienceMs`.
   */
  readonly statuses: readonly number[];
  readonly slowestMs: number;
}

/** A client that waits longer than this for a small answer counts as blocked. */
export const patienceMs = 10_000;

interface Asked {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const json = { 'content-type': 'application/json' };
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const parts = [{ kind: 'text', text: 'latest 1 filings' }];
const say = {
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: { message: { kind: 'message', messageId: 'm', role: 'user', parts } },
};

/** What a well-meaning client asks, on a connection of its own each time. */
export const wellMeant: readonly Asked[] = [
  { target: '/health' },
  { target: '/demo' },
  { method: 'POST', target: '/mcp', headers: json, body: JSON.stringify(listTools) },
  { method: 'POST', target: '/a2a', headers: json, body: JSON.stringify(say) },
];

/** Asks one thing and gives its status; 0 if no answer came in time. */
export function ask(
  port: number,
  { method = 'GET', target, headers = {}, body = '' }: Asked,
  agent: Agent | false = false,
): Promise<number> {
  return new Promise((resolve) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
    const asked = request({
      host: '127.0.0.1',
      port,
      method,
      path: target,
      headers: { ...headers, ...length },
      agent,
      timeout: patienceMs,
    });
    asked.once('response', (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode ?? 0))
        .once('error', () => resolve(0));
    });
    asked.once('timeout', () => asked.destroy(new Error('late')));
    asked.once('error', () => resolve(0));
    asked.end(body);
  });
}

/** Asks well-meant things again and again, one after the other. */
async function askMeanwhile(port: number, rounds: number, pauseMs: number): Promise<Others> {
  const statuses: number[] = [];
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    for (const asked of wellMeant) {
      const startedAt = performance.now();
      statuses.push(await ask(port, asked));
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return { statuses, slowestMs };
}

/** Opens connections. What they send may be refused; that is no error here. */
async function openSockets(port: number, count: number): Promise<Socket[]> {
  const open = () => connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});
  const sockets = Array.from({ length: count }, open);
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  return sockets;
}

/**
 * Sends requests in one go on each of some connections and never reads an answer, while others ask for
 * something.
 */
export async function neverRead(
  { port }: Service,
  connections: number,
  requestsOf: (connection: number) => string,
): Promise<Others> {
  const sockets = await openSockets(port, connections);
  try {
    // Without a listener for data a socket takes a few kilobytes and then leaves the rest where it is.
    for (const [at, socket] of sockets.entries()) socket.pause().write(requestsOf(at));
    return await askMeanwhile(port, 20, 250);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** How connections that never finish what they began came to their end. */
export interface LetGo extends Others {
  /** Connections that the service had closed when the time was over. */
  readonly closed: number;
  /** What some of them were told before. */
  readonly answers: readonly Answered[];
}

/** Requests that never end: `first` is sent at once, then what `drop` gives, four times in a second. */
export interface Endless {
  readonly connections: number;
  readonly first: string;
  drop(tick: number): string;
}

/** Holds connections open with endless requests until the service has closed them or the time is over. */
export async function neverFinish(
  { port }: Service,
  { connections, first, drop }: Endless,
  withinMs: number,
): Promise<LetGo> {
  const endMs = performance.now() + withinMs;
  const sockets = await openSockets(port, connections);
  const received = sockets.map(() => Buffer.alloc(0));
  let [closed, tick] = [0, 0];
  for (const [at, socket] of sockets.entries()) {
    socket.on('data', (piece: Buffer) => (received[at] = Buffer.concat([received[at] as Buffer, piece])));
    socket.once('close', () => closed++);
    socket.write(first);
  }
  const dripping = setInterval(() => {
    const text = drop(tick++);
    if (text !== '') for (const socket of sockets) if (socket.writable) socket.write(text);
  }, 250);
  try {
    const others = await askMeanwhile(port, 10, 100);
    while (closed < connections && performance.now() < endMs)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const answers = received.flatMap((bytes) =>
      bytes.length > 0 ? (readAnswer(bytes, 'GET')?.answer ?? []) : [],
    );
    return { ...others, closed, answers };
  } finally {
    clearInterval(dripping);
    for (const socket of sockets) socket.destroy();
  }
}

/** Asks many things on a few kept connections, and says which statuses came. */
export async function askMany(
  port: number,
  count: number,
  askedOf: (number: number) => readonly Asked[],
): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const statuses = new Map<number, number>();
  let next = 0;
  async function client(): Promise<void> {
    while (next < count) {
      for (const asked of askedOf(next++)) {
        const status = await ask(port, asked, agent);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, client));
  agent.destroy();
  return statuses;
}

/** The same target in as many spellings as there are ways to escape its letters and digits. */
export function spelling(target: string, number: number): string {
  let rest = number;
  return target.replaceAll(/[a-z0-9](?=[^/]*$)/g, (letter) => {
    const code = letter.charCodeAt(0).toString(16);
    const ways = [letter, `%${code}`, ...(/[a-f]/.test(code) ? [`%${code.toUpperCase()}`] : [])];
    const way = ways[rest % ways.length] as string;
    rest = Math.floor(rest / ways.length);
    return way;
  });
}
