import { follow } from '../../build/follow/follow-loop.ts';
import type { FollowOptions } from '../../build/follow/follower.ts';
import { parseUniverse } from '../../build/ingest/universe.ts';
import { quietProgress } from '../../build/work/progress.ts';

/** Where an EDGAR double answers. */
export interface EdgarAddresses {
  readonly dataUrl: string;
  readonly wwwUrl: string;
}

/** How a client of EDGAR is set up for a double. */
export const settingsFor = ({ dataUrl, wwwUrl }: EdgarAddresses) => ({
  userAgent: 'Follow Test test@example.com',
  dataUrl,
  wwwUrl,
  requestsPerSecond: 10,
});

/** A follower that runs in the process of the test. */
export interface Following {
  /** What it has logged. */
  readonly lines: string[];
  readonly ledger: string;
  /** How often it has published. */
  published(): number;
  readonly ended: Promise<void>;
  /** Stops it and waits for its end. */
  end(): Promise<void>;
}

/**
 * Follows entities in the process of the test, and publishes nothing unless an option says so. The test ends it
 * through `running`, where its end is put.
 */
export function followHere(
  running: (() => Promise<unknown>)[],
  edgar: EdgarAddresses,
  universe: string,
  ledger: string,
  options: Partial<FollowOptions> = {},
): Following {
  const lines: string[] = [];
  const stop = new AbortController();
  let published = 0;
  const ended = follow({
    universe: parseUniverse(universe),
    intervalMs: 500,
    folders: { ledgerDirectory: ledger, snapshotsDirectory: ledger },
    now: Date.now,
    elapsed: () => performance.now(),
    settings: settingsFor(edgar),
    publish: async () => (published++, null),
    prune: async () => {},
    progress: quietProgress,
    log: (line) => void lines.push(line),
    showStatus: () => {},
    signal: stop.signal,
    ...options,
  });
  const end = async () => {
    stop.abort();
    await ended;
  };
  running.push(() => end().catch(() => {}));
  return { lines, ledger, ended, published: () => published, end };
}
