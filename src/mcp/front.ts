import type { IncomingMessage, RequestListener } from 'node:http';
import { incomingText } from '../http/body.ts';
import { readerOf, type HeaderReader } from '../http/respond.ts';
import type { Services } from '../http/services.ts';
import { bodyBytesMaximum, parseMessage, refusalOf } from './messages.ts';
import { answerHeaders, plainMessage, plainResult, wrapResult, type PlainMessage } from './plain.ts';

/** The path of the tool protocol. */
const path = '/mcp';

interface Answered {
  readonly body: Buffer;
  readonly caller: string | null;
}

/** A plain message that was answered lately: what it asked for was checked then. */
interface Recent {
  readonly snapshotId: string | null;
  readonly message: PlainMessage;
  readonly result: Buffer;
}

const recentMaximum = 100;
const recentBytesMaximum = 64 * 1024;
/** The id of a message where clients write it, first or last: everything else of a call is the same at each poll. */
const idFirst = /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,100}"),/;
const idLast = /,"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,100}")\}$/;

/**
 * Answers plain messages from Node's own request, before the application makes objects of it: that more than halves what a
 * call costs. Everything else goes on to `listener`, also what is to be refused: the application says what is wrong.
 */
export function plainCallsFirst(listener: RequestListener, services: Services): RequestListener {
  const recent = new Map<string, Recent>();
  return (incoming, outgoing) => {
    if (incoming.method !== 'POST' || incoming.url !== path) return void listener(incoming, outgoing);
    const startedAt = performance.now();
    void answerTo(services, incoming, recent).catch(() => null).then((answered) => {
      if (!answered) return void listener(incoming, outgoing);
      const { body, caller } = answered;
      // A literal: an object that is put together costs more than all that is in it.
      outgoing.writeHead(200, { 'Content-Type': answerHeaders['Content-Type'], 'Cache-Control': answerHeaders['Cache-Control'], 'X-Content-Type-Options': answerHeaders['X-Content-Type-Options'], 'Content-Length': String(body.length) });
      outgoing.end(body);
      services.log.request({ method: 'POST', path, status: 200, durationMs: performance.now() - startedAt, bytes: body.length, caller });
    });
  };
}

/** The answer to a plain message of somebody who may ask it; null for everything else. */
async function answerTo(services: Services, incoming: IncomingMessage, recent: Map<string, Recent>): Promise<Answered | null> {
  const header = readerOf({ incoming }, () => undefined);
  if (refusalOf('POST', `http://${header('host') ?? 'localhost'}${path}`, header, services.own)) return null;
  const text = await incomingText(incoming, bodyBytesMaximum);
  if (text === null) return null;
  const snapshotId = services.follower.currentId();
  const [id, key] = divide(text, header);
  const known = key === null ? undefined : recent.get(key);
  const isKnown = known !== undefined && known.snapshotId === snapshotId;
  const message = isKnown ? known.message : plainMessage(parseMessage(text), header);
  if (!message) return null;
  const isOpen = message.tool === null || message.tool.access === 'public';
  const caller = isOpen ? null : services.authenticator.direct(header, services.now());
  if (!isOpen && caller === null) return null;
  const result = isKnown ? known.result : await plainResult(services, message);
  if (!isKnown && key !== null && result.length <= recentBytesMaximum) remember(recent, key, { snapshotId, message, result });
  return { body: wrapResult(result, isKnown && id !== null ? id : JSON.stringify(message.id), message.isCurrent), caller };
}

/** The id of a message as it is written, and everything else that its answer follows from; nulls if it is written in another way. */
function divide(text: string, header: HeaderReader): [id: string, key: string] | [null, null] {
  const first = idFirst.exec(text);
  const found = first ?? idLast.exec(text);
  if (!found) return [null, null];
  const headers = `${header('mcp-protocol-version') ?? ''} ${header('mcp-method') ?? ''} ${header('mcp-name') ?? ''}`;
  return [found[1] as string, `${headers}\n${first ? `first ${text.slice(first[0].length)}` : `last ${text.slice(0, found.index)}`}`];
}

function remember(recent: Map<string, Recent>, key: string, entry: Recent): void {
  recent.delete(key);
  recent.set(key, entry);
  for (const [oldest] of recent) {
    if (recent.size <= recentMaximum) break;
    recent.delete(oldest);
  }
}
