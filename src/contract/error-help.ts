import type { ErrorCode } from './errors.ts';

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
