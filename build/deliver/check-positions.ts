import { FilingEventsError } from '../../clients/typescript/src/index.ts';
import type { EndpointState } from './delivery-state.ts';
import type { Feed, FeedPage } from './feed.ts';
import { leftOf } from './handled.ts';
import type { Endpoint } from './webhook-endpoints.ts';

/** An endpoint of the file, and how far it is; undefined if nothing was delivered to it yet. */
export interface Standing {
  readonly endpoint: Endpoint;
  readonly entry: EndpointState | undefined;
}

/** What is wrong with the position of an endpoint. */
export interface PositionProblem {
  /** Whether the feed takes neither the cursor nor the filter, so that nothing can be delivered. */
  readonly isRefused: boolean;
  /** One line. */
  readonly reason: string;
}

/**
 * Asks the feed for the positions of endpoints, and returns what is wrong with them, by name. Rejects if the
 * feed cannot be asked. Most endpoints stand at the end of the feed: equal positions are asked for once.
 */
export async function checkPositions(
  feed: Feed,
  standings: readonly Standing[],
): Promise<ReadonlyMap<string, PositionProblem>> {
  const asked = new Map<string, Promise<FeedPage | FilingEventsError>>();
  const found = new Map<string, PositionProblem>();

  function ask(filter: Endpoint['filter'], cursor: string): Promise<FeedPage | FilingEventsError> {
    const key = JSON.stringify([filter, cursor]);
    const known = asked.get(key) ?? feed.page(filter, cursor).catch(refusalOf);
    asked.set(key, known);
    return known;
  }

  await Promise.all(
    standings.map(async ({ endpoint: { name, filter }, entry }) => {
      if (entry === undefined || entry.cursor === null) return;
      // Where nothing of a page was delivered, the cursor is all there is.
      const page = await ask(entry.change === undefined ? {} : filter, entry.cursor);
      if (page instanceof FilingEventsError)
        return void found.set(name, { isRefused: true, reason: page.message });
      const left = leftOf(page, entry, filter);
      if (left === 'lost' || left === 'ahead')
        found.set(name, {
          isRefused: false,
          reason:
            left === 'lost'
              ? `the feed no longer has ${entry.change}, which was delivered last: all changes behind the cursor will be delivered again`
              : `the feed ends before ${entry.change}, which was delivered last`,
        });
    }),
  );
  return found;
}

function refusalOf(error: unknown): FilingEventsError {
  if (error instanceof FilingEventsError && error.code.startsWith('invalid_')) return error;
  throw error;
}
