import { describe, expect, it } from 'vitest';
import { scriptOf } from './grammar/script.ts';
import { createOracle, repetitionFaults } from './oracle.ts';
import { valuesOf, type Facts, type HostileRequest } from './request.ts';
import { readAnswer, type Answered } from './response.ts';

// The campaign runs against a service for minutes. These tests show which faults its oracle notices.
const facts: Facts = {
  port: 1,
  key: 'a-key-of-sixteen-letters',
  limitedKey: 'limited',
  companies: [],
  gateway: { host: 'filings.example.com', secret: 'proxy-secret' },
  known: [{ target: '/demo', etag: '"abc"' }],
  cursors: ['c'],
  publicPaths: ['/docs'],
  samples: [{ path: '/v1/x', parameters: ['since'] }],
  declared: new Map([
    [
      'get /v1/sec/stats',
      new Map([
        [200, []],
        [304, []],
        [401, ['unauthorized']],
      ]),
    ],
  ]),
};
const stats: HostileRequest = {
  kind: 'operation',
  method: 'GET',
  target: '/v1/sec/stats',
  headers: [
    ['Host', 'x'],
    ['x-api-key', facts.key],
  ],
  body: null,
  message: null,
  surface: 'rest',
  operation: 'get /v1/sec/stats',
  wants: 'good',
  isOdd: false,
};
const tools: HostileRequest = {
  ...stats,
  kind: 'mcp',
  method: 'POST',
  target: '/mcp',
  surface: 'mcp',
  operation: null,
  message: Buffer.from('{"jsonrpc":"2.0","id":7}'),
};
const json = ['content-type', 'application/json'] as const;
const noStore = ['cache-control', 'no-store'] as const;
const etag = ['etag', '"a"'] as const;

function answer(status: number, body: unknown, headers: Answered['headers'] = [json]): Answered {
  return { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}

const rulesOf = (request: HostileRequest, ...answers: Answered[]): string[] => {
  const oracle = createOracle(facts);
  return answers.flatMap((each) => oracle.ofRequest(request, each)).map(({ rule }) => rule);
};
const without = (request: HostileRequest): HostileRequest => ({ ...request, headers: [['Host', 'x']] });
const withHeader = (name: string, value: string): HostileRequest => ({
  ...stats,
  headers: [...stats.headers, [name, value]],
});
const error = (code: string): object => ({ error: { code, message: 'm' } });

describe('the oracle', () => {
  it('the oracle accepts good answers', () => {
    expect(rulesOf(stats, answer(200, { data: 1 }, [json, etag]))).toEqual([]);
    expect(
      rulesOf(
        without(stats),
        answer(401, error('unauthorized'), [json, noStore, ['www-authenticate', 'Bearer']]),
      ),
    ).toEqual([]);
    expect(rulesOf(withHeader('If-None-Match', '"x", "a"'), answer(304, '', [etag]))).toEqual([]);
    expect(
      rulesOf(
        without(tools),
        answer(200, { jsonrpc: '2.0', id: 7, result: { structuredContent: { data: { pricingUrl: 'x' } } } }),
      ),
    ).toEqual([]);
  });

  const anywhere = { ...stats, operation: null };
  const challenge = ['www-authenticate', 'Bearer'] as const;
  const rpc = (members: object) => answer(200, { jsonrpc: '2.0', id: 7, ...members });
  const call =
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"maxTokens":5}}}';
  const privately = answer(200, {}, [json, ['cache-control', 'private']]);
  const brotli = answer(200, {}, [json, ['content-encoding', 'br']]);
  const part = answer(206, 'abc', [['content-range', 'bytes 0-9/20']]);
  const content = (data: unknown[], meta?: object) => ({ result: { structuredContent: { data, meta } } });
  it.each<[string, HostileRequest, Answered]>([
    ['status 500', stats, answer(500, error('internal_error'), [json, noStore])],
    ['undeclared status 400', stats, answer(400, error('invalid_parameter'), [json, noStore])],
    ['an error has a body', stats, answer(401, '', [challenge])],
    ['an error is JSON', anywhere, answer(400, 'Bad Request', [['content-type', 'text/plain'], noStore])],
    ['an error is {error:{code,message}}', anywhere, answer(400, { error: 'x' }, [json, noStore])],
    ['an error code belongs to its status', anywhere, answer(400, error('not_found'), [json, noStore])],
    ['an error is not stored', anywhere, answer(400, error('invalid_parameter'))],
    ['JSON can be parsed', stats, answer(200, '{"id":007}')],
    ['no keyed byte without a key', without(stats), answer(200, {})],
    ['no keyed byte without a key', { ...without(stats), target: '/x' }, privately],
    ['no keyed byte without a key', without(tools), rpc(content([]))],
    ['a good key opens', stats, answer(401, error('unauthorized'), [json, noStore, challenge])],
    ['a request that is not allowed is refused', { ...stats, wants: 'refusal' }, answer(200, {})],
    [
      'a 304 goes only to a client that sent its ETag',
      withHeader('If-None-Match', '"b"'),
      answer(304, '', [etag]),
    ],
    [
      'a client that sent the ETag gets a 304',
      withHeader('If-None-Match', 'W/"a"'),
      answer(200, {}, [json, etag]),
    ],
    ['an encoding was asked for', withHeader('Accept-Encoding', 'br;q=0, *'), brotli],
    ['a part has the bytes that Content-Range says', withHeader('Range', 'bytes=0-9'), part],
    ['an answer is JSON-RPC', tools, answer(200, error('not_found'))],
    ['an answer has the id of its request', tools, rpc({ id: 8, result: {} })],
    [
      'a list keeps to its budget',
      { ...tools, message: Buffer.from(call) },
      rpc(content([1, 2], { count: 2 })),
    ],
    [
      'a mistake of a client is no internal error (-32603)',
      tools,
      rpc({ error: { code: -32603, message: 'm' } }),
    ],
    ['a redirect leads to this service', anywhere, answer(308, '', [['location', '//evil.example']])],
  ])('the oracle notices an answer that breaks the rule "%s"', (rule, request, given) =>
    expect(rulesOf(request, given)).toContain(rule),
  );

  it('the oracle notices that two bodies have one ETag', () => {
    const [first, second] = ['{"a":1}', '{"a":2}'].map((body) => answer(200, body, [json, etag])) as [
      Answered,
      Answered,
    ];
    expect(rulesOf(stats, first, first)).toEqual([]);
    expect(rulesOf(stats, first, second)).toEqual(['an ETag stands for one body']);
  });

  it('the oracle notices that a repeated request has another answer', () => {
    const good = answer(200, '{"a":1}');
    expect(repetitionFaults(good, good)).toEqual([]);
    expect(repetitionFaults(good, answer(200, '{"a":2}'))).toHaveLength(1);
    expect(repetitionFaults(good, answer(404, '{"a":1}'))).toHaveLength(1);
    expect(repetitionFaults(good, answer(429, '{"left":42}'))).toHaveLength(1);
    expect(repetitionFaults(answer(429, '{"left":42}'), answer(429, '{"left":41}'))).toHaveLength(1);
  });
});

