import * as z from 'zod';

/** Every error code with its HTTP status. The set is closed. */
export const errorStatus = {
  invalid_parameter: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  not_found: 404,
  company_not_found: 404,
  filing_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  internal_error: 500,
  overloaded: 503,
  snapshot_unavailable: 503,
} as const;

/** One of the closed set of error codes. */
export type ErrorCode = keyof typeof errorStatus;

/** The body of every error. */
export const ErrorResponse = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
    }),
  })
  .meta({
    id: 'ErrorResponse',
    description: 'What went wrong: a code from a closed set, and a sentence for a person.',
  });

/** Messages of errors that always have the same message. */
export const usualMessages = {
  unauthorized: 'Invalid or missing API key',
  rate_limited: 'Too many requests at once; try again in a second.',
  overloaded: 'The service has more to do than it can; try again in a second.',
  internal_error: 'Something went wrong here; the log says what.',
  snapshot_unavailable: 'No good snapshot is available; the log says why.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** What each error code means, and what to do about it. */
export const errorHelp: Readonly<Record<ErrorCode, { readonly meaning: string; readonly advice: string }>> = {
  invalid_parameter: {
    meaning:
      'A parameter is missing, unknown, given twice, or not what is allowed; or filters can never match together.',
    advice: 'The message names it, what is allowed, and what came.',
  },
  invalid_cursor: {
    meaning: 'The cursor is damaged, or comes from another service or ledger.',
    advice: 'Begin again with since.',
  },
  unauthorized: {
    meaning: 'The key is missing, wrong, expired or revoked.',
    advice: 'Check the header. Every cause has the same message.',
  },
  not_found: { meaning: 'Nothing is at this path.', advice: 'GET / names what there is.' },
  company_not_found: { meaning: 'No company has this ticker or CIK.', advice: 'Search for its name.' },
  filing_not_found: {
    meaning: 'No filing has this accession number.',
    advice: 'The service knows only the filings of its companies.',
  },
  method_not_allowed: {
    meaning: 'Operations are reads.',
    advice: 'Use GET; Allow names what else there is.',
  },
  not_acceptable: { meaning: 'The client accepts no JSON.', advice: 'Send accept: application/json.' },
  payload_too_large: { meaning: 'The body of a tool call is too large.', advice: 'Send less.' },
  unsupported_media_type: {
    meaning: 'The Content-Type of the body is not JSON.',
    advice: 'Send content-type: application/json.',
  },
  range_not_satisfiable: {
    meaning: 'The range begins behind the end of the document.',
    advice: 'Content-Range says how long it is.',
  },
  rate_limited: {
    meaning: 'The key or buyer made more requests than it may make in a minute, or has too many that wait.',
    advice: 'Wait as many seconds as Retry-After says. RateLimit on other answers says how many are left.',
  },
  internal_error: {
    meaning: 'Something broke.',
    advice: 'Try again later; the operator sees it in the log.',
  },
  overloaded: {
    meaning:
      'The service has more to do than it can: too many requests at once, or answers that clients do not take.',
    advice: 'Wait as many seconds as Retry-After says.',
  },
  snapshot_unavailable: {
    meaning: 'There is no good snapshot to serve.',
    advice: 'Wait as many seconds as Retry-After says.',
  },
};

const shownCharacters = 60;

/** A value as messages show it: as JSON, shortened if it is long. */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value);
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/** The message for a value that is not allowed: its name, what is allowed, and what came. */
export function mustBe(name: string, wanted: string, came: unknown): string {
  return `${name}: must be ${wanted}, not ${shown(came)}`;
}

/** Seconds after which a client should try again, for errors that pass. */
const usualHeaders: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, string>>>>> = {
  rate_limited: { 'Retry-After': '1' },
  overloaded: { 'Retry-After': '1' },
  snapshot_unavailable: { 'Retry-After': '30' },
};

/**
 * An error that a client is told about. Its code gives the status; its message names what is allowed and what
 * came.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** Headers of its answer beside the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = usualHeaders[code] ?? {},
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}
