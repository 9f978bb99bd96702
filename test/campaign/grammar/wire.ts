import { valuesIn } from '../../support/values.ts';
import type { Random } from '../random.ts';
import type { Facts, Noise } from '../request.ts';

/** Makes noise of one kind. Texts are Latin-1: each character is a byte. */
interface Production {
  readonly weight: number;
  readonly kind: string;
  make(random: Random, facts: Facts): string;
  /** Whether the server cannot see that nothing more comes. */
  readonly isCut?: true;
  readonly isKeyed?: true;
  readonly first?: number;
}

const paths = valuesIn(`
  /health | / | /demo | /docs | /mcp | /a2a | /v1/sec/latest | /v1/sec/stats | /validate/x/y`);
const posted = ['/mcp', '/a2a', '/health', '/validate/x/y'] as const;
const talking = ['/mcp', '/a2a'] as const;
const message = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const host = 'Host: 127.0.0.1\r\n';
const lengths = [8000, 15_000, 16_200, 16_384, 17_000, 70_000, 300_000] as const;

const get = (path: string, headers = host, version = '1.1') =>
  `GET ${path} HTTP/${version}\r\n${headers}\r\n`;
const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`;

const targets = [
  ...valuesIn(`
    /docs\\x | \\ | /\\..\\.. | /a b | /" | /<x> | /{x} | /^ | /\x7f | /\xe9 | /\xff\xfe | /[ | /docs#x | /#
    /% | ?x | * | x | health | /\x01 | /v1/sec/latest?form=\\ | /v1/sec/latest?q=\xe9 | /v1/sec/latest?\x00`),
  '/|',
  '/`',
  '/health\t',
];
const absoluteTargets = valuesIn(`
  http://127.0.0.1/health | http://evil.example/health | http://evil.example/v1/sec/latest | https://x:1/
  http:// | http:///health | ftp://x/ | http://[ | http://x@y/health | HTTP://X/docs | http://a b/
  file:///etc/passwd | javascript:alert(1) | http://127.0.0.1:99999/health | http://x?y | http:health`);
const requestLines = [
  ...valuesIn(`
    get /health HTTP/1.1 | FOO /health HTTP/1.1 | GETT /health HTTP/1.1 | GET  /health HTTP/1.1 | GET /health
    GET /health HTTP/9.9 | GET /health HTTP/2.0 | GET /health HTTP/1.2 | GET /health HTTP/0.9
    GET /health http/1.1 | GET /health HTTP/1.1 x | GET /health HTTP/1 | GET /health XTTP/1.1
    GET /health HTTP/01.1 | GET | GET /health RTSP/1.0 | SOURCE /x ICE/1.0 | PRI * HTTP/2.0`),
  ' GET /health HTTP/1.1',
  'GET\t/health\tHTTP/1.1',
  '',
  `${'A'.repeat(5000)} / HTTP/1.1`,
];
const lines = (text: string) => valuesIn(text).map((line) => `${line}\r\n`);
const hosts = [
  ...lines(`
    Host; | Host: | Host: a, b | Host : a | Host | : x | Host: \x00 | Host: a\x01b | Host: [:: | Host: a/../b
    Host: ? | Host: http://x/`),
  '',
  'Host: a\r\nHost: b\r\n',
  `Host: ${'a'.repeat(9000)}\r\n`,
];
const headers = [
  ...lines(`
    x y: z | x\x00: y | x: \x00 | x: a\rb | x: \x0b | \xff: x | x | =: x | @x: y | x(y): z | x: \x7f | "x": y
    __proto__: x | constructor: y`),
  ' folded: x\r\n',
  'a: b\r\n c\r\n',
  'a: b\r\n\tc\r\n',
  'x:y\nz:w\r\n',
];
const lineEnds = [
  `GET /health HTTP/1.1\n${host.trim()}\n\n`,
  `GET /health HTTP/1.1\r${host.trim()}\r\r\n\r\n`,
  `\r\n\r\n${get('/health')}`,
  `\n\n\n${get('/health')}`,
  get('/health', host.replace('\r\n', '\n')),
  `GET /health HTTP/1.1\r\n${host.trim()}\r\n\n`,
  `GET /health HTTP/1.1\r\n${host}\r\r\n`,
] as const;
const headersOfOld = [
  '',
  host,
  `${host}Connection: keep-alive\r\n`,
  ...lines('Connection: close | Transfer-Encoding: chunked | Accept: text/html | Expect: 100-continue'),
];
const ranges = valuesIn(`
  99999999- | 0- | -1 | -0 | 5-1 | 0-0,5-6 | 99999999999999999999- | 1-99999999999999999999`);
