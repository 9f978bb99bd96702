import { agentPath, skills } from '../../../src/contract/agent.ts';
import { currentRevision, handshakeRevisions, tools } from '../../../src/contract/tools.ts';
import { prompts } from '../../../src/contract/prompts.ts';
import { allResources, resourceUri } from '../../../src/contract/resources.ts';
import { valuesIn } from '../../support/values.ts';
import type { Random } from '../random.ts';
import { toolPost, type Facts, type Header, type HostileRequest } from '../request.ts';
import { keyHeaders, someHeaders } from './headers.ts';
import {
  damaged,
  deep,
  mutated,
  raw,
  replacedInside,
  strangeTree,
  treeOf,
  written,
  type Tree,
} from './json.ts';
import { methodOf } from './operations.ts';

type Members = Readonly<Record<string, unknown>>;

const goodIds = [1, 'x', 0, -7, 'a-b_c', 9007199254740991, '', '\u00e9'] as const;
const memberNames = valuesIn(`
  id | method | params | jsonrpc | name | arguments | _meta | capabilities | task | clientInfo
  protocolVersion | cursor | message | parts | data | text | role | progressToken | uri | ref | argument`);
const jsonTypes = valuesIn(`
  application/json | application/json; charset=utf-8 | Application/JSON | application/json;charset="UTF-8"`);
const otherTypes = [
  ...valuesIn(`
    text/plain | application/jsonp | multipart/form-data; boundary=x | application/x-www-form-urlencoded | ;
    application/json, text/plain | application/vnd.api+json | json | application/json; charset=utf-16`),
  '',
];

const meta = {
  'io.modelcontextprotocol/protocolVersion': currentRevision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
};
const revisions = ['', 'x', '1999-01-01', currentRevision, '2024-10-07', '2024-11-05'] as const;
const argumentNames = valuesIn(
  'limit | q | ticker | tickers | since | cursor | accessionNo | detail | maxTokens | x',
);
const argumentValues = [
  0,
  -1,
  1.5,
  'x',
  '',
  null,
  [],
  {},
  true,
  '5',
  1e308,
  'x'.repeat(3000),
  '2026-02-30',
  'AAPL,,',
  'Apple',
  320193,
  ['AAPL', 'Coca Cola', 320193],
  ['AAPL', {}],
  Array(30).fill('Johnson & Johnson'),
] as const;
const listMethods = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const;
const listCursors = ['', 'x', 'cmVzb3VyY2VzIDUw', 'cmVzb3VyY2VzIDQ5', 5, null, {}] as const;
const strangeUris = [
  ...valuesIn(`
    file:///etc/passwd | company:// | company://AAPL#x | company://user:pass@AAPL:80/filings
    company://../../etc/passwd | company://..%2F..%2Fetc | company://%00 | company://%ff | company://%
    company://AAPL?ticker=MSFT | company://AAPL/filings?limit=1&limit=2 | COMPANY://aapl/filings/
    watchlist://AAPL,,MSFT | reference://__proto__ | reference://forms/__proto__
    reference://event-types/constructor?maxTokens=1 | filing://0000320193-25-000079?detail=full&maxTokens=1
    javascript:alert(1) | http://127.0.0.1/mcp | \u0000 | \ud800`),
  '',
  `company://${'A'.repeat(5000)}`,
  `watchlist://${'A,'.repeat(200)}`,
];
const uriQueries = [
  {},
  { limit: 3 },
  { maxTokens: 1 },
  { maxTokens: 300 },
  { detail: 'full' },
  { form: '8-K' },
  { since: '2026-08-01' },
  { cursor: 'x' },
  { nope: 1 },
] as const;
const otherMethods = [
  ...valuesIn(`
    resources/subscribe | resources/unsubscribe | logging/setLevel | tasks/get | tasks/list | x | rpc.discover
    __proto__ | toString | subscriptions/listen`),
  '',
];
const otherParameters = [
  undefined,
  {},
  { uri: 'file:///etc/passwd' },
  { level: 'x' },
  { taskId: '1', task: {} },
] as const;
const capabilities = [{}, [], { roots: { listChanged: true } }, { task: {} }, { tasks: {} }] as const;
const notifications = valuesIn(`
  notifications/initialized | notifications/cancelled | notifications/progress | notifications/x | tools/list | x`);
