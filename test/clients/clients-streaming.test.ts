// @module-tag slow
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createChanges } from '../../clients/typescript/src/changes.ts';
import { changeKey } from '../../clients/typescript/src/cursor.ts';
import { eventsIn } from '../../clients/typescript/src/events.ts';
import { createClient, memoryCursor, type CursorStore } from '../../clients/typescript/src/node.ts';
import type { ChangeSource } from '../../clients/typescript/src/source.ts';
import { pagesByStream, type StreamBounds } from '../../clients/typescript/src/streaming.ts';
import { createTransport } from '../../clients/typescript/src/transport.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { startFaultyProxy, type Fault, type FaultyProxy } from '../support/faulty-proxy.ts';
import { serviceKey } from '../support/service.ts';

/** More than a page of a stream, which has 50 changes. */
const firstFilings = 70;

interface Followed {
  /** The sequences of the changes that were handled, in the order in which they were. */
  readonly handled: readonly number[];
  readonly store: CursorStore;
}

/** Follows all changes of a service, as a client does, but with other bounds. */
function follow(baseUrl: string, bounds: StreamBounds, store = memoryCursor()): Followed {
  const settings = { baseUrl, apiKey: serviceKey };
  const client = { feed: createClient(settings), transport: createTransport(settings) };
  const source: ChangeSource = (start, signal) => pagesByStream(client, start, signal, bounds);
  const changes = createChanges(
    { feed: client.feed, source, tellUnknown: () => {} },
    { since: '2026-01-01' },
  );
  const handled: number[] = [];
  const stopped = new AbortController();
  const ended = (async () => {
    for await (const { sequence } of changes.follow({ cursor: store, signal: stopped.signal }))
      handled.push(sequence);
  })().catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
  onTestFinished(async () => {
    stopped.abort();
    await ended;
  });
  return { handled, store };
}

