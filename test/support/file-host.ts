import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { closing } from './closing.ts';
import { reopenable } from './servers.ts';

/**
 * What may happen to a request: `reset` ends the connection before anything is sent, `cut` within the body,
 * `slow` sends nothing for ever, `trickle` a byte now and then, `wrong` sends other bytes of the same length,
 * `short` an end that comes too early, as if it were right, `encoded` says that the bytes are compressed,
 * `endless` sends bytes for as long as somebody reads them; a number is a status without what was asked for.
 */
export type HostFault =
  | 'reset'
  | 'cut'
  | 'slow'
  | 'trickle'
  | 'wrong'
  | 'short'
  | 'encoded'
  | 'endless'
  | number;

/** A request that came. */
export interface HostRequest {
  /** Without the first `/`. */
  readonly path: string;
  readonly range: string | null;
  readonly ifNoneMatch: string | null;
  readonly cacheControl: string | null;
}

/** A static host of files that counts what is asked of it. A test tells it when to fail. */
export interface FileHost {
  readonly address: string;
  /** What was asked for, in the order in which it came. */
  readonly asked: HostRequest[];
  /** How many requests were in work at the same time, at most. */
  readonly mostAtOnce: () => number;
  /** Refuses connections from now on. */
  down(): Promise<void>;
  /** Listens again, on the same port. */
  up(): Promise<void>;
  close(): Promise<void>;
}

/** How it behaves; each is asked for every request. */
export interface HostBehaviour {
  readonly fault?: (request: HostRequest) => HostFault | null;
  /** Whether ranges are ignored. */
  readonly isPlain?: () => boolean;
  /** Address that a request is led to; null if it is answered here. */
  readonly redirect?: (request: HostRequest) => string | null;
  readonly delayMs?: number;
}

/** Serves the files of a directory. */
export async function startFileHost(
  directory: string,
  { fault = () => null, isPlain = () => false, redirect = () => null, delayMs = 0 }: HostBehaviour = {},
): Promise<FileHost> {
  const asked: HostRequest[] = [];
  let [atOnce, most] = [0, 0];

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = {
      path: (incoming.url ?? '/').slice(1),
      range: incoming.headers.range ?? null,
      ifNoneMatch: incoming.headers['if-none-match'] ?? null,
      cacheControl: incoming.headers['cache-control'] ?? null,
    };
    asked.push(request);
    most = Math.max(most, ++atOnce);
    response.once('close', () => atOnce--);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const to = redirect(request);
    if (to !== null) return void response.writeHead(302, { Location: to }).end();
    await send(join(directory, request.path), request, response, fault(request), isPlain());
  }

  const server = createServer(
    (incoming, response) => void answer(incoming, response).catch(() => response.destroy()),
  );
  const opened = await reopenable(server);
  return {
    ...opened,
    asked,
    mostAtOnce: () => most,
    close: closing(async () => void (server.listening && (await opened.down()))),
  };
}

async function send(
  path: string,
  { range, ifNoneMatch }: HostRequest,
  response: ServerResponse,
  fault: HostFault | null,
  isPlain: boolean,
): Promise<void> {
  if (fault === 'reset') return void response.destroy();
  if (fault === 'slow') return;
  if (fault === 'endless') {
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    const more = () => {
      while (!response.destroyed && response.write(megabyte));
    };
    response.writeHead(200).on('drain', more);
    return more();
  }
  if (typeof fault === 'number') return void response.writeHead(fault).end('an error page');
  const state = await stat(path).catch(() => null);
  if (!state?.isFile()) return void response.writeHead(404).end('nothing here');
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(isPlain ? '' : (range ?? '')) ?? [];
  const from = Number(first ?? 0);
  if (from > 0 && from >= state.size)
    return void response.writeHead(416, { 'Content-Range': `bytes */${state.size}` }).end();
  const to = Math.min(last === undefined ? Infinity : Number(last), state.size - 1);
  // Inode and nanoseconds tell two files of one second apart.
  const etag = `"${state.ino.toString(16)}-${state.mtimeMs}"`;
  if (ifNoneMatch === etag) return void response.writeHead(304, { ETag: etag }).end();
  const headers = {
    ETag: etag,
    ...(first === undefined ? {} : { 'Content-Range': `bytes ${from}-${to}/${state.size}` }),
  };
  const status = first === undefined ? 200 : 206;
  if (fault === null) {
    response.writeHead(status, { ...headers, 'Content-Length': to - from + 1 });
    return void createReadStream(path, { start: from, end: Math.max(from, to) }).pipe(response);
  }
  const bytes = (await readFile(path)).subarray(from, to + 1);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  if (fault === 'short') return void response.writeHead(status, headers).end(half);
  response.writeHead(status, {
    ...headers,
    'Content-Length': bytes.length,
    ...(fault === 'encoded' ? { 'Content-Encoding': 'gzip' } : {}),
  });
  if (fault === 'encoded') return void response.end(bytes);
  if (fault === 'wrong') return void response.end(bytes.map((byte) => byte ^ 1));
  if (fault === 'cut') return void response.write(half, () => response.destroy());
  // The rest comes a byte at a time, and never all of it.
  let at = 0;
  const timer = setInterval(() => void response.write(bytes.subarray(at, ++at)), 20);
  response.once('close', () => clearInterval(timer));
}
