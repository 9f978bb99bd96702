import { mustBe } from '../contract/errors.ts';
import { isObject } from '../domain/scalars.ts';
import { protocolOperations, toolsOperation } from '../contract/tools.ts';
import type { Services } from '../requests/services.ts';
import { hourMs } from '../time/units.ts';
import { callTool, toolNamed } from './call.ts';
import { complete, completedArgument, needsKey } from './completions.ts';
import { getPrompt, promptNamed, unknownPrompt } from './get-prompt.ts';
import { readResource } from './read-resource.ts';
import { resourceNamed } from './uri.ts';

/** How long clients may keep a result, in milliseconds, and whether they may share it. */
export interface ResultCache {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** Lists and the reference change only with a release of the service. */
export const releaseCache: ResultCache = { ttlMs: hourMs, cacheScope: 'public' };
/** Texts say to the minute when the data was fetched. */
const dataCache: ResultCache = { ttlMs: 60_000, cacheScope: 'private' };

/** What the service itself answers: a list, the call of a tool, a resource, a prompt, or a completion. */
export interface Asked {
  readonly method: AskedMethod;
  /** What the header `Mcp-Name` has to repeat: the name of a tool or prompt, or a URI. */
  readonly name: string | undefined;
  /** The name in metrics and in the log. */
  readonly operation: string;
  /** Whether it reads data, which may be long. */
  readonly readsData: boolean;
  readonly isKeyed: boolean;
  /** Null where the protocol has no such members. */
  readonly cache: ResultCache | null;
  /** The result, a JSON object. Rejects with `ApiError`. */
  readonly result: (services: Services, caller: string | null) => Promise<Buffer>;
}

type Parameters = Readonly<Record<string, unknown>>;

/** How a method is read. */
interface Method {
  /** What is wrong with the types of its parameters, in a sentence; null if nothing is. */
  readonly wrong: (params: Parameters) => string | null;
  /** Whether a message needs `params`. */
  readonly needsParams: boolean;
  /** Null for what the official packages refuse. May throw `ApiError`. */
  readonly asked: (params: Parameters) => Omit<Asked, 'method'> | null;
}

const textIn = (params: Parameters, name: string, wanted: string) =>
  typeof params[name] === 'string' ? null : mustBe(`params.${name}`, wanted, params[name]);

const objectIn = (params: Parameters, name: string) =>
  isObject(params[name]) ? null : mustBe(`params.${name}`, 'an object', params[name]);

const argumentsIn = (params: Parameters) =>
  params['arguments'] === undefined ? null : objectIn(params, 'arguments');

function list(method: 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list'): Method {
  return {
    needsParams: false,
    wrong: (params) => (params['cursor'] === undefined ? null : textIn(params, 'cursor', 'a text')),
    asked: ({ cursor }) => ({
      name: undefined,
      operation: toolsOperation.id,
      readsData: false,
      isKeyed: false,
      cache: releaseCache,
      result: async ({ turns }) => (await import('./listing.ts')).listedPage(method, cursor, turns.pause),
    }),
  };
}

const methods = {
  'tools/list': list('tools/list'),
  'resources/list': list('resources/list'),
  'resources/templates/list': list('resources/templates/list'),
  'prompts/list': list('prompts/list'),
  'tools/call': {
    needsParams: true,
    wrong: (params) => textIn(params, 'name', 'the name of a tool') ?? argumentsIn(params),
    asked: ({ name, arguments: given }) => {
      const tool = toolNamed(name);
      return tool === undefined
        ? null
        : {
            name: tool.name,
            operation: tool.name,
            readsData: true,
            isKeyed: tool.access !== 'public',
            cache: null,
            result: (services, caller) => callTool(services, tool, given, caller),
          };
    },
  },
  'resources/read': {
    needsParams: true,
    wrong: (params) => textIn(params, 'uri', 'the URI of a resource'),
    asked: ({ uri }) => {
      if (typeof uri !== 'string') return null;
      const named = resourceNamed(uri);
      const { access } = named.template.reads;
      return {
        name: uri,
        operation: protocolOperations.read,
        readsData: true,
        isKeyed: access !== 'public',
        cache: access === 'public' ? releaseCache : dataCache,
        result: (services, caller) => readResource(services, uri, named, caller),
      };
    },
  },
  'prompts/get': {
    needsParams: true,
    wrong: (params) => textIn(params, 'name', 'the name of a prompt') ?? argumentsIn(params),
    asked: ({ name, arguments: given }) => {
      const prompt = promptNamed(name);
      if (!prompt) throw unknownPrompt(name);
      return {
        name: prompt.name,
        operation: protocolOperations.prompt,
        readsData: true,
        isKeyed: true,
        cache: null,
        result: (services, caller) => getPrompt(services, prompt, given, caller),
      };
    },
  },
  'completion/complete': {
    needsParams: true,
    wrong: (params) => objectIn(params, 'ref') ?? objectIn(params, 'argument'),
    asked: (params) => {
      const completed = completedArgument(params);
      return {
        name: undefined,
        operation: protocolOperations.complete,
        readsData: true,
        isKeyed: needsKey(completed),
        cache: null,
        result: (services, caller) => complete(services, completed, caller),
      };
    },
  },
} as const satisfies Record<string, Method>;

/** A method that the service itself answers. */
export type AskedMethod = keyof typeof methods;

/** The methods that the service itself answers. */
export const askedMethods = Object.keys(methods) as AskedMethod[];

const methodsByName: ReadonlyMap<unknown, readonly [AskedMethod, Method]> = new Map(
  Object.entries(methods).map(([name, method]) => [name, [name as AskedMethod, method]]),
);

/**
 * What a message asks for; null if that is for the official packages to answer or refuse. A name or URI that
 * there is not gives a result that rejects.
 */
export function askedBy(message: unknown): Asked | null {
  if (!isObject(message)) return null;
  const found = methodsByName.get(message['method']);
  if (!found) return null;
  const [method, { asked, needsParams, wrong }] = found;
  const { params } = message;
  if (params === undefined ? needsParams : !isObject(params)) return null;
  const given = (params ?? {}) as Parameters;
  if (wrong(given) !== null) return null;
  try {
    const read = asked(given);
    return read === null ? null : { method, ...read };
  } catch (error) {
    const name = given['uri'] ?? given['name'];
    return {
      method,
      name: typeof name === 'string' ? name : undefined,
      operation: toolsOperation.id,
      readsData: false,
      isKeyed: false,
      cache: null,
      result: () => Promise.reject(error as Error),
    };
  }
}

/** What is wrong with the types of the parameters of a method, in a sentence; null if nothing is. */
export function wrongTypes(name: unknown, params: unknown): string | null {
  const method = methodsByName.get(name)?.[1];
  if (!method || (params === undefined && !method.needsParams)) return null;
  return isObject(params) ? method.wrong(params) : mustBe('params', 'an object', params);
}
