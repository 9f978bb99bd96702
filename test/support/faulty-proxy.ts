import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { reopenable } from './servers.ts';

/**
 * What may happen to a request on its way: `limited` is 429 with a Retry-After of two seconds, `unavailable`
 * is 503 without one, `cut` ends the connection within the body of the answer, `lost` after the service
 * answered and before anything is sent.
 */
export type Fault = 'limited' | 'unavailable' | 'cut' | 'lost';

/** A request that came, and what happened to it. */
export interface Asked {
  /** With its query. */
  readonly path: string;
  /** As `performance.now` counts. */
  readonly atMs: number;
  readonly fault: Fault | null;
}

/** Stands between clients and a service, and fails as networks and services under load do. */
export interface FaultyProxy {
  readonly address: string;
  readonly asked: readonly Asked[];
  /** Refuses connections from now on. */
  down(): Promise<void>;
  /** Listens again, on the same port. */
  up(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a proxy. `target` is the port of the service at the moment; `nextFault` is asked once for each
 * request.
 */
export async function startFaultyProxy(
  target: () => number,
  nextFault: () => Fault | null,
): Promise<FaultyProxy> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const fault = nextFault();
    asked.push({ path: request.url ?? '', atMs: performance.now(), fault });
    if (fault === 'limited') return void refuse(response, 429, { 'Retry-After': '2' });
    if (fault === 'unavailable') return void refuse(response, 503, {});
    forward(request, response, target(), fault).catch(() => response.destroy());
  });
  const opened = await reopenable(server);
  return {
    ...opened,
    asked,
    close: async () => void (server.listening && (await opened.down())),
  };
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>): void {
  response
    .writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    .end('{"error":{"code":"made_up","message":"a fault of the test"}}');
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  fault: Fault | null,
): Promise<void> {
  const key = request.headers['x-api-key'];
  const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, {
    headers: typeof key === 'string' ? { 'x-api-key': key } : {},
  });
  const body = Buffer.from(await answer.arrayBuffer());
  if (fault === 'lost') return void response.destroy();
  response.writeHead(answer.status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  if (fault === null) return void response.end(body);
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
