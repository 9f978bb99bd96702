import type { ServerResponse } from 'node:http';
import type { EndpointId } from '../contract/endpoints.ts';
import type { Services } from '../requests/services.ts';
import { pathOf, type Exchange } from '../http/exchange.ts';

/** Operations that monitoring asks for every few seconds; the log marks them as probes. */
const probeOperations: readonly string[] = ['getLive', 'getReady'] satisfies EndpointId[];

/** Tells log, metrics and usage of each request, once. */
export interface RequestLog {
  /** A request was answered, or its client is gone. `startedAt` is when it had arrived, by `performance.now()`. */
  answered(outgoing: ServerResponse, exchange: Exchange, startedAt: number): void;
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
  return {
    answered(outgoing, exchange, startedAt) {
      const { method, target, operation, heldMs, bytes, caller, requestId, failure } = exchange;
      const durationMs = performance.now() - startedAt;
      const atMs = now();
      // If the client goes while its request is held, `heldMs` still has the negative start time in it.
      counts.request(
        operation,
        outgoing.statusCode,
        durationMs - (heldMs < 0 ? heldMs + performance.now() : heldMs),
      );
      const isWhole = outgoing.writableFinished;
      const sent = method === 'HEAD' ? 0 : isWhole ? bytes : Math.max(0, bytes - outgoing.writableLength);
      if (caller !== null) {
        counts.caller(caller, outgoing.statusCode, sent, exchange.calls);
        usage.count(caller, atMs, outgoing.statusCode, sent, exchange.calls);
      }
      log.request({
        atMs,
        method,
        path: pathOf(target),
        status: outgoing.statusCode,
        durationMs,
        bytes: sent,
        caller,
        requestId,
        failure,
        isWhole,
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