const notificationParameters = [{}, { requestId: 1 }, { progressToken: 1, progress: 1e300 }, []] as const;

/** A message with the headers that belong to it. */
interface Message {
  readonly members: Members;
  readonly headers: readonly Header[];
}

/** What `tools/call` is called with, mostly as it should be. */
function callParameters(random: Random): { readonly name: string } & Members {
  const { choose, chance } = random;
  const tool = choose(tools);
  const given = random.weighted<() => Members>([
    [6, () => tool.example],
    [2, () => ({ ...tool.example, limit: random.integer(1, 200) })],
    [
      2,
      () => ({
        ...tool.example,
        detail: choose(['compact', 'full']),
        maxTokens: choose([1, 300, 2000, '900', 1_000_000]),
      }),
    ],
    [2, () => ({ ...tool.example, [choose(argumentNames)]: choose(argumentValues) })],
  ])();
  return {
    name: chance(0.05) ? choose(['nope', '', '__proto__', 'constructor', 'sec_company_search ']) : tool.name,
    ...(chance(0.05) ? {} : { arguments: given }),
    ...(chance(0.05) ? { task: {} } : {}),
  };
}

/** The URI of a resource, mostly as it should be. */
function uriOf(random: Random, facts: Facts): string {
  const { choose, chance } = random;
  if (chance(0.2)) return choose(strangeUris);
  const { uriTemplate, reads } = choose(allResources);
  const [, own] = /\{(\w+)\}/.exec(uriTemplate) ?? [];
  const argument = reads.arguments.find(({ parameter }) => parameter.name === own)?.parameter;
  const value = own === 'ticker' && chance(0.5) ? choose(facts.companies) : String(argument?.example ?? 'x');
  return resourceUri(uriTemplate, { ...(own === undefined ? {} : { [own]: value }), ...choose(uriQueries) });
}

/** What `prompts/get` is called with, mostly as it should be. */
function promptParameters(random: Random): { readonly name: string } & Members {
  const { choose, chance } = random;
  const prompt = choose(prompts);
  return {
    name: chance(0.05) ? choose(['nope', '', '__proto__', 'constructor']) : prompt.name,
    arguments: {
      ...prompt.example,
      ...(chance(0.3) ? { maxTokens: choose(['1', '300', '2000', 5]) } : {}),
      ...(chance(0.3) ? { [choose(argumentNames)]: choose(argumentValues) } : {}),
    },
  };
}

/** What `completion/complete` is called with, mostly as it should be. */
function completionParameters(random: Random): Members {
  const { choose, chance } = random;
  const template = choose(allResources);
  const prompt = choose(prompts);
  const isPrompt = chance(0.5);
  const own = isPrompt ? prompt.arguments : template.reads.arguments;
  return {
    ref: isPrompt
      ? { type: 'ref/prompt', name: prompt.name }
      : { type: 'ref/resource', uri: chance(0.1) ? choose(strangeUris) : template.uriTemplate },
    argument: {
      name: chance(0.1) ? choose(argumentNames) : choose(own).parameter.name,
      value: chance(0.1)
        ? choose<unknown>(argumentValues)
        : choose(['', 'a', 'app', '10', 'AAPL,mi', '__proto__']),
    },
  };
}

