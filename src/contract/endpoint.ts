import type * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Parameter } from './parameter.ts';
import type { ReferenceSection } from './reference.ts';

/** How an answer is made from a snapshot: the kind names the table or document, and the envelope. */
export type AnswerPlan =
  | {
      readonly kind:
        | 'root'
        | 'live'
        | 'ready'
        | 'health'
        | 'stats'
        | 'demo'
        | 'openapi'
        | 'search'
        | 'companies'
        | 'watchlist'
        | 'subscription'
        | 'validation'
        | 'feed'
        | 'profile'
        | 'summary'
        | 'ownership'
        | 'transactions'
        | 'counts'
        | 'filings'
        | 'bulk'
        | 'bulkFile';
    }
  /**
   * A page of filings, newest first: of all companies, or of the company that the request names. `insiders`:
   * only Forms 3, 4 and 5; for a company, those of which it is the issuer.
   */
  | { readonly kind: 'history'; readonly rows?: 'events'; readonly insiders?: true }
  /** The whole reference, or one of its lists. */
  | { readonly kind: 'reference'; readonly section?: ReferenceSection };

/**
 * An operation of the service. Routes, validation, the OpenAPI document and the contract tests loop over all
 * of them.
 */
export interface Endpoint {
  readonly id: string;
  readonly path: string;
  readonly access: 'public' | 'keyed';
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly parameter: Parameter; readonly required?: boolean }[];
  readonly response: z.ZodType | null;
  /** The content type of an answer that is a file instead of JSON. */
  readonly fileType?: string;
  readonly errors: readonly ErrorCode[];
  /** A path and query that works on the embedded sample. */
  readonly example: string;
  readonly answer: AnswerPlan;
}

/** Whether an answer must not be stored by caches, because it is about this process and this moment. */
export function isFresh({ kind }: AnswerPlan): boolean {
  return kind === 'live' || kind === 'ready' || kind === 'health';
}

/** Whether the answers of an operation are data of the snapshot, so that their headers say how fresh it is. */
export function isOfData({ path, answer: { kind } }: Endpoint): boolean {
  return path.startsWith('/v1/sec/') || kind === 'demo' || kind === 'health';
}

/** Whether clients may ask for a range of an answer: of files, and of every public document. */
export function takesRanges({ access, fileType, answer }: Endpoint): boolean {
  return fileType !== undefined || (access === 'public' && !isFresh(answer));
}

/** Whether an operation gives a stream of events to clients that accept `text/event-stream`. */
export function isStreamed({ answer: { kind } }: Endpoint): boolean {
  return kind === 'feed' || kind === 'watchlist';
}
