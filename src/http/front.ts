import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../log.ts';
import { headerText } from './respond.ts';
import { prepare, type Sent } from './send.ts';
import type { Services } from './services.ts';

/** For how long a connection is believed to have the key that it had. The keys file is looked at as often. */
const believedMs = 1000;

interface Believed {
  readonly key: string;
  readonly caller: string;
  readonly sinceMs: number;
}

/**
 * Sends answers that were given lately from Node's own request to its own answer, before the application makes objects of
 * them: that is what keeps a poll that finds nothing new close to the bare server. Everything else goes on to `listener`,
 * also whoever has no key: the application says what is wrong.
 */
export function knownFirst(listener: RequestListener, { follower, authenticator, memo, log, now }: Services): RequestListener {
  /** A client that keeps its connection is asked for its key each time, but the digest of the same text is not made again at once. */
  const believed = new WeakMap<Socket, Believed>();

  function callerOf({ headers, socket }: IncomingMessage, nowMs: number): string | null {
    const key = headers['x-api-key'];
    const known = believed.get(socket);
    if (known !== undefined && known.key === key && headers.authorization === undefined && nowMs - known.sinceMs < believedMs) return known.caller;
    const caller = authenticator.any((name) => headerText(headers[name]), nowMs);
    if (caller !== null && typeof key === 'string') believed.set(socket, { key, caller, sinceMs: nowMs });
    return caller;
  }

  return (incoming, outgoing) => {
    const startedAt = performance.now();
    const { url = '', headers } = incoming;
    // HTTP/1.0, which old health checks speak, knows no Host; nothing here depends on it but the tool protocol.
    headers.host ??= 'localhost';
    const known = incoming.method === 'GET' ? memo.get(follower.currentId(), url) : undefined;
    const caller = known === undefined ? null : callerOf(incoming, now());
    if (!known || caller === null) return void listener(incoming, outgoing);
    const sent = prepare(headerText(headers['if-none-match']), headerText(headers['accept-encoding']), known, 'keyed');
    if (sent instanceof Promise) void sent.then((late) => finish(log, incoming, outgoing, late, caller, startedAt), (error: Error) => outgoing.destroy(error));
    else finish(log, incoming, outgoing, sent, caller, startedAt);
  };
}

function finish(log: Log, incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: Sent, caller: string, startedAt: number): void {
  outgoing.writeHead(status, headers);
  outgoing.end(body);
  log.request({ method: 'GET', path: pathOf(incoming), status, durationMs: performance.now() - startedAt, bytes: body?.length ?? 0, caller });
}

function pathOf({ url = '' }: IncomingMessage): string {
  const at = url.indexOf('?');
  return at === -1 ? url : url.slice(0, at);
}
