import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readerOf } from './respond.ts';
import { prepare, type Sent } from './send.ts';
import type { Services } from './services.ts';

/**
 * Sends answers that were given lately from Node's own request to its own answer, before the application makes objects of
 * them: that is what keeps a poll that finds nothing new close to the bare server. Everything else goes on to `listener`,
 * also whoever has no key: the application says what is wrong.
 */
export function knownFirst(listener: RequestListener, { follower, authenticator, memo, log, now }: Services): RequestListener {
  return (incoming, outgoing) => {
    const startedAt = performance.now();
    const { url = '' } = incoming;
    const known = incoming.method === 'GET' ? memo.get(follower.currentId(), url) : undefined;
    if (!known) return void listener(incoming, outgoing);
    const header = readerOf({ incoming }, () => undefined);
    const caller = authenticator.any(header, now());
    if (caller === null) return void listener(incoming, outgoing);
    const sent = prepare(header('if-none-match'), header('accept-encoding'), known, 'keyed');
    const finish = (ready: Sent) => {
      write(outgoing, ready);
      log.request({ method: 'GET', path: pathOf(incoming), status: ready.status, durationMs: performance.now() - startedAt, bytes: ready.body?.length ?? 0, caller });
    };
    if (sent instanceof Promise) void sent.then(finish, (error: Error) => outgoing.destroy(error));
    else finish(sent);
  };
}

function write(outgoing: ServerResponse, { status, headers, body }: Sent): void {
  outgoing.writeHead(status, headers);
  outgoing.end(body);
}

function pathOf({ url = '' }: IncomingMessage): string {
  const at = url.indexOf('?');
  return at === -1 ? url : url.slice(0, at);
}
