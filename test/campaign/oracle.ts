import { createHash } from 'node:crypto';
import { errorStatus } from '../../src/contract/errors.ts';
import { isObject } from '../../src/domain/scalars.ts';
import { must, type Fault } from './fault.ts';
import { isRead } from './grammar/operations.ts';
import { rpcFaults, rpcShapeFaults } from './oracle-rpc.ts';
import { valuesOf, type Facts, type HostileRequest, type Noise } from './request.ts';
import { bodyOf, headerOf, parsed, quoted, type Answered } from './response.ts';

/** Checks answers. It remembers the body of each ETag, so that it notices one ETag of two bodies. */
export interface Oracle {
  ofRequest(request: HostileRequest, answer: Answered): Fault[];
  /** The answer number `at` to noise: whatever was meant by it, it is an answer that the service may give. */
  ofNoise(noise: Noise, answer: Answered, at: number): Fault[];
}

/** Every error code of REST, with its status. No answer has another one. */
const codes: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...errorStatus, range_not_satisfiable: 416 }),
);
const errorStatuses = [...codes.values()].filter((status) => status < 500);
const goodStatuses: readonly number[] = [200, 202, 204, 206, 303, 304, 308];
const etagsMaximum = 20_000;
/** Headers that an answer of a status must have. */
const headersOfStatus: Readonly<Record<number, string>> = {
  303: 'location',
  304: 'etag',
  308: 'location',
  401: 'www-authenticate',
  405: 'allow',
  416: 'content-range',
  429: 'retry-after',
  503: 'retry-after',
};

/** Makes an oracle for one campaign. */
export function createOracle(facts: Facts): Oracle {
  const digests = new Map<string, string>();

  /** An ETag stands for one body of a target. */
  function etagFaults(target: string, answer: Answered): Fault[] {
    const etag = headerOf(answer, 'etag');
    if (etag === undefined || answer.status !== 200) return [];
    const key = `${target} ${etag}`;
    const digest = createHash('sha256').update(answer.body).digest('hex');
    const before = digests.get(key) ?? digest;
    if (digests.size < etagsMaximum) digests.set(key, before);
    return must(before === digest, 'an ETag stands for one body', () => key);
  }

  return {
    ofNoise: (noise, answer, at) => [
      ...must(
        at > 0 || noise.first === undefined || noise.first === answer.status,
        'answers come in the order of requests',
        () => `${answer.status} instead of ${noise.first}`,
      ),
      ...must(noise.isKeyed === true || !isPrivate(answer), 'no keyed byte without a key', () =>
        quoted(answer.body),
      ),
      ...commonFaults(answer),
      ...shapeFaults(answer, 'any'),
    ],
    ofRequest(request, answer) {
      const caller = callerOf(request, facts);
      return [
        ...commonFaults(answer),
        ...(request.method === 'HEAD' ? [] : shapeFaults(answer, request.surface)),
        ...statusFaults(request, answer, facts),
        ...keyFaults(request, answer, caller),
        ...(request.method === 'GET' ? etagFaults(request.target, answer) : []),
        ...revalidationFaults(request, answer),
        ...encodingFaults(request, answer),
        ...rangeFaults(request, answer),
        ...(request.surface === 'rest'
          ? wantFaults(request, answer, caller)
          : rpcFaults(request, answer, caller === 'direct' || caller === 'unsure')),
      ];
    },
  };
}

/** Whether the answers to one request, given twice, are the same. */
export function repetitionFaults(first: Answered, second: Answered): Fault[] {
  // While many bytes wait to be sent, a body is sent without compression.
  const isSameBody = first.body.equals(second.body) || bodyOf(second)?.equals(bodyOf(first) ?? first.body);
  const isSame = first.status === second.status && isSameBody === true;
  return must(
    isSame,
    'the same request has the same answer',
    () => `${first.status} ${quoted(first.body)} then ${second.status} ${quoted(second.body)}`,
  );
}

/** What holds for every answer. */
function commonFaults(answer: Answered): Fault[] {
  const { status, headers, body } = answer;
  const names = headers.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const wanted = headersOfStatus[status];
  const [location, etag] = [headerOf(answer, 'location'), headerOf(answer, 'etag')];
  const isOwn = location === undefined || location.startsWith('https://') || /^\/(?![/\\])/.test(location);
  const isStored = status >= 400 && body.length > 0 && headerOf(answer, 'cache-control') !== 'no-store';
  return [
    ...must(status < 500 || isOverload(answer), `status ${status}`, () => quoted(body)),
    ...must(twice === undefined, 'a header comes once', () => String(twice)),
    ...must(wanted === undefined || names.includes(wanted), `${status} has ${wanted}`, () =>
      names.join(', '),
    ),
    ...must(isOwn, 'a redirect leads to this service', () => String(location)),
    ...must(!isStored, 'an error is not stored', () => `${status} ${headerOf(answer, 'cache-control')}`),
    ...must(etag === undefined || /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag), 'an ETag is quoted', () =>
      String(etag),
    ),
  ];
}

