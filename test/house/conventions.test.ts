import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { toolsPath } from '../../src/contract/tools.ts';
import { exchangeBytes, listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

let made: MadeSnapshot;
let service: ListeningService;
beforeAll(async () => {
  made = await makeSnapshot({ filings: 60, companies: 3, batches: 1 });
  service = await listeningService(made.directory);
});

const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${service.port}${path}`, { redirect: 'manual', ...init, headers });
const keyed = { 'x-api-key': serviceKey };
const post = (body: string) =>
  ({ method: 'POST', body, headers: { 'content-type': 'application/json' } }) as const;
/** Sends bytes as they are; the status and the body of the answer. */
async function sent(lines: readonly string[]): Promise<{ status: number; message: string; text: string }> {
  const text = await exchangeBytes(service.port, [...lines, 'Connection: close', '', ''].join('\r\n'));
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? '';
  return { status: Number(text.split(' ')[1]), message, text };
}

describe('the id of a request', () => {
  it('every answer has the id of its request, and the log has the same one', async () => {
    const list = '/v1/sec/latest?limit=3';
    const { etag } = Object.fromEntries((await ask(list, keyed)).headers);
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const answers = [
      await ask(list, keyed),
      await ask(list, { ...keyed, 'if-none-match': etag as string }),
      await ask('/v1/sec/latest?limit=4', keyed),
      await ask('/v1/sec/latest'),
      await ask('/demo'),
      await ask('/', { accept: 'text/html' }),
      await ask('/livez'),
      await ask('/docs/'),
      await ask('/nothing'),
      await ask('/nothing', { accept: 'text/html' }),
      await ask('/demo', {}, { method: 'OPTIONS' }),
      await ask('/demo', {}, { method: 'HEAD' }),
      await ask('/demo', { range: 'bytes=0-9' }),
      await ask('/validate/nothing/view'),
      await ask(toolsPath, {}, post(message)),
      await ask('/a2a', {}, post('{}')),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
    const bad = await sent(['GET /livez HTTP/1.1', 'Host: a b']);
    const nonsense = await exchangeBytes(service.port, 'nonsense\r\n\r\n');
    const refused = [bad.text, nonsense].map((text) => /X-Request-Id: (\S+)/i.exec(text)?.[1]);
    expect((await ask('/livez', { 'x-request-id': 'mine.1' })).headers.get('x-request-id')).toBe('mine.1');
    const logged = () =>
      service.logged().flatMap(({ event, requestId }) => (event === 'request' ? [requestId] : []));
    // Probes that go well fill no log.
    await expect
      .poll(() => [...ids.filter((_, at) => at !== 6), ...refused].filter((id) => !logged().includes(id)))
      .toEqual([]);
  });
});

describe('keys that are refused', () => {
  it('the challenge says invalid_token where a key came, and nothing where none came', async () => {
    const call = (name: string, headers: Record<string, string>) =>
      ask(
        toolsPath,
        { 'content-type': 'application/json', ...headers },
        {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }),
        },
      );
    const plain = 'Bearer realm="Filing Event Intelligence"';
    const wrong = `${plain}, error="invalid_token"`;
    const challenge = async (answer: Promise<Response>) => (await answer).headers.get('www-authenticate');
    expect([
      await challenge(ask('/v1/sec/stats')),
      await challenge(ask('/v1/sec/stats', { 'x-api-key': 'wrong' })),
      await challenge(ask('/v1/sec/stats', { authorization: 'Bearer wrong' })),
      await challenge(ask('/v1/sec/stats', { 'x-marketplace-proxy-secret': 'wrong' })),
      await challenge(call('sec_company_search', {})),
      await challenge(call('sec_company_search', { authorization: 'Bearer wrong' })),
    ]).toEqual([plain, wrong, wrong, wrong, plain, wrong]);
  });
});

describe('requests that are not in order', () => {
  it.each([
    ['Host', ['Host: a.example', 'Host: a.example']],
    ['Host', ['Host: a.example', 'hOST: b.example']],
    ['Authorization', ['Host: a', `Authorization: Bearer ${serviceKey}`, 'authorization: Bearer other']],
  ])('a repeated %s is refused: %o', async (name, headers) => {
    const { status, message } = await sent(['GET /v1/sec/stats HTTP/1.1', ...headers]);
    expect([status, message]).toEqual([400, `${name}: must be sent once`]);
  });

  it('a target with characters beyond ASCII is told to percent-encode them', async () => {
    const { status, message } = await sent([
      'GET /v1/sec/companies/search?q=Nestl\u00c3\u00a9 HTTP/1.1',
      'Host: a',
    ]);
    expect(status).toBe(400);
    expect(message).toContain('percent-encode characters beyond ASCII, as %C3%A9');
  });

  it('a repeated parameter that takes a list is told to use commas', async () => {
    const messageOf = async (path: string) =>
      ((await (await ask(path, keyed)).json()) as { error: { message: string } }).error.message;
    expect(await messageOf('/v1/sec/latest?form=8-K&form=10-K')).toBe(
      'form: must be given once, not 2 times; use commas: "8-K,10-K"',
    );
    expect(await messageOf('/v1/sec/latest?limit=1&limit=2')).toBe('limit: must be given once, not 2 times');
  });
});

describe('public documents', () => {
  it.each(['/', '/demo', '/openapi.json', '/reference.json', '/llms.txt', '/docs', '/docs/keys'])(
    'the public document %s is sent in ranges, and says so',
    async (path) => {
      const headers = { 'accept-encoding': 'identity', ...(path === '/' ? { accept: 'text/html' } : {}) };
      const whole = await ask(path, headers);
      const bytes = Buffer.from(await whole.arrayBuffer());
      expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
      const part = await ask(path, { ...headers, range: 'bytes=5-14' });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 5-14/${bytes.length}`]);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(5, 15));
      expect(part.headers.get('etag')).toBe(whole.headers.get('etag'));
      const beyond = await ask(path, { ...headers, range: `bytes=${bytes.length}-` });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
    },
  );

  it('answers about this moment have no ranges', async () => {
    for (const path of ['/health', '/livez', '/readyz']) {
      const answer = await ask(path, { range: 'bytes=0-1' });
      expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([200, null]);
    }
  });

  it('a redirect to a page keeps the query', async () => {
    const moved = async (path: string) => {
      const { status, headers } = await ask(path);
      return [status, headers.get('location')];
    };
    expect(await moved('/docs/?a=b%20c&a=d')).toEqual([308, '/docs?a=b%20c&a=d']);
    expect(await moved('/docs/keys/')).toEqual([308, '/docs/keys']);
  });
});

describe('a service on another address of loopback', () => {
  it('a service on 127.0.0.2 accepts its own address at the tools', () =>
    new Promise<void>((resolve, reject) => {
      const asked = request(
        `http://127.0.0.1:${service.port}${toolsPath}`,
        {
          method: 'POST',
          headers: {
            host: `127.0.0.2:${service.port}`,
            origin: `http://127.0.0.2:${service.port}`,
            'content-type': 'application/json',
          },
        },
        ({ statusCode }) => {
          expect(statusCode).toBe(200);
          resolve();
        },
      );
      asked.once('error', reject);
      asked.end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    }));
});
