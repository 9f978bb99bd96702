import { startServer, type Server } from './child.ts';

/** The key that the benchmarks open the service with. */
export const apiKey = 'benchmark-key-0123456789';

/** Starts the real service on a directory of snapshots. */
export function startService(snapshots: string): Promise<Server> {
  return startServer({
    script: 'src/start.mjs',
    environment: { SNAPSHOTS_DIR: snapshots, API_KEYS: apiKey, PORT: '0' },
  });
}

/** Asks a server for an answer as it is, without compression. Throws for any status but 200 and 304. */
export async function ask(
  { port }: Server,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const whole = { 'x-api-key': apiKey, 'accept-encoding': 'identity', ...headers };
  const response = await fetch(`http://127.0.0.1:${port}${target}`, { headers: whole });
  if (response.status === 200 || response.status === 304) return response;
  throw new Error(`${target}: status ${response.status}, ${await response.text()}`);
}

/** A request of a keyed answer as it goes over the wire; conditional if an ETag is given. */
export function requestText(target: string, etag?: string): string {
  return `${requestHead(`GET ${target}`)}${etag === undefined ? '' : `If-None-Match: ${etag}\r\n`}\r\n`;
}

/** The beginning of a request with the key; more headers and an empty line follow. */
export function requestHead(line: string): string {
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\n`;
}