function toolMessage(random: Random, facts: Facts): Message {
  const { choose } = random;
  const id = choose(goodIds);
  const version = random.weighted<() => Header[]>([
    [10, () => []],
    [5, () => [['MCP-Protocol-Version', choose(handshakeRevisions)]]],
    [1, () => [['MCP-Protocol-Version', choose(revisions)]]],
  ])();
  const isCurrent = random.chance(0.25);
  function message(method: string, params: Members | undefined, name?: string): Message {
    if (!isCurrent) return { members: { jsonrpc: '2.0', id, method, params }, headers: version };
    const headers: Header[] = [
      ['MCP-Protocol-Version', currentRevision],
      ['Mcp-Method', method],
    ];
    if (name !== undefined) headers.push(['Mcp-Name', name]);
    return { members: { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }, headers };
  }
  const named = (method: string, params: { readonly name: string } & Members) =>
    message(method, params, params.name);
  const read = (uri: string) => message('resources/read', { uri }, headerText(uri));
  const initialize = () => ({
    protocolVersion: choose([...handshakeRevisions, currentRevision, '2024-10-07', 'x', '']),
    capabilities: choose<unknown>(capabilities),
    clientInfo: { name: 'x', version: '1' },
  });
  const notification = () => ({
    jsonrpc: '2.0',
    method: choose(notifications),
    params: choose<unknown>(notificationParameters),
  });
  return random.weighted<() => Message>([
    [12, () => named('tools/call', callParameters(random))],
    [3, () => message(choose(listMethods), choose([undefined, {}]))],
    [1, () => message(choose(listMethods), { cursor: choose<unknown>(listCursors) })],
    [6, () => read(uriOf(random, facts))],
    [4, () => named('prompts/get', promptParameters(random))],
    [3, () => message('completion/complete', completionParameters(random))],
    [4, () => message('initialize', initialize())],
    [2, () => message('ping', choose([undefined, {}]))],
    [2, () => message('server/discover', {})],
    [2, () => message(choose(otherMethods), choose<Members | undefined>(otherParameters))],
    [3, () => ({ members: notification(), headers: version })],
    [1, () => ({ members: { jsonrpc: '2.0', id, result: {} }, headers: version })],
    [1, () => ({ members: { jsonrpc: '2.0', id, error: { code: 1, message: 'x' } }, headers: version })],
  ])();
}

/** A value as the header `Mcp-Name` carries it. */
function headerText(value: string): string {
  return /^[\x21-\x7e]{1,2000}$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value.slice(0, 1000)).toString('base64')}?=`;
}

const strangeSentences = [
  '',
  ' ',
  'x'.repeat(5000),
  'changes for '.repeat(90),
  `changes for ${'A,'.repeat(550)}A since 2026-01-01`,
  'latest 9999999999999999999999 filings',
  'filings of __proto__',
  'search %',
  'profile of \0',
  '\ud800',
  `search ${'a '.repeat(500)}`,
  'insider filings of '.repeat(60),
] as const;
const skillArguments = [
  {},
  { ticker: 'AAPL' },
  { tickers: 'AAPL,MSFT', limit: 2 },
  { q: 'apple' },
  { since: '2026-08-01', limit: 3 },
  { accessionNo: '0000320193-25-000079' },
  { limit: '5' },
  { limit: 1.5 },
  [],
  null,
  'x',
  { x: 1 },
] as const;
const otherParts = [
  { url: 'file:///etc/passwd' },
  { raw: 'AAAA' },
  { kind: 'file', file: { uri: 'http://127.0.0.1/' } },
  { text: 'x', data: {} },
  {},
  { kind: 'x' },
] as const;
const configurations = [
  {},
  [],
  { blocking: true },
  { pushNotificationConfig: { url: 'http://127.0.0.1:1/' } },
] as const;
const agentMethods = [
  ...valuesIn(`
    GetTask | CancelTask | tasks/get | tasks/cancel | SubscribeToTask | tasks/resubscribe | ListTasks
    message/stream | SendStreamingMessage | GetExtendedAgentCard | CreateTaskPushNotificationConfig
    tasks/pushNotificationConfig/set | x | __proto__ | toString`),
  '',
];
const taskParameters = [{}, { id: 't' }, { id: 1 }, [], null, undefined, { task: {} }] as const;
const agentVersions = [...valuesIn('1.0.7 | 9.9 | x | 0.3.0.0 | 1.0, 0.3 | __proto__'), '', '1'.repeat(3000)];

/** A message to the agent, in one of the two versions that it speaks. */
function agentMessage(random: Random): Message {
  const { choose, chance } = random;
  const isCurrent = chance(0.5);
  const headers = random.weighted<() => Header[]>([
    [10, () => []],
    [3, () => [['A2A-Version', isCurrent ? '1.0' : '0.3']]],
    [1, () => [['A2A-Version', choose(agentVersions)]]],
  ])();
  const start = { jsonrpc: '2.0', id: choose(goodIds) };
  if (chance(0.25))
    return {
      members: { ...start, method: choose(agentMethods), params: choose<unknown>(taskParameters) },
      headers,
    };
  const params = {
    message: {
      messageId: choose(['m', 'x'.repeat(2000)]),
      role: isCurrent ? 'ROLE_USER' : 'user',
      parts: [agentPart(random, isCurrent), ...(chance(0.1) ? [choose<object>(otherParts)] : [])],
      ...(chance(0.1) ? { contextId: choose(['c', '', 'x'.repeat(5000)]) } : {}),
      ...(chance(0.05) ? { taskId: 't' } : {}),
      ...(isCurrent ? {} : { kind: 'message' }),
    },
    ...(chance(0.1) ? { configuration: choose<unknown>(configurations) } : {}),
  };
  return { members: { ...start, method: isCurrent ? 'SendMessage' : 'message/send', params }, headers };
}

function agentPart(random: Random, isCurrent: boolean): object {
  const { choose, chance } = random;
  const skill = choose(skills);
  const text = chance(0.1) ? choose(strangeSentences) : choose(skill.examples);
  if (chance(0.5)) return isCurrent ? { text } : { kind: 'text', text };
  const id = chance(0.1) ? choose(['x', '', '__proto__', 'constructor']) : skill.id;
  const data = { skill: id, arguments: choose<unknown>(skillArguments) };
  return isCurrent ? { data } : { kind: 'data', data };
}

const strangeIds = [
  ...valuesIn(`
    007 | 1,"id":2 | "a","id":"b" | 1.5 | null | true | [] | {} | 1e400 | 9007199254740993 | -0 | 1e2
    "\\ud800" | "\\u0031" | 00 | 1_0 | "x | 0x1 | 1.0 | {"toString":1}`),
  `"${'x'.repeat(5000)}"`,
  ' 1 ',
];

