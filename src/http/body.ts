import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { ApiError } from '../contract/errors.ts';
import type { RequestFacts } from './respond.ts';

/** More bodies than this at the same time are turned away: clients that send slowly must not keep the others out. */
const readingMaximum = 500;
let reading = 0;

/** A body arrives once; whoever asks for it later gets what was read. */
const bodies = new WeakMap<IncomingMessage, Promise<string | null>>();

/**
 * The text of a request's body; null if it is longer than so many bytes, of which no more than that were kept. It is read
 * where Node has it: making a web stream of it first takes longer than to answer. Rejects if the body does not arrive
 * whole, and with `rate_limited` if too many are on their way.
 */
export function boundedText({ env, req }: Context<{ Bindings: RequestFacts }>, bytesMaximum: number): Promise<string | null> {
  if (env?.incoming) return incomingText(env.incoming, bytesMaximum);
  return Number(req.header('content-length') ?? 0) > bytesMaximum ? Promise.resolve(null) : readStream(req.raw, bytesMaximum);
}

/** The same from Node's own request. */
export function incomingText(incoming: IncomingMessage, bytesMaximum: number): Promise<string | null> {
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMaximum) return Promise.resolve(null);
  const known = bodies.get(incoming);
  if (known) return known;
  if (reading >= readingMaximum) return Promise.reject(new ApiError('rate_limited', 'Too many messages at once; try again in a second.'));
  reading++;
  const text = readIncoming(incoming, bytesMaximum).finally(() => reading--);
  bodies.set(incoming, text);
  return text;
}

function readIncoming(incoming: IncomingMessage, bytesMaximum: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (piece: Buffer) => {
      bytes += piece.length;
      // What comes after that is taken from the connection and forgotten.
      if (bytes > bytesMaximum) resolve(null);
      else pieces.push(piece);
    });
    incoming.once('end', () => resolve(pieces.length === 1 ? (pieces[0] as Buffer).toString() : Buffer.concat(pieces).toString()));
    incoming.once('error', reject);
    incoming.once('close', () => {
      if (!incoming.complete) reject(new Error('the connection was closed before the body had arrived'));
    });
  });
}

async function readStream(request: Request, bytesMaximum: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMaximum) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
