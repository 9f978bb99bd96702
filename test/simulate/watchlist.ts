import { ask, isOfRestoredLedger, type Poller, type PublishedChange, type Server } from './clients.ts';
import type { World } from './world.ts';

/** A client that asks for the changes of the first followed companies, and lets empty answers be held. */
export interface Watchlist {
  /** Reads on to the end, and waits there for something new. Rejects if the service does not answer. */
  poll(service: Server, waitSeconds: number): Promise<void>;
  /** Forgets everything: the next poll begins again. */
  reset(): void;
  /** Fails the run unless each company got what the feed has of it, each change once. */
  compareWith(poller: Poller): void;
}

const rowsOfBucket = 200;
/** One request may name so many companies. */
const companiesMaximum = 25;

/** Makes the client. */
export function createWatchlist(world: World): Watchlist {
  const companies = world.universe.slice(0, companiesMaximum);
  const tickers = companies.join(',');
  const sequences = new Map<string, number[]>(companies.map((cik) => [cik, []]));
  let cursor: string | null = null;

  function take(cik: string, { sequence, filing }: PublishedChange): void {
    const own = sequences.get(cik) ?? [];
    if (sequence <= (own.at(-1) ?? 0))
      world.fail(
        `the watchlist: entry ${sequence} of ${cik}, ${filing.accessionNo}, comes after ${own.at(-1)}`,
      );
    own.push(sequence);
  }

  function reset(): void {
    for (const own of sequences.values()) own.length = 0;
    cursor = null;
  }

  let restores = 0;
  let polling: Promise<void> = Promise.resolve();
  async function readOn(service: Server, waitSeconds: number): Promise<void> {
    if (restores !== world.restores.count) reset();
    restores = world.restores.count;
    for (;;) {
      const from: string =
        cursor === null ? 'since=1993-01-01' : `cursor=${encodeURIComponent(cursor)}&wait=${waitSeconds}`;
      const { status, text } = await ask(
        world,
        service,
        `/v1/sec/watchlist/changes?tickers=${tickers}&${from}&limit=${rowsOfBucket}`,
      );
      if (status === 503) throw new Error(text);
      if (isOfRestoredLedger(world, status, text)) {
        reset();
        continue;
      }
      if (status !== 200) return world.fail(`the watchlist answers ${status}: ${text.slice(0, 200)}`);
      const { data, meta } = JSON.parse(text) as {
        data: { ticker: string; changes: PublishedChange[] }[];
        meta: { nextCursor: string };
      };
      for (const { ticker, changes } of data) for (const change of changes) take(ticker, change);
      cursor = meta.nextCursor;
      if (data.every(({ changes }) => changes.length < rowsOfBucket)) return;
    }
  }

  return {
    // An answer that is held now would bring its cursor back.
    reset: () => void (polling = polling.catch(() => {}).then(reset)),
    // Of several calls each reads on where the one before it ended.
    poll(service, waitSeconds) {
      const polled = polling.catch(() => {}).then(() => readOn(service, waitSeconds));
      polling = polled;
      return polled;
    },
    compareWith({ entries }) {
      for (const [cik, own] of sequences) {
        const ofFeed = entries
          .filter(({ filing }) => filing.parties.some((party) => party.cik === cik))
          .map(({ sequence }) => sequence);
        const [lacks, besides] = [
          ofFeed.filter((each) => !own.includes(each)),
          own.filter((each) => !ofFeed.includes(each)),
        ];
        if (lacks.length + besides.length > 0)
          world.fail(
            `the watchlist of ${cik} lacks ${lacks.length} entries of the feed (${lacks.slice(0, 5).join(', ')}), and has ${besides.length} others`,
          );
      }
    },
  };
}
