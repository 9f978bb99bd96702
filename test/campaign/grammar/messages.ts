import { agentPath, skills } from '../../../src/contract/agent.ts';
import { currentRevision, handshakeRevisions, tools } from '../../../src/contract/tools.ts';
import type { Random } from '../random.ts';
import type { Facts, Header, HostileRequest } from '../request.ts';
import { keyHeaders, someHeaders } from './headers.ts';
import { damaged, deep, mutated, raw, strangeTree, treeOf, written, type Tree } from './json.ts';
import { methodOf } from './operations.ts';

type Members = Readonly<Record<string, unknown>>;

const goodIds = [1, 'x', 0, -7, 'a-b_c', 9007199254740991, '', '\u00e9'] as const;
const memberNames = [
  'id', 'method', 'params', 'jsonrpc', 'name', 'arguments', '_meta', 'capabilities', 'task', 'clientInfo',
  'protocolVersion', 'cursor', 'message', 'parts', 'data', 'text', 'role', 'progressToken',
] as const;
const jsonTypes = [
  'application/json', 'application/json; charset=utf-8', 'Application/JSON',
  'application/json;charset="UTF-8"',
] as const;
const otherTypes = [
  'text/plain', 'application/jsonp', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded',
  '', ';', 'application/json, text/plain', 'application/vnd.api+json', 'json',
  'application/json; charset=utf-16',
] as const;

