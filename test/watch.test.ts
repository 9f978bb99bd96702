import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ErrorResponse } from '../src/contract/errors.ts';
import type { RequestFacts } from '../src/http/respond.ts';
import { watched, type Fetch } from '../src/http/watch.ts';
import { createLog, type RequestLine } from '../src/log.ts';

const address = 'http://service.example:8080/v1/sec/latest?limit=5&api_key=secret-key';
const request = (url = address, method = 'GET') => new Request(url, { method, headers: { 'x-api-key': 'secret-key', authorization: 'Bearer secret-key' } });

/** A service around `fetch` whose lines are collected. */
function service(fetch: Fetch, requestsAtOnce?: number) {
  const lines: RequestLine[] = [];
  const log = { event: () => {}, flush: () => {}, request: (line: RequestLine) => void lines.push(line) };
  return { lines, ask: watched(fetch, log, requestsAtOnce) };
}

/** A `fetch` whose answers come when they are released. */
function held() {
  const waiting: (() => void)[] = [];
  const fetch: Fetch = () => new Promise((resolve) => waiting.push(() => resolve(new Response('late'))));
  return { fetch, release: () => waiting.splice(0).forEach((each) => each()) };
}

describe('a request that is answered', () => {
  it('makes one line: what was asked, what came of it, and who asked', async () => {
    const { lines, ask } = service((_, facts: RequestFacts) => {
      facts.caller = '0123abcd';
      facts.bytes = 1234;
      return new Response(null, { status: 304 });
    });
    expect((await ask(request(), {})).status).toBe(304);
    expect(lines).toEqual([{ method: 'GET', path: '/v1/sec/latest', status: 304, durationMs: expect.any(Number) as number, bytes: 1234, caller: '0123abcd' }]);
    expect(lines[0]?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('has neither its key nor its query in the log', async () => {
    let written = '';
    const log = createLog((text) => (written += text), () => 0);
    const ask = watched(async () => new Response('x'), log);
    for (const url of [address, 'http://h/?x-api-key=secret-key', 'http://h/a?b?c=secret-key', 'http://h//a/?key=secret-key', 'http://h/%3Fx?secret-key#secret-key']) await ask(request(url, 'POST'), {});
    log.flush();
    const paths = written.trimEnd().split('\n').map((line) => (JSON.parse(line) as { path: string }).path);
    expect(paths).toEqual(['/v1/sec/latest', '/', '/a', '//a/', '/%3Fx']);
    expect(written).not.toContain('secret-key');
  });
});

describe('requests at the same time', () => {
  it('are not counted any more when their clients are gone, whether they are answered or not', async () => {
    const { ask } = service(() => new Promise(() => {}), 2);
    const outgoing = () => new EventEmitter() as unknown as ServerResponse;
    const gone = [outgoing(), outgoing()];
    for (const each of gone) void ask(request(), { outgoing: each });
    expect((await ask(request(), {})).status).toBe(429);
    for (const each of gone) {
      each.emit('close');
      each.emit('close');
    }
    void ask(request(), {});
    void ask(request(), {});
    expect((await ask(request(), {})).status).toBe(429);
  });

  it('beyond the bound are turned away with 429, and let in again when others are answered', async () => {
    const { fetch, release } = held();
    const { lines, ask } = service(fetch, 3);
    const first = [ask(request(), {}), ask(request(), {}), ask(request(), {})];
    for (let more = 0; more < 5; more++) {
      const refused = await ask(request(), {});
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(ErrorResponse.parse(await refused.json()).error.code).toBe('rate_limited');
    }
    expect(lines.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
    release();
    for (const each of first) expect((await each).status).toBe(200);
    const second = ask(request(), {});
    release();
    expect((await second).status).toBe(200);
    expect(lines.length).toBe(9);
  });

  it('are not counted any more when they were answered at once', async () => {
    const { ask } = service(() => new Response('x'), 1);
    for (let round = 0; round < 5; round++) expect((await ask(request(), {})).status).toBe(200);
  });
});
