import { minuteMs } from '../../src/time/units.ts';
import type { Process } from './machine/process.ts';
import { faultsOfChange } from './checks/values.ts';
import { always } from './schedule.ts';
import { clientKey, type World } from './world.ts';

/** Who answers: the process of a service, or what stands for the worker. */
export type Server = Pick<Process, 'isAlive' | 'exports'> & Partial<Pick<Process, 'ended'>>;

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A filing as the service publishes it. */
export interface PublishedFiling {
  readonly ownership: unknown;
  readonly exhibits: unknown;
  readonly accessionNo: string;
  readonly form: string;
  readonly filedAt: string | null;
  readonly acceptanceDateTime: string | null;
  readonly items: readonly string[];
  readonly reportDate: string | null;
  readonly primaryDocument: string | null;
  readonly size: number | null;
  readonly cik: string;
  readonly ingestedAt: string | null;
  readonly parties: readonly {
    readonly cik: string;
    readonly name: string | null;
    readonly role: string | null;
  }[];
}

/** An entry of the change feed. */
export interface PublishedChange {
  readonly sequence: number;
  readonly revision: number;
  readonly changeType: string;
  readonly observedAt: string;
  readonly corrected?: readonly string[];
  readonly filing: PublishedFiling;
}

/** Who follows a list by its cursor. */
export interface Follower {
  /** Where the next poll goes on; null before the first one. */
  cursor(): string | null;
  /** Forgets everything: the next poll begins again. */
  reset(): void;
  /**
   * Reads on to the end, where an empty answer may be held for so many seconds. Rejects if the service does not answer, or
   * has no snapshot.
   */
  poll(service: Server, waitSeconds?: number): Promise<void>;
}

/** What a follower asks for, and what it does with the pages. */
interface Followed<Data> {
  readonly name: string;
  /** The address with a query; where to begin follows. */
  readonly address: string;
  /** Takes a page; returns whether there may be more. */
  take(data: Data): boolean;
  forget(): void;
}

/** Rows of a page, or of each company of a watchlist. */
export const rowsOfPage = 200;

/** Whether an answer refuses a cursor, as it may after the ledger was restored from a backup. */
const isOfRestoredLedger = ({ restores }: World, status: number, text: string) =>
  restores.count > 0 && status === 400 && text.includes('"invalid_cursor"');

/** Asks a service with the key of the clients. Rejects after a minute, as when the service was killed meanwhile. */
export function ask(
  { schedule }: Pick<World, 'schedule'>,
  service: Server,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = service.exports['answer'] as
    | ((path: string, headers: Readonly<Record<string, string>>) => Promise<Answer>)
    | undefined;
  if (!answer || !service.isAlive) return Promise.reject(new Error('the service is down'));
  return new Promise((resolve, reject) => {
    const late = schedule.after(minuteMs, always, () => reject(new Error('the service does not answer')));
    answer(path, { 'x-api-key': clientKey, ...headers })
      .then(resolve, reject)
      .finally(() => late.cancel());
  });
}

/** Makes a follower. What is wrong with an answer fails the run at once. */
export function createFollower<Data>(
  world: World,
  { name, address, take, forget }: Followed<Data>,
): Follower {
  let cursor: string | null = null;
  let restores = 0;
  let polling: Promise<void> = Promise.resolve();

  function begin(): void {
    forget();
    cursor = null;
  }

  async function readOn(service: Server, waitSeconds: number | undefined): Promise<void> {
    // A cursor behind the end of a restored log would be taken, and nothing given until the log is as long.
    if (restores !== world.restores.count) begin();
    restores = world.restores.count;
    const wait = waitSeconds === undefined ? '' : `&wait=${waitSeconds}`;
    for (;;) {
      const from: string =
        cursor === null ? 'since=1993-01-01' : `cursor=${encodeURIComponent(cursor)}${wait}`;
      const { status, text } = await ask(world, service, `${address}${from}&limit=${rowsOfPage}`);
      if (status === 503) throw new Error(text);
      if (isOfRestoredLedger(world, status, text)) {
        begin();
        continue;
      }
      if (status !== 200) return world.fail(`${name}: the feed answers ${status}: ${text.slice(0, 200)}`);
      const { data, meta } = JSON.parse(text) as { data: Data; meta: { nextCursor: string } };
      const isMore = take(data);
      cursor = meta.nextCursor;
      if (!isMore) return;
    }
  }

  /** Of several calls each reads on where the one before it ended; an answer that is held would bring its cursor back. */
  const inTurn = (work: () => Promise<void> | void) => (polling = polling.catch(() => {}).then(work));
  return {
    cursor: () => cursor,
    reset: () => void inTurn(begin),
    poll: (service, waitSeconds) => inTurn(() => readOn(service, waitSeconds)),
  };
}

/** A client that follows the feed and keeps every filing. */
export interface Poller extends Follower {
  readonly entries: readonly PublishedChange[];
  /** The newest state of each filing. */
  readonly filings: ReadonlyMap<string, PublishedChange>;
}

/** Makes a poller. What is wrong with an entry fails the run at once. */
export function createPoller(world: World, name: string): Poller {
  const entries: PublishedChange[] = [];
  const filings = new Map<string, PublishedChange>();

  function take(change: PublishedChange): void {
    const { accessionNo } = change.filing;
    const before = filings.get(accessionNo);
    const wrong = (text: string) =>
      world.fail(`${name}: entry ${change.sequence} of the feed, ${accessionNo}: ${text}`);
    if (change.sequence <= (entries.at(-1)?.sequence ?? 0))
      wrong(`it comes after entry ${entries.at(-1)?.sequence}`);
    if (change.revision !== (before?.revision ?? 0) + 1)
      wrong(`it is revision ${change.revision}, the one before it was ${before?.revision ?? 'none'}`);
    if (before && change.filing.ingestedAt !== before.filing.ingestedAt) wrong('its ingestedAt has moved');
    for (const fault of faultsOfChange(world.truth, world.schedule.nowMs(), change, before ?? null))
      wrong(fault);
    entries.push(change);
    filings.set(accessionNo, change);
  }

  return {
    entries,
    filings,
    ...createFollower<PublishedChange[]>(world, {
      name,
      address: '/v1/sec/changes?',
      take(data) {
        data.forEach(take);
        return data.length === rowsOfPage;
      },
      forget() {
        entries.length = 0;
        filings.clear();
      },
    }),
  };
}
