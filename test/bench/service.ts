import { once } from 'node:events';
import { get, type Agent, type IncomingMessage } from 'node:http';
import { startServer, type Server } from './child.ts';

/** The key that the benchmarks open the service with. */
export const apiKey = 'benchmark-key-0123456789';

/** Starts the real service on a directory of snapshots. */
export function startService(snapshots: string): Promise<Server> {
  return startServer({ script: 'src/server.ts', environment: { SNAPSHOTS_DIR: snapshots, API_KEYS: apiKey, PORT: '0' } });
}

/** Asks a server for an answer as it is, without compression. Throws for any status but 200 and 304. */
export async function ask({ port }: Server, target: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const whole = { 'x-api-key': apiKey, 'accept-encoding': 'identity', ...headers };
  const response = await fetch(`http://127.0.0.1:${port}${target}`, { headers: whole });
  if (response.status === 200 || response.status === 304) return response;
  throw new Error(`${target}: status ${response.status}, ${await response.text()}`);
}

/** What came for a request, how long it took until its last byte was there, and the processor time of the server. */
export interface Timed {
  readonly body: string;
  readonly ms: number;
  readonly cpuMs: number;
}

/** Asks for what takes a key, one request after the other, over one connection. Throws for any status but 200. */
export async function askTimed(server: Server, agent: Agent, target: string): Promise<Timed> {
  const { cpuSeconds } = await server.usage();
  const startedAtMs = performance.now();
  const [response] = (await once(get({ port: server.port, path: target, agent, headers: { 'x-api-key': apiKey } }), 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const ms = performance.now() - startedAtMs;
  const body = Buffer.concat(pieces).toString();
  if (response.statusCode !== 200) throw new Error(`${target}: status ${response.statusCode}, ${body}`);
  return { body, ms, cpuMs: ((await server.usage()).cpuSeconds - cpuSeconds) * 1000 };
}
