import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../answers/body.ts';
import { prepare, type Caching, type Sent } from './send.ts';

/** What the server passes in with a request, and what the log wants to know when it is answered. */
export interface RequestFacts {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
  /** The id of the key, `gateway`, or null. */
  caller?: string | null;
  bytes?: number;
}

/** Reads a header of a request by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** Reads headers where Node has parsed them already; making a `Headers` of them first would cost more than the answer. */
export function readerOf(facts: RequestFacts | undefined, otherwise: HeaderReader): HeaderReader {
  const incoming = facts?.incoming?.headers;
  if (!incoming) return otherwise;
  return (name) => headerText(incoming[name]);
}

/** A header that was sent more than once is one with commas between. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Sends an answer as the headers of the request want it. */
export function send(facts: RequestFacts | undefined, header: HeaderReader, found: Answer, caching: Caching): Response | Promise<Response> {
  const sent = prepare(header('if-none-match'), header('accept-encoding'), found, caching);
  return sent instanceof Promise ? sent.then((late) => respond(facts, late)) : respond(facts, sent);
}

/** Sends what was prepared. */
export function respond(facts: RequestFacts | undefined, { status, headers, body }: Sent): Response {
  if (facts) facts.bytes = body?.length ?? 0;
  return new Response(body as Uint8Array<ArrayBuffer> | null, { status, headers });
}
