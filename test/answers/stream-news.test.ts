import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useDirectories } from '../support/directories.ts';
import { openEvents, type EventStream } from '../support/event-stream.ts';
import { filing } from '../support/made-up.ts';
import { publishFilings } from '../support/publish-filings.ts';
import { listeningService, serviceKey as key, type ListeningService } from '../support/service.ts';

const fresh = useDirectories('stream-news');
const since = 'since=2020-01-01';
const streams: EventStream[] = [];
let directory: string;
let service: ListeningService;
let batches: number;

beforeEach(async () => {
  directory = fresh();
  batches = 0;
  await publish([filing(1)]);
  service = await listeningService(directory);
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const stream of streams.splice(0)) await stream.close();
  await service.close();
});

const publish = (filings: ReturnType<typeof filing>[]) => publishFilings(directory, ++batches, filings);

const look = () => service.services.served.check();
const ask = (target: string) =>
  fetch(`http://127.0.0.1:${service.port}${target}`, { headers: { 'x-api-key': key } });
async function open(target: string): Promise<EventStream> {
  const stream = await openEvents(`http://127.0.0.1:${service.port}${target}`, { 'x-api-key': key });
  streams.push(stream);
  return stream;
}

describe('news for who waits', () => {
  it('a publication that comes while a page is read is told at once, by a stream and to a request that waits', async () => {
    const { turns } = service.services;
    const begin = turns.begin.bind(turns);
    /** What is read next is a page of the snapshot before: the one with this filing becomes current meanwhile. */
    const publishMeanwhile = (number: number) =>
      vi.spyOn(turns, 'begin').mockImplementationOnce(async (caller) => {
        vi.mocked(turns.begin).mockImplementation(begin);
        await publish([filing(number)]);
        await look();
        return begin(caller);
      });
    const endOf = async (target: string) => {
      const { meta } = (await (await ask(`${target}${since}&limit=200`)).json()) as {
        meta: { nextCursor: string };
      };
      return `${target}cursor=${meta.nextCursor}`;
    };
    for (const [number, target] of [
      [300, '/v1/sec/changes?'],
      [301, '/v1/sec/watchlist/changes?tickers=T1,T2&'],
    ] as const) {
      const end = await endOf(target);
      publishMeanwhile(number);
      const stream = await open(end);
      const told = stream
        .changes(1)
        .then(
          ([event]) =>
            (JSON.parse(event?.data ?? '') as { filing: { accessionNo: string } }).filing.accessionNo,
        );
      // Long before the first comment.
      const late = new Promise((resolve) => void setTimeout(resolve, 8000, 'nothing'));
      expect(await Promise.race([told, late])).toBe(filing(number).accessionNo);
    }
    const end = await endOf('/v1/sec/changes?');
    publishMeanwhile(302);
    const held = await ask(`${end}&wait=5`);
    expect(((await held.json()) as { data: unknown[] }).data).toHaveLength(1);
  });

  // Three publications, the second and third of which come before a comment is due.
  it('publications that have nothing for a stream do not put its comments off', {
    tags: ['slow'],
    timeout: 90_000,
  }, async () => {
    const stream = await open(`/v1/sec/changes?${since}&form=4`);
    const openedMs = performance.now();
    const said: number[] = [];
    void (async () => {
      for (let event = await stream.next(); event !== null; event = await stream.next())
        said.push(performance.now() - openedMs);
    })().catch(() => {});
    for (const [number, atMs] of [
      [400, 6000],
      [401, 12_000],
      [402, 18_000],
    ] as const) {
      await new Promise((resolve) => void setTimeout(resolve, atMs - (performance.now() - openedMs)));
      await publish([filing(number)]);
      await look();
    }
    await new Promise((resolve) => void setTimeout(resolve, 36_000 - (performance.now() - openedMs)));
    const pauses = [...said, 36_000].map((atMs, at) => atMs - (said[at - 1] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(20_000);
  });
});