const patient: StreamBounds = { silentSeconds: 35, waitingSeconds: 60 };
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('a follower of the TypeScript client', () => {
  let served: ClientService;
  let published = firstFilings;
  beforeAll(async () => {
    served = await clientService(firstFilings);
  });
  afterAll(() => served.close());

  async function proxyWith(nextFault: (isStream: boolean) => Fault | null): Promise<FaultyProxy> {
    const proxy = await startFaultyProxy(() => served.service.port, nextFault);
    onTestFinished(() => proxy.close());
    return proxy;
  }
  async function publish(count: number): Promise<void> {
    published += count;
    await served.publish(count);
  }
  const hasAll = ({ handled }: Followed) => expect.poll(() => [...handled]).toEqual(upTo(published));

  it('a follower takes one stream, and keeps the cursor behind each change', async () => {
    const proxy = await proxyWith(() => null);
    const followed = follow(proxy.address, patient);
    await hasAll(followed);
    for (const count of [1, 3]) {
      await publish(count);
      await hasAll(followed);
    }
    expect(proxy.asked.map(({ isStream }) => isStream)).toEqual([true]);
    const cursor = (await followed.store.load()) ?? '';
    const client = createClient({ baseUrl: served.address, apiKey: serviceKey });
    const { data } = await client.listChanges({ cursor });
    expect(data.map(({ sequence }) => sequence)).toEqual([]);
  });

  it.each(['refused', 'plain', 'buffered', 'silent'] as const)(
    'a follower asks with `wait` where streams are %s, and has each change once',
    async (fault) => {
      const proxy = await proxyWith((isStream) => (isStream ? fault : null));
      const followed = follow(proxy.address, { silentSeconds: 0.5, waitingSeconds: 60 });
      await expect.poll(() => proxy.asked.some(({ isStream }) => !isStream)).toBe(true);
      await hasAll(followed);
      await publish(2);
      await hasAll(followed);
      expect(proxy.asked.at(-1)).toMatchObject({ isStream: false, path: expect.stringContaining('wait=60') });
    },
  );

  it('a stream that was cut, lost or refused for a while is asked for again behind the last change, when the service allows it', async () => {
    const faults: Fault[] = ['cut', 'lost', 'limited'];
    const proxy = await proxyWith(() => faults.shift() ?? null);
    const followed = follow(proxy.address, patient);
    await hasAll(followed);
    expect(proxy.asked.map(({ isStream, fault }) => [isStream, fault])).toEqual([
      [true, 'cut'],
      [true, 'lost'],
      [true, 'limited'],
      [true, null],
    ]);
    const [first, second, third, fourth] = proxy.asked;
    expect([first?.lastId, second?.lastId]).toEqual([null, expect.any(String)]);
    expect([third?.lastId, fourth?.lastId]).toEqual([second?.lastId, second?.lastId]);
    // `retry` of the stream, and `Retry-After` of the refusal.
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(1_990);
    expect((fourth?.atMs ?? 0) - (third?.atMs ?? 0)).toBeGreaterThan(1_990);
  });

  it('a follower that asked with `wait` for a while tries a stream again', async () => {
    let streams = 0;
    const proxy = await proxyWith((isStream) => (isStream && streams++ === 0 ? 'refused' : null));
    const followed = follow(proxy.address, { silentSeconds: 35, waitingSeconds: 0 });
    await expect.poll(() => proxy.asked.filter(({ isStream }) => isStream).length).toBe(2);
    await hasAll(followed);
    await publish(2);
    await hasAll(followed);
    expect(proxy.asked.map(({ isStream }) => isStream)).toEqual([true, false, true]);
  });

  it('a position within a page that was polled is gone on with by a stream, and by one that was cut before it is reached', async () => {
    const client = createClient({ baseUrl: served.address, apiKey: serviceKey });
    const { meta } = await client.listChanges({ since: '2026-01-01', limit: 10 });
    const { data } = await client.listChanges({ since: '2026-01-01', limit: 200 });
    const change = data.find(({ sequence }) => sequence === 65);
    if (change === undefined) throw new Error('the feed has no change 65');
    const store = memoryCursor(`${meta.nextCursor} 65 ${changeKey(change)}`);
    const proxy = await proxyWith(() => null);
    const kept: string[] = [];
    const told: CursorStore = {
      load: () => store.load(),
      save: async (text) => void kept.push(text),
    };
    const { handled } = follow(proxy.address, patient, told);
    await expect.poll(() => handled.length).toBe(published - 65);
    expect(handled[0]).toBe(66);
    // Nothing is kept while the stream is behind the position.
    await expect.poll(() => kept.length).toBe(published - 64);
  });
});

describe('events of a stream', () => {
  async function* inPieces(bytes: Uint8Array, ends: readonly number[]): AsyncGenerator<Uint8Array> {
    let from = 0;
    for (const end of [
      ...ends.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b),
      bytes.length,
    ]) {
      yield bytes.subarray(from, end);
      from = end;
    }
  }

  it('events are the same wherever a network cuts their bytes, and an event that is not whole is none', async () => {
    const word = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ''));
    const event = fc.record({ id: word, data: fc.array(word, { maxLength: 3 }), comment: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event),
        fc.array(fc.nat()),
        fc.constantFrom('\n', '\r\n'),
        async (events, ends, line) => {
          const blocks = events.map(({ id, data, comment }) =>
            [
              ...(comment ? [':'] : []),
              'event: change',
              `id: ${id}`,
              ...data.map((each) => `data: ${each}`),
            ].join(line),
          );
          const text = `retry: 7${line}${line}${blocks.map((each) => each + line + line).join('')}data: cut`;
          const found = [];
          for await (const each of eventsIn(inPieces(new TextEncoder().encode(text), ends))) found.push(each);
          expect(found).toEqual([
            { id: '', data: '', retryMs: 7 },
            ...events.map(({ id, data }) => ({ id, data: data.join('\n'), retryMs: null })),
          ]);
        },
      ),
    );
  });
});
