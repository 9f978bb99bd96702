import type { ChangePage, Start } from './source.ts';
import { FilingEventsError } from './errors.ts';
import { eventsIn, type ServerEvent } from './events.ts';
import { operations, type Change, type Operations } from './generated.ts';
import { boundedSeconds, followingAbort, pauseAfter, sleep } from './pauses.ts';
import type { RequestOptions, Transport } from './transport.ts';
import { fill } from './url.ts';
import { pagesByWaiting } from './waiting.ts';

/** When a stream is given up. Example: `{ silentSeconds: 35, waitingSeconds: 60 }`. */
export interface StreamBounds {
  /** Seconds of silence after which a stream is dead: the service sends a comment every 15 seconds. */
  readonly silentSeconds: number;
  /** Where no stream comes through, seconds for which `wait` is used until a stream is tried again; each time twice as long. */
  readonly waitingSeconds: number;
}

const usualBounds: StreamBounds = { silentSeconds: 35, waitingSeconds: 60 };
const waitingSecondsMaximum = 3600;
/** No stream is expected to come through when this many in a row brought nothing. */
const triesMaximum = 3;
/** How long to wait before a stream that ended is asked for again, unless the service says otherwise. */
const usualRetryMs = 2000;

/** What changes are asked with. Example: `{ feed: client, transport }`. */
export interface StreamClient {
  readonly feed: Pick<Operations<RequestOptions>, 'listChanges'>;
  readonly transport: Transport;
}

/**
 * Reads the stream of changes, a page for each change, and goes on behind the last one when the stream ends. Where no
 * stream comes through (a service that has none, a proxy that holds back or closes), it asks with `wait` for a while.
 * That also tells what is wrong where the service refuses. Example: `pagesByStream({ feed, transport }, { filter: {}, cursor })`.
 */
export async function* pagesByStream(
  client: StreamClient,
  { filter, cursor: first }: Start,
  signal?: AbortSignal,
  bounds: StreamBounds = usualBounds,
): AsyncGenerator<ChangePage> {
  let cursor = first;
  for (let waitingSeconds = bounds.waitingSeconds; ; ) {
    for await (const page of pagesWhileStreamed(client, { filter, cursor }, signal, bounds)) {
      waitingSeconds = bounds.waitingSeconds;
      cursor = page.cursor;
      yield page;
    }
    const endMs = performance.now() + waitingSeconds * 1000;
    for await (const page of pagesByWaiting(client.feed, { filter, cursor }, signal)) {
      cursor = page.cursor;
      yield page;
      if (performance.now() >= endMs) break;
    }
    waitingSeconds = Math.min(waitingSecondsMaximum, 2 * waitingSeconds);
  }
}

/** Gives pages as long as streams come through. */
async function* pagesWhileStreamed(
  { transport }: StreamClient,
  { filter, cursor: first }: Start,
  signal: AbortSignal | undefined,
  { silentSeconds }: StreamBounds,
): AsyncGenerator<ChangePage> {
  let cursor = first;
  let retryMs = usualRetryMs;
  for (let failures = 0; failures < triesMaximum; ) {
    let failure: FilingEventsError | null = null;
    let hasBrought = false;
    const path = fill(operations.listChanges.path, { ...filter, cursor: cursor ?? undefined });
    try {
      for await (const event of eventsFrom(transport, path, cursor, silentSeconds, signal)) {
        retryMs = event.retryMs ?? retryMs;
        const changes = event.data === '' ? [] : [changeOf(event.data)];
        // A proxy that holds back may let the first bytes through.
        hasBrought ||= event.retryMs === null;
        if (event.id === '' || event.id === cursor) continue;
        cursor = event.id;
        yield { changes, cursor };
      }
    } catch (error) {
      if (!(error instanceof FilingEventsError)) throw error;
      failure = error;
      if (!hasBrought && !failure.isPassing) return;
    }
    failures = hasBrought ? 0 : failures + 1;
    const seconds = Math.max(
      boundedSeconds((retryMs / 1000) * (1 + Math.random() / 2)),
      pauseAfter(failures, failure?.retryAfterSeconds ?? 0),
    );
    if (failure !== null) transport.tell(failure, seconds);
    await sleep(seconds, signal);
  }
}

/** Gives the events of one stream. Throws a `FilingEventsError` that passes if it was cut, and another one if it is none. */
async function* eventsFrom(
  transport: Transport,
  path: string,
  lastId: string | null,
  silentSeconds: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent> {
  const { own: silence, leave } = followingAbort(signal);
  const listen = () =>
    setTimeout(
      () => silence.abort(noStream(`nothing came from the stream for ${silentSeconds} seconds`)),
      boundedSeconds(silentSeconds) * 1000,
    );
  const pieces = transport.stream(
    path,
    { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
    silence.signal,
    ({ headers }) => {
      if (!/^text\/event-stream\b/.test(headers.get('content-type') ?? ''))
        throw noStream('the service gives no stream');
    },
  );
  let timer = listen();
  try {
    for await (const event of eventsIn(pieces)) {
      // The time in which a caller handles an event does not count.
      clearTimeout(timer);
      yield event;
      timer = listen();
    }
  } finally {
    clearTimeout(timer);
    leave();
    silence.abort();
  }
}

const noStream = (message: string) => new FilingEventsError(message, { code: 'unexpected_answer' });

function changeOf(data: string): Change {
  try {
    return JSON.parse(data) as Change;
  } catch {
    throw noStream('the data of an event is no JSON');
  }
}
