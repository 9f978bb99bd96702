import { join } from 'node:path';
import { pause } from '../../src/fetch/backoff.ts';
import { watchFile } from '../../src/files/local.ts';
import { openToOthers } from '../../src/files/own-only.ts';
import { ContentError } from '../../src/files/watch.ts';
import { tryLockFile } from '../disk/lock.ts';
import { actionsPath, isPending, parseActions, perform, type Action } from './operator.ts';
import { newCounts, type Delivering } from './deliver-figures.ts';
import { createAttemptSlots } from './attempt-slots.ts';
import {
  addDeadLetter,
  createStore,
  type EndpointState,
  newEndpoint,
  readState,
  removeEndpoint,
  removeLeftovers,
  type Store,
  takeRemoved,
} from './delivery-state.ts';
import { parseEndpoints, type Endpoint } from './webhook-endpoints.ts';
import { createNews, type Feed } from './feed.ts';
import type { Poster } from './post.ts';
import { runEndpoint, type Shared } from './run-endpoint.ts';

/** What deliveries need. */
export interface DeliverOptions extends Pick<Shared, 'log' | 'now' | 'elapsed' | 'random' | 'signingKey'> {
  /** The file of endpoints. */
  readonly file: string;
  /** Where the state is. */
  readonly directory: string;
  readonly isPrivateAllowed: boolean;
  readonly feed: Feed;
  readonly poster: Poster;
  readonly signal: AbortSignal;
  /** Is called once, before the first delivery. */
  readonly watch?: (delivering: Delivering) => Promise<void>;
}

/** The most attempts that run at the same time, and the most of those that last longer than a second. */
const quickAttempts = 512;
const slowAttempts = 2048;
/** How often the files of endpoints and actions are looked at. */
const lookEveryMs = 1000;
/** How long attempts may still run after the signal; the program has to be gone after five seconds. */
const graceMs = 2500;

/** The name of the file that is locked while deliveries go on. */
export const lockPath = (directory: string) => join(directory, 'lock');

/**
 * Delivers the feed to all endpoints until the signal. Rejects if another program does so with the same state.
 * Attempts that still run when it resolves count for nothing: the caller closes the poster, or ends the process.
 */
export async function deliver(options: DeliverOptions): Promise<void> {
  const lock = tryLockFile(lockPath(options.directory));
  if (lock === null)
    throw new Error(`${options.directory} is in use: another program delivers with this state`);
  try {
    await deliverLocked(options);
  } finally {
    lock.release();
  }
}

async function deliverLocked(options: DeliverOptions): Promise<void> {
  const { directory, file, isPrivateAllowed, feed, signal, log, now } = options;
  await removeLeftovers(directory);
  const store = createStore(directory, await readState(directory), (error) =>
    log(`the state cannot be saved, deliveries wait: ${error.message}`, 'error'),
  );
  const news = createNews(feed, log);
  const counts = newCounts();
  const shared: Shared = {
    ...options,
    news,
    store,
    counts,
    slots: createAttemptSlots(quickAttempts, slowAttempts),
    addDeadLetter: (letter) => addDeadLetter(directory, letter),
  };
  const runners = createRunners(shared, store, signal);
  let actions: readonly Action[] = [];
  const looks = [
    watchFile(file, async (text) => {
      if (text === null) throw new ContentError('there is no such file');
      runners.take(parseEndpoints(text, isPrivateAllowed));
      const isOpen = await openToOthers(file);
      if (isOpen !== null) log(`${file} has secrets, but ${isOpen}`, 'warn');
    }),
    watchFile(actionsPath(directory), (text) => void (actions = parseActions(text))),
  ];
  const look = async () => {
    for (const each of looks) {
      const problem = await each();
      if (problem?.isNew) log(`${problem.reason}; what was known before goes on`, 'error');
    }
    runners.perform(actions);
  };

  await options.watch?.({ counts, news, store, now, entries: () => [...store.state.endpoints.values()] });
  const asking = news.run(signal);
  try {
    await look();
    while (!signal.aborted) {
      await pause(lookEveryMs, signal);
      await look();
    }
  } finally {
    await Promise.race([Promise.all([asking, runners.end()]), pause(graceMs, new AbortController().signal)]);
    await store.close();
  }
}

/** The endpoints that are delivered to. */
interface Runners {
  /** Takes the endpoints of the file: those that did not change go on. */
  take(endpoints: readonly Endpoint[]): void;
  /** Does the actions that were not done. */
  perform(actions: readonly Action[]): void;
  /** Resolves when no attempt runs any more. */
  end(): Promise<void>;
}

interface Runner {
  readonly endpoint: Endpoint;
  readonly stop: AbortController;
  /** Ends with the deliveries, or with a change of them. */
  readonly running: Promise<void>;
  /** The number of the last action that was or will be done. */
  readonly action: number;
  /** Whether it has left the file. */
  isRemoved: boolean;
}

/** After an error of the program itself, deliveries to an endpoint begin again after this time. */
const afterErrorMs = 30_000;

function createRunners(shared: Shared, store: Store, signal: AbortSignal): Runners {
  const { log } = shared;
  const { state } = store;
  const runners = new Map<string, Runner>();

  /** Starts deliveries as soon as those before have ended, and `before` has changed the state. */
  function start(
    endpoint: Endpoint,
    action: number,
    before: (entry: EndpointState) => void = () => {},
  ): void {
    const { name } = endpoint;
    const old = runners.get(name);
    old?.stop.abort();
    const stop = new AbortController();
    const own = AbortSignal.any([signal, stop.signal]);
    const run = async () => {
      await old?.running;
      const entry = state.endpoints.get(name) ?? takeRemoved(state, name) ?? newEndpoint(endpoint.cursor);
      state.endpoints.set(name, entry);
      before(entry);
      store.touch();
      while (!own.aborted && entry.disabled === null)
        await runEndpoint(endpoint, entry, shared, own).catch(async (error: Error) => {
          log(`${name}: ${error.stack}`, 'error');
          await pause(afterErrorMs, own);
        });
    };
    runners.set(name, { endpoint, stop, running: run(), action, isRemoved: false });
  }

  function remove(name: string, runner: Runner): void {
    runner.isRemoved = true;
    runner.stop.abort();
    void runner.running.then(() => {
      // It may have come back meanwhile.
      if (runners.get(name) !== runner) return;
      runners.delete(name);
      removeEndpoint(state, name);
      store.touch();
    });
  }

  return {
    take(endpoints) {
      const names = new Set(endpoints.map(({ name }) => name));
      for (const [name, runner] of runners) if (!names.has(name) && !runner.isRemoved) remove(name, runner);
      // Those that left while the program did not run.
      for (const name of state.endpoints.keys())
        if (!names.has(name) && !runners.has(name)) removeEndpoint(state, name);
      for (const endpoint of endpoints) {
        const old = runners.get(endpoint.name);
        if (!old || old.isRemoved || JSON.stringify(old.endpoint) !== JSON.stringify(endpoint))
          start(endpoint, old?.action ?? 0);
      }
      log(`${endpoints.length} ${endpoints.length === 1 ? 'endpoint' : 'endpoints'}`);
    },
    perform(actions) {
      for (const action of actions) {
        const old = runners.get(action.endpoint);
        if (!old || old.isRemoved || action.number <= old.action) continue;
        start(old.endpoint, action.number, (entry) => {
          if (!isPending(action, entry)) return;
          perform(entry, action);
          log(`${action.endpoint}: ${action.does}, as an operator asked`);
        });
      }
    },
    end: async () => void (await Promise.all([...runners.values()].map(({ running }) => running))),
  };
}
