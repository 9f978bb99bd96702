import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { errorStatus } from '../../src/contract/errors.ts';
import { isObject } from '../../src/contract/shapes.ts';
import { valuesOf, type Facts, type HostileRequest, type Noise } from './request.ts';
import { headerOf, quoted, type Answered } from './response.ts';

/** Something that a service must not do. */
export interface Fault {
  /** The rule that was broken, in a few words: faults are counted by it. */
  readonly rule: string;
  readonly detail: string;
}

/** Looks at answers. It remembers the bodies of ETags, so that it notices when one stands for two. */
export interface Oracle {
  ofRequest(request: HostileRequest, answer: Answered): Fault[];
  /** The answer to noise: whatever was meant by it, it is an answer that the service may give. */
  ofNoise(answer: Answered, noise: Pick<Noise, 'first'>): Fault[];
}

/** The closed set of error codes (DESIGN.md, section 6). */
const codes: ReadonlyMap<string, number> = new Map(Object.entries({ ...errorStatus,
  range_not_satisfiable: 416 }));
const errorStatuses = new Set([...codes.values()].filter((status) => status < 500));
const goodStatuses = new Set([200, 202, 204, 206, 303, 304, 308]);
const etagsMaximum = 20_000;
/** What a client does wrong is no internal error. */
const internalError = -32603;

/** Makes an oracle for one campaign. */
export function createOracle(facts: Facts): Oracle {
  const bodies = new Map<string, string>();

  /** An ETag stands for one body of a target. */
  function etagFaults(target: string, answer: Answered): Fault[] {
    const etag = headerOf(answer, 'etag');
    if (etag === undefined || answer.status !== 200) return [];
    if (!/^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag)) return [{ rule: 'an ETag is quoted', detail: etag }];
    const [key, digest] = [`${target} ${etag}`, createHash('sha256').update(answer.body).digest('hex')];
    const before = bodies.get(key);
    if (before === undefined && bodies.size < etagsMaximum) bodies.set(key, digest);
    return before === undefined || before === digest ? []
      : [{ rule: 'an ETag stands for one body', detail: `${target} ${etag}` }];
  }

  return {
    ofNoise: (answer, { first }) => [
      ...(first === undefined || answer.status === first ? []
        : [{ rule: 'answers come in the order of requests',
        detail: `${answer.status} instead of ${first}` }]),
      ...commonFaults(answer), ...shapeFaults(answer, 'any'),
        ...(isPrivate(answer) && !mayBeKeyed(answer)
        ? [{ rule: 'no keyed byte without a key', detail: quoted(answer.body) }] : [])],
    ofRequest(request, answer) {
      const caller = callerOf(request, facts);
      return [
        ...commonFaults(answer), ...(request.method === 'HEAD' ? [] : shapeFaults(answer, request.surface)),
          ...statusFaults(request, answer, facts), ...keyFaults(request, answer, caller),
        ...(request.method === 'GET' ? etagFaults(request.target, answer) : []),
          ...revalidationFaults(request, answer), ...encodingFaults(request, answer),
          ...rangeFaults(request, answer),
        ...(request.surface === 'rest' ? wantFaults(request, answer, caller)
          : rpcFaults(request, answer, caller)),
      ];
    },
  };

  /** Noise may have a good key in it, in its own words. */
  function mayBeKeyed(answer: Answered): boolean {
    return answer.status === 200 && answer.body.includes('"forms":');
  }
}

/** Whether the answers to one request, given twice, are the same as far as they have to be. */
export function repetitionFaults(first: Answered, second: Answered): Fault[] {
  const isSame = first.status === second.status && first.body.equals(second.body);
  return isSame ? [] : [{ rule: 'the same request has the same answer',
    detail: `${first.status} ${quoted(first.body)} then ${second.status} ${quoted(second.body)}` }];
}

function commonFaults(answer: Answered): Fault[] {
  const { status, headers, body } = answer;
  const faults: Fault[] = [];
  if (status >= 500) faults.push({ rule: `status ${status}`, detail: quoted(body) });
  const names = headers.map(([name]) => name).filter((name) => name !== 'set-cookie');
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) faults.push({ rule: 'a header comes once', detail: twice });
  const required: Readonly<Record<number, string>> = { 401: 'www-authenticate', 405: 'allow',
    416: 'content-range', 429: 'retry-after', 503: 'retry-after', 303: 'location', 308: 'location' };
  const wanted = required[status];
  if (wanted !== undefined && !headerOf(answer, wanted)) faults.push({ rule: `${status} has ${wanted}`,
    detail: names.join(', ') });
  const location = headerOf(answer, 'location');
  const isOwn = location === undefined || location.startsWith('https://') || /^\/(?![/\\])/.test(location);
  if (!isOwn) faults.push({ rule: 'a redirect leads to this service', detail: String(location) });
  if (status >= 400 && body.length > 0 && !/no-store/.test(headerOf(answer,
    'cache-control') ?? '')) faults.push({ rule: 'an error is not stored',
    detail: `${status} ${headerOf(answer, 'cache-control')}` });
  return faults;
}

