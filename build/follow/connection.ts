import { openUpstream, type Upstream, type UpstreamOptions } from '../ingest/upstream.ts';

/** A client that is replaced after a block: a client that was blocked too often sends no more requests. */
export interface Connection {
  upstream(): Upstream;
  /** Records that upstream blocks this address: no request may be sent for a time. */
  block(atMs: number): void;
  /** Whether requests may be sent. */
  isOpen(atMs: number): boolean;
  /** The number of requests so far. */
  requests(): number;
  close(): Promise<void>;
}

/** Opens a connection. `blockMs` is how long no request is sent after a block, in milliseconds. */
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
