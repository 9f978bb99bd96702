import { isObject } from '../../src/domain/scalars.ts';
import { must, type Fault } from './fault.ts';
import type { HostileRequest } from './request.ts';
import { bodyOf, parsed, quotedText, type Answered } from './response.ts';

/** What a client does wrong is no internal error. */
const internalError = -32603;

/** What an answer in JSON-RPC must be, whatever was asked. */
export function rpcShapeFaults(value: unknown, status: number): Fault[] {
  return messagesOf(value).flatMap((message): Fault[] => {
    const isAnswer =
      isObject(message) &&
      message['jsonrpc'] === '2.0' &&
      'id' in message &&
      'result' in message !== 'error' in message;
    const error = isObject(message) && 'error' in message ? message['error'] : { code: 0, message: '' };
    const isError =
      isObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string';
    const isOurs = isError && error['code'] === internalError && status < 500;
    return [
      ...must(isAnswer && isError, 'an answer is JSON-RPC', () => quotedText(JSON.stringify(message))),
      ...must(!isOurs, 'a mistake of a client is no internal error (-32603)', () =>
        JSON.stringify(error).slice(0, 300),
      ),
    ];
  });
}

/** What must hold between a message and its answer. `isOpen`: whether anybody may have it. */
export function rpcFaults(request: HostileRequest, answer: Answered, isOpen: boolean): Fault[] {
  const value = parsed(bodyOf(answer));
  const asked = parsed(request.message);
  const id = isObject(asked) ? asked['id'] : undefined;
  const isName = typeof id === 'string' || Number.isSafeInteger(id);
  const budget = budgetOf(asked);
  return messagesOf(value)
    .filter(isObject)
    .filter((message) => message['jsonrpc'] === '2.0')
    .flatMap((message) => {
      // What is refused before it is read, or in spite of its id, may be answered without it.
      const isNamed =
        Array.isArray(value) ||
        !isName ||
        message['id'] === id ||
        ('error' in message && message['id'] === null);
      const length = budget === null ? 0 : (JSON.stringify(message['result'])?.length ?? 0);
      const isWithin =
        budget === null ||
        length <= budget * 4 ||
        contentOf(message['result'], 0).every((content) => rowsOf(content) <= 1);
      const isRead = request.message === null || asked !== undefined || !('result' in message);
      const foreign = isOpen
        ? undefined
        : contentOf(message['result'], 0).find((content) => !isPublic(content));
      return [
        ...must(
          isNamed,
          'an answer has the id of its request',
          () =>
            `${quotedText(JSON.stringify(id))} was answered as ${quotedText(JSON.stringify(message['id']))}`,
        ),
        ...must(isWithin, 'a list keeps to its budget', () => `${length} characters for ${budget} tokens`),
        ...must(isRead, 'what is no JSON has no result', () => quotedText(JSON.stringify(message))),
        ...must(foreign === undefined, 'no keyed byte without a key', () =>
          quotedText(JSON.stringify(foreign)),
        ),
      ];
    });
}

/** The budget of the call of a tool, in tokens; null for other messages and for one that cannot be right. */
function budgetOf(asked: unknown): number | null {
  const params = isObject(asked) && asked['method'] === 'tools/call' ? asked['params'] : undefined;
  if (!isObject(params)) return null;
  const given = isObject(params['arguments']) ? params['arguments'] : {};
  const { maxTokens = 8000 } = given;
  // A list in lists, of which a script may have many, has no number.
  const budget = typeof maxTokens === 'string' || typeof maxTokens === 'number' ? Number(maxTokens) : 0;
  return Number.isSafeInteger(budget) && budget > 0 ? budget : null;
}

/** The rows of a list; one for a single record. */
function rowsOf({ meta }: Content): number {
  const count = isObject(meta) ? meta['count'] : undefined;
  return typeof count === 'number' ? count : 1;
}

type Content = Readonly<Record<string, unknown>>;

/** Whether content is the sample, the subscription, the reference or an error. */
function isPublic(content: Content): boolean {
  if (typeof content['uri'] === 'string') return content['uri'].toLowerCase().startsWith('reference://');
  const data = isObject(content['data']) ? content['data'] : {};
  return 'latestFilings' in data || 'pricingUrl' in data || 'error' in content;
}

/** Structured content of a tool, texts of resources and data parts of an agent, wherever they stand in a result. */
function contentOf(value: unknown, depth: number): Content[] {
  if (Array.isArray(value)) return value.flatMap((each) => contentOf(each, depth + 1));
  if (!isObject(value) || depth > 6) return [];
  if (isObject(value['structuredContent'])) return [value['structuredContent']];
  if (Array.isArray(value['parts']))
    return value['parts']
      .filter(isObject)
      .map((part) => part['data'])
      .filter(isObject);
  if (Array.isArray(value['contents'])) return value['contents'].filter(isObject);
  // The texts of a prompt are those of resources.
  if (Array.isArray(value['messages']))
    return value['messages'].flatMap((message) => contentOf(message, depth + 1));
  if (isObject(value['content']) && isObject(value['content']['resource']))
    return [value['content']['resource']];
  return contentOf(value['message'], depth + 1);
}

const messagesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
