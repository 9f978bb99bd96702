import { AsyncLocalStorage } from 'node:async_hooks';
import { gzipSync } from 'node:zlib';
import type { Hono } from 'hono';
import { eventStreamType } from './contract/parameters.ts';
import type { Intent } from './contract/intents.ts';
import { openBucket, smallFilesInBucket, type Bucket } from './remote/bucket.ts';
import { createApp } from './app.ts';
import type { Services } from './requests/services.ts';
import type { Journal } from './intents/journal.ts';
import { createJournalRoom, journalBoundsDefault } from './intents/journal-room.ts';
import { createKeyRing } from './keys/ring.ts';
import type { Log } from './log/log.ts';
import { printLine } from './log/printable.ts';
import type { ReadsUnderWay } from './table/table.ts';
import { createCaches, createServices } from './service.ts';
import { readRuntimeSettings } from './settings/settings.ts';
import { watchChanges } from './files/watch.ts';
import { acceptedFolder, createAcceptedPointers } from './snapshot/accepted.ts';

/**
 * The bindings of the worker: a bucket with the files of a snapshots folder, variables with the names of the
 * settings, and a queue if intents are to be kept.
 */
export interface EdgeEnvironment {
  readonly SNAPSHOTS: Bucket;
  readonly INTENTS?: { send(intent: Intent): Promise<unknown> };
  readonly [setting: string]: unknown;
}

/** The part of the worker's request context that is used here. */
export interface EdgeContext {
  waitUntil(work: Promise<unknown>): void;
}

/** Sizes of the caches in bytes. The platform gives a worker 128 MB for everything, its program included. */
const [blockBytes, responseBytes] = [24 * 1024 * 1024, 6 * 1024 * 1024];
/** Compresses at once: in a worker a request must not wait for work that another request began. */
const compress = (body: Buffer) => Promise.resolve(gzipSync(body, { level: 1 }));
/**
 * The shortest time between two looks at the pointer and the keys file, in milliseconds. Only requests start
 * a look.
 */
const lookEveryMs = 5000;
/** A look that takes longer than this, in milliseconds, will never end: the platform ended its request. */
const stuckAfterMs = 20_000;
/** How long the first requests wait for a snapshot, and how often they check for it, in milliseconds. */
const [firstWithinMs, firstEveryMs] = [2000, 50];

/** The service in a worker, and its looks for a new pointer or keys file. */
interface Edge {
  readonly app: Hono;
  readonly services: Services;
  /** Looks at the pointer and the keys, unless a look is under way or began less than `lookEveryMs` ago. */
  look(): Promise<unknown>;
  /** Whether a look takes so long that the request that began it must be gone. Then a new edge is made. */
  isStuck(): boolean;
}

const log: Log = {
  event(event, details, level) {
    if (level !== 'debug') printLine(JSON.stringify({ time: new Date().toISOString(), event, ...details }));
  },
  // The platform has a request log of its own.
  request: () => {},
  flush: () => {},
};

const elapsed = () => performance.now();

/** The reads that the current request has begun. */
const ownReads = new AsyncLocalStorage<ReadsUnderWay>();
const noReads = (): ReadsUnderWay => ({ blocks: new Map(), pieces: new Map() });

/** The service of this isolate; all its requests share it. */
let edge: Edge | null = null;

function createEdge(environment: EdgeEnvironment): Edge {
  const texts = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  // A worker has no address of its own, so it counts as one that others can reach.
  const settings = readRuntimeSettings({ HOST: '0.0.0.0', ...texts });
  const store = openBucket(environment.SNAPSHOTS, () => ownReads.getStore() ?? noReads());
  const path = settings.API_KEYS_FILE ?? 'keys.json';
  const keys = createKeyRing(
    settings.API_KEYS,
    {
      path,
      watch: (take) => watchChanges(path, (known) => store.readIfChanged(path, known), take),
    },
    log.event,
  );
  const services = createServices(
    settings,
    {
      store,
      keys,
      journal: queueJournal(environment.INTENTS),
      log,
      accepted: createAcceptedPointers(smallFilesInBucket(environment.SNAPSHOTS, acceptedFolder)),
      now: Date.now,
      elapsed,
      isLocal: false,
    },
    createCaches(blockBytes, responseBytes, compress),
  );
  let beganMs = -Infinity;
  let isLooking = false;
  return {
    app: createApp(services),
    services,
    async look() {
      if (isLooking || elapsed() - beganMs < lookEveryMs) return;
      [isLooking, beganMs] = [true, elapsed()];
      // The clock of expiry knows only the times at which it was asked.
      services.expiryNow();
      await Promise.all([services.served.check(), keys.refresh(), services.tokens?.check()]);
      isLooking = false;
    },
    isStuck: () => isLooking && elapsed() - beganMs > stuckAfterMs,
  };
}

/**
 * A journal that sends intents to a queue, as many as the journal of a process takes: each message of a queue
 * is paid for. The platform may run several isolates, so it has to limit requests as well. Without a queue no
 * intent is counted, and `isKept` is false, so that the answer can say so.
 */
function queueJournal(queue: EdgeEnvironment['INTENTS']): Journal {
  const room = createJournalRoom(journalBoundsDefault, log.event);
  return {
    isKept: queue !== undefined,
    hasRoom: room.hasRoom,
    async append(intent) {
      room.add(JSON.stringify(intent).length);
      await queue?.send(intent);
    },
    close: async () => {},
  };
}

async function answer(
  request: Request,
  environment: EdgeEnvironment,
  context: EdgeContext,
): Promise<Response> {
  if (edge === null || edge.isStuck()) edge = createEdge(environment);
  const { app, services, look } = edge;
  if (services.served.currentId() === null) await firstLook(edge);
  else context.waitUntil(look());
  // A worker runs only during requests, so a request that waits for a publication has to look for it.
  const looking = setInterval(() => void look(), lookEveryMs);
  const endLooking = () => clearInterval(looking);
  let isStream = false;
  try {
    const response = await app.fetch(request);
    const { status, headers, body } = response;
    isStream = body !== null && headers.get('content-type')?.startsWith(eventStreamType) === true;
    if (isStream) return new Response(whileRead(body as ReadableStream<Uint8Array>, endLooking), response);
    if (!headers.has('content-encoding')) return response;
    // The body is compressed already: the platform must not compress it again.
    return new Response(await response.arrayBuffer(), {
      status,
      headers,
      encodeBody: 'manual',
    } as ResponseInit);
  } finally {
    if (!isStream) endLooking();
  }
}

/** The same stream; `onEnd` is called when it has ended or its reader is gone. */
function whileRead(stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          onEnd();
          throw error;
        });
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Waits until there is a snapshot, `firstWithinMs` at most. One of the first requests looks, the others see
 * the result.
 */
async function firstLook({ services, look }: Edge): Promise<void> {
  await look();
  for (
    let waitedMs = 0;
    services.served.currentId() === null && waitedMs < firstWithinMs;
    waitedMs += firstEveryMs
  ) {
    await new Promise((resolve) => setTimeout(resolve, firstEveryMs));
    await look();
  }
}

/** The worker. */
export default {
  fetch(request: Request, environment: EdgeEnvironment, context: EdgeContext): Promise<Response> {
    const answered = ownReads.run(noReads(), () => answer(request, environment, context));
    // Other requests may wait for what this one reads, so it goes on when its client hangs up.
    context.waitUntil(answered.catch(() => {}));
    return answered;
  },
};
