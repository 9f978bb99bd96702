import { eventStreamType } from '../contract/parameters.ts';

/**
 * Entries of a header that are read. Browsers send ten; 16 KB of headers have room for thousands, which would
 * take milliseconds of every request.
 */
const entriesMaximum = 64;

/**
 * The weights that a header such as `Accept` or `Accept-Encoding` gives to its first entries (RFC 9110,
 * section 12.4.2).
 */
function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const entry of header.split(',', entriesMaximum)) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return weights;
}

/** Whether to send HTML: `text/html` is accepted and weighs more than JSON, as browsers ask. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = weightsOf(accept);
  return (weights.get('text/html') ?? 0) > (weights.get('application/json') ?? 0);
}

/** A type of content is the same in upper and lower case. */
const namesEvents = new RegExp(eventStreamType, 'i');

/** Whether to send a stream of events: `text/event-stream` is named, and weighs more than JSON. */
export function prefersEvents(accept: string | undefined): boolean {
  // Most requests need no look at weights.
  if (accept === undefined || !namesEvents.test(accept)) return false;
  const weights = weightsOf(accept);
  return (weights.get(eventStreamType) ?? 0) > (weights.get('application/json') ?? 0);
}

/**
 * The encoding to send: of the encodings that an answer has, the one with the greatest weight in
 * `Accept-Encoding` (RFC 9110, section 12.5.3). If br and gzip weigh the same, br is sent.
 *
 * Written here because packages do less: `negotiator` does not know `x-gzip`, and `hono/accepts` passes over
 * `*`.
 */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  has: { readonly br?: unknown; readonly gzip?: unknown },
): 'br' | 'gzip' | 'identity' {
  if (acceptEncoding === undefined) return 'identity';
  const weights = weightsOf(acceptEncoding);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const br = has.br ? weightOf('br') : 0;
  const gzip = has.gzip ? Math.max(weightOf('gzip'), weights.get('x-gzip') ?? 0) : 0;
  const identity = weights.get('identity') ?? 0;
  if (br > 0 && br >= gzip && br >= identity) return 'br';
  return gzip > 0 && gzip >= identity ? 'gzip' : 'identity';
}