/** Whether the service says that it has more to do than it can; every operation declares that. */
const isOverload = ({ status, body }: Answered): boolean =>
  status === 503 && body.includes('"code":"overloaded"');

/** What a body must be: JSON where it says so, and for errors the one form that they have. */
function shapeFaults(answer: Answered, surface: HostileRequest['surface'] | 'any'): Fault[] {
  const { status, body } = answer;
  const type = headerOf(answer, 'content-type') ?? '';
  const isError = status >= 400;
  const shown = () => `${status} ${type} ${quoted(body)}`;
  if (body.length === 0) return must(!isError, 'an error has a body', () => String(status));
  // A browser gets a page where nothing is.
  const isPage = type.startsWith('text/html') && (!isError || (status === 404 && surface !== 'mcp'));
  const isJson = /^application\/(json|[\w.+-]+\+json)\b/.test(type);
  if (isPage || status === 206 || (!isJson && !isError)) return must(type !== '', 'a body has a type', shown);
  const value = parsed(bodyOf(answer));
  if (!isJson || value === undefined)
    return must(false, isJson ? 'JSON can be parsed' : 'an error is JSON', shown);
  const speaksRpc = isObject(value) && value['jsonrpc'] === '2.0';
  if (surface === 'mcp' || (surface === 'a2a' && !isError) || (surface !== 'rest' && speaksRpc))
    return rpcShapeFaults(value, status);
  return isError ? errorFaults(value, status) : [];
}

function errorFaults(value: unknown, status: number): Fault[] {
  const { code, message } = isObject(value) && isObject(value['error']) ? value['error'] : {};
  const isWhole = typeof code === 'string' && typeof message === 'string' && message !== '';
  const isKnown = !isWhole || codes.get(code) === status;
  return [
    ...must(isWhole, 'an error is {error:{code,message}}', () => JSON.stringify(value).slice(0, 200)),
    ...must(isKnown, 'an error code belongs to its status', () => `${status} ${String(code)}`),
  ];
}

/** An answer has a status, and for an operation a code, that the service declares. */
function statusFaults(request: HostileRequest, answer: Answered, { declared }: Facts): Fault[] {
  const { surface, method, operation, isOdd } = request;
  const { status, body } = answer;
  // Errors 5xx count under another rule, and malformed HTTP may be refused before its path is read.
  if (
    status >= 500 ||
    (isOdd && status === 400) ||
    (status === 413 && headBytesOf(request) > headBytesMaximum)
  )
    return [];
  const own = operation === null ? undefined : declared.get(operation);
  const allowed = own ? [...own.keys()] : statusesOf(surface, method);
  const value = surface === 'rest' && status >= 400 ? parsed(bodyOf(answer)) : undefined;
  const code = isObject(value) && isObject(value['error']) ? String(value['error']['code']) : undefined;
  const ownCodes = own?.get(status) ?? [];
  return [
    ...must(
      allowed.includes(status),
      `undeclared status ${status}`,
      () => `${operation ?? `${method} ${surface}`}: ${quoted(body)}`,
    ),
    ...must(
      code === undefined || ownCodes.length === 0 || ownCodes.includes(code),
      'an operation declares its codes',
      () => `${operation}: ${code}`,
    ),
  ];
}

/** Target and headers that are longer together are refused, whatever they ask for. */
const headBytesMaximum = 16 * 1024;

function headBytesOf({ target, headers }: HostileRequest): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, target.length);
}

/** Statuses where the OpenAPI document says nothing. */
function statusesOf(surface: HostileRequest['surface'], method: string): readonly number[] {
  if (surface === 'rest') return [...goodStatuses, ...errorStatuses];
  // A body that is too long is refused before the method is looked at.
  if (method !== 'POST') return [204, 403, 405, 413];
  return surface === 'a2a' ? [200, 401, 403, 413, 415] : [200, 202, 400, 401, 403, 406, 413, 415];
}

type Caller = 'direct' | 'gateway' | 'nobody' | 'unsure';

/** Who sent a request, as its headers say beyond doubt. */
function callerOf(request: HostileRequest, { key, limitedKey, gateway }: Facts): Caller {
  const [keys, credentials] = [valuesOf(request, 'x-api-key'), valuesOf(request, 'authorization')];
  const given = [...keys, ...credentials];
  const [only = ''] = given;
  const bearer = new RegExp(`^Bearer +${key}$`, 'i');
  if (given.length === 1 && (keys.length === 1 ? only === key || only === limitedKey : bearer.test(only)))
    return 'direct';
  if (given.length > 0) return given.some((value) => value.includes(key)) ? 'unsure' : 'nobody';
  const once = (name: string) => {
    const values = valuesOf(request, name);
    return values.length === 1 ? (values[0] as string) : '';
  };
  const isProven =
    once('x-marketplace-proxy-secret') === gateway.secret &&
    once('x-marketplace-host').toLowerCase() === gateway.host;
  const buyer = once('x-marketplace-key');
  return isProven && buyer !== '' && buyer.length <= 256 ? 'gateway' : 'nobody';
}

