import type { Random } from '../random.ts';
import type { Facts, Noise } from '../request.ts';

const paths = [
  '/health', '/', '/demo', '/docs', '/mcp', '/a2a', '/v1/sec/latest', '/v1/sec/stats', '/validate/x/y',
] as const;
const message = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

type Production = (random: Random, facts: Facts) => Noise;

const complete = (kind: string, text: string): Noise =>
  ({ kind, bytes: Buffer.from(text, 'latin1'), isComplete: true });
const incomplete = (kind: string, text: string): Noise =>
  ({ kind, bytes: Buffer.from(text, 'latin1'), isComplete: false });
const get = (path: string, headers: string, version = '1.1') =>
  `GET ${path} HTTP/${version}\r\n${headers}\r\n`;
const host = 'Host: 127.0.0.1\r\n';
const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`;

/** What is sent to a server by mistake, by scanners, and by who wants two programs to read the same bytes differently. */
const productions: readonly (readonly [weight: number, make: Production])[] = [
  [6, (random) => complete('target', get(random.choose(['/docs\\x', '\\', '/\\..\\..', '/a b', '/|', '/"',
    '/<x>', '/{x}', '/^', '/`', '/\x7f', '/\xe9', '/\xff\xfe', '/[', '/docs#x', '/#', '/%', '/health\t', '?x',
    '*', 'x', 'health', '/\x01', '/v1/sec/latest?form=\\', '/v1/sec/latest?q=\xe9', '/v1/sec/latest?\x00']),
    host))],
  [4, (random) => complete('absolute target', get(random.choose(['http://127.0.0.1/health',
    'http://evil.example/health', 'http://evil.example/v1/sec/latest', 'https://x:1/', 'http://',
    'http:///health', 'ftp://x/', 'http://[', 'http://x@y/health', 'HTTP://X/docs', 'http://a b/',
    'file:///etc/passwd', 'javascript:alert(1)', 'http://127.0.0.1:99999/health', 'http://x?y',
    'http:health']), host))],
  [4, (random) => complete('target of options',
    `${random.choose(['OPTIONS', 'GET', 'POST', 'TRACE', 'FOO'])} * HTTP/1.1\r\n${host}\r\n`)],
  [5, (random) => complete('request line', `${random.choose(['get /health HTTP/1.1', 'FOO /health HTTP/1.1', 'GETT /health HTTP/1.1', 'GET  /health HTTP/1.1', ' GET /health HTTP/1.1', 'GET\t/health\tHTTP/1.1', 'GET /health', 'GET /health HTTP/9.9', 'GET /health HTTP/2.0', 'GET /health HTTP/1.2', 'GET /health HTTP/0.9', 'GET /health http/1.1', 'GET /health HTTP/1.1 x', 'GET /health HTTP/1', 'GET /health XTTP/1.1', 'GET /health HTTP/01.1', 'GET', '', 'GET /health RTSP/1.0', 'SOURCE /x ICE/1.0', 'PRI * HTTP/2.0', `${'A'.repeat(5000)} / HTTP/1.1`])}\r\n${host}\r\n`)],
  [2, (random) => complete('connect', `CONNECT ${random.choose(['evil.example:443', '127.0.0.1:80', '/', '*'])} HTTP/1.1\r\n${host}\r\n`)],
  [5, (random) => complete('host', get(random.choose(paths),
    random.choose(['Host;\r\n', '', 'Host: a\r\nHost: b\r\n', 'Host:\r\n', 'Host: a, b\r\n', 'Host : a\r\n',
    'Host\r\n', ': x\r\n', 'Host: \x00\r\n', 'Host: a\x01b\r\n', 'Host: [::\r\n', 'Host: a/../b\r\n',
    'Host: ?\r\n', 'Host: http://x/\r\n', `Host: ${'a'.repeat(9000)}\r\n`])))],
  [4, (random) => complete('header', get(random.choose(paths),
    `${host}${random.choose(['x y: z\r\n', ' folded: x\r\n', 'a: b\r\n c\r\n', 'a: b\r\n\tc\r\n', 'x\x00: y\r\n', 'x: \x00\r\n', 'x: a\rb\r\n', 'x: \x0b\r\n', '\xff: x\r\n', 'x\r\n', '=: x\r\n', '@x: y\r\n', 'x(y): z\r\n', 'x: \x7f\r\n', '"x": y\r\n', '__proto__: x\r\n', 'constructor: y\r\n', 'x:y\nz:w\r\n'])}`))],
  [3, (random) => complete('line ends', random.choose([`GET /health HTTP/1.1\n${host.trim()}\n\n`,
    `GET /health HTTP/1.1\r${host.trim()}\r\r\n\r\n`, `\r\n\r\n${get('/health', host)}`,
    `\n\n\n${get('/health', host)}`, get('/health', host.replace('\r\n', '\n')),
    `GET /health HTTP/1.1\r\n${host.trim()}\r\n\n`, `GET /health HTTP/1.1\r\n${host}\r\r\n`]))],
  [3, (random) => complete('version 1.0', get(random.choose(paths),
    random.choose(['', host, `${host}Connection: keep-alive\r\n`, 'Connection: close\r\n',
    'Transfer-Encoding: chunked\r\n', 'Accept: text/html\r\n', 'Expect: 100-continue\r\n']), '1.0'))],
  [3, (random) => complete('range', get(random.choose(['/docs', '/openapi.json', '/demo', '/llms.txt',
    '/markets.json']), `${host}Range: bytes=${random.choose(['99999999-', '0-', '-1', '-0', '5-1', '0-0,5-6', '99999999999999999999-', '1-99999999999999999999'])}\r\n`))],
  [4, (random) => complete('lengths', post(random.choose(['/mcp', '/a2a', '/health', '/validate/x/y']),
    random.choose([`Content-Length: 5\r\nContent-Length: 6\r\n`, 'Content-Length: -1\r\n',
    'Content-Length: +5\r\n', 'Content-Length: 0x5\r\n', 'Content-Length: 5, 5\r\n',
    'Content-Length: 5 5\r\n', 'Content-Length: five\r\n', 'Content-Length:\r\n',
    'Content-Length: 99999999999999999999999\r\n', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
    'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', 'Content-Length : 5\r\n',
    'Content-Length: 1e1\r\n', 'Content-Length: 5;\r\n']), '0\r\n\r\n'))],
  [4, (random) => complete('codings', post(random.choose(['/mcp', '/a2a', '/health']),
    `Transfer-Encoding: ${random.choose(['gzip', 'identity', 'chunked, chunked', 'chunked, identity', 'gzip, chunked', 'xchunked', 'Chunked ', ' chunked', 'chunked;x', '', '\x0bchunked', 'chunked\r\nTransfer-Encoding: identity', 'chunked\r\nTransfer-Encoding: chunked'])}\r\n`, '0\r\n\r\n'))],
  [4, (random) => complete('chunks', post(random.choose(['/mcp', '/a2a', '/health']),
    'Transfer-Encoding: chunked\r\n', random.choose(['zz\r\n{}\r\n0\r\n\r\n', '-1\r\n{}\r\n0\r\n\r\n',
    'ffffffffffffffff1\r\n{}', '0x2\r\n{}\r\n0\r\n\r\n', '2\r\n{}x\r\n0\r\n\r\n', '2 \r\n{}\r\n0\r\n\r\n',
    `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`, '2\n{}\n0\n\n', '0\r\nx\r\n\r\n',
    `0\r\n${'x: y\r\n'.repeat(3000)}\r\n`, '\r\n0\r\n\r\n', '2\r\n{}\r\n00000000000000000\r\n\r\n'])))],
  [3, (random) => incomplete('body that ends early',
    post(random.choose(['/mcp', '/a2a']), random.choose(['Content-Length: 1000\r\n',
    `Content-Length: ${message.length + 1}\r\n`, 'Content-Length: 10\r\n', 'Content-Length: 70000\r\n',
    'Content-Length: 300000\r\n']), random.choose(['', '{', message, message.slice(0, 9)])))],
  [2, (random) => incomplete('chunks that end early',
    post(random.choose(['/mcp', '/a2a']), 'Transfer-Encoding: chunked\r\n',
    random.choose(['', '5', '5\r\n', '5\r\n{', '2\r\n{}\r\n', '2\r\n{}\r\n0\r\n', 'fffff\r\n{}'])))],
  [2, (random) => incomplete('head that ends early', post('/mcp', host, '').slice(0, random.integer(1, 60)))],
  [2, (random) => complete('expectation', post(random.choose(['/mcp', '/a2a', '/health']),
    `Expect: ${random.choose(['100-continue', '200-ok', 'x', '', '100-continue, x'])}\r\nContent-Length: ${message.length}\r\n`, message))],
  [2, (random) => complete('upgrade', get(random.choose(paths),
    `${host}Connection: Upgrade${random.choose(['', ', HTTP2-Settings'])}\r\nUpgrade: ${random.choose(['h2c', 'websocket', 'x', 'TLS/1.0', ''])}\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n`))],
  [2, (random) => complete('long header', get(random.choose(paths),
    `${host}x: ${'a'.repeat(random.choose([8_000, 15_000, 16_200, 16_384, 17_000, 70_000, 300_000]))}\r\n`))],
  [2, (random) => complete('many headers', get(random.choose(paths),
    host + Array.from({ length: random.choose([100, 1000, 1999, 2001, 3000, 9000]) },
    (_, at) => `${at}:\r\n`).join('')))],
  [2, (random) => complete('long target', get(`/${'a'.repeat(random.choose([8_000, 15_000, 16_384, 20_000, 100_000]))}`, host))],
  [2, (random) => complete('long query', get(`/v1/sec/companies/search?q=${'a'.repeat(random.choose([8_000, 15_000, 16_384, 20_000]))}`, host))],
  [2, (random) => complete('another protocol',
    random.choose(['\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03' + 'x'.repeat(160),
    'SSH-2.0-OpenSSH_9.6\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '*1\r\n$4\r\nPING\r\n', 'EHLO x\r\n',
    '\x00\x00\x00\x08\x04\xd2\x16\x2f', 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n']))],
  [2, (random) => incomplete('bytes', Array.from({ length: random.integer(1, 300) },
    () => String.fromCharCode(random.integer(0, 255))).join(''))],
  [3, (random, { key }) => {
    const inner = get('/v1/sec/latest?limit=1', `${host}`);
    return complete('one request in another', random.choose([
      post('/mcp', `Content-Length: ${inner.length}\r\n`, inner),
        post('/health', `Content-Length: ${inner.length}\r\nTransfer-Encoding: chunked\r\n`,
        `0\r\n\r\n${inner}`), post('/a2a', `Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n`,
        `0\r\n\r\n${inner}`),
      `GET /v1/sec/stats HTTP/1.1\r\n${host}x-api-key: ${key}\r\n\r\n${inner}`,
        `GET /health HTTP/1.1\r\n${host}x: y\r\n\r\n${inner.replaceAll('\r\n', '\n')}`,
        `POST /docs HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n${inner}`,
    ]));
  }],
  [2, (random) => complete('after close', `${get(random.choose(paths), `${host}Connection: close\r\n`)}${get('/health', host)}`)],
  [2, (random) => ({ first: 200, ...complete('good, then broken',
    `${get(random.choose(['/health', '/demo', '/', '/docs']), host)}${random.choose([get('/health', 'Host;\r\n'), 'x\r\n\r\n', get('/docs\\x', host), '\x00\x01\x02\r\n\r\n', get('/health', `${host}x: ${'a'.repeat(20_000)}\r\n`)])}`) })],
  [2, (random) => {
    const broken = random.choose(['x\r\n\r\n', get('/health', 'x y: z\r\n'), '\x00\x01\x02\r\n\r\n']);
    return { first: 200, ...complete('message, then broken',
      `${post(random.choose(['/mcp', '/a2a']), `Content-Length: ${message.length}\r\n`, message)}${broken}`) };
  }],
];

/** Bytes below the level of requests: each on a connection of its own. */
export function noise(random: Random, facts: Facts): Noise {
  return random.weighted(productions)(random, facts);
}
