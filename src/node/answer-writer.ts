import type { ServerResponse } from 'node:http';
import { complete } from '../requests/complete.ts';
import type { Services } from '../requests/services.ts';
import type { Connections } from '../http/connections.ts';
import type { Exchange, Reply, StreamReply } from '../http/exchange.ts';
import { toApiError } from '../http/failures.ts';
import type { RequestLog } from './request-log.ts';

/** Writes answers to the connections of a server. */
export interface AnswerWriter {
  /** Counts a request as in flight until its answer is sent or its client is gone, and logs it then. */
  countUntilSent(outgoing: ServerResponse, exchange: Exchange, startedAt: number): void;
  /** Writes an answer at once. */
  now(outgoing: ServerResponse, exchange: Exchange, reply: Reply): void;
  /**
   * Writes an answer together with the others of this round of the event loop. `startedAt` is when its
   * request had arrived, or null if the request counts as in flight already.
   */
  soon(outgoing: ServerResponse, exchange: Exchange, reply: Reply, startedAt: number | null): void;
  /** Sends a stream, piece by piece. */
  stream(outgoing: ServerResponse, exchange: Exchange, reply: StreamReply): Promise<void>;
}

/** An answer that is not written yet. */
interface ReadyAnswer {
  readonly outgoing: ServerResponse;
  readonly exchange: Exchange;
  readonly reply: Reply;
  readonly startedAt: number | null;
  /** Gives back its bytes in `Services.unsent`; null if they are not counted. */
  readonly release: (() => void) | null;
}

/** Makes the writer of a server. */
export function createAnswerWriter(
  services: Services,
  connections: Connections,
  requests: RequestLog,
): AnswerWriter {
  const { counts, unsent } = services;
  // A write wakes the process of a client that waits, which takes as long as to make an answer from the
  // cache; one that was just woken by the answer before it need not be woken again. So the answers of a round
  // are written together.
  let ready: ReadyAnswer[] = [];

  function write(outgoing: ServerResponse, exchange: Exchange, reply: Reply): void {
    const { status, headers, body } = complete(services, exchange, reply);
    exchange.bytes = body?.length ?? 0;
    outgoing.writeHead(status, headers);
    outgoing.end(exchange.method === 'HEAD' ? null : body);
    connections.hold(outgoing, exchange.caller);
  }

  /** Writes the answers that are ready, one right after the other, and logs those that are sent. */
  function writeReady(): void {
    const written = ready;
    ready = [];
    for (const { outgoing, exchange, reply, release } of written) {
      release?.();
      write(outgoing, exchange, reply);
    }
    for (const { outgoing, exchange, startedAt } of written) {
      if (startedAt === null) continue;
      // Most answers are with the operating system by now: nothing has to be waited for.
      if (outgoing.writableFinished || outgoing.destroyed) requests.answered(outgoing, exchange, startedAt);
      else countUntilSent(outgoing, exchange, startedAt);
    }
  }

  function countUntilSent(outgoing: ServerResponse, exchange: Exchange, startedAt: number): void {
    counts.inFlight++;
    connections.keepUntilSent(outgoing);
    outgoing.once('close', () => {
      counts.inFlight--;
      requests.answered(outgoing, exchange, startedAt);
    });
  }

  return {
    countUntilSent,
    now: write,
    soon(outgoing, exchange, reply, startedAt) {
      // The bytes of an answer that was just made count as unsent from now on, so that no other one begins
      // without room.
      const release = startedAt === null ? unsent.add(exchange.caller, reply.body?.length ?? 0) : null;
      if (ready.push({ outgoing, exchange, reply, startedAt, release }) === 1) setImmediate(writeReady);
    },
    async stream(outgoing, exchange, reply) {
      const { status, headers, body } = complete(services, exchange, reply);
      try {
        outgoing.writeHead(status, headers);
        const count = requests.streaming(outgoing, exchange);
        for await (const piece of body) {
          if (outgoing.destroyed) break;
          exchange.bytes += piece.length;
          if (!outgoing.write(piece)) await taken(outgoing);
          count();
        }
        outgoing.end();
      } catch (error) {
        toApiError(services.log, exchange, error);
        outgoing.destroy();
      }
    },
  };
}

/** Waits until a client has taken most of what was written, or is gone. */
function taken(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      outgoing.off('drain', end).off('close', end);
      resolve();
    };
    outgoing.on('drain', end).on('close', end);
  });
}
