import { randomUUID } from 'node:crypto';
import { ApiError, errorStatus } from '../contract/errors.ts';
import { directCaller, overLimit } from '../requests/caller.ts';
import { headerOf, pathOf, type Exchange, type HeaderReader, type Reply } from '../http/exchange.ts';
import { toApiError } from '../http/failures.ts';
import { messageHeaders, messageReply } from '../http/send.ts';
import type { Services } from '../requests/services.ts';
import { codes, parseMessage, type RequestId } from '../json-rpc/messages.ts';
import { isJsonType } from '../json-rpc/message-headers.ts';
import { currentRevision, privateToolsPath, toolsOperation } from '../contract/tools.ts';
import {
  batchBytesMaximum,
  batchTooLong,
  messageBytesMaximum,
  mistakeRefusal,
  refusalMessage,
  overLimitRefusal,
  refusalOf,
  refuse,
  unauthorized,
  type Refusal,
} from './tool-refusals.ts';
import { plainAnswer, plainMessage } from './plain-message.ts';
import { loadProtocol, type ProtocolHandler } from './sdk.ts';
import { checkMessage } from './check-message.ts';
import { askedBy, wrongTypes, type Asked, type AskedMethod } from './methods.ts';

/** How long the official packages may take, in milliseconds. */
const answerMs = 10_000;

/** Answers a request to `/mcp`. Never rejects. */
export type ToolHandler = (exchange: Exchange) => Promise<Reply>;

/**
 * Handles `/mcp`, and `/mcp/private` where each message needs a key: the tool protocol, stateless, with JSON answers. What the service itself answers is in
 * `askedBy`: lists, tools, resources, prompts and completions. Plain messages, as `plainMessage` recognises
 * them, are answered by joining bytes. All others go to the official packages, which are loaded when they are
 * first needed.
 */
export function createTools(services: Services): ToolHandler {
  let loading: Promise<ProtocolHandler> | undefined;
  let loaded: ProtocolHandler | undefined;

  async function protocol(): Promise<ProtocolHandler> {
    if (loaded) return loaded;
    loaded = await (loading ??= loadProtocol());
    // Else all requests that waited for the packages would go on in the same turn.
    await services.turns.arrive(services.elapsed());
    return loaded;
  }

  return async (exchange) => {
    exchange.operation = toolsOperation.id;
    const refusal = refusalOf(exchange, services.own);
    if (refusal) return refuse(exchange, refusal);
    const header: HeaderReader = (name) => headerOf(exchange, name);
    const isPrivate = pathOf(exchange.target) === privateToolsPath;
    if (isPrivate && directCaller(services, exchange) === null)
      return refuse(exchange, unauthorized(services, exchange));
    const text = await exchange.body;
    if (text === null || text.length > messageBytesMaximum)
      return refuse(exchange, {
        status: 413,
        code: codes.request,
        message: `Payload too large: a message has at most ${messageBytesMaximum} bytes`,
      });
    const { problem, ...parsed } = parseMessage(text);
    if (problem !== undefined) return refuse(exchange, { status: 400, code: codes.parse, message: problem });
    const { value } = parsed as { value: unknown };
    const id = idOf(value);
    const checked = checkMessage(value, header);
    if (checked.kind === 'refused') return refuse(exchange, checked.refusal, id);
    if (checked.kind === 'taken') return { status: 202, headers: { ...messageHeaders }, body: null };
    const { message } = checked;
    // An empty list is no batch: the official packages refuse it.
    const isBatch = Array.isArray(message) && message.length > 0;
    const requests = (isBatch ? messagesOf(message) : [message]).map((each) => ({
      message: each,
      asked: askedBy(each),
    }));
    const [first] = requests as [AskedMessage];
    exchange.operation =
      requests.find(({ asked }) => asked?.readsData)?.asked?.operation ?? toolsOperation.id;
    const keyed = requests.filter(({ asked }) => asked?.isKeyed).length;
    if (keyed > 0) {
      exchange.calls = keyed;
      if (directCaller(services, exchange) === null)
        return refuse(exchange, unauthorized(services, exchange), id);
    }
    try {
      if (isBatch) return await batchReply(services, exchange, requests, one);
      const limited = limitRefusal(services, exchange, first);
      return limited ? refuse(exchange, limited, id) : await one(first);
    } catch (error) {
      return refuse(exchange, ownFault(toApiError(services.log, exchange, error)), id);
    }

    async function one(request: AskedMessage): Promise<Reply> {
      const { asked } = request;
      const plain = plainMessage(request.message, header, asked);
      try {
        return plain
          ? messageReply(200, await plainAnswer(services, plain, exchange.caller))
          : await throughPackages(services, exchange, await protocol(), request.message);
      } catch (error) {
        const isCurrent = header('mcp-protocol-version') === currentRevision;
        const mistake =
          asked !== null && error instanceof ApiError ? mistakeRefusal(error, asked, isCurrent) : null;
        if (mistake === null) throw error;
        return refuse(exchange, mistake, idOf(request.message));
      }
    }
  };
}