const contentLengths = [
  ...valuesIn(`
    Content-Length: -1 | Content-Length: +5 | Content-Length: 0x5 | Content-Length: 5, 5 | Content-Length: 5 5
    Content-Length: five | Content-Length: | Content-Length: 99999999999999999999999 | Content-Length : 5
    Content-Length: 1e1 | Content-Length: 5;`),
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
];
const codings = [
  ...valuesIn(`
    gzip | identity | chunked, chunked | chunked, identity | gzip, chunked | xchunked | chunked;x
    \x0bchunked`),
  'Chunked ',
  ' chunked',
  '',
  'chunked\r\nTransfer-Encoding: identity',
  'chunked\r\nTransfer-Encoding: chunked',
];
const chunks = [
  'zz\r\n{}\r\n0\r\n\r\n',
  '-1\r\n{}\r\n0\r\n\r\n',
  'ffffffffffffffff1\r\n{}',
  '0x2\r\n{}\r\n0\r\n\r\n',
  '2\r\n{}x\r\n0\r\n\r\n',
  '2 \r\n{}\r\n0\r\n\r\n',
  `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  '2\n{}\n0\n\n',
  '0\r\nx\r\n\r\n',
  `0\r\n${'x: y\r\n'.repeat(3000)}\r\n`,
  '\r\n0\r\n\r\n',
  '2\r\n{}\r\n00000000000000000\r\n\r\n',
] as const;
const cutLengths = [10, 1000, message.length + 1, 70_000, 300_000] as const;
const cutBodies = ['', '{', '{"jsonrpc', message] as const;
const cutChunks = ['', '5', '5\r\n', '5\r\n{', '2\r\n{}\r\n', '2\r\n{}\r\n0\r\n', 'fffff\r\n{}'] as const;
const expectations = ['100-continue', '200-ok', 'x', '', '100-continue, x'] as const;
const protocols = ['h2c', 'websocket', 'x', 'TLS/1.0', ''] as const;
const upgradeHeaders =
  'HTTP2-Settings: AAMAAABk\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
const greetings = [
  `\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03${'x'.repeat(160)}`,
  'SSH-2.0-OpenSSH_9.6\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '*1\r\n$4\r\nPING\r\n',
  'EHLO x\r\n',
  '\x00\x00\x00\x08\x04\xd2\x16\x2f',
  `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${get('/health')}`,
] as const;
const inner = get('/v1/sec/latest?limit=1');
const outer = [
  post('/mcp', `Content-Length: ${inner.length}\r\n`, inner),
  post('/health', `Content-Length: ${inner.length}\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${inner}`),
  post('/a2a', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n', `0\r\n\r\n${inner}`),
  get('/health', `${host}x: y\r\n\r\n${inner.replaceAll('\r\n', '\n')}`),
  `POST /docs HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n${inner}`,
] as const;
const broken = [
  'x\r\n\r\n',
  get('/health', 'Host;\r\n'),
  get('/docs', `${host}x y: z\r\n`),
  '\x00\x01\x02\r\n\r\n',
  get('/health', `${host}x: ${'a'.repeat(20_000)}\r\n`),
] as const;

/**
 * What is sent to a server by mistake, by scanners, and by who wants two programs to read the same bytes
 * differently.
 */
const productions: readonly Production[] = [
  { weight: 6, kind: 'target', make: ({ choose }) => get(choose(targets)) },
  { weight: 4, kind: 'absolute target', make: ({ choose }) => get(choose(absoluteTargets)) },
  {
    weight: 4,
    kind: 'target *',
    make: ({ choose }) => `${choose(['OPTIONS', 'GET', 'POST', 'TRACE', 'FOO'])} * HTTP/1.1\r\n${host}\r\n`,
  },
  {
    weight: 2,
    kind: 'connect',
    make: ({ choose }) =>
      `CONNECT ${choose(['evil.example:443', '127.0.0.1:80', '/', '*'])} HTTP/1.1\r\n${host}\r\n`,
  },
  { weight: 5, kind: 'request line', make: ({ choose }) => `${choose(requestLines)}\r\n${host}\r\n` },
  { weight: 5, kind: 'host', make: ({ choose }) => get(choose(paths), choose(hosts)) },
  { weight: 4, kind: 'header', make: ({ choose }) => get(choose(paths), `${host}${choose(headers)}`) },
  { weight: 3, kind: 'line ends', make: ({ choose }) => choose(lineEnds) },
  { weight: 3, kind: 'version 1.0', make: ({ choose }) => get(choose(paths), choose(headersOfOld), '1.0') },
  {
    weight: 3,
    kind: 'range',
    make: ({ choose }) =>
      get(
        choose(['/docs', '/openapi.json', '/demo', '/llms.txt', '/markets.json']),
        `${host}Range: bytes=${choose(ranges)}\r\n`,
      ),
  },
  {
    weight: 4,
    kind: 'content length',
    make: ({ choose }) => post(choose(posted), `${choose(contentLengths)}\r\n`, '0\r\n\r\n'),
  },
  {
    weight: 4,
    kind: 'transfer coding',
    make: ({ choose }) => post(choose(posted), `Transfer-Encoding: ${choose(codings)}\r\n`, '0\r\n\r\n'),
  },
  {
    weight: 4,
    kind: 'chunks',
    make: ({ choose }) => post(choose(posted), 'Transfer-Encoding: chunked\r\n', choose(chunks)),
  },
  {
    weight: 3,
    kind: 'body that ends early',
    isCut: true,
    make: ({ choose }) =>
      post(choose(talking), `Content-Length: ${choose(cutLengths)}\r\n`, choose(cutBodies)),
  },
  {
    weight: 2,
    kind: 'chunks that end early',
    isCut: true,
    make: ({ choose }) => post(choose(talking), 'Transfer-Encoding: chunked\r\n', choose(cutChunks)),
  },
  {
    weight: 2,
    kind: 'head that ends early',
    isCut: true,
    make: ({ integer }) => post('/mcp', host, '').slice(0, integer(1, 60)),
  },
  {
    weight: 2,
    kind: 'expectation',
    make: ({ choose }) =>
      post(
        choose(posted),
        `Expect: ${choose(expectations)}\r\nContent-Length: ${message.length}\r\n`,
        message,
      ),
  },
  {
    weight: 2,
    kind: 'upgrade',
    make: ({ choose }) =>
      get(
        choose(paths),
        `${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${choose(protocols)}\r\n${upgradeHeaders}`,
      ),
  },
  {
    weight: 2,
    kind: 'long header',
    make: ({ choose }) => get(choose(paths), `${host}x: ${'a'.repeat(choose(lengths))}\r\n`),
  },
  {
    weight: 2,
    kind: 'many headers',
    make: ({ choose }) =>
      get(choose(paths), host + 'x:\r\n'.repeat(choose([100, 1000, 1999, 2001, 3000, 9000]))),
  },
  { weight: 2, kind: 'long target', make: ({ choose }) => get(`/${'a'.repeat(choose(lengths))}`) },
  {
    weight: 2,
    kind: 'long query',
    make: ({ choose }) => get(`/v1/sec/companies/search?q=${'a'.repeat(choose(lengths))}`),
  },
  { weight: 2, kind: 'another protocol', make: ({ choose }) => choose(greetings) },
  {
    weight: 2,
    kind: 'bytes',
    isCut: true,
    make: ({ integer }) =>
      Array.from({ length: integer(1, 300) }, () => String.fromCharCode(integer(0, 255))).join(''),
  },
  { weight: 3, kind: 'one request in another', make: ({ choose }) => choose(outer) },
  {
    weight: 1,
    kind: 'two callers on one connection',
    isKeyed: true,
    first: 200,
    make: (_, { key }) => get('/v1/sec/stats', `${host}x-api-key: ${key}\r\n`) + inner,
  },
  {
    weight: 2,
    kind: 'after close',
    first: 200,
    make: ({ choose }) =>
      get(choose(['/health', '/demo', '/docs']), `${host}Connection: close\r\n`) + get('/health'),
  },
  {
    weight: 2,
    kind: 'good, then broken',
    first: 200,
    make: ({ choose }) => get(choose(['/health', '/demo', '/', '/docs'])) + choose(broken),
  },
  {
    weight: 2,
    kind: 'keyed, then broken',
    first: 200,
    isKeyed: true,
    make: ({ choose }, { key }) =>
      get('/v1/sec/insider-trades?limit=200', `${host}x-api-key: ${key}\r\n`) + choose(broken),
  },
  {
    weight: 2,
    kind: 'message, then broken',
    first: 200,
    make: ({ choose }) => post('/mcp', `Content-Length: ${message.length}\r\n`, message) + choose(broken),
  },
];

/** Bytes below the level of requests: each on a connection of its own. */
export function noise(random: Random, facts: Facts): Noise {
  const { kind, make, isCut, isKeyed, first } = random.weighted(
    productions.map((each) => [each.weight, each] as const),
  );
  return {
    kind,
    bytes: Buffer.from(make(random, facts), 'latin1'),
    isComplete: isCut === undefined,
    ...(isKeyed ? { isKeyed } : {}),
    ...(first === undefined ? {} : { first }),
  };
}
