import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { addKey, listKeys } from '../../build/keys.ts';
import { toolsPath } from '../../src/contract/tools.ts';
import { createKeyLimit } from '../../src/keys/limit.ts';
import { keysFileAt } from '../../src/keys/file.ts';
import { createKeyRing, KeysFile } from '../../src/keys/ring.ts';
import { useDirectories } from '../support/directories.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

const directory = useDirectories('key-limit');
const startMs = Date.parse('2026-03-02T12:00:00.250Z');

/** Takes requests from a limit, and tells how many seconds to wait; 0 if they are counted. */
function limitOf(perMinute: number) {
  const limit = createKeyLimit(perMinute);
  return (requests: number, atMs: number) => limit.take(requests, atMs)?.waitSeconds ?? 0;
}

describe('a window', () => {
  it('a window admits no more than the limit in any minute, and admits who waits as told', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 12 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 1, max: 5 })), {
          maxLength: 60,
        }),
        (perMinute, steps) => {
          const take = limitOf(perMinute);
          const taken: number[] = [];
          let nowMs = startMs;
          for (const [afterMs, requests] of steps) {
            nowMs += afterMs;
            const wait = take(requests, nowMs);
            expect(Number.isInteger(wait) && wait >= 0 && wait <= 61).toBe(true);
            if (wait === 0) taken.push(...Array.from({ length: requests }, () => nowMs));
            else {
              // It is not refused without need: with what was let through in 61 seconds it would exceed the
              // limit.
              expect(taken.filter((ms) => ms > nowMs - 61_000).length + requests).toBeGreaterThan(perMinute);
              nowMs += wait * 1000;
              expect(take(requests, nowMs)).toBe(0);
              taken.push(...Array.from({ length: requests }, () => nowMs));
            }
            for (const from of taken)
              expect(taken.filter((ms) => ms >= from && ms < from + 60_000).length).toBeLessThanOrEqual(
                perMinute,
              );
          }
        },
      ),
    ));

  it('a window tells the least number of whole seconds to wait', () => {
    const take = limitOf(2);
    expect([take(1, startMs), take(1, startMs + 10_000), take(1, startMs + 20_000)]).toEqual([0, 0, 41]);
    expect([take(1, startMs + 60_000), take(1, startMs + 61_000)]).toEqual([1, 0]);
    expect(take(2, startMs + 61_000)).toBe(61);
  });

  it('a window counts from the first second of its clock, and ends after a long time', () => {
    const take = limitOf(1);
    expect([take(1, 0), take(1, 60_999), take(1, 86_400_000)]).toEqual([0, 1, 0]);
  });
});

describe('a limit of a key', () => {
  it('the limit is an optional member of the keys file: whole, from 1 to a million', async () => {
    const path = join(directory(), 'keys.json');
    const limited = await addKey(path, 'limited', null, startMs, 60);
    const free = await addKey(path, 'free', null, startMs);
    expect((await listKeys(path)).map(({ perMinute }) => perMinute)).toEqual([60, undefined]);
    expect(free.entry).not.toHaveProperty('perMinute');
    for (const perMinute of [0, -1, 1.5, 1_000_001, '5', null])
      expect(
        KeysFile.safeParse({ format: 1, keys: [{ ...limited.entry, perMinute }] }).success,
        String(perMinute),
      ).toBe(false);
  });

  it('a limit holds for its key alone, across readings of the file', async () => {
    const path = join(directory(), 'keys.json');
    const [first, second, free] = [
      await addKey(path, 'first', null, startMs, 2),
      await addKey(path, 'second', null, startMs, 1),
      await addKey(path, 'free', null, startMs),
    ];
    const ring = createKeyRing(['given'], keysFileAt(path), () => {});
    await ring.refresh();
    const take = (key: string, atMs = startMs) => ring.take(ring.find(key, atMs) as string, 1, () => atMs);
    for (let time = 0; time < 100; time++) expect([take(free.key), take('given')]).toEqual([null, null]);
    expect([take(first.key), take(first.key), take(first.key), take(second.key)]).toEqual([
      null,
      null,
      { perMinute: 2, waitSeconds: 61 },
      null,
    ]);
    await addKey(path, 'another', null, startMs);
    await ring.refresh();
    expect([take(first.key), take(second.key)]).toEqual([
      { perMinute: 2, waitSeconds: 61 },
      { perMinute: 1, waitSeconds: 61 },
    ]);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"perMinute": 2', '"perMinute": 3'));
    await ring.refresh();
    expect([take(first.key), take(first.key)]).toEqual([null, { perMinute: 3, waitSeconds: 61 }]);
    expect(take(second.key, startMs + 61_000)).toBeNull();
  });
});

