import { hash } from 'node:crypto';

/** An answer before it is sent: its ETag, its headers and its bytes. */
export interface Answer {
  readonly contentType: string;
  /** Strong ETag with its quotes, of the bytes without compression. */
  readonly etag: string;
  body(): Buffer;
  /** The operation that it answers, for metrics, if the response cache keeps the answer. */
  readonly operation?: string;
  /** Whether it is a list without rows that a later publication may bring rows to. */
  readonly isEmpty?: boolean;
  /** The cursor of the next page of a list, if there are more rows now. */
  readonly next?: string;
  /** Whether a page of a stream has all changes that there are now. */
  readonly isWhole?: boolean;
  /** The buckets of a watchlist, by position, that have more changes now than the answer gives. */
  readonly cut?: ReadonlySet<number>;
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
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}
