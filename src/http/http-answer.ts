import { hash } from 'node:crypto';

/** Where a page of a list ends. */
export interface PageEnd {
  /** Whether it has no rows, and a later publication may bring some. */
  readonly isEmpty: boolean;
  /** Whether there are no more rows behind it now. */
  readonly isWhole: boolean;
  /** The cursor that goes on behind it; null if nothing can come behind it. */
  readonly cursor: string | null;
}

/** An answer before it is sent: its ETag, its headers and its bytes. */
export interface Answer {
  readonly contentType: string;
  /** Strong ETag with its quotes, of the bytes without compression. */
  readonly etag: string;
  body(): Buffer;
  /** The operation that it answers, for metrics, if the response cache keeps the answer. */
  readonly operation?: string;
  /** Where it ends, if it is a page of a list that goes on. */
  readonly end?: PageEnd;
  /** Headers that are added to the usual ones or replace them. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The same bytes compressed, if they were compressed at build time or the response cache compresses them.
   * Null if too many bytes wait for compression: then the bytes are sent as they are.
   */
  br?(): Promise<Buffer>;
  gzip?(): Promise<Buffer> | null;
}

/** The ETag of a content: 22 characters of its SHA-256, with quotes. */
export function etagFor(content: string | Buffer): string {
  return etagOf(hash('sha256', content, 'base64url'));
}

/** The ETag that follows from the SHA-256 of a content, in base64url. */
export const etagOf = (digest: string) => `"${digest.slice(0, 22)}"`;

/** An answer that is kept or streamed, and never sent with an ETag. */
export function bytesAnswer(contentType: string, bytes: Buffer): Answer {
  return { contentType, etag: '', body: () => bytes };
}