describe('the reader of answers', () => {
  const read = (text: string, method = 'GET') => readAnswer(Buffer.from(text, 'latin1'), method);

  it('the reader of answers reads a body with a length, a body in chunks, and an answer without a body', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/')).toMatchObject({
      length: 40,
      answer: { status: 200 },
    });
    expect(
      read(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n',
      )?.answer.body.toString(),
    ).toBe('ab');
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', 'HEAD')?.answer.body.length).toBe(0);
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na')).toBeNull();
  });

  it('the reader of answers does not wait for the end of a stream of events, as for that of another body', () => {
    const open = (type: string) =>
      read(
        `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n5\r\nid`,
      );
    expect(open('text/event-stream; charset=utf-8')).toMatchObject({
      isStream: true,
      answer: { status: 200, body: Buffer.from(':\n\n') },
    });
    expect(open('application/json')).toBeNull();
  });

  it.each([
    'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na',
    'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na',
    'HTTP/1.1 200 OK\r\nx y: z\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.0 200 OK\r\n\r\n',
    '<html>',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
  ])('the reader of answers refuses %j', (text) => expect(() => read(text)).toThrow());
});

it('the same seed gives the same script, and another seed another one', () => {
  const scripts = (seed: number) =>
    JSON.stringify(Array.from({ length: 10 }, (_, number) => scriptOf(seed, number, facts)));
  expect(scripts(1)).toBe(scripts(1));
  expect(scripts(2)).not.toBe(scripts(1));
});

it('a script repeats requests, but none with the key whose limit can be reached meanwhile', {
  tags: ['slow'],
}, () => {
  const requests = Array.from({ length: 3000 }, (_, number) => scriptOf(7, number, facts)).flatMap(
    (script) => ('requests' in script ? script.requests : []),
  );
  const limited = requests.filter((request) => valuesOf(request, 'x-api-key').includes(facts.limitedKey));
  expect(limited.length).toBeGreaterThan(100);
  expect(limited.filter(({ sameAs }) => sameAs !== undefined)).toEqual([]);
  expect(requests.filter(({ sameAs }) => sameAs !== undefined).length).toBeGreaterThan(100);
});