/** What the body must be: JSON where it says so, and for errors the one form that they have. */
function shapeFaults(answer: Answered, surface: HostileRequest['surface'] | 'any'): Fault[] {
  const { status, body } = answer;
  if (status === 204 || status === 304) return [];
  const type = headerOf(answer, 'content-type');
  if (body.length === 0) return status >= 400 ? [{ rule: 'an error has a body', detail: `${status}` }] : [];
  if (type === undefined) return [{ rule: 'a body has a type', detail: `${status} ${quoted(body)}` }];
  const isJson = /^application\/(json|[\w.+-]+\+json)\b/.test(type);
  if (status >= 400 && !isJson) return status === 404 && type.startsWith('text/html') && surface !== 'mcp'
    ? [] : [{ rule: 'an error is JSON', detail: `${status} ${type} ${quoted(body)}` }];
  if (!isJson || status === 206) return [];
  const value = parsed(decodedBody(answer));
  if (value === undefined) return [{ rule: 'JSON can be parsed', detail: `${status} ${quoted(body)}` }];
  const isRpc = surface === 'mcp' || (surface === 'a2a' && status < 400)
    || (surface !== 'rest' && isObject(value) && value['jsonrpc'] === '2.0');
  if (isRpc) return rpcShapeFaults(value, status);
  if (status < 400) return [];
  const error = isObject(value) ? value['error'] : undefined;
  if (!isObject(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string'
    || error['message'] === '') return [{ rule: 'an error is {error:{code,message}}', detail: quoted(body) }];
  return codes.get(error['code']) === status ? []
    : [{ rule: 'an error code belongs to its status', detail: `${status} ${error['code']}` }];
}

function rpcShapeFaults(value: unknown, status: number): Fault[] {
  return messagesOf(value).flatMap((each): Fault[] => {
    if (!isObject(each) || each['jsonrpc'] !== '2.0' || !('id' in each)
      || 'result' in each === 'error' in each) return [{ rule: 'an answer is JSON-RPC',
      detail: quoted(Buffer.from(JSON.stringify(each) ?? '')) }];
    const { error } = each as { error?: { code?: unknown; message?: unknown } };
    if (error === undefined) return [];
    if (!Number.isInteger(error.code) || typeof error.message !== 'string') return [{ rule: 'an answer is JSON-RPC', detail: JSON.stringify(each) }];
    return error.code === internalError && status < 500
      ? [{ rule: 'a mistake of a client is no internal error (-32603)',
      detail: error.message.slice(0, 200).replaceAll(/\s+/g, ' ') }] : [];
  });
}

function statusFaults({ surface, method, operation, isOdd }: HostileRequest, answer: Answered,
  { declared }: Facts): Fault[] {
  const { status, body } = answer;
  const undeclared = (of: string): Fault[] => [{ rule: `undeclared status ${status}`,
    detail: `${of}: ${quoted(body)}` }];
  // What fails on this side is counted by another rule, and what HTTP forbids may be refused before anybody looks at the path.
  if (status >= 500 || (isOdd && status === 400)) return [];
  if (surface === 'a2a') return [200, 401, 403, 413, 415,
    ...(method === 'POST' ? [] : [204, 405])].includes(status) ? [] : undeclared('/a2a');
  const statuses = operation === null ? undefined : declared.get(operation);
  if (statuses) {
    if (!statuses.has(status)) return undeclared(operation as string);
    const allowed = statuses.get(status) as readonly string[];
    const value = status >= 400 && method !== 'HEAD' && surface === 'rest' ? parsed(decodedBody(answer))
      : undefined;
    const code = isObject(value) && isObject(value['error']) ? String(value['error']['code']) : undefined;
    return code !== undefined && allowed.length > 0 && !allowed.includes(code)
      ? [{ rule: 'an operation declares its error codes', detail: `${operation}: ${code}` }] : [];
  }
  if (surface === 'mcp') return [204, 403, 405].includes(status) ? [] : undeclared(`${method} /mcp`);
  return goodStatuses.has(status) || errorStatuses.has(status) ? [] : undeclared(method);
}

type Caller = 'direct' | 'gateway' | 'nobody' | 'unsure';

/** Who sent a request, as its headers say beyond doubt. */
function callerOf(request: HostileRequest, { key, gateway }: Facts): Caller {
  const [keys, credentials] = [valuesOf(request, 'x-api-key'), valuesOf(request, 'authorization')];
  const given = [...keys, ...credentials];
  if (keys.length === 1 && credentials.length === 0 && keys[0] === key) return 'direct';
  if (keys.length === 0 && credentials.length === 1
    && new RegExp(`^Bearer +${key}$`, 'i').test(credentials[0] as string)) return 'direct';
  if (given.some((value) => value.includes(key))) return 'unsure';
  if (given.length > 0) return 'nobody';
  const [secrets, hosts, buyers] = [
    'x-marketplace-proxy-secret', 'x-marketplace-host',
    'x-marketplace-key'].map((name) => valuesOf(request, name)) as [string[], string[], string[],
  ];
  const isProven = secrets.length === 1 && secrets[0] === gateway.secret && hosts.length === 1
    && (hosts[0] as string).toLowerCase() === gateway.host && buyers.length === 1 && buyers[0] !== ''
    && (buyers[0] as string).length <= 256;
  return isProven ? 'gateway' : 'nobody';
}

/** Whether an answer says of itself that it is for holders of keys. */
function isPrivate(answer: Answered): boolean {
  return answer.status < 400 && (/\bprivate\b/.test(headerOf(answer, 'cache-control') ?? '')
    || /x-api-key/i.test(headerOf(answer, 'vary') ?? ''));
}

function keyFaults(request: HostileRequest, answer: Answered, caller: Caller): Fault[] {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const keyed = isPrivate(answer) || (request.surface === 'rest' && isRead && answer.status < 400
    && request.target.startsWith('/v1/'));
  if (caller === 'nobody' && keyed && answer.status !== 308) return [{ rule: 'no keyed byte without a key',
    detail: `${answer.status} ${quoted(answer.body)}` }];
  if (answer.status === 401 && (caller === 'direct'
    || (caller === 'gateway' && request.surface === 'rest'))) return [{ rule: 'a good key opens',
    detail: `${caller}: ${quoted(answer.body)}` }];
  return [];
}

function wantFaults({ wants, isOdd, method, operation }: HostileRequest, { status, body }: Answered,
  caller: Caller): Fault[] {
  if (operation === null || caller === 'nobody' || caller === 'unsure' || isOdd) return [];
  if (wants === 'good' && status >= 400 && status !== 404) return [{ rule: 'what is allowed is answered',
    detail: `${method} ${operation}: ${status} ${quoted(body)}` }];
  return wants === 'refusal' && status < 400 ? [{ rule: 'what is not allowed is refused',
    detail: `${operation}: ${status}` }] : [];
}

const opaque = (etag: string): string => etag.replace(/^W\//, '').replaceAll('"', '').replace(/-(br|gzip)$/,
  '');

/** A 304 goes to who has the answer, and to nobody else. */
function revalidationFaults(request: HostileRequest, answer: Answered): Fault[] {
  const lists = valuesOf(request, 'if-none-match');
  const etag = headerOf(answer, 'etag');
  if (answer.status === 304) {
    if (etag === undefined) return [{ rule: '304 has an ETag', detail: request.target }];
    const held = lists.join(', ');
    return held.includes('*') || held.includes(opaque(etag)) ? []
      : [{ rule: 'a 304 goes to who sent its ETag', detail: `${etag} to ${held.slice(0, 200)}` }];
  }
  const isWhole = answer.status === 200 && (request.method === 'GET' || request.method === 'HEAD')
    && lists.length === 1;
  if (!isWhole || etag === undefined) return [];
  const [list = ''] = lists;
  const entry = String.raw`(?:W/)?"[\x21\x23-\x7e]*"`;
  const isList = new RegExp(`^${entry}(?:, ${entry})*$`).test(list);
  const has = list === '*' || (isList && [...list.matchAll(new RegExp(entry,
    'g'))].some(([each]) => each.replace(/^W\//, '') === etag.replace(/^W\//, '')));
  return has ? [{ rule: 'who sent the ETag gets a 304', detail: `${etag} is in ${list.slice(0, 200)}` }] : [];
}

function encodingFaults(request: HostileRequest, answer: Answered): Fault[] {
  const encoding = headerOf(answer, 'content-encoding');
  if (encoding === undefined || encoding === 'identity') return [];
  const accepted = valuesOf(request, 'accept-encoding').join(',').toLowerCase();
  const entries = accepted.split(',').map((each) => each.split(';').map((part) => part.trim()));
  const names = encoding === 'gzip' ? ['gzip', 'x-gzip'] : [encoding];
  const own = entries.filter(([name = '']) => names.includes(name));
  const isAsked = own.length > 0 || entries.some(([name]) => name === '*');
  const isForbidden = own.length === 1 && own[0]?.length === 2
    && /^q=0(\.0{0,3})?$/.test(own[0][1] as string);
  if (!isAsked || isForbidden) return [{ rule: 'an encoding was asked for',
    detail: `${encoding} for ${accepted.slice(0, 200)}` }];
  if (answer.body.length > 0 && decodedBody(answer) === null) return [{ rule: 'an encoded body can be decoded', detail: encoding }];
  return [];
}

function rangeFaults(request: HostileRequest, answer: Answered): Fault[] {
  const { status, body } = answer;
  const contentRange = headerOf(answer, 'content-range');
  if (status !== 206) return status === 416 && !/^bytes \*\/\d+$/.test(contentRange ?? '')
    ? [{ rule: '416 has content-range', detail: String(contentRange) }] : [];
  const [, from, to, whole] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange ?? '') ?? []).map(Number);
  const isTrue = from !== undefined && to !== undefined && whole !== undefined && from <= to && to < whole
    && (request.method === 'HEAD' || body.length === to - from + 1);
  if (valuesOf(request, 'range').length === 0) return [{ rule: 'a part was asked for',
    detail: String(contentRange) }];
  return isTrue ? [] : [{ rule: 'a part is what Content-Range says',
    detail: `${contentRange}, ${body.length} bytes` }];
}

/** What holds between a message and its answer. */
function rpcFaults(request: HostileRequest, answer: Answered, caller: Caller): Fault[] {
  const value = parsed(decodedBody(answer));
  if (value === undefined) return [];
  const faults: Fault[] = [];
  const asked = request.message === null ? undefined : parsed(request.message);
  for (const each of messagesOf(value)) {
    if (!isObject(each) || each['jsonrpc'] !== '2.0') continue;
    if (caller === 'nobody' || caller === 'gateway') faults.push(...openFaults(each));
    const id = isObject(asked) ? asked['id'] : undefined;
    const isName = typeof id === 'string' || Number.isSafeInteger(id);
    if (!Array.isArray(value) && isName && !Object.is(each['id'], Object.is(id, -0) ? 0 : id)
      && !('error' in each && each['id'] === null)) faults.push({ rule: 'an answer has the id of its request',
      detail: `${quoted(Buffer.from(JSON.stringify(id)))} was answered as ${quoted(Buffer.from(JSON.stringify(each['id']) ?? ''))}` });
    if (request.message !== null && asked === undefined
      && 'result' in each) faults.push({ rule: 'what is no JSON has no result',
      detail: quoted(answer.body) });
  }
  return faults;
}

/** To nobody, a result is public data or none. */
function openFaults(message: Readonly<Record<string, unknown>>): Fault[] {
  return resultsOf(message['result'], 0).filter((data) => {
    const inner = isObject(data['data']) ? data['data'] : {};
    return !('latestFilings' in inner || 'pricingUrl' in inner || 'error' in data);
  }).map((data) => ({ rule: 'no keyed byte without a key', detail: JSON.stringify(data).slice(0, 200) }));
}

/** Structured content of a tool and data parts of an agent, wherever they stand. */
function resultsOf(value: unknown, depth: number): Readonly<Record<string, unknown>>[] {
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.flatMap((each) => resultsOf(each, depth + 1));
  if (!isObject(value)) return [];
  if (isObject(value['structuredContent'])) return [value['structuredContent']];
  if (Array.isArray(value['parts'])) return value['parts'].flatMap((part) => (isObject(part)
    && isObject(part['data']) ? [part['data']] : []));
  return isObject(value['message']) ? resultsOf(value['message'], depth + 1) : [];
}

const messagesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function decodedBody(answer: Answered): Buffer | null {
  const encoding = headerOf(answer, 'content-encoding');
  try {
    return encoding === 'br' ? brotliDecompressSync(answer.body) : encoding === 'gzip'
      ? gunzipSync(answer.body) : answer.body;
  } catch {
    return null;
  }
}

/** The value of JSON in UTF-8; undefined if it is none. */
function parsed(body: Buffer | null): unknown {
  if (body === null || body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}
