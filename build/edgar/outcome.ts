import { redirects } from '../../src/fetch/wire.ts';
import type { EdgarReply } from './reply.ts';

/** What an answer means for the request. Pauses are in milliseconds, 0 if upstream named none. */
export type Outcome =
  | { readonly kind: 'body'; readonly answer: EdgarReply }
  | { readonly kind: 'not_modified' }
  /** The file does not exist, or not yet. */
  | { readonly kind: 'absent'; readonly status: number; readonly reason: string }
  | { readonly kind: 'moved'; readonly status: number; readonly location: string }
  /** This address sends too many requests. */
  | { readonly kind: 'throttled'; readonly status: number; readonly reason: string; readonly pauseMs: number }
  /** Another attempt may succeed. */
  | { readonly kind: 'retry'; readonly reason: string; readonly pauseMs: number }
  /**
   * Another attempt will not succeed. If upstream does not accept the User-Agent (`user_agent_rejected`), any
   * further request makes it worse.
   */
  | { readonly kind: 'failed'; readonly as: FailureKind; readonly reason: string };

/** An outcome after a redirect has been followed. */
export type FinalOutcome = Exclude<Outcome, { kind: 'moved' }>;

/** Why a file could not be fetched: see `EdgarUnavailable`. */
export type FailureKind = 'unavailable' | 'throttled' | 'too_large' | 'user_agent_rejected';

/**
 * Returns why a file could not be fetched, of an `EdgarUnavailable`, also one that was thrown in another
 * thread; undefined for any other error.
 */
export function failureKindOf(error: unknown): FailureKind | undefined {
  return (error as { readonly kind?: FailureKind }).kind;
}

/** Whether an error says that upstream does not accept this client: any further request makes that worse. */
export function isClientRejected(error: unknown): boolean {
  return failureKindOf(error) === 'user_agent_rejected';
}

const transient = new Set([403, 408, 425]);

/**
 * Tells what an answer means. EDGAR answers 403 for three reasons. Only the page tells which:
 *
 * - HTML titled "Request Rate Threshold Exceeded": EDGAR blocks this address until it has sent fewer requests
 *   for ten minutes (SEC, "Accessing EDGAR Data"). The text of this page speaks of undeclared tools, too.
 * - HTML titled "Your Request Originates from an Undeclared Automated Tool": EDGAR refuses the User-Agent
 *   (same source).
 * - XML with `AccessDenied`: EDGAR has not published this index yet (seen in recorded answers).
 *
 * The two pages of HTML say so with any status, also in place of a file that was asked for. EDGAR answers 404
 * with `NoSuchKey` if a submissions file does not exist.
 */
export function outcomeOf(
  answer: EdgarReply,
  isConditional: boolean,
  nowMs: number,
  isDownload = false,
): Outcome {
  const { status } = answer;
  // `take` in download.ts has checked that this part continues the part on disk.
  if (status === 206 && isDownload) return { kind: 'body', answer };
  if (status === 304 && isConditional) return { kind: 'not_modified' };
  const page = answer.body.toString('latin1', 0, pageBytes);
  const reason = describe(status, page);
  const pauseMs = parseRetryAfter(answer.retryAfter, nowMs);
  const block = blockOf(page, status);
  if (block === 'throttled') return { kind: 'throttled', status, reason, pauseMs };
  if (block !== null) return { kind: 'failed', as: block, reason };
  if (status === 200 && isDownload && answer.body.length > 0)
    return { kind: 'retry', reason: `a page of HTML instead of the file: ${reason}`, pauseMs: 0 };
  if (status === 200)
    return answer.isWhole
      ? { kind: 'body', answer }
      : { kind: 'failed', as: 'too_large', reason: 'the body is longer than allowed' };
  if (redirects.has(status) && answer.location !== null)
    return { kind: 'moved', status, location: answer.location };
  if (status === 429) return { kind: 'throttled', status, reason, pauseMs };
  if (status === 404 || status === 410) return { kind: 'absent', status, reason };
  if (status === 403 && /<Code>(AccessDenied|NoSuchKey)<\/Code>/.test(page))
    return { kind: 'absent', status, reason };
  // A machine between here and EDGAR's storage sent any other 403, so it says nothing about the file.
  if (status >= 500 || status < 400 || transient.has(status)) return { kind: 'retry', reason, pauseMs };
  return { kind: 'failed', as: 'unavailable', reason };
}

/** How much of an answer is read to tell whether it is a page of EDGAR's that says why there is no file. */
const pageBytes = 64 * 1024;

/** Whether a text begins as a page of HTML does. */
export const isHtml = (text: string): boolean =>
  /^[^<]{0,100}<(?:!doctype html|html|head|title)\b/i.test(text);

const rateWords = /Request Rate Threshold Exceeded/i;
const toolWords = /Undeclared Automated Tool/i;

/**
 * Tells from a page whether EDGAR blocks this address or refuses the User-Agent. The title decides, and the
 * text only where the title says neither. If the text has the words of both, the address is blocked: that
 * ends, and then the client is told again. Null if it says neither. With status 200 it may be a file that was
 * asked for, so only the title of a page of HTML counts.
 */
function blockOf(page: string, status: number): 'throttled' | 'user_agent_rejected' | null {
  if (status === 200 && !isHtml(page)) return null;
  const title = titleOf(page) ?? '';
  for (const text of status === 200 ? [title] : [title, page]) {
    if (rateWords.test(text)) return 'throttled';
    if (toolWords.test(text)) return 'user_agent_rejected';
  }
  return null;
}

const titleOf = (page: string) => /<title\b[^<>]{0,100}>([^<]{0,1000})</i.exec(page)?.[1] ?? null;

function describe(status: number, page: string): string {
  const title = titleOf(page) ?? /<Code>([^<]*)<\/Code>/.exec(page)?.[1] ?? '';
  const words = title
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 100);
  return `HTTP ${status}${words === '' ? '' : ` (${words})`}`;
}

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3), which is a number of seconds or a date. Returns
 * milliseconds.
 */
function parseRetryAfter(text: string | null, nowMs: number): number {
  if (text === null) return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? 0 : Math.max(0, until - nowMs);
}