/** A message, and what it asks for; null if that is for the official packages. */
interface AskedMessage {
  readonly message: unknown;
  readonly asked: Asked | null;
}

/** Answers through the official packages. If what was asked for failed, rejects with its error. */
async function throughPackages(
  services: Services,
  exchange: Exchange,
  protocol: ProtocolHandler,
  message: unknown,
): Promise<Reply> {
  const faults: unknown[] = [];
  // The packages would parse, check and write a long result again, which takes half a second. So they get a
  // result with a mark, and the members of the real one take its place in what they wrote.
  const mark = randomUUID();
  let made: { readonly standIn: StandIn; readonly result: Buffer } | null = null;
  const answerer = async (method: AskedMethod, params: unknown) => {
    const asked = askedBy({ method, params });
    if (!asked) return null;
    const result = await asked.result(services, exchange.caller).catch((error: unknown) => {
      faults.push(error);
      throw error;
    });
    const standIn = standInFor(method, mark);
    if (standIn === null) return { result: JSON.parse(result.toString()) as object, cache: asked.cache };
    made = { standIn, result };
    return { result: { [standIn.member]: standIn.value }, cache: asked.cache };
  };
  const { response, body } = await withinTime(
    protocol(forPackages(exchange), message, answerer).then(async (answer) => ({
      response: answer,
      body: Buffer.from(await answer.arrayBuffer()),
    })),
  );
  if (faults.length > 0) throw faults[0];
  const headers: Record<string, string> = { ...Object.fromEntries(response.headers), ...messageHeaders };
  if (body.length === 0) return { status: response.status, headers, body: null };
  // A subscription is acknowledged as an event stream and ended: tools do not change while the service runs.
  const corrected = isJsonType(headers['content-type'])
    ? withMembers(JSON.stringify(inOwnWords(JSON.parse(body.toString()), message)), made)
    : body;
  return {
    status: response.status,
    headers: { ...headers, 'Content-Length': String(corrected.length) },
    body: corrected,
  };
}

/** The member of a result that stands for all of its members. */
interface StandIn {
  readonly member: string;
  readonly value: unknown;
}

/** What stands for the result of a method; null for those whose results are short. */
function standInFor(method: AskedMethod, mark: string): StandIn | null {
  const text = { type: 'text', text: mark };
  switch (method) {
    case 'tools/call':
      return { member: 'content', value: [text] };
    case 'resources/read':
      return { member: 'contents', value: [{ uri: 'mark:', text: mark }] };
    case 'prompts/get':
      return { member: 'messages', value: [{ role: 'user', content: text }] };
    default:
      return null;
  }
}

/** The text of an answer, in which the member that stood in for a result is replaced by the result's members. */
function withMembers(
  text: string,
  made: { readonly standIn: StandIn; readonly result: Buffer } | null,
): Buffer {
  if (made === null) return Buffer.from(text);
  const { standIn, result } = made;
  const [before = '', after] = text.split(`"${standIn.member}":${JSON.stringify(standIn.value)}`);
  return after === undefined
    ? Buffer.from(text)
    : Buffer.concat([Buffer.from(before), result.subarray(1, -1), Buffer.from(after)]);
}