describe('the service', () => {
  let made: MadeSnapshot;
  let service: ListeningService;
  let keysFile: string;
  beforeAll(async () => {
    made = await makeSnapshot({ filings: 60, companies: 4, batches: 1 });
    keysFile = join(made.directory, 'keys.json');
  });

  /** A service with one key that has a limit; nothing is counted for it yet. */
  async function withKey<Result>(perMinute: number, work: (ask: Ask) => Promise<Result>): Promise<Result> {
    writeFileSync(keysFile, JSON.stringify({ format: 1, keys: [] }));
    const { key } = await addKey(keysFile, 'limited', null, Date.now(), perMinute);
    service = await listeningService(made.directory, {}, { host: null, secrets: [] }, keysFile);
    return await work((path, init = {}) =>
      fetch(`http://127.0.0.1:${service.port}${path}`, {
        ...init,
        headers: { 'x-api-key': key, ...init.headers },
      }),
    );
  }
  type Ask = (path: string, init?: RequestInit) => Promise<Response>;

  const message = (name: string, more: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: {}, ...more },
  });
  const post = (body: object): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  });
  const search = (id = 1) => ({ ...message('sec_company_search', { arguments: { q: 'company' } }), id });
  const say = (text: string) =>
    post({
      jsonrpc: '2.0',
      id: 7,
      method: 'SendMessage',
      params: { message: { messageId: '1', role: 'ROLE_USER', parts: [{ text }] } },
    });
  const lateBy = (answer: Response) => Number(answer.headers.get('retry-after'));
  /** The requests before were made a moment ago. */
  const isAboutAMinute = (answer: Response) =>
    /^\d+$/.test(answer.headers.get('retry-after') ?? '') && lateBy(answer) >= 50 && lateBy(answer) <= 61;

  it('each interface refuses requests beyond the limit of a key, with Retry-After', () =>
    withKey(3, async (ask) => {
      // A request that is wrong counts, one that the response cache answers, and one that is answered 304;
      // public paths do not.
      const { status, headers } = await ask('/v1/sec/latest?limit=5');
      expect([
        status,
        (await ask('/v1/sec/latest?limit=0')).status,
        (await ask('/health')).status,
        (await ask('/v1/sec/latest?limit=5', { headers: { 'if-none-match': headers.get('etag') ?? '' } }))
          .status,
      ]).toEqual([200, 400, 200, 304]);
      for (const path of ['/v1/sec/latest?limit=5', '/v1/sec/stats', '/v1/sec/latest?limit=0']) {
        const refused = await ask(path);
        expect(refused.status).toBe(429);
        expect(isAboutAMinute(refused)).toBe(true);
        expect(refused.headers.get('cache-control')).toBe('no-store');
        expect(refused.headers.get('x-request-id')).toBeTruthy();
        expect(await refused.json()).toEqual({
          error: {
            code: 'rate_limited',
            message: `This key may make 3 requests a minute; try again in ${lateBy(refused)} seconds.`,
          },
        });
      }
      const tool = await ask(toolsPath, post(search(5)));
      expect([tool.status, isAboutAMinute(tool)]).toEqual([429, true]);
      expect(await tool.json()).toEqual({
        jsonrpc: '2.0',
        id: 5,
        error: {
          code: -32000,
          message: expect.stringContaining('may make 3 requests a minute'),
          data: { code: 'rate_limited' },
        },
      });
      const agent = await ask('/a2a', say('search company'));
      expect([agent.status, isAboutAMinute(agent)]).toEqual([429, true]);
      const { error } = (await agent.json()) as {
        error: { code: number; message: string; data: { reason: string }[] };
      };
      expect([error.code, error.data[0]?.reason]).toEqual([-32000, 'RATE_LIMITED']);
      expect(error.message).toContain('may make 3 requests a minute');
      // Who has no limit goes on, and so does what needs no key.
      expect([
        (await ask('/v1/sec/stats', { headers: { 'x-api-key': serviceKey } })).status,
        (await ask(toolsPath, post(message('sec_demo_latest_filings')))).status,
        (await ask('/a2a', say('latest filings'))).status,
      ]).toEqual([200, 200, 200]);
      expect(service.services.counts.keysRefused).toEqual({ missing: 0, wrong: 0, limit: 5 });
      expect(
        service.logged().filter(({ event, code }) => event === 'request' && code === 'rate_limited').length,
      ).toBe(4);
    }));

  it('the limit counts each tool and skill of a batch, and no refused request', () =>
    withKey(4, async (ask) => {
      expect(
        (
          await ask(
            toolsPath,
            post(
              [search(1), search(2), message('sec_demo_latest_filings')].map((each, id) => ({ ...each, id })),
            ),
          )
        ).status,
      ).toBe(200);
      expect((await ask('/a2a', say('search company'))).status).toBe(200);
      // Of two more calls one is answered. The other is refused in its own member, as a single call is.
      const batch = await ask(toolsPath, post([search(1), search(2)]));
      expect(batch.status).toBe(200);
      expect(await batch.json()).toEqual([
        { jsonrpc: '2.0', id: 1, result: expect.objectContaining({ isError: false }) },
        {
          jsonrpc: '2.0',
          id: 2,
          error: {
            code: -32000,
            message: expect.stringContaining('may make 4 requests a minute; try again in'),
            data: { code: 'rate_limited' },
          },
        },
      ]);
      expect((await ask(toolsPath, post(search()))).status).toBe(429);
    }));

  it('the limit counts resources, prompts and completions as calls, and what needs no key not at all', () =>
    withKey(3, async (ask) => {
      const of = (method: string, params: object, id: number) => ({ jsonrpc: '2.0', id, method, params });
      const read = (uri: string, id: number) => of('resources/read', { uri }, id);
      const first = await ask(
        toolsPath,
        post([
          read('watchlist://0000000001', 0),
          of('resources/list', {}, 1),
          read('reference://roles', 2),
          of('prompts/get', { name: 'watchlist_news', arguments: { tickers: '0000000001' } }, 3),
          of(
            'completion/complete',
            {
              ref: { type: 'ref/prompt', name: 'company_brief' },
              argument: { name: 'ticker', value: 'company' },
            },
            4,
          ),
          read('watchlist://0000000002', 5),
          read('file:///etc/passwd', 6),
          read('reference://roles', 7),
        ]),
      );
      expect(first.status).toBe(200);
      const answers = (await first.json()) as { id: number; result?: object; error?: { code: number } }[];
      expect(answers.map(({ id, result, error }) => [id, result !== undefined || error?.code])).toEqual([
        [0, true],
        [1, true],
        [2, true],
        [3, true],
        [4, true],
        [5, -32000],
        [6, -32002],
        [7, true],
      ]);
      expect((await ask(toolsPath, post(read('watchlist://0000000001', 1)))).status).toBe(429);
      expect((await ask(toolsPath, post(read('reference://roles', 1)))).status).toBe(200);
      expect((await ask(toolsPath, post(of('prompts/list', {}, 1)))).status).toBe(200);
    }));

  it('the limit counts a held request once', () =>
    withKey(2, async (ask) => {
      const { meta } = (await (await ask('/v1/sec/changes?since=2020-01-01&limit=200')).json()) as {
        meta: { nextCursor: string };
      };
      const waiting = ask(`/v1/sec/changes?cursor=${meta.nextCursor}&wait=60`);
      for (let time = 0; time < 3; time++) {
        await expect.poll(() => service.services.held.size()).toBe(1);
        service.services.held.release();
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      service.services.held.close();
      expect((await waiting).status).toBe(200);
      expect((await ask('/v1/sec/stats')).status).toBe(429);
    }));
});
