import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { closing } from './closing.ts';
import { reopenable } from './servers.ts';

/**
 * What may happen to a request on its way: `limited` is 429 with a Retry-After of two seconds, `unavailable`
 * is 503 without one, `cut` ends the connection within the body of the answer (of a stream, within its second piece),
 * `lost` after the service answered and before anything is sent. `silent` lets the first two pieces of a body through
 * and nothing more, `buffered` nothing of a stream that does not end, `plain` hides that a stream is wanted, and `refused`
 * is 406.
 */
export type Fault = 'limited' | 'unavailable' | 'cut' | 'lost' | 'silent' | 'buffered' | 'plain' | 'refused';

/** A request that came, and what happened to it. */
export interface Asked {
  /** With its query. */
  readonly path: string;
  readonly isStream: boolean;
  /** The header `Last-Event-ID`. */
  readonly lastId: string | null;
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
  nextFault: (isStream: boolean) => Fault | null,
): Promise<FaultyProxy> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const isStream = request.headers.accept === 'text/event-stream';
    const fault = nextFault(isStream);
    const lastId = request.headers['last-event-id'];
    asked.push({
      path: request.url ?? '',
      isStream,
      lastId: typeof lastId === 'string' ? lastId : null,
      atMs: performance.now(),
      fault,
    });
    if (fault === 'limited') return refuse(response, 429, { 'Retry-After': '2' });
    if (fault === 'unavailable') return refuse(response, 503, {});
    if (fault === 'refused') return refuse(response, 406, {});
    forward(request, response, target(), fault);
  });
  const opened = await reopenable(server);
  return {
    ...opened,
    asked,
    close: closing(async () => void (server.listening && (await opened.down()))),
  };
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>): void {
  response
    .writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    .end('{"error":{"code":"made_up","message":"a fault of the test"}}');
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  fault: Fault | null,
): void {
  const headers = { ...request.headers };
  if (fault === 'plain') delete headers.accept;
  let pieces = 0;
  const asked = get({ port, path: request.url, headers, agent: false }, (answer) => {
    if (fault === 'lost') return void response.destroy();
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('data', (piece: Buffer) => {
      pieces++;
      const isStream = answer.headers['content-length'] === undefined;
      if (fault === 'buffered' || (fault === 'silent' && pieces > 2)) return;
      const cutAt = isStream ? 2 : 1;
      if (fault !== 'cut' || pieces < cutAt) response.write(piece);
      else if (pieces === cutAt)
        response.write(piece.subarray(0, piece.length / 2), () => response.destroy());
    });
    answer.once('end', () => fault !== 'silent' && response.end());
    answer.once('error', () => response.destroy());
  });
  asked.once('error', () => response.destroy());
  response.once('close', () => asked.destroy());
}
