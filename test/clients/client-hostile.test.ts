import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventsIn } from '../../clients/typescript/src/events.ts';
import { createClient, FilingEventsError, type ClientSettings } from '../../clients/typescript/src/node.ts';
import { boundedSeconds, pauseAfter, sleep, within } from '../../clients/typescript/src/pauses.ts';
import { drivenLanguages, type DrivenSettings } from '../support/driven-clients.ts';
import { reopenable } from '../support/servers.ts';

interface Hostile {
  readonly address: string;
  /** What came: method, path and key. */
  readonly asked: string[];
}

/** Starts a server that answers as a test wants, and no service would. */
async function hostile(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Hostile> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => {});
    asked.push(`${request.method} ${request.url} ${String(request.headers['x-api-key'])}`);
    answer(request, response);
  });
  const { address, down } = await reopenable(server);
  onTestFinished(down);
  return { address, asked };
}

const clientOf = ({ address }: Hostile, settings: Partial<ClientSettings> = {}) =>
  createClient({ baseUrl: address, apiKey: 'secret', retries: 0, ...settings });

async function errorOf(promise: Promise<unknown>): Promise<FilingEventsError> {
  const error = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FilingEventsError);
  return error as FilingEventsError;
}

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const read: Row[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

/** Sends without an end. */
function pour(response: ServerResponse, piece: string): void {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}

describe.each(drivenLanguages)('the client for $language', ({ open }) => {
  const openOf = ({ address }: Hostile, settings: Partial<DrivenSettings> = {}) =>
    open({ baseUrl: address, keys: ['secret'], retries: 0, ...settings });
  const since = { since: '2026-01-01' };
  const change = '{"data":[{"sequence":7}],"meta":{"nextCursor":"c7"}}';

  it('no redirect takes the key of a caller to another origin: the error names the target', async () => {
    const other = await hostile((_, response) => response.end('{"data":[],"meta":{}}'));
    const elsewhere = other.address.replace('127.0.0.1', 'localhost');
    for (const status of [301, 302, 303, 307, 308])
      for (const target of [elsewhere, other.address, `//${new URL(elsewhere).host}`]) {
        const service = await hostile((request, response) =>
          response.writeHead(status, { location: `${target}${request.url}` }).end(),
        );
        const client = openOf(service, { headers: { 'x-marketplace-key': 'another secret' }, retries: 2 });
        const error = await errorOf(client.call('getStats'));
        expect([error.code, error.status]).toEqual(['unexpected_answer', status]);
        expect(error.message).toContain(`${new URL(target, service.address).host}/v1/sec/stats`);
        expect((await errorOf(client.follow({ filter: since, most: 1 }))).message).toContain('leads to');
      }
    expect(other.asked).toEqual([]);
  });

  it('a redirect within the origin is followed whatever its body, and one without an end or a place is an error', async () => {
    const leads: Readonly<Record<string, string | undefined>> = {
      '/v1/sec/stats': '/moved/',
      '/health': '/health',
      '/livez': 'http://[',
      '/demo': '/moved/',
    };
    const service = await hostile(({ url = '' }, response) => {
      const location = leads[url];
      if (location === undefined && url !== '/readyz') return response.end('{"data":{}}');
      response.writeHead(307, location === undefined ? {} : { location });
      if (url === '/demo') pour(response, ' '.repeat(1 << 16));
      else response.end();
    });
    const client = openOf(service);
    expect(await client.call('getStats')).toEqual({ data: {} });
    expect(service.asked).toEqual(['GET /v1/sec/stats secret', 'GET /moved/ secret']);
    expect(await client.call('getDemo')).toEqual({ data: {} });
    expect((await errorOf(client.call('getHealth'))).message).toContain('more than 5 times');
    for (const method of ['getLive', 'getReady'])
      expect((await errorOf(client.call(method))).message).toContain('leads to no address');
  });

  it.each([
    ['3000000', 3600],
    ['9'.repeat(400), 3600],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3600],
    ['120', 120],
    ['-5', 0],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 0],
    ['soon', 0],
  ])('Retry-After: %s is %d seconds', async (value, seconds) => {
    const service = await hostile((_, response) =>
      response.writeHead(503, { 'retry-after': value }).end('<html>maintenance</html>'),
    );
    expect((await errorOf(openOf(service).call('getStats'))).retryAfterSeconds).toBe(seconds);
    const client = openOf(service);
    expect(await client.pauses(since, 3)).toBeNull();
    const pause = seconds === 0 ? 'short' : String(seconds);
    for (const told of (await client.told()).retries)
      expect(told).toMatch(new RegExp(`^${pause}: \\w+: 503 <html>maintenance</html>$`));
    expect((await client.told()).retries).toHaveLength(3);
  });

  it('an answer, and the page of a refusal, are read up to a bound, and one that drips for a time', {
    tags: ['slow'],
  }, async () => {
    const service = await hostile(({ url }, response) => {
      response.writeHead(url === '/v1/sec/stats' ? 404 : 200, { 'content-type': 'application/json' });
      if (url !== '/livez') return pour(response, ' '.repeat(1 << 20));
      const drip = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(drip));
    });
    const client = openOf(service, { timeout: 30 });
    const error = await errorOf(client.call('getHealth'));
    expect([error.code, error.message]).toEqual([
      'answer_too_long',
      'the answer of /health is longer than 67108864 bytes',
    ]);
    expect(await errorOf(client.call('getStats'))).toMatchObject({ code: 'unexpected_answer', status: 404 });
    const dripping = openOf(service, { timeout: 0.5 });
    expect(await errorOf(dripping.call('getLive'))).toMatchObject({ code: 'connection_failed' });
  });

  it.each([
    ['127.0.0.1:1', 'secret', /^base_?url: must begin with http/i],
    ['localhost:1', 'secret', /^base_?url: must begin with http/i],
    ['filings.example', 'secret', /^base_?url: must begin with http/i],
    ['', 'secret', /^base_?url: must begin with http/i],
    ['http://user:word@127.0.0.1:1', 'secret', /^base_?url: must begin with http/i],
    ['http://127.0.0.1:1', 'secret\nsecret', /no header can have/],
    ['http://127.0.0.1:1', 'secret漢', /no header can have/],
  ])(
    'the address %j with the key %j is an error at once, also for a follower',
    async (baseUrl, key, message) => {
      const client = open({ baseUrl, keys: [key] });
      for (const asked of [client.call('getStats'), client.follow({ filter: since, most: 1 })]) {
        const error = await errorOf(asked);
        expect([error.code, error.status]).toEqual(['invalid_parameter', null]);
        expect(error.message).toMatch(message);
        expect(error.message).not.toMatch(/secret|word/);
      }
    },
  );

  it('a body that is cut is no answer, and any limit of time is one', async () => {
    const service = await hostile(({ url }, response) => {
      if (url === '/health') return response.end('{"data":{}}');
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"data":{}}', () => response.destroy());
    });
    expect(await errorOf(openOf(service).call('getStats'))).toMatchObject({ code: 'connection_failed' });
    for (const timeout of [3_000_000, 1e12])
      expect(await openOf(service, { timeout }).call('getHealth')).toEqual({ data: {} });
  });

  it('a follower of a stream without an end of its line asks with `wait`, and goes on', async () => {
    const service = await hostile(({ headers }, response) => {
      if (headers.accept !== 'text/event-stream') return response.end(change);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pour(response, 'x'.repeat(1 << 16));
    });
    const { changes } = await openOf(service).follow({ filter: since, most: 1 });
    expect(changes.map(({ sequence }) => sequence)).toEqual([7]);
  });

  const page = 'is this the address of the service?';

  it.each(['<html>We will be back soon</html>', '{"status":"maintenance"}', 'null', ''])(
    'a follower waits while a proxy shows %j with status 200, and then goes on',
    async (body) => {
      let pages = 0;
      const service = await hostile(({ headers }, response) => {
        if (headers.accept === 'text/event-stream' || ++pages <= 3)
          return response.writeHead(200, { 'content-type': 'text/html' }).end(body);
        response.end(change);
      });
      const client = openOf(service);
      expect(await client.pauses(since, 10)).toBe(7);
      const { retries } = await client.told();
      expect(retries).toEqual(Array.from({ length: 3 }, () => expect.stringContaining(page)));
    },
  );

  it('who asks once is told at once of a page of a proxy', async () => {
    const service = await hostile((_, response) => response.end('<html>'));
    expect((await errorOf(openOf(service, { retries: 5 }).call('getStats'))).message).toContain(page);
    expect(service.asked.length).toBe(1);
  });
});