const meta = { 'io.modelcontextprotocol/protocolVersion': currentRevision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' } };

/** A message to `/mcp` with the headers that belong to it. */
interface Message {
  readonly members: Members;
  readonly headers: readonly Header[];
}

function goodToolArguments(random: Random): Message['members'] {
  const tool = random.choose(tools);
  const given = random.weighted<() => Members>([
    [6, () => tool.example],
    [2, () => ({ ...tool.example, limit: random.integer(1, 200) })],
    [2, () => ({ ...tool.example, [random.choose(['limit', 'q', 'tickers', 'since', 'cursor', 'accessionNo',
      'x'])]: random.choose([0, -1, 1.5, 'x', '', null, [], {}, true, '5', 1e308, 'x'.repeat(3000),
      '2026-02-30', 'AAPL,,']) })],
  ])();
  return { name: random.chance(0.05) ? random.choose(['nope', '', '__proto__', 'constructor',
    'sec_company_search\0']) : tool.name, ...(random.chance(0.05) ? {} : { arguments: given }) };
}

function toolMessage(random: Random): Message {
  const id = random.choose(goodIds);
  const isCurrent = random.chance(0.25);
  const version: Header[] = random.weighted<Header[]>([[10, []],
    [5, [['MCP-Protocol-Version', random.choose(handshakeRevisions)]]],
    [1, [['MCP-Protocol-Version', random.choose(['', 'x', '1999-01-01', currentRevision, '2024-10-07',
    '2024-11-05'])]]]]);
  const message = (method: string, params: Members | undefined, name?: string): Message => ({
    members: { jsonrpc: '2.0', id, method, ...(isCurrent ? { params: { ...params, _meta: meta } }
      : params === undefined ? {} : { params }) },
    headers: isCurrent ? [['MCP-Protocol-Version', currentRevision], ['Mcp-Method', method],
      ...(name === undefined ? [] : [['Mcp-Name', name] as const])] : version,
  });
  return random.weighted<() => Message>([
    [12, () => {
      const params = goodToolArguments(random);
      return message('tools/call', random.chance(0.05) ? { ...params, task: {} } : params,
        /[\0]/.test(String(params['name'])) ? 'x' : String(params['name']));
    }],
    [4, () => message('tools/list', random.chance(0.5) ? undefined : {})],
    [4, () => message('initialize', { protocolVersion: random.choose([...handshakeRevisions, currentRevision,
      '2024-10-07', 'x', '']), capabilities: random.choose<unknown>([{}, [], { roots: { listChanged: true } },
      { task: {} }, { tasks: {} }]), clientInfo: { name: 'x', version: '1' } })],
    [2, () => message('ping', random.chance(0.5) ? undefined : {})],
    [2, () => message('server/discover', {})],
    [2, () => message(random.choose(['resources/list', 'prompts/list', 'resources/read',
      'completion/complete', 'logging/setLevel', 'tasks/get', 'tasks/list', 'x', '', 'rpc.discover',
      '__proto__', 'toString', 'subscriptions/listen']),
      random.choose<Members | undefined>([undefined, {}, { uri: 'file:///etc/passwd' }, { level: 'x' },
      { taskId: '1', task: {} }]))],
    [3, () => ({ members: { jsonrpc: '2.0', method: random.choose(['notifications/initialized',
      'notifications/cancelled', 'notifications/progress', 'notifications/x', 'tools/list', 'x']),
      params: random.choose<unknown>([{}, { requestId: 1 }, { progressToken: 1, progress: 1e300 }, []]) },
      headers: version })],
    [1, () => ({ members: { jsonrpc: '2.0', id, result: {} }, headers: version })],
    [1, () => ({ members: { jsonrpc: '2.0', id, error: { code: 1, message: 'x' } }, headers: version })],
  ])();
}

function agentMessage(random: Random): Message {
  const skill = random.choose(skills);
  const isCurrent = random.chance(0.5);
  const sentence = random.weighted<() => string>([
    [8, () => random.choose(skill.examples)],
    [1, () => random.choose(['', ' ', 'x'.repeat(5000), 'changes for '.repeat(90),
      `changes for ${'A,'.repeat(550)}A since 2026-01-01`, 'latest 9999999999999999999999 filings',
      'filings of __proto__', 'search %', 'profile of \0', '\ud800', `search ${'a '.repeat(500)}`,
      'insider filings of '.repeat(60)])],
  ])();
  const data = { skill: random.chance(0.1) ? random.choose(['x', '', '__proto__', 'constructor']) : skill.id,
    arguments: random.choose<unknown>([{}, { ticker: 'AAPL' }, { tickers: 'AAPL,MSFT', limit: 2 },
    { q: 'apple' }, { since: '2026-08-01', limit: 3 }, { accessionNo: '0000320193-25-000079' },
    { limit: '5' }, { limit: 1.5 }, [], null, 'x', { x: 1 }]) };
  const part = random.chance(0.5) ? (isCurrent ? { text: sentence } : { kind: 'text', text: sentence })
    : isCurrent ? { data } : { kind: 'data', data };
  const other = random.choose<object>([{ url: 'file:///etc/passwd' }, { raw: 'AAAA' },
    { kind: 'file', file: { uri: 'http://127.0.0.1/' } }, { text: 'x', data: {} }, {}, { kind: 'x' }]);
  const message = { messageId: random.choose(['m', 'x'.repeat(2000)]), role: isCurrent ? 'ROLE_USER' : 'user',
    parts: random.chance(0.1) ? [part, other] : [part],
    ...(random.chance(0.1) ? { contextId: random.choose(['c', '', 'x'.repeat(5000)]) } : {}),
    ...(random.chance(0.05) ? { taskId: 't' } : {}), ...(isCurrent ? {} : { kind: 'message' }) };
  const id = random.choose(goodIds);
  const [method, params] = random.weighted<() => [string, unknown]>([
    [12, () => [isCurrent ? 'SendMessage' : 'message/send',
      { message, ...(random.chance(0.1) ? { configuration: random.choose<unknown>([{}, [], { blocking: true },
      { pushNotificationConfig: { url: 'http://127.0.0.1:1/' } }]) } : {}) }]],
    [4, () => [random.choose(['GetTask', 'CancelTask', 'tasks/get', 'tasks/cancel', 'SubscribeToTask',
      'tasks/resubscribe', 'ListTasks', 'message/stream', 'SendStreamingMessage', 'GetExtendedAgentCard',
      'CreateTaskPushNotificationConfig', 'tasks/pushNotificationConfig/set', 'x', '', '__proto__',
      'toString']), random.choose<unknown>([{}, { id: 't' }, { id: 1 }, [], null, undefined, { task: {} }])]],
  ])();
  const version = random.weighted<Header[]>([[10, []], [3, [['A2A-Version', isCurrent ? '1.0' : '0.3']]],
    [1, [['A2A-Version', random.choose(['1.0.7', '9.9', '', 'x', '0.3.0.0', '1.0, 0.3', '__proto__',
    '1'.repeat(3000)])]]]]);
  return { members: { jsonrpc: '2.0', id, method, params }, headers: version };
}

/** The text of a message, mostly with something wrong about it. */
function textOf(random: Random, make: () => Message, bytesMaximum: number): string {
  const tree = () => treeOf(make().members);
  return random.weighted<() => string>([
    [30, () => written(tree())],
    [30, () => written(mutated(random, tree(), memberNames))],
    [8, () => written(mutated(random, mutated(random, tree(), memberNames), memberNames))],
    [10, () => damaged(random, written(tree()))],
    [6, () => withId(random.choose(['007', '1,"id":2', '"a","id":"b"', '1.5', 'null', 'true', '[]', '{}',
      '1e400', '9007199254740993', '-0', '1e2', '"\\ud800"', `"${'x'.repeat(5000)}"`, '"\\u0031"', ' 1 ',
      '00', '1_0', '"x', '0x1', '1.0', '{"toString":1}']), written(tree()))],
    [4, () => batch(random, tree)],
    [2, () => written(random.choose<() => Tree>([() => deep(8000, false), () => deep(8000, true),
      () => deep(30000, false), () => strangeTree(random)])())],
    [3, () => nested(random, make().members)],
    [1, () => `${written(tree()).slice(0, -1)},"x":"${'x'.repeat(bytesMaximum + random.integer(-300, 10))}"}`],
    [1, () => ` ${random.choose([' ', '\n', '\t', '\r\n']).repeat(random.integer(1, 2000))}${written(tree())}`],
  ])();
}

function withId(id: string, text: string): string {
  return text.replace(/"id":("[^"]*"|-?\d+)/, () => `"id":${id}`);
}

function batch(random: Random, tree: () => Tree): string {
  const items = Array.from({ length: random.choose([0, 1, 2, 3, 5, 10, 11, 200]) },
    (_, at) => (random.chance(0.2) ? strangeTree(random)
    : raw(random.chance(0.2) ? written(tree()) : withId(String(at), written(tree())))));
  return written({ kind: 'list', items: random.chance(0.1) ? [{ kind: 'list', items }] : items });
}

/** A message with 8,000 levels somewhere inside. */
function nested(random: Random, members: Members): string {
  const levels = deep(8000, random.chance(0.5));
  const params = (members['params'] ?? {}) as Members;
  const inside = (name: string): Tree => ({ kind: 'object',
    members: [...Object.entries(params).map(([each, value]) => [each, treeOf(value)] as const),
    [name, levels]] });
  const all = Object.entries(members).filter(([, value]) => value !== undefined).map(([name, value]) => [name,
    treeOf(value)] as const);
  return written(random.choose<() => Tree>([
    () => ({ kind: 'object', members: [...all.filter(([name]) => name !== 'params'), ['params', levels]] }),
    () => ({ kind: 'object', members: [...all.filter(([name]) => name !== 'params'),
      ['params', inside(random.choose(['arguments', 'name', '_meta', 'capabilities', 'x', 'message', 'task',
      'protocolVersion']))]] }),
    () => ({ kind: 'object', members: all.map(([name, value]) => [name,
      name === 'id' || name === 'method' ? (random.chance(0.5) ? levels : value) : value]) }),
    () => ({ kind: 'object', members: [...all, ['x', levels]] }),
  ])());
}

function chunked(random: Random, body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const piece = body.subarray(at, at + random.integer(1, Math.max(1, Math.ceil(body.length / 3))));
    pieces.push(Buffer.from(`${piece.length.toString(16)}${random.chance(0.05) ? ';x="y"' : ''}\r\n`), piece,
      Buffer.from('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${random.chance(0.05) ? 'x-trailer: y\r\n' : ''}\r\n`)]);
}

function post(random: Random, facts: Facts, surface: 'mcp' | 'a2a', kind: string, text: string,
  own: readonly Header[]): HostileRequest {
  const target = surface === 'mcp' ? '/mcp' : `${agentPath}${random.chance(0.05) ? random.choose(['?A2A-Version=1.0', '?A2A-Version=x', '?A2A-Version=1.0&A2A-Version=0.3', '?x']) : ''}`;
  const { headers, isOdd } = someHeaders(random, facts, target);
  const message = Buffer.from(text, 'latin1');
  const isChunked = random.chance(0.15);
  const type: Header[] = random.weighted<() =>
    Header[]>([[40, () => [['Content-Type', 'application/json']]],
    [5, () => [['Content-Type', random.choose(jsonTypes)]]],
    [2, () => [['Content-Type', random.choose(otherTypes)]]], [1, () => []]])();
  const method = random.chance(0.97) ? 'POST' : methodOf(random);
  return {
    kind, method, target: random.chance(0.02) && surface === 'mcp' ? '/mcp?x=1' : target,
    headers: [
      ...headers.filter(([name]) => name.toLowerCase() !== 'accept' || random.chance(0.3)), ...own,
      ...keyHeaders(random, facts), ...type, isChunked ? ['Transfer-Encoding', 'chunked']
      : ['Content-Length', String(message.length)],
    ],
    body: isChunked ? chunked(random, message) : message, message, surface,
      operation: surface === 'mcp' && method === 'POST' ? 'post /mcp' : null, wants: 'either', isOdd,
  };
}

/** A message to the tool protocol, or several whose answers have to agree. */
export function toolRequests(random: Random, facts: Facts): HostileRequest[] {
  if (random.chance(0.12)) return idsAround(random, facts);
  const { headers } = toolMessage(random);
  let own = headers;
  const text = textOf(random, () => {
    const message = toolMessage(random);
    own = message.headers;
    return message;
  }, 64 * 1024);
  return [post(random, facts, 'mcp', 'mcp', text, own)];
}

/** One call with ids of all kinds: what was answered before must not change what an id is answered with. */
function idsAround(random: Random, facts: Facts): HostileRequest[] {
  const call = { method: 'tools/call', params: { name: 'sec_demo_latest_filings',
    arguments: { limit: random.integer(1, 200) } } };
  const rest = written(treeOf(call)).slice(1);
  const first = random.chance(0.5);
  const withText = (id: string) => (first ? `{"jsonrpc":"2.0","id":${id},${rest}`
    : `{${rest.slice(0, -1)},"jsonrpc":"2.0","id":${id}}`);
  const odd = random.choose(['007', '1,"id":2', '"a","id":"b"', '1.5', '9007199254740993', '"\\u0031"', '1e2',
    '00', '-0', 'null', '999999999999999', '"a"']);
  const plain: readonly Header[] = [
    ['Host', `127.0.0.1:${facts.port}`], ['Content-Type', 'application/json'], ['x-api-key', facts.key],
  ];
  const request = (id: string): HostileRequest => {
    const message = Buffer.from(withText(id), 'latin1');
    return { kind: 'mcp ids', method: 'POST', target: '/mcp',
      headers: [...plain, ['Content-Length', String(message.length)]], body: message, message, surface: 'mcp',
      operation: 'post /mcp', wants: 'either', isOdd: false };
  };
  const [before, good, after] = [request(odd), request('1'), request(odd)];
  return [before, good, { ...after, sameAs: 0 }, { ...request('1'), sameAs: 1 }];
}

/** A message to the agent. */
export function agentRequest(random: Random, facts: Facts): HostileRequest {
  let own: readonly Header[] = [];
  const text = textOf(random, () => {
    const message = agentMessage(random);
    own = message.headers;
    return message;
  }, 256 * 1024);
  return post(random, facts, 'a2a', 'a2a', text, own);
}
