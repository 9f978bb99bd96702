import type { Behaviour } from '../edgar/edgar-double.ts';

/** Where the bulk archive lies on an EDGAR double. */
export const archiveRoute = '/www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip';
/** When it was made. */
export const archiveMade = 'Sat, 21 Mar 2026 07:00:00 GMT';

/** How a server sends a long file. */
export interface Manners {
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** Whether it knows Range and If-Range. */
  readonly ranges?: boolean;
  /** Sends so many bytes of the answer, and breaks the connection when the client has them. */
  readonly breakAfter?: number;
  /** Gets what has to be told how many bytes of the file the client has, so that the connection breaks. */
  readonly onBreak?: (told: (received: number) => void) => void;
}

/** A long file as a server sends it that knows Range, If-Range and If-None-Match. */
export function longFile(
  content: Buffer,
  {
    etag = '"one"',
    lastModified: modified = archiveMade,
    ranges = true,
    breakAfter = Infinity,
    onBreak = () => {},
  }: Manners = {},
): Behaviour {
  return (request, response) => {
    const validators = {
      ...(etag === null ? {} : { etag }),
      ...(modified === null ? {} : { 'last-modified': modified }),
    };
    if (etag !== null && request.headers['if-none-match'] === etag)
      return void response.writeHead(304, validators).end();
    const condition = request.headers['if-range'];
    const isSame = condition === undefined || [etag, modified].includes(String(condition));
    const from = ranges && isSame ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    if (from > 0 && from >= content.length)
      return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    const bytes = content.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      ...validators,
      'content-length': bytes.length,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
    });
    if (breakAfter >= bytes.length) return void response.end(bytes);
    onBreak((received) => void (received >= from + breakAfter && request.socket.destroy()));
    response.write(bytes.subarray(0, breakAfter));
  };
}