it('a function of the key that does not answer is given up as a request is, and asked again by the next one', async () => {
  const service = await hostile((_, response) => response.end('{"data":{}}'));
  let asked = 0;
  const client = clientOf(service, {
    timeoutSeconds: 0.2,
    apiKey: () => (++asked < 3 ? new Promise(() => {}) : 'secret'),
  });
  expect(await errorOf(client.getStats())).toMatchObject({ code: 'connection_failed' });
  const signal = AbortSignal.timeout(50);
  await expect(client.getStats({}, { signal })).rejects.toThrow('aborted due to timeout');
  expect(await client.getStats()).toEqual({ data: {} });
  expect(service.asked).toEqual(['GET /v1/sec/stats secret']);
});

describe('a pause that somebody else says', () => {
  it('any number is a time that a timer takes, an hour at most', () => {
    const odd = [NaN, Infinity, -Infinity, -1, 2 ** 31, 3_000_000, Number.MAX_VALUE];
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.constantFrom(...odd)), (seconds) => {
        for (const bounded of [boundedSeconds(seconds), pauseAfter(3, seconds)]) {
          expect(bounded).toBeGreaterThanOrEqual(0);
          expect(bounded).toBeLessThanOrEqual(3600);
        }
        if (seconds > 0 && seconds <= 3600) expect(boundedSeconds(seconds)).toBe(seconds);
      }),
    );
    expect(pauseAfter(1, 30)).toBe(30);
  });

  it('no wait and no limit of time ends at once because it is long', async () => {
    const waited = vi.spyOn(globalThis, 'setTimeout');
    for (const seconds of [3_000_000, Infinity]) {
      const over = AbortSignal.timeout(20);
      await expect(sleep(seconds, over)).rejects.toThrow('timeout');
      expect(await within(seconds, async (signal) => signal.aborted)).toBe(false);
    }
    expect(waited.mock.calls.flatMap(([, ms]) => (ms !== undefined && ms > 10_000 ? [ms] : []))).toEqual([
      3_600_000, 3_600_000, 3_600_000, 3_600_000,
    ]);
    waited.mockRestore();
    const service = await hostile((_, response) => setTimeout(() => response.end('{"data":{}}'), 50));
    for (const timeoutSeconds of [3_000_000, Infinity])
      expect(await clientOf(service, { timeoutSeconds }).getStats()).toEqual({ data: {} });
  });

  it.each(['99999999999', '9'.repeat(400)])(
    'after a stream that says retry: %s the service is asked in an hour',
    async (retry) => {
      const service = await hostile((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`retry: ${retry}\n\nid: c1\n\n`);
      });
      const set = vi.spyOn(globalThis, 'setTimeout');
      const following = clientOf(service)
        .changes({ since: '2026-01-01' })
        .follow({ signal: AbortSignal.timeout(300) });
      await expect(all(following)).rejects.toThrow();
      expect(set.mock.calls.some(([, ms]) => ms === 3_600_000)).toBe(true);
      set.mockRestore();
      expect(service.asked.length).toBe(1);
    },
  );
});

