import { openUpstream, type Upstream, type UpstreamOptions } from '../../ingest/upstream.ts';

/**
 * Holds a client of upstream. A client that upstream blocked too often sends no more requests, so after each
 * block a new client takes over.
 */
export interface Connection {
  /** Returns the client to use now. */
  upstream(): Upstream;
  /** Records that upstream blocks this address. `isOpen` is false for a time from then on. */
  block(atMs: number): void;
  /** Whether the caller may send requests: false for a time after a block. */
  isOpen(atMs: number): boolean;
  /** The number of requests that all clients have sent so far. */
  requests(): number;
  close(): Promise<void>;
}

/** Opens a connection. After a block, `isOpen` is false for `blockMs` milliseconds. */
export function openConnection(options: UpstreamOptions, blockMs: number): Connection {
  let upstream = openUpstream(options);
  let blockedUntilMs = -Infinity;
  let requestsBefore = 0;
  const closing: Promise<void>[] = [];
  return {
    upstream: () => upstream,
    block(atMs) {
      if (atMs < blockedUntilMs) return;
      blockedUntilMs = atMs + blockMs;
      requestsBefore += upstream.counts.requests;
      closing.push(upstream.close());
      upstream = openUpstream(options);
    },
    isOpen: (atMs) => atMs >= blockedUntilMs,
    requests: () => requestsBefore + upstream.counts.requests,
    async close() {
      await Promise.all([...closing, upstream.close()]);
    },
  };
}
