import { pageRows, type ChangePage, type Start } from './source.ts';
import type { Operations } from './generated.ts';
import { sleep } from './pauses.ts';
import type { RequestOptions } from './transport.ts';

/** The longest time for which the service holds a request, in seconds. */
const longestWait = 60;

/** A service that stops holds no request: it is not asked again at once. */
const leastSeconds = 1;

/**
 * Asks for one page after the other. The service holds each request until something matches, so a change is here as
 * soon as it is published. Example: `pagesByWaiting(client, { filter: { form: '8-K' }, cursor: null })`.
 */
export async function* pagesByWaiting(
  feed: Pick<Operations<RequestOptions>, 'listChanges'>,
  { filter, cursor: first }: Start,
  signal?: AbortSignal,
): AsyncGenerator<ChangePage> {
  for (let cursor = first; ; ) {
    const startedMs = performance.now();
    const { data, meta } = await feed.listChanges(
      { ...filter, cursor: cursor ?? undefined, limit: pageRows, wait: longestWait },
      { signal, retries: Infinity, timeoutSeconds: longestWait + 60 },
    );
    cursor = meta.nextCursor;
    yield { changes: data, cursor };
    if (data.length === 0 && meta.endedEarly !== true && performance.now() - startedMs < leastSeconds * 1000)
      await sleep(leastSeconds, signal);
  }
}
