import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { feedOf } from '../../build/deliver/feed.ts';
import type { Delivering } from '../../build/deliver/deliver-figures.ts';
import { deliver, type DeliverOptions } from '../../build/deliver/deliver.ts';
import { createPoster } from '../../build/deliver/post.ts';
import { createClient, type Change, type ChangeFilter } from '../../clients/typescript/src/node.ts';
import { serviceKey } from './service.ts';

/** An endpoint of the file. */
export interface EndpointOfFile {
  readonly name: string;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly tickers?: readonly string[];
  readonly form?: string;
  readonly eventType?: string;
  readonly items?: string;
  readonly corrections?: string;
  readonly cursor?: string;
}

/** The cursor behind the first change of a service. */
export async function firstCursor(address: string): Promise<string> {
  const client = createClient({ baseUrl: address, apiKey: serviceKey });
  return (await client.listChanges({ since: '1993-01-01', limit: 1 })).meta.nextCursor;
}

/** All changes behind the first one that match a filter, as one walk through the feed gives them. */
export async function changesBehindFirst(address: string, filter: ChangeFilter = {}): Promise<Change[]> {
  const client = createClient({ baseUrl: address, apiKey: serviceKey });
  const found: Change[] = [];
  for await (const change of client.changes({ ...filter, since: '1993-01-01' }))
    if (change.sequence > 1) found.push(change);
  return found;
}

/** Deliveries in this process. */
export interface Deliveries {
  readonly directory: string;
  /** Lines of the log. */
  readonly lines: string[];
  /** Replaces the file of endpoints. */
  write(endpoints: readonly EndpointOfFile[] | string): void;
  /** Starts deliveries, or starts them again. Resolves when they have begun. */
  start(options?: Partial<DeliverOptions>): Promise<void>;
  /** Ends them as an operator does. */
  stop(): Promise<void>;
  /** The deliveries that run. */
  readonly delivering: Delivering;
}

/** Prepares deliveries from a service, with the state in a folder. */
export function deliveriesOf(address: () => string, directory: string): Deliveries {
  const file = join(directory, 'endpoints.json');
  const lines: string[] = [];
  let stop: AbortController | null = null;
  let ended: Promise<void> = Promise.resolve();
  let delivering: Delivering | null = null;
  return {
    directory,
    lines,
    get delivering() {
      if (delivering === null) throw new Error('nothing is delivered yet');
      return delivering;
    },
    write: (endpoints) =>
      writeFileSync(file, typeof endpoints === 'string' ? endpoints : JSON.stringify({ endpoints })),
    async start(options = {}) {
      const own = new AbortController();
      stop = own;
      const poster = createPoster({ isPrivateAllowed: true, userAgent: 'test' });
      await new Promise<void>((resolve, reject) => {
        ended = deliver({
          file,
          directory,
          isPrivateAllowed: true,
          feed: feedOf(createClient({ baseUrl: address(), apiKey: serviceKey })),
          poster,
          signingKey: null,
          log: (line, level = 'info') => void lines.push(`${level} ${line}`),
          now: Date.now,
          elapsed: () => performance.now(),
          // Pauses of a hundredth of the least ones.
          random: () => -0.99,
          signal: own.signal,
          watch: async (begun) => {
            delivering = begun;
            resolve();
          },
          ...options,
        });
        ended = ended.finally(() => poster.close());
        ended.catch(reject);
      });
    },
    async stop() {
      stop?.abort();
      await ended;
    },
  };
}
