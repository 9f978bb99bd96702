import type { Behaviour } from '../edgar/edgar-double.ts';

/** Where the bulk archive lies on an EDGAR double. */
export const archiveRoute = '/www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip';
/** When it was made. */
export const archiveMade = 'Sat, 21 Mar 2026 07:00:00 GMT';

/** A long file as a server sends it that knows Range, If-Range and If-None-Match. */
export function longFile(content: Buffer, { etag = '"one"' }: { readonly etag?: string } = {}): Behaviour {
  return (request, response) => {
    const validators = { etag, 'last-modified': archiveMade };
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, validators).end();
    const wanted =
      request.headers['if-range'] === undefined || request.headers['if-range'] === etag
        ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
        : 0;
    const bytes = content.subarray(wanted);
    response
      .writeHead(wanted > 0 ? 206 : 200, {
        ...validators,
        'content-length': bytes.length,
        ...(wanted > 0 ? { 'content-range': `bytes ${wanted}-${content.length - 1}/${content.length}` } : {}),
      })
      .end(bytes);
  };
}
