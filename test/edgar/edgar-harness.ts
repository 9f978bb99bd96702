import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCache, type Cache } from '../../build/edgar/cache.ts';
import {
  createEdgarClient,
  type EdgarClient,
  type EdgarClientOptions,
  type EdgarSettings,
} from '../../build/edgar/client.ts';
import { startEdgarDouble, type Behaviour, type EdgarDouble } from './edgar-double.ts';

/** A client, its cache and an EDGAR double, under a clock that only sleeping moves. */
export interface Harness {
  readonly edgar: EdgarDouble;
  readonly cache: Cache;
  readonly settings: EdgarSettings;
  /** Virtual milliseconds since the epoch. */
  readonly clock: { nowMs: number };
  /**
   * Every sleep so far, in milliseconds, but the one before the first request of a client. With less than ten
   * requests, one after another, none of these is for the rate limit.
   */
  readonly slept: number[];
  readonly log: string[];
  /** Makes a client with 10 requests a second; it is closed with the harness. */
  client(options?: Partial<EdgarClientOptions>): EdgarClient;
  /** Sets what a submissions file does and gives its address. */
  file(name: string, ...behaviours: Behaviour[]): string;
  close(): Promise<void>;
}

export const startedAt = '2026-07-01T10:00:00.000Z';

export async function startHarness(): Promise<Harness> {
  const edgar = await startEdgarDouble();
  const directory = await mkdtemp(join(tmpdir(), 'edgar-client-'));
  const cache = openCache(directory, Date.now);
  const settings = {
    userAgent: 'Jane Doe jane@example.com',
    dataUrl: edgar.dataUrl,
    wwwUrl: edgar.wwwUrl,
    requestsPerSecond: 10,
  };
  const clock = { nowMs: Date.parse(startedAt) };
  const slept: number[] = [];
  const log: string[] = [];
  const clients: EdgarClient[] = [];
  return {
    edgar,
    cache,
    settings,
    clock,
    slept,
    log,
    client(options = {}) {
      let isFirst = true;
      const sleep = async (pauseMs: number, signal: AbortSignal) => {
        signal.throwIfAborted();
        if (!isFirst) slept.push(pauseMs);
        isFirst = false;
        clock.nowMs += pauseMs;
      };
      const client = createEdgarClient({
        settings,
        cache,
        now: () => clock.nowMs,
        sleep,
        random: () => 0.5,
        log: (line) => void log.push(line),
        ...options,
      });
      clients.push(client);
      return client;
    },
    file(name, ...behaviours) {
      edgar.route(`/data.sec.gov/submissions/${name}`, ...behaviours);
      return `${edgar.dataUrl}/submissions/${name}`;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await edgar.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
