import type { Size, sizeMember } from '../contract/tool-parameters.ts';
import { isObject } from '../domain/scalars.ts';
import { RpcError } from './agent-refusals.ts';

/** A part of a message that the agent can read. */
export type Part = { readonly text: string } | { readonly data: unknown };

/** A message from the other agent. */
export interface Received {
  readonly contextId: string | undefined;
  readonly parts: readonly Part[];
}

/** A reply of the agent: a text to read, and the same as data. */
export interface Reply {
  readonly messageId: string;
  readonly contextId: string;
  readonly text: string;
  readonly data: unknown;
  /** The size of text and data; absent for errors. */
  readonly metadata?: { readonly [sizeMember]: Size };
}

/**
 * What a method does: `answer` answers a message. `find_task` looks for a task and finds none, because there
 * are none. `push` and `nothing` are not offered.
 */
export type MethodKind = 'answer' | 'find_task' | 'push' | 'nothing';

/** How one version of A2A writes messages. */
export interface Dialect {
  readonly version: '1.0' | '0.3';
  readonly methods: ReadonlyMap<string, MethodKind>;
  /** Whether the data of errors is a list of typed details. */
  readonly typedErrors: boolean;
  readonly userRole: string;
  /** Null for a part that is neither text nor data; undefined if the value is not a part. */
  readPart(part: Record<string, unknown>): Part | null | undefined;
  /** The result of sending a message. */
  result(reply: Reply): unknown;
}

const current: Dialect = {
  version: '1.0',
  methods: new Map<string, MethodKind>([
    ['SendMessage', 'answer'],
    ['GetTask', 'find_task'],
    ['CancelTask', 'find_task'],
    ['SendStreamingMessage', 'nothing'],
    ['SubscribeToTask', 'nothing'],
    ['ListTasks', 'nothing'],
    ['GetExtendedAgentCard', 'nothing'],
    ['CreateTaskPushNotificationConfig', 'push'],
    ['GetTaskPushNotificationConfig', 'push'],
    ['ListTaskPushNotificationConfigs', 'push'],
    ['DeleteTaskPushNotificationConfig', 'push'],
  ]),
  typedErrors: true,
  userRole: 'ROLE_USER',
  readPart(part) {
    const [held, ...others] = ['text', 'data', 'url', 'raw'].filter((name) => part[name] !== undefined);
    if (held === undefined || others.length > 0) return undefined;
    if (held === 'data') return { data: part['data'] };
    const value = part[held];
    if (typeof value !== 'string') return undefined;
    return held === 'text' ? { text: value } : null;
  },
  result: ({ messageId, contextId, text, data, metadata }) => ({
    message: {
      messageId,
      contextId,
      role: 'ROLE_AGENT',
      parts: [
        { text, mediaType: 'text/plain' },
        { data, mediaType: 'application/json' },
      ],
      ...(metadata ? { metadata } : {}),
    },
  }),
};

const former: Dialect = {
  version: '0.3',
  methods: new Map<string, MethodKind>([
    ['message/send', 'answer'],
    ['tasks/get', 'find_task'],
    ['tasks/cancel', 'find_task'],
    ['message/stream', 'nothing'],
    ['tasks/resubscribe', 'nothing'],
    ['tasks/list', 'nothing'],
    ['agent/getAuthenticatedExtendedCard', 'nothing'],
    ['tasks/pushNotificationConfig/set', 'push'],
    ['tasks/pushNotificationConfig/get', 'push'],
    ['tasks/pushNotificationConfig/list', 'push'],
    ['tasks/pushNotificationConfig/delete', 'push'],
  ]),
  typedErrors: false,
  userRole: 'user',
  readPart(part) {
    const { kind, text, data, file } = part;
    if (kind === 'text' && typeof text === 'string') return { text };
    if (kind === 'data' && isObject(data)) return { data };
    return kind === 'file' && isObject(file) ? null : undefined;
  },
  result: ({ messageId, contextId, text, data, metadata }) => ({
    kind: 'message',
    messageId,
    contextId,
    role: 'agent',
    parts: [
      { kind: 'text', text },
      { kind: 'data', data },
    ],
    ...(metadata ? { metadata } : {}),
  }),
};

/** The versions that the agent supports, newest first. */
export const dialects: readonly Dialect[] = [current, former];

/**
 * The version of a request. Without a header it is the newest version that has the method, else 0.3. Patch
 * numbers are ignored. Null for an unsupported version.
 */
export function dialectOf(header: string | undefined, method?: string): Dialect | null {
  if (header === undefined || header.trim() === '')
    return dialects.find(({ methods }) => method !== undefined && methods.has(method)) ?? former;
  const asked = header.trim().replace(/^(\d+\.\d+)\.\d+$/, '$1');
  return dialects.find(({ version }) => version === asked) ?? null;
}

/** Reads the parameters of a message. Throws `RpcError`. */
export function readMessage(params: unknown, { readPart, userRole }: Dialect): Received {
  const message = isObject(params) ? params['message'] : undefined;
  if (!isObject(message)) throw invalid('message', 'an object');
  const { messageId, contextId, taskId, role, parts } = message;
  if (typeof messageId !== 'string' || messageId === '') throw invalid('message.messageId', 'a text');
  if (role !== userRole) throw invalid('message.role', userRole);
  for (const [name, value] of Object.entries({ contextId, taskId }))
    if (value !== undefined && typeof value !== 'string') throw invalid(`message.${name}`, 'a text');
  if (!Array.isArray(parts) || parts.length === 0)
    throw invalid('message.parts', 'a list of at least one part');
  if (taskId) throw noTask(taskId);
  const read = parts.map((part: unknown, at) => {
    const found = isObject(part) ? readPart(part) : undefined;
    if (found === undefined) throw invalid(`message.parts[${at}]`, 'a part with one text, data or file');
    if (found === null)
      throw new RpcError(
        'content_type_not_supported',
        `message.parts[${at}]: files are not read; send a text or data`,
      );
    return found;
  });
  return {
    contextId: typeof contextId === 'string' && contextId !== '' ? contextId : undefined,
    parts: read,
  };
}

/**
 * Refuses a request for a task: every message is answered at once, so there are no tasks. Always throws
 * `RpcError`.
 */
export function refuseTask(params: unknown): never {
  const id = isObject(params) ? params['id'] : undefined;
  if (typeof id !== 'string' || id === '') throw invalid('id', 'a text');
  throw noTask(id);
}

function noTask(id: unknown): RpcError {
  return new RpcError(
    'task_not_found',
    `No task ${JSON.stringify(String(id).slice(0, 60))}: every message is answered at once, without a task`,
  );
}

function invalid(name: string, wanted: string): RpcError {
  return new RpcError('invalid_params', `${name}: must be ${wanted}`);
}
