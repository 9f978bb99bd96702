import type { IncomingMessage } from 'node:http';
import { bodyBytesMaximum } from './exchange.ts';

/**
 * What clients that send slowly may hold: so many requests whose bodies are on their way, with so many bytes
 * of them.
 */
const arrivingMaximum = 1000;
const arrivingBytesMaximum = 32 * 1024 * 1024;

/**
 * Reads bodies of requests before the requests are let in, so that clients that send slowly keep nobody out.
 */
export interface BodyReader {
  /**
   * Calls `done` with the text of the body when it has arrived whole; with null if it is longer
   * than `bodyBytesMaximum`. Does not call it for a request whose connection is closed before that.
   */
  read(incoming: IncomingMessage, done: (text: string | null) => void): void;
}

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Makes a reader of bodies. Where too many are on their way, the connection of the one that began first is
 * closed.
 */
export function createBodyReader(
  countMaximum = arrivingMaximum,
  bytesMaximum = arrivingBytesMaximum,
): BodyReader {
  /** Bytes that have arrived, by request, in the order in which they began. */
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
        // What comes after the limit is taken from the connection and forgotten.
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
