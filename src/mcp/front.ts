import type { IncomingMessage, RequestListener } from 'node:http';
import { incomingText } from '../http/body.ts';
import { readerOf } from '../http/respond.ts';
import type { Services } from '../http/services.ts';
import { bodyBytesMaximum, parseMessage, refusalOf } from './messages.ts';
import { answerHeaders, plainAnswer, plainMessage } from './plain.ts';

/** The path of the tool protocol. */
const path = '/mcp';

interface Answered {
  readonly body: Buffer;
  readonly caller: string | null;
}

/**
 * Answers plain calls of tools from Node's own request, before the application makes objects of it: that more than halves
 * what a call costs. Everything else goes on to `listener`, also what is to be refused: the application says what is wrong.
 */
export function plainCallsFirst(listener: RequestListener, services: Services): RequestListener {
  return (incoming, outgoing) => {
    if (incoming.method !== 'POST' || incoming.url !== path) return void listener(incoming, outgoing);
    const startedAt = performance.now();
    void answerTo(services, incoming).catch(() => null).then((answered) => {
      if (!answered) return void listener(incoming, outgoing);
      const { body, caller } = answered;
      outgoing.writeHead(200, { ...answerHeaders, 'Content-Length': String(body.length) });
      outgoing.end(body);
      services.log.request({ method: 'POST', path, status: 200, durationMs: performance.now() - startedAt, bytes: body.length, caller });
    });
  };
}

/** The answer to a plain call of somebody who may; null for everything else. */
async function answerTo(services: Services, incoming: IncomingMessage): Promise<Answered | null> {
  const header = readerOf({ incoming }, () => undefined);
  if (refusalOf('POST', `http://${header('host') ?? 'localhost'}${path}`, header, services.own)) return null;
  const text = await incomingText(incoming, bodyBytesMaximum);
  const plain = text === null ? null : plainMessage(parseMessage(text), header);
  if (!plain) return null;
  const isOpen = plain.tool === null || plain.tool.access === 'public';
  const caller = isOpen ? null : services.authenticator.direct(header, services.now());
  if (!isOpen && caller === null) return null;
  return { body: await plainAnswer(services, plain), caller };
}
