import { createFollower, rowsOfPage, type Follower, type Poller, type PublishedChange } from './clients.ts';
import type { World } from './world.ts';

/** A client that asks for the changes of the first followed companies, and lets empty answers be held. */
export interface Watchlist extends Follower {
  /** Fails the run unless each company got what the feed has of it, each change once. */
  compareWith(poller: Poller): void;
}

/** One request may name so many companies. */
const companiesMaximum = 25;

/** Makes the client. */
export function createWatchlist(world: World): Watchlist {
  const companies = world.universe.slice(0, companiesMaximum);
  const sequences = new Map<string, number[]>(companies.map((cik) => [cik, []]));

  function take(cik: string, { sequence, filing }: PublishedChange): void {
    const own = sequences.get(cik) ?? [];
    if (sequence <= (own.at(-1) ?? 0))
      world.fail(
        `the watchlist: entry ${sequence} of ${cik}, ${filing.accessionNo}, comes after ${own.at(-1)}`,
      );
    own.push(sequence);
  }

  return {
    ...createFollower<{ ticker: string; changes: PublishedChange[] }[]>(world, {
      name: 'the watchlist',
      address: `/v1/sec/watchlist/changes?tickers=${companies.join(',')}&`,
      take(data) {
        for (const { ticker, changes } of data) for (const change of changes) take(ticker, change);
        return data.some(({ changes }) => changes.length === rowsOfPage);
      },
      forget() {
        for (const own of sequences.values()) own.length = 0;
      },
    }),
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
