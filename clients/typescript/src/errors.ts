import type { ErrorResponse } from './generated.ts';

/** A code of the service. The set is closed. Example: `const code: ErrorCode = 'company_not_found'`. */
export type ErrorCode = ErrorResponse['error']['code'];

/**
 * What can go wrong on this side: no answer came, what came is not an answer of the service or is too long, a file is
 * not what its digest says, a pointer is not signed as it must be, or there is no SQLite.
 * Example: `const code: ClientErrorCode = 'connection_failed'`.
 */
export type ClientErrorCode =
  | 'connection_failed'
  | 'unexpected_answer'
  | 'answer_too_long'
  | 'digest_mismatch'
  | 'untrusted_pointer'
  | 'mirror_mismatch'
  | 'no_sqlite';

/** What is known of an error beside its message. Example: `{ code: 'not_found', status: 404 }`. */
export interface ErrorFacts {
  readonly code: ErrorCode | ClientErrorCode;
  /** Null if no answer came. */
  readonly status?: number | null;
  /** The id of the request, which the log of the service has, too. */
  readonly requestId?: string | null;
  /** Seconds after which the service wants to be asked again; 0 if it does not say. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/**
 * Every error that this package throws. `code` says what happened, `message` says it to a person.
 *
 * Example: `catch (error) { if (error instanceof FilingEventsError && error.code === 'company_not_found') … }`
 */
export class FilingEventsError extends Error {
  readonly code: ErrorCode | ClientErrorCode;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number;

  constructor(
    message: string,
    { code, status = null, requestId = null, retryAfterSeconds = 0, cause }: ErrorFacts,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'FilingEventsError';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether the same request may succeed later: after 429, 5xx, or where no answer came. */
  get isPassing(): boolean {
    return this.code === 'connection_failed' || this.status === 429 || (this.status ?? 0) >= 500;
  }
}
