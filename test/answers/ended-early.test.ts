// @module-tag slow
/** A page ends after many rows that do not match, so that no request takes long. Whoever follows its cursor loses nothing. */
import { beforeAll, describe, expect, it } from 'vitest';
import { feedOf } from '../../build/deliver/feed.ts';
import { createClient } from '../../clients/typescript/src/index.ts';
import { pagesByWaiting } from '../../clients/typescript/src/waiting.ts';
import type { Change } from '../../src/contract/records.ts';
import { askAgent } from '../support/assistant.ts';
import { pythonEnvironment, run } from '../support/clients.ts';
import { openEvents } from '../support/event-stream.ts';
import { bareFiling, company } from '../support/made-up.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

/** So many filings of listed companies come before those that match. */
const unwanted = 10_500;
/** Companies on an exchange that have no symbol: none of the made-up ones is. */
const rare = { exchange: 'NYSE', listed: false } as const;
const since = '1999-01-01';
const query = `since=${since}&exchange=NYSE&listed=false`;
const numbers = [1, 2, 3].map((number) => bareFiling(number).accessionNo);

let made: MadeSnapshot;
let service: SampleService;
let listening: ListeningService;

interface Page {
  readonly data: readonly Change[];
  readonly meta: { readonly nextCursor: string; readonly endedEarly?: true };
}

beforeAll(async () => {
  made = await makeSnapshot({ filings: unwanted, companies: 3, batches: 1 });
  await made.publish(
    [1, 2, 3].map((number) => bareFiling(number)),
    [company(1, null, { exchange: 'NYSE' })],
  );
  service = await serviceOver(made.directory);
  listening = await listeningService(made.directory);
}, 120_000);

const client = () => createClient({ baseUrl: `http://127.0.0.1:${listening.port}`, apiKey: serviceKey });

describe('a page that ended early', () => {
  it('is empty, says so, and its cursor leads to what matches', async () => {
    const first = await service.get(`/v1/sec/changes?${query}`);
    const { data, meta } = (await first.json()) as Page;
    expect([data, meta.endedEarly]).toEqual([[], true]);
    expect(first.headers.get('link')).toContain(`cursor=${meta.nextCursor}`);
    const second = await service.get(`/v1/sec/changes?cursor=${meta.nextCursor}&exchange=NYSE&listed=false`);
    const last = (await second.json()) as Page;
    expect(last.data.map(({ filing }) => filing.accessionNo)).toEqual(numbers);
    expect([last.meta.endedEarly, second.headers.get('link')]).toEqual([undefined, null]);
    const whole = await service.json<Page>(`/v1/sec/changes?since=${since}&form=8-K&limit=1`);
    expect('endedEarly' in whole.meta).toBe(false);
  });

  it('is not held', async () => {
    const startedMs = performance.now();
    const { meta } = await service.json<Page>(`/v1/sec/changes?${query}&wait=60`);
    expect(meta.endedEarly).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });

  it('is no end for streams, webhooks and both clients', async () => {
    const stream = await openEvents(`http://127.0.0.1:${listening.port}/v1/sec/changes?${query}`, {
      'x-api-key': serviceKey,
    });
    const told = (await stream.changes(3)).map(({ data }) => (JSON.parse(data) as Change).filing.accessionNo);
    expect(told).toEqual(numbers);

    const iterated: string[] = [];
    for await (const { filing } of client().changes({ since, ...rare })) iterated.push(filing.accessionNo);
    expect(iterated).toEqual(numbers);

    const startedMs = performance.now();
    for await (const { changes } of pagesByWaiting(client(), { filter: { since, ...rare }, cursor: null }))
      if (changes.length > 0) break;
    expect(performance.now() - startedMs).toBeLessThan(20_000);

    const first = await client().listChanges({ since, ...rare });
    const feed = feedOf(client());
    const page = await feed.page(rare, first.meta.nextCursor);
    expect([page.isLast, page.endedEarly, page.changes.length]).toEqual([true, false, 3]);

    const program = `from filing_events import Client
client = Client("http://127.0.0.1:${listening.port}", "${serviceKey}")
print(",".join(change["filing"]["accessionNo"] for change in client.changes(since="${since}", exchange="NYSE", listed=False)))`;
    const { stdout } = await run('python3', ['-c', program], { env: pythonEnvironment });
    expect(stdout.trim().split(',')).toEqual(numbers);
  });

  it('without a change moves the place of a stream, so that whoever is cut off does not begin again', async () => {
    const open = (headers: Record<string, string> = {}) =>
      openEvents(`http://127.0.0.1:${listening.port}/v1/sec/changes?${query}`, {
        'x-api-key': serviceKey,
        ...headers,
      });
    const stream = await open();
    const [retry, moved, change] = [await stream.next(), await stream.next(), await stream.next()];
    expect([retry?.id, moved?.type, moved?.data, change?.type]).toEqual(['', 'none', '', 'change']);
    const { meta } = await service.json<Page>(`/v1/sec/changes?${query}`);
    expect(moved?.id).toBe(meta.nextCursor);
    const rest = await open({ 'Last-Event-ID': moved?.id ?? '' });
    expect(
      (await rest.changes(3)).map(({ data }) => (JSON.parse(data) as Change).filing.accessionNo),
    ).toEqual(numbers);
  });

  it('is told to assistants', async () => {
    const given = { since, exchange: 'NYSE', listed: 'false' };
    const [{ text }] = await askAgent(service, 'change-feed', given);
    expect(text).toContain('among those looked at so far');
    expect(text).toContain('There may be more. To go on, call again');
  });

  it('of a history goes on, too', async () => {
    const page = await service.json<Page>('/v1/sec/latest?exchange=NYSE&listed=false');
    expect(page.data.length).toBe(3);
    expect(page.meta.nextCursor).not.toBe(null);
    const next = await service.get(
      `/v1/sec/latest?exchange=NYSE&listed=false&cursor=${page.meta.nextCursor}`,
    );
    expect(((await next.json()) as Page).meta.nextCursor).toBe(null);
  });
});
