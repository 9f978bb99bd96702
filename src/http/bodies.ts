import type { IncomingMessage } from 'node:http';
import { bodyBytesMaximum } from './exchange.ts';

/** Limits for requests whose bodies are arriving: their number, and the bytes that have arrived. */
const arrivingMaximum = 1000;
const arrivingBytesMaximum = 32 * 1024 * 1024;

/** Reads the bodies of requests before they count as in flight, so that slow senders do not block others. */
export interface BodyReader {
  /**
   * Calls `done` with the text of the body when it has arrived whole, or with null if it is longer than
   * `bodyBytesMaximum`. Does not call it if the connection is closed before that.
   */
  read(incoming: IncomingMessage, done: (text: string | null) => void): void;
}

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Makes a reader of bodies. If too many bodies are arriving, the connection of the request that began first
 * is closed.
 */
export function createBodyReader(
  countMaximum = arrivingMaximum,
  bytesMaximum = arrivingBytesMaximum,
): BodyReader {
  /** Bytes that have arrived of each request, in the order in which the requests began. */
  const arriving = new Map<IncomingMessage, number>();
  let held = 0;

  function add(incoming: IncomingMessage, bytes: number): void {
    arriving.set(incoming, (arriving.get(incoming) ?? 0) + bytes);
    held += bytes;
    for (const oldest of arriving.keys()) {
      if ((arriving.size <= countMaximum && held <= bytesMaximum) || oldest === incoming) break;
      remove(oldest);
      oldest.destroy();
    }
  }

  function remove(incoming: IncomingMessage): void {
    held -= arriving.get(incoming) ?? 0;
    arriving.delete(incoming);
  }

  return {
    read(incoming, done) {
      if (Number(incoming.headers['content-length'] ?? 0) > bodyBytesMaximum) return done(null);
      const pieces: Buffer[] = [];
      let bytes = 0;
      add(incoming, 0);
      const finish = (text: string | null) => {
        if (!arriving.has(incoming)) return;
        remove(incoming);
        done(text);
      };
      incoming.on('data', (piece: Buffer) => {
        bytes += piece.length;
        // Bytes beyond the limit are read from the connection and dropped.
        if (bytes > bodyBytesMaximum) return finish(null);
        pieces.push(piece);
        if (arriving.has(incoming)) add(incoming, piece.length);
      });
      incoming.once('end', () =>
        finish(pieces.length === 1 ? (pieces[0] as Buffer).toString() : Buffer.concat(pieces).toString()),
      );
      incoming.once('error', () => remove(incoming));
      incoming.once('close', () => remove(incoming));
    },
  };
}
