import type { Behaviour } from '../edgar/edgar-double.ts';

/** Where the bulk archive lies on an EDGAR double. */
export const archiveRoute = '/www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip';
/** When it was made. */
export const archiveMade = 'Sat, 21 Mar 2026 07:00:00 GMT';

interface Manners {
  readonly etag?: string;
  /** After so many bytes of an answer the connection breaks. */
  readonly breakAfter?: number;
  /** How many bytes the client has stored. A client loses bytes that it has not read when a connection breaks. */
  readonly storedBytes?: () => number;
}

/** A long file as a server sends it that knows Range, If-Range and If-None-Match. */
export function longFile(
  content: Buffer,
  { etag = '"one"', breakAfter = Infinity, storedBytes = () => breakAfter }: Manners = {},
): Behaviour {
  return (request, response) => {
    const validators = { etag, 'last-modified': archiveMade };
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, validators).end();
    const wanted =
      request.headers['if-range'] === undefined || request.headers['if-range'] === etag
        ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
        : 0;
    const bytes = content.subarray(wanted);
    response.writeHead(wanted > 0 ? 206 : 200, {
      ...validators,
      'content-length': bytes.length,
      ...(wanted > 0 ? { 'content-range': `bytes ${wanted}-${content.length - 1}/${content.length}` } : {}),
    });
    if (breakAfter >= bytes.length) return void response.end(bytes);
    response.write(bytes.subarray(0, breakAfter));
    const waiting = setInterval(() => {
      if (storedBytes() !== breakAfter) return;
      clearInterval(waiting);
      request.socket.destroy();
    }, 10);
  };
}