describe('an answer without an end', () => {
  it('as many bytes as allowed are taken, and one more is not', async () => {
    const body = '{"data":"whole"}';
    const service = await hostile((_, response) => response.end(body));
    const ask = (bytesMaximum: number) => clientOf(service).getStats({}, { bytesMaximum });
    expect(await ask(body.length)).toEqual({ data: 'whole' });
    expect((await errorOf(ask(body.length - 1))).code).toBe('answer_too_long');
  });

  it('a line and an event of a stream are read up to a bound, and any other event is given', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    async function* endless(piece: string) {
      yield bytes('id: c1\ndata: {}\n\n');
      for (;;) yield bytes(piece);
    }
    for (const piece of [
      'x'.repeat(1 << 16),
      `data: ${'x'.repeat(1000)}\n`,
      '\r'.repeat(4096),
      'data:\n'.repeat(100),
    ]) {
      const ids: string[] = [];
      const reading = (async () => {
        for await (const { id } of eventsIn(endless(piece))) ids.push(id);
      })();
      expect(await errorOf(reading)).toMatchObject({ code: 'answer_too_long' });
      expect(ids).toEqual(['c1']);
    }
    async function* many() {
      for (let at = 0; at < 6; at++) yield bytes(`data: ${'x'.repeat(1 << 20)}\n\n`);
    }
    expect((await all(eventsIn(many()))).length).toBe(6);
  });
});