/** Whether an answer says of itself that it is for holders of keys. */
function isPrivate(answer: Answered): boolean {
  const [control, vary] = [headerOf(answer, 'cache-control') ?? '', headerOf(answer, 'vary') ?? ''];
  return answer.status < 400 && (/\bprivate\b/.test(control) || /x-api-key/i.test(vary));
}

/** Keyed paths need a good key. */
function keyFaults({ surface, method, target }: HostileRequest, answer: Answered, caller: Caller): Fault[] {
  const { status, body } = answer;
  const isKeyedPath =
    surface === 'rest' && isRead(method) && target.startsWith('/v1/') && status < 400 && status !== 308;
  const opens = caller === 'direct' || (caller === 'gateway' && surface === 'rest');
  return [
    ...must(
      caller !== 'nobody' || !(isKeyedPath || isPrivate(answer)),
      'no keyed byte without a key',
      () => `${status} ${quoted(body)}`,
    ),
    ...must(!opens || status !== 401, 'a good key opens', () => `${caller}: ${quoted(body)}`),
  ];
}

/** The service answers good requests and refuses bad ones. Nothing is expected of other requests. */
function wantFaults(request: HostileRequest, { status, body }: Answered, caller: Caller): Fault[] {
  const { wants, isOdd, method, operation } = request;
  if (operation === null || caller === 'nobody' || caller === 'unsure' || isOdd) return [];
  // A stream takes other parameters than the list at the same path.
  if (valuesOf(request, 'accept').some((accept) => accept.includes('text/event-stream'))) return [];
  const shown = () => `${method} ${operation}: ${status} ${quoted(body)}`;
  return [
    ...must(
      wants !== 'good' || status < 400 || status === 404 || status === 416,
      'a request that is allowed is answered',
      shown,
    ),
    ...must(wants !== 'refusal' || status >= 400, 'a request that is not allowed is refused', shown),
  ];
}

/** An ETag of a well-formed list. */
const entry = /(?:W\/)?"[\x21\x23-\x7e]*"/;
const list = new RegExp(`^${entry.source}(?:, ${entry.source})*$`);
const strong = (etag: string): string => etag.replace(/^W\//, '');
const withoutEncoding = (etag: string): string =>
  strong(etag)
    .replaceAll('"', '')
    .replace(/-(br|gzip)$/, '');

/** A client gets a 304 exactly if it sent the ETag of the answer. */
function revalidationFaults(request: HostileRequest, answer: Answered): Fault[] {
  const held = valuesOf(request, 'if-none-match').join(', ');
  const etag = headerOf(answer, 'etag');
  if (etag === undefined) return [];
  const isHeld = held.includes('*') || held.includes(withoutEncoding(etag));
  const entries = list.test(held) ? held.split(', ') : [];
  const isFresh = held === '*' || entries.some((each) => strong(each) === strong(etag));
  const shown = () => `${etag} to ${held.slice(0, 200)}`;
  return [
    ...must(answer.status !== 304 || isHeld, 'a 304 goes only to a client that sent its ETag', shown),
    ...must(
      answer.status !== 200 || !isRead(request.method) || !isFresh,
      'a client that sent the ETag gets a 304',
      shown,
    ),
  ];
}

/** A body is compressed as the client accepts it. */
function encodingFaults(request: HostileRequest, answer: Answered): Fault[] {
  const encoding = headerOf(answer, 'content-encoding');
  if (encoding === undefined) return [];
  const accepted = valuesOf(request, 'accept-encoding').join(',').toLowerCase();
  const entries = accepted.split(',').map((each) => each.replaceAll(/\s/g, ''));
  const own = entries.filter((each) => each.split(';')[0]?.replace(/^x-/, '') === encoding);
  const isRefused =
    own.length === 1 && /;q=0(\.0{0,3})?$/.test(own[0] as string) && own[0]?.split(';').length === 2;
  const isAsked = !isRefused && (own.length > 0 || entries.some((each) => each.startsWith('*')));
  return [
    ...must(isAsked, 'an encoding was asked for', () => `${encoding} for ${accepted.slice(0, 200)}`),
    ...must(
      answer.body.length === 0 || bodyOf(answer) !== null,
      'an encoded body can be decoded',
      () => encoding,
    ),
  ];
}

/** A part was asked for, and is what its header says. */
function rangeFaults(request: HostileRequest, { status, headers, body }: Answered): Fault[] {
  const contentRange = headers.find(([name]) => name === 'content-range')?.[1] ?? '';
  if (status === 416)
    return must(/^bytes \*\/\d+$/.test(contentRange), '416 names the length', () => contentRange);
  if (status !== 206) return [];
  const [from = 0, to = 0, whole = 0] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange) ?? [])
    .slice(1)
    .map(Number);
  const isTrue = from <= to && to < whole && (request.method === 'HEAD' || body.length === to - from + 1);
  return [
    ...must(valuesOf(request, 'range').length > 0, 'a part was asked for', () => contentRange),
    ...must(
      isTrue,
      'a part has the bytes that Content-Range says',
      () => `${contentRange}, ${body.length} bytes`,
    ),
  ];
}