/**
 * Says what is wrong with parameters in a sentence, where the packages list what their checks found. What they call an
 * internal error is a mistake in the message, too: the service itself has not failed.
 */
function inOwnWords(answer: unknown, asked: unknown): unknown {
  const { error } = answer as { error?: { code: number; message: string } };
  const { method, params } = (asked ?? {}) as { method?: unknown; params?: unknown };
  const isListed =
    error?.code === codes.parameters && error.message.startsWith(`Invalid ${String(method)} request`);
  if (!isListed && error?.code !== codes.internal) return answer;
  const message = wrongTypes(method, params) ?? 'Invalid params: they do not fit the method';
  return { ...(answer as object), error: { ...error, code: codes.parameters, message } };
}

/** The error that a client gets for a fault of the service. */
function ownFault(error: ApiError): Refusal {
  return {
    status: errorStatus[error.code],
    code: codes.internal,
    message: error.message,
    headers: error.headers,
  };
}

/** Rejects when an answer takes longer than `answerMs`, so that its request does not wait for ever. */
async function withinTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) =>
      (timer = setTimeout(() => reject(new Error('the MCP packages did not answer in time')), answerMs)),
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/**
 * A web request for the official packages, which read only its headers. They insist that `Accept` has both
 * media types of the protocol.
 */
function forPackages(exchange: Exchange): Request {
  const {
    'content-length': _length,
    'transfer-encoding': _coding,
    connection: _connection,
    host: _host,
    ...rest
  } = exchange.headers;
  const headers = Object.keys(rest).map((name): [string, string] => [name, headerOf(exchange, name) ?? '']);
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: [
      ...headers.filter(([name]) => name !== 'accept'),
      ['accept', 'application/json, text/event-stream'],
    ],
  });
}

const messagesOf = (message: unknown): unknown[] => (Array.isArray(message) ? message : [message]);

function idOf(message: unknown): RequestId {
  const { id } = (messagesOf(message)[0] ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Counts a request that needs a key; the refusal if that exceeds the limit of the key. */
function limitRefusal(services: Services, { caller }: Exchange, { asked }: AskedMessage): Refusal | null {
  if (asked?.isKeyed !== true || caller === null) return null;
  const limited = overLimit(services, caller);
  return limited && overLimitRefusal(limited);
}

/**
 * Answers the messages of a batch one after the other, so that other requests are answered between. A call that
 * exceeds the limit of the key, or comes when the answers are long already, is refused in its own member.
 */
async function batchReply(
  services: Services,
  exchange: Exchange,
  requests: readonly AskedMessage[],
  one: (request: AskedMessage) => Promise<Reply>,
): Promise<Reply> {
  const answers: Buffer[] = [];
  const releases: (() => void)[] = [];
  let bytes = 0;
  try {
    for (const request of requests) {
      const isTooMuch = bytes >= batchBytesMaximum && request.asked?.readsData === true;
      const refusal = isTooMuch ? batchTooLong() : limitRefusal(services, exchange, request);
      const reply = refusal
        ? messageReply(200, refusalMessage(refusal, idOf(request.message)))
        : await one(request);
      const { status, body } = reply;
      // The headers or one of the messages are wrong: then the batch is no batch of this protocol.
      if (status >= 400) return reply;
      if (body === null) continue;
      answers.push(body);
      bytes += body.length;
      releases.push(services.unsent.add(exchange.caller, body.length));
      await services.turns.pause();
    }
  } finally {
    for (const release of releases) release();
  }
  if (answers.length === 0) return { status: 202, headers: { ...messageHeaders }, body: null };
  const joined = answers.flatMap((answer, at) => [at === 0 ? listStart : comma, answer]);
  return messageReply(200, Buffer.concat([...joined, listEnd]));
}

const [listStart, comma, listEnd] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];
