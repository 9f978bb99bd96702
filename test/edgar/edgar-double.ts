import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { closeAll, listen, portOf } from '../support/servers.ts';

/**
 * A small EDGAR for tests, on a port of its own.
 *
 *   const edgar = await startEdgarDouble(); edgar.route('/data.sec.gov/submissions/CIK0000000001.json',
 *   status(503), json({ cik: '1' })); ... client with edgar.dataUrl, edgar.wwwUrl ... await edgar.close();
 *
 * The first request for a path meets the first behaviour, the next one the second; the last behaviour stays.
 * A path without a route answers as EDGAR does for a file that does not exist. A request without a mailbox in
 * its User-Agent gets the page for undeclared tools, whatever the path.
 */
export interface EdgarDouble {
  readonly url: string;
  /** Replaces `https://data.sec.gov`: routes of it begin with `/data.sec.gov/`. */
  readonly dataUrl: string;
  /** Replaces `https://www.sec.gov`: routes of it begin with `/www.sec.gov/`. */
  readonly wwwUrl: string;
  /** Sets what a path does from now on instead of what it did. */
  route(path: string, ...behaviours: Behaviour[]): void;
  /** Every request in the order of arrival. */
  readonly requests: RecordedRequest[];
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds since the process began. */
  readonly atMs: number;
}

/** How one request is answered. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** What `ok` and `json` send with the body. */
export interface Validators {
  /** False for an answer without ETag. */
  readonly etag?: boolean;
  /** An HTTP date. */
  readonly lastModified?: string;
}

/** A file: gzipped if the client takes it, with an ETag made of the body, and 304 if the client has it. */
export function ok(body: string | Buffer, { etag = true, lastModified }: Validators = {}): Behaviour {
  return (request, response) => {
    const tag = `"${createHash('sha1').update(body).digest('hex').slice(0, 16)}"`;
    const headers = {
      ...(etag ? { etag: tag } : {}),
      ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
    };
    const condition = request.headers['if-none-match'];
    const isKnown =
      condition === undefined
        ? lastModified !== undefined && request.headers['if-modified-since'] === lastModified
        : etag && condition === tag;
    if (isKnown) response.writeHead(304, headers).end();
    else send(request, response, 200, body, { 'content-type': 'application/json', ...headers });
  };
}

/** A file of JSON. */
export function json(value: unknown, validators: Validators = {}): Behaviour {
  return ok(JSON.stringify(value), validators);
}

/** A file that is another one at each request. */
export function drift(bodyOf: (requestNumber: number) => string): Behaviour {
  let requests = 0;
  return (request, response) => ok(bodyOf(requests++))(request, response);
}

/** Any answer as it stands: nothing is compressed or added. */
export function raw(status: number, headers: Record<string, string>, body: string | Buffer = ''): Behaviour {
  return (_, response) => void response.writeHead(status, headers).end(body);
}

/** A status with a page of HTML. */
export function status(code: number, title = `Error ${code}`): Behaviour {
  const page = `<!DOCTYPE html><html><head><title>SEC.gov | ${title}</title></head><body><h1>${title}</h1></body></html>`;
  return (request, response) => send(request, response, code, page, { 'content-type': 'text/html' });
}

/** The page for an address that sends too many requests. */
export const throttle = (): Behaviour => status(403, 'Request Rate Threshold Exceeded');

/** The page for a User-Agent that is not accepted. */
export const undeclared = (): Behaviour =>
  status(403, 'Your Request Originates from an Undeclared Automated Tool');

/** What a file that is not published yet gives. */
export const accessDenied = (): Behaviour => missing(403, 'AccessDenied', 'Access Denied');

/** What a submissions file that does not exist gives. */
export const noSuchKey = (): Behaviour => missing(404, 'NoSuchKey', 'The specified key does not exist.');

/** The connection breaks before an answer. */
export const reset = (): Behaviour => (request) => void request.socket.resetAndDestroy();

/**
 * Half of a body, and then the connection breaks. With the length of the whole body unless `withLength` is
 * false.
 */
export function truncate(body: string, withLength = true): Behaviour {
  return (request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(withLength ? { 'content-length': Buffer.byteLength(body) } : {}),
    });
    response.write(body.slice(0, body.length / 2), () => request.socket.destroy());
  };
}

/** A good status with something else than was asked for. */
export const garbage = (): Behaviour =>
  raw(200, { 'content-type': 'application/json', etag: '"garbage"' }, '\u0000<<<not what was asked for>>>');

/** Waits for a promise that the test settles, then does something else. */
export function slow(until: Promise<unknown>, then: Behaviour): Behaviour {
  return async (request, response) => {
    await until;
    if (!response.destroyed) await then(request, response);
  };
}

/** Starts a double. */
export async function startEdgarDouble(): Promise<EdgarDouble> {
  const routes = new Map<string, Behaviour[]>();
  const requests: RecordedRequest[] = [];

  function behaviourFor(path: string, userAgent: string): Behaviour {
    if (!/\S+@\S+\.\S+/.test(userAgent)) return undeclared();
    const behaviours = routes.get(path);
    const behaviour = behaviours && behaviours.length > 1 ? behaviours.shift() : behaviours?.[0];
    return (
      behaviour ??
      (path.startsWith('/data.sec.gov/') ? noSuchKey() : status(404, 'File Not Found Error Alert (404)'))
    );
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers, atMs: performance.now() });
    Promise.resolve(behaviourFor(path, request.headers['user-agent'] ?? '')(request, response)).catch(
      (error: unknown) => response.destroy(error as Error),
    );
  });
  // A connection that is closed has been closed by the client.
  server.keepAliveTimeout = 600_000;
  await listen([server]);
  const url = `http://127.0.0.1:${portOf(server)}`;
  return {
    url,
    dataUrl: `${url}/data.sec.gov`,
    wwwUrl: `${url}/www.sec.gov`,
    route: (path, ...behaviours) => void routes.set(path, behaviours),
    requests,
    connections: () =>
      new Promise(
        (resolve, reject) =>
          void server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: () => closeAll([server]),
  };
}

function missing(code: number, name: string, message: string): Behaviour {
  const page = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${name}</Code><Message>${message}</Message><RequestId>JD15</RequestId></Error>`;
  return (request, response) => send(request, response, code, page, { 'content-type': 'application/xml' });
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  body: string | Buffer,
  headers: Record<string, string>,
): void {
  const isGzipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const bytes = isGzipped ? gzipSync(body) : Buffer.from(body);
  response
    .writeHead(code, {
      ...headers,
      'content-length': String(bytes.length),
      ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
    })
    .end(bytes);
}

/** Routes the two ticker files, which give a symbol to company 1. */
export function routeTickers(
  edgar: EdgarDouble,
  symbols: Readonly<Record<string, string>> = { AAA: '0000000001' },
): void {
  const list = Object.entries(symbols);
  edgar.route(
    '/www.sec.gov/files/company_tickers_exchange.json',
    json({
      fields: ['cik', 'name', 'ticker', 'exchange'],
      data: list.map(([ticker, cik]) => [Number(cik), 'N', ticker, 'NYSE']),
    }),
  );
  edgar.route(
    '/www.sec.gov/files/company_tickers.json',
    json(
      Object.fromEntries(list.map(([ticker, cik], at) => [at, { cik_str: Number(cik), ticker, title: 'N' }])),
    ),
  );
}
