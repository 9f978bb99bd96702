import type { ServerResponse } from 'node:http';
import type { EndpointId } from '../contract/endpoints.ts';
import type { Services } from '../requests/services.ts';
import { pathOf, type Exchange } from '../http/exchange.ts';
import { requestIdOf } from '../http/failures.ts';

/** Operations that monitoring asks for every few seconds; the log marks them as probes. */
const probeOperations: readonly string[] = ['getLive', 'getReady'] satisfies EndpointId[];

/** Tells log, metrics and usage of each request, once. */
export interface RequestLog {
  /** A request was answered, or its client is gone. `startedAt` is when it had arrived, by `performance.now()`. */
  answered(outgoing: ServerResponse, exchange: Exchange, startedAt: number): void;
  /**
   * A stream begins, which may last for days: its request counts for its caller now, and its bytes when they
   * are sent. Call the function that is returned after each piece; what is sent at the end counts by itself.
   */
  streaming(outgoing: ServerResponse, exchange: Exchange): () => void;
  /** Bytes that are no request of this service were refused. */
  refused(exchange: Exchange, status: number, bytes: number): void;
}

/** Makes the log of a server's requests. */
export function createRequestLog({
  log,
  counts,
  usage,
  now,
}: Pick<Services, 'log' | 'counts' | 'usage' | 'now'>): RequestLog {
  function countCaller(caller: string, status: number, bytes: number, requests: number): void {
    counts.caller(caller, status, bytes, requests);
    usage.count(caller, now(), status, bytes, requests);
  }

  return {
    streaming(outgoing, exchange) {
      // A key that is revoked meanwhile is no caller any more, but what was sent was sent to it.
      const { caller } = exchange;
      exchange.isCounted = true;
      if (caller === null) return () => {};
      let counted = 0;
      const count = (requests: number) => {
        const bytes = Math.max(0, sentOf(outgoing, exchange) - counted);
        if (bytes > 0 || requests > 0) countCaller(caller, outgoing.statusCode, bytes, requests);
        counted += bytes;
      };
      count(exchange.calls);
      outgoing.once('close', () => count(0));
      return () => count(0);
    },
    answered(outgoing, exchange, startedAt) {
      const { method, target, operation, heldMs, heldSinceMs, caller, failure } = exchange;
      const nowMs = performance.now();
      const durationMs = nowMs - startedAt;
      const atMs = now();
      const heldNowMs = heldSinceMs === null ? 0 : nowMs - heldSinceMs;
      counts.request(operation, outgoing.statusCode, durationMs - heldMs - heldNowMs);
      const sent = sentOf(outgoing, exchange);
      if (caller !== null && !exchange.isCounted)
        countCaller(caller, outgoing.statusCode, sent, exchange.calls);
      log.request({
        atMs,
        method,
        path: pathOf(target),
        status: outgoing.statusCode,
        durationMs,
        bytes: sent,
        caller,
        // A client that went before its answer was made has had none.
        requestId: requestIdOf(exchange),
        failure,
        isWhole: outgoing.writableFinished,
        isProbe: probeOperations.includes(operation),
      });
    },
    refused({ method, target, operation, requestId, failure }, status, bytes) {
      counts.request(operation, status, 0);
      log.request({
        atMs: now(),
        method,
        path: pathOf(target),
        status,
        durationMs: 0,
        bytes,
        caller: null,
        requestId,
        failure,
        isWhole: true,
        isProbe: false,
      });
    },
  };
}

/** How many bytes of the body are with the operating system. */
function sentOf(outgoing: ServerResponse, { method, bytes }: Exchange): number {
  if (method === 'HEAD') return 0;
  return outgoing.writableFinished ? bytes : Math.max(0, bytes - outgoing.writableLength);
}
