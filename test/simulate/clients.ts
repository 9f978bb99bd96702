import { minuteMs } from '../../src/time/units.ts';
import type { Process } from './machine/process.ts';
import { faultsOfChange } from './checks/values.ts';
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

/** A client that follows the feed by its cursor and keeps every filing. */
export interface Poller {
  readonly entries: readonly PublishedChange[];
  /** The newest state of each filing. */
  readonly filings: ReadonlyMap<string, PublishedChange>;
  /** Where the next poll goes on; null before the first one. */
  cursor(): string | null;
  /** Forgets everything: the next poll begins again. */
  reset(): void;
  /** Reads on to the end of the feed. Rejects if the service does not answer, or has no snapshot. */
  poll(service: Server): Promise<void>;
}

const rowsOfPage = 200;

/** Whether an answer refuses a cursor, as it may after the ledger was restored from a backup. */
export const isOfRestoredLedger = ({ restores }: World, status: number, text: string) =>
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
    const late = schedule.after(minuteMs, { isAlive: true }, () =>
      reject(new Error('the service does not answer')),
    );
    answer(path, { 'x-api-key': clientKey, ...headers })
      .then(resolve, reject)
      .finally(() => late.cancel());
  });
}

/** Makes a poller. What is wrong with an entry fails the run at once. */
export function createPoller(world: World, name: string): Poller {
  const entries: PublishedChange[] = [];
  const filings = new Map<string, PublishedChange>();
  let cursor: string | null = null;

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

  function reset(): void {
    entries.length = 0;
    filings.clear();
    cursor = null;
  }

  let restores = 0;
  let polling: Promise<void> = Promise.resolve();
  async function readOn(service: Server): Promise<void> {
    // A cursor behind the end of a restored log would be taken, and nothing given until the log is as long.
    if (restores !== world.restores.count) reset();
    restores = world.restores.count;
    for (;;) {
      const from: string = cursor === null ? 'since=1993-01-01' : `cursor=${encodeURIComponent(cursor)}`;
      const { status, text } = await ask(world, service, `/v1/sec/changes?${from}&limit=${rowsOfPage}`);
      if (status === 503) throw new Error(text);
      if (isOfRestoredLedger(world, status, text)) {
        reset();
        continue;
      }
      if (status !== 200) return world.fail(`${name}: the feed answers ${status}: ${text.slice(0, 200)}`);
      const { data, meta } = JSON.parse(text) as {
        data: PublishedChange[];
        meta: { nextCursor: string };
      };
      data.forEach(take);
      cursor = meta.nextCursor;
      if (data.length < rowsOfPage) return;
    }
  }
  return {
    entries,
    filings,
    cursor: () => cursor,
    reset: () => void (polling = polling.catch(() => {}).then(reset)),
    // Of several calls each reads on where the one before it ended.
    poll(service) {
      const polled = polling.catch(() => {}).then(() => readOn(service));
      polling = polled;
      return polled;
    },
  };
}
