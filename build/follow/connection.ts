import { openUpstream, type Upstream, type UpstreamOptions } from '../ingest/upstream.ts';

/**
 * A client that is made anew after upstream has blocked it for long: one that was blocked too often asks
 * nothing more.
 */
export interface Connection {
  upstream(): Upstream;
  /** Upstream lets nobody ask for now: nothing may be asked for a time. */
  block(atMs: number): void;
  /** Whether anything may be asked. */
  isOpen(atMs: number): boolean;
  /** Every request so far. */
  requests(): number;
  close(): Promise<void>;
}

/** Opens a connection. `blockMs` is how long it rests after a block. */
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