/** The text of a message, mostly with something wrong about it. */
function textOf(random: Random, make: () => Message, bytesMaximum: number): string {
  const { choose } = random;
  const tree = () => treeOf(make().members);
  const padding = () => 'x'.repeat(bytesMaximum + random.integer(-300, 10));
  return random.weighted<() => string>([
    [30, () => written(tree())],
    [30, () => written(mutated(random, tree(), memberNames))],
    [8, () => written(mutated(random, mutated(random, tree(), memberNames), memberNames))],
    [10, () => damaged(random, written(tree()))],
    [6, () => withId(choose(strangeIds), written(tree()))],
    [4, () => batch(random, tree)],
    [
      2,
      () => written(choose([deep(8000, false), deep(8000, true), deep(30_000, false), strangeTree(random)])),
    ],
    [3, () => written(replacedInside(random, tree(), deep(8000, random.chance(0.5))))],
    [1, () => `${written(tree()).slice(0, -1)},"x":"${padding()}"}`],
    [1, () => ` ${choose([' ', '\n', '\t', '\r\n']).repeat(random.integer(1, 2000))}${written(tree())}`],
  ])();
}

function withId(id: string, text: string): string {
  return text.replace(/"id":("[^"]*"|-?\d+)/, () => `"id":${id}`);
}

function batch(random: Random, tree: () => Tree): string {
  const count = random.choose([0, 1, 2, 3, 5, 10, 11, 200]);
  const items = Array.from({ length: count }, (_, at) =>
    random.weighted<() => Tree>([
      [2, () => strangeTree(random)],
      [2, tree],
      [6, () => raw(withId(String(at), written(tree())))],
    ])(),
  );
  const list: Tree = { kind: 'list', items };
  return written(random.chance(0.1) ? { kind: 'list', items: [list] } : list);
}

function chunked(random: Random, body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const piece = body.subarray(at, at + random.integer(1, Math.max(1, Math.ceil(body.length / 3))));
    const extension = random.chance(0.05) ? ';x="y"' : '';
    pieces.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${random.chance(0.05) ? 'x-trailer: y\r\n' : ''}\r\n`)]);
}

const versionQueries = valuesIn('?A2A-Version=1.0 | ?A2A-Version=x | ?A2A-Version=1.0&A2A-Version=0.3 | ?x');

/** A message as a request: mostly a POST of JSON. */
function post(
  random: Random,
  facts: Facts,
  surface: 'mcp' | 'a2a',
  text: string,
  own: readonly Header[],
): HostileRequest {
  const { choose, chance } = random;
  const target =
    surface === 'mcp'
      ? `/mcp${chance(0.02) ? '?x=1' : ''}`
      : `${agentPath}${chance(0.05) ? choose(versionQueries) : ''}`;
  const method = chance(0.97) ? 'POST' : methodOf(random);
  const { headers, isOdd } = someHeaders(random, facts, target);
  // Most clients accept JSON; one that does not is refused before its message is read.
  const kept = headers.filter(([name]) => name.toLowerCase() !== 'accept' || chance(0.3));
  const type = random.weighted<() => Header[]>([
    [40, () => [['Content-Type', 'application/json']]],
    [5, () => [['Content-Type', choose(jsonTypes)]]],
    [2, () => [['Content-Type', choose(otherTypes)]]],
    [1, () => []],
  ])();
  const message = Buffer.from(text, 'latin1');
  const isChunked = chance(0.15);
  const length: Header = isChunked
    ? ['Transfer-Encoding', 'chunked']
    : ['Content-Length', String(message.length)];
  return {
    kind: surface,
    method,
    target,
    headers: [...kept, ...own, ...keyHeaders(random, facts), ...type, length],
    body: isChunked ? chunked(random, message) : message,
    message,
    surface,
    operation: surface === 'mcp' && method === 'POST' ? 'post /mcp' : null,
    wants: 'either',
    isOdd,
  };
}

/** A message that `make` makes, with the headers of the last one that it made. */
function requestOf(
  random: Random,
  facts: Facts,
  surface: 'mcp' | 'a2a',
  make: (random: Random, facts: Facts) => Message,
  bytesMaximum: number,
): HostileRequest {
  let own: readonly Header[] = [];
  const text = textOf(
    random,
    () => {
      const message = make(random, facts);
      own = message.headers;
      return message;
    },
    bytesMaximum,
  );
  return post(random, facts, surface, text, own);
}

/** A message to the tool protocol, or several whose answers have to agree. */
export function toolRequests(random: Random, facts: Facts): HostileRequest[] {
  if (random.chance(0.12)) return idsAround(random, facts);
  return [requestOf(random, facts, 'mcp', toolMessage, 64 * 1024)];
}

/** A message to the agent. */
export function agentRequest(random: Random, facts: Facts): HostileRequest {
  return requestOf(random, facts, 'a2a', agentMessage, 256 * 1024);
}

const oddIds = valuesIn(`
  007 | 1,"id":2 | "a","id":"b" | 1.5 | 9007199254740993 | "\\u0031" | 1e2 | 00 | -0 | null
  999999999999999 | "a"`);

/** One call with ids of all kinds: what was answered before must not change what an id is answered with. */
function idsAround(random: Random, { port, key }: Facts): HostileRequest[] {
  const params = { name: 'sec_demo_latest_filings', arguments: { limit: random.integer(1, 200) } };
  const call = JSON.stringify({ method: 'tools/call', params }).slice(1, -1);
  const isFirst = random.chance(0.5);
  const odd = random.choose(oddIds);
  function request(id: string, sameAs?: number): HostileRequest {
    const message = Buffer.from(
      isFirst ? `{"jsonrpc":"2.0","id":${id},${call}}` : `{${call},"jsonrpc":"2.0","id":${id}}`,
    );
    const made = toolPost(port, 'mcp ids', message, [['x-api-key', key]]);
    return sameAs === undefined ? made : { ...made, sameAs };
  }
  return [request(odd), request('1'), request(odd, 0), request('1', 1)];
}
