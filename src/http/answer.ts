import { hash } from 'node:crypto';

/** An answer before it is sent: what it is known by, and its bytes. */
export interface Answer {
  readonly contentType: string;
  /** Strong ETag with its quotes, of the bytes without compression. */
  readonly etag: string;
  body(): Buffer;
  /** The operation that it answers, where it is kept under what was asked. */
  readonly operation?: string;
  /** Whether it is a list that has no row. */
  readonly isEmpty?: boolean;
  /** Headers beside the usual ones, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same bytes compressed, where they were compressed at build time or for an earlier request. */
  br?(): Promise<Buffer>;
  gzip?(): Promise<Buffer>;
}

/** An ETag for the content that a text stands for. */
export function etagFor(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}
