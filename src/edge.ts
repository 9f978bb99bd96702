import { AsyncLocalStorage } from 'node:async_hooks';
import { gzipSync } from 'node:zlib';
import type { Hono } from 'hono';
import type { Intent } from './contract/validation.ts';
import { openBucket, type Bucket } from './remote/bucket.ts';
import { createApp, type Bindings } from './app.ts';
import type { Services } from './requests/services.ts';
import type { Journal } from './intents/journal.ts';
import { createKeyRing } from './keys/ring.ts';
import type { Log } from './log/log.ts';
import type { ReadsUnderWay } from './table/table.ts';
import { createCaches, createServices } from './service.ts';
import { readRuntimeSettings } from './settings/settings.ts';
import { watchChanges } from './files/watch.ts';

/**
 * What the worker is given: a bucket with the files of a folder of snapshots, variables with the names of the
 * settings, and, if intents are to be kept, a queue.
 */
export interface EdgeEnvironment {
  readonly SNAPSHOTS: Bucket;
  readonly INTENTS?: { send(intent: Intent): Promise<unknown> };
  readonly [setting: string]: unknown;
}

/** What is used of the context of a request. */
export interface EdgeContext {
  waitUntil(work: Promise<unknown>): void;
}

/** The platform gives a worker 128 MB for everything, its program included. */
const [blockBytes, responseBytes] = [24 * 1024 * 1024, 6 * 1024 * 1024];
/** At once: nobody may wait for what another request began. */
const compress = (body: Buffer) => Promise.resolve(gzipSync(body, { level: 1 }));
/** A pointer or a keys file that is replaced is found within this time, if anybody asks. */
const lookEveryMs = 5000;
/** A look that is not over by then never will be. */
const stuckAfterMs = 20_000;
/** How long first requests wait for a snapshot, and how often they see whether it is there. */
const [firstWithinMs, firstEveryMs] = [2000, 50];

interface Edge {
  readonly app: Hono<{ Bindings: Bindings }>;
  readonly services: Services;
  /** Looks at the pointer and the keys, unless somebody did lately or does. */
  look(): Promise<unknown>;
  /** Whether a look takes so long that the request that began it must be gone: then all begins anew. */
  isStuck(): boolean;
}

const log: Log = {
  event: (event, details) =>
    console.log(JSON.stringify({ time: new Date().toISOString(), event, ...details })),
  // The platform has logs of requests of its own.
  request: () => {},
  flush: () => {},
};

const noUse = { note: () => {}, save: async () => {} };

/** What a request has begun to read. */
const ownReads = new AsyncLocalStorage<ReadsUnderWay>();
const noReads = (): ReadsUnderWay => ({ blocks: new Map(), pieces: new Map() });

/** One for each isolate: what is in memory serves every request. */
let edge: Edge | null = null;

function createEdge(environment: EdgeEnvironment): Edge {
  const texts = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const settings = readRuntimeSettings(texts);
  const store = openBucket(environment.SNAPSHOTS, () => ownReads.getStore() ?? noReads());
  const path = settings.API_KEYS_FILE ?? 'keys.json';
  const keys = createKeyRing(
    settings.API_KEYS,
    {
      path,
      watch: (take) => watchChanges(path, (known) => store.readIfChanged(path, known), take),
      usage: noUse,
    },
    log.event,
  );
  const services = createServices(
    settings,
    { store, keys, journal: queueJournal(environment.INTENTS), log, now: Date.now, isLocal: false },
    createCaches(blockBytes, responseBytes, compress),
  );
  let beganMs = -Infinity;
  let isLooking = false;
  return {
    app: createApp(services),
    services,
    async look() {
      if (isLooking || Date.now() - beganMs < lookEveryMs) return;
      [isLooking, beganMs] = [true, Date.now()];
      await Promise.all([services.follower.check(), keys.refresh()]);
      isLooking = false;
    },
    isStuck: () => isLooking && Date.now() - beganMs > stuckAfterMs,
  };
}

/** Hands intents to a queue. Without one none is counted, and whoever asks is told so. */
function queueJournal(queue: EdgeEnvironment['INTENTS']): Journal {
  return {
    isKept: queue !== undefined,
    hasRoom: () => true,
    append: async (intent) => void (await queue?.send(intent)),
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
  if (services.follower.currentId() === null) await firstLook(edge);
  else context.waitUntil(look());
  // Nothing happens between requests: who waits for a publication looks for it.
  const looking = setInterval(() => void look(), lookEveryMs);
  try {
    const response = await app.fetch(request);
    const { status, headers } = response;
    if (!headers.has('content-encoding')) return response;
    // It is compressed already: the platform must not do it again.
    return new Response(await response.arrayBuffer(), {
      status,
      headers,
      encodeBody: 'manual',
    } as ResponseInit);
  } finally {
    clearInterval(looking);
  }
}

/** The first requests wait until there is a snapshot. One of them looks, the others see what came of it. */
async function firstLook({ services, look }: Edge): Promise<void> {
  await look();
  for (
    let waitedMs = 0;
    services.follower.currentId() === null && waitedMs < firstWithinMs;
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
    // Others may wait for what this request reads: it is not ended when its client hangs up.
    context.waitUntil(answered.catch(() => {}));
    return answered;
  },
};
