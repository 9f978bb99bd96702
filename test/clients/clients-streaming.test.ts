// @module-tag slow
import { createServer, type ServerResponse } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { changeKey } from '../../clients/typescript/src/cursor.ts';
import { eventsIn } from '../../clients/typescript/src/events.ts';
import type { StreamBounds } from '../../clients/typescript/src/streaming.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { drivenLanguages } from '../support/driven-clients.ts';
import { startFaultyProxy } from '../support/faulty-proxy.ts';
import { reopenable } from '../support/servers.ts';

const since = { since: '2026-01-01' };
const patient: StreamBounds = { silentSeconds: 35, waitingSeconds: 60 };
/** A stream in which nothing comes is soon given up. */
const impatient: StreamBounds = { silentSeconds: 0.5, waitingSeconds: 60 };
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** What is asked of a service that a test makes up. */
interface Asked {
  readonly isStream: boolean;
  readonly cursor: string | null;
  readonly wait: string | null;
  readonly lastId: string | undefined;
  readonly atMs: number;
}

const changeOf = (sequence: number) => `event: change\nid: c${sequence}\ndata: {"sequence": ${sequence}}\n\n`;

/** Sends pieces of a stream, and ends it or keeps it open without a sign of life. */
function streamed(response: ServerResponse, pieces: readonly string[], isEnded = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders();
  for (const piece of pieces) response.write(piece);
  if (isEnded) response.end();
}

/** Answers with the change behind a cursor. */
function paged(response: ServerResponse, { cursor }: Asked): void {
  const sequence = Number((cursor ?? 'c0').slice(1)) + 1;
  response.end(JSON.stringify({ data: [{ sequence }], meta: { nextCursor: `c${sequence}` } }));
}

/** Starts a service that answers streams as a test wants, and polls with one change each. */
async function serve(stream: (response: ServerResponse, asked: Asked) => void, poll = paged) {
  const asked: Asked[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const parameters = new URL(url, 'http://x').searchParams;
    const now: Asked = {
      isStream: headers.accept === 'text/event-stream',
      cursor: parameters.get('cursor'),
      wait: parameters.get('wait'),
      lastId: headers['last-event-id'] as string | undefined,
      atMs: performance.now(),
    };
    asked.push(now);
    if (now.isStream) stream(response, now);
    else poll(response, now);
  });
  const { address, down } = await reopenable(server);
  onTestFinished(down);
  return { address, asked };
}

describe.each(drivenLanguages)('a follower of the client for $language', ({ open }) => {
  async function sequencesOf(baseUrl: string, most: number, bounds: StreamBounds): Promise<number[]> {
    const { changes } = await open({ baseUrl }).follow({ filter: since, most, bounds });
    return changes.map(({ sequence }) => sequence);
  }

  it('a stream that ends is gone on with behind its last change, after the time that it says', async () => {
    const streams = [
      ['retry: 300\n\n', changeOf(1) + changeOf(2)],
      [changeOf(3), ':\n\n', 'id: c7\n\n', 'event: change\nid: c8\ndata: {'],
      [changeOf(8), changeOf(9)],
    ];
    const { address, asked } = await serve((response) => streamed(response, streams.shift() ?? []));
    expect(await sequencesOf(address, 5, patient)).toEqual([1, 2, 3, 8, 9]);
    expect(asked.map(({ isStream, lastId, cursor }) => [isStream, lastId ?? null, cursor])).toEqual([
      [true, null, null],
      [true, 'c2', 'c2'],
      [true, 'c7', 'c7'],
    ]);
    expect((asked[1]?.atMs ?? 0) - (asked[0]?.atMs ?? 0)).toBeGreaterThan(290);
  });

  it.each<[string, (response: ServerResponse, asked: Asked) => void]>([
    ['are not acceptable', (response) => void response.writeHead(406).end('{}')],
    ['are a page', paged],
    ['bring no bytes', (response) => streamed(response, [], false)],
    ['have no headers', () => {}],
    ['bring the first bytes alone', (response) => streamed(response, ['retry: 10\n\n'], false)],
    ['bring no JSON', (response) => streamed(response, ['id: c9\ndata: <html>\n\n'])],
  ])('where streams %s the service is asked with `wait`', async (_, stream) => {
    const { address, asked } = await serve(stream);
    expect(await sequencesOf(address, 3, impatient)).toEqual([1, 2, 3]);
    expect(asked.map(({ wait }) => wait)).toEqual([null, '60', '60', '60']);
  });

  it('a stream that goes silent is asked for again, and `wait` is used for a while alone', async () => {
    const streams = [
      ['retry: 10\n\n', changeOf(1)],
      [changeOf(2)],
      ['retry: 10\n\n'],
      [changeOf(4), changeOf(5)],
    ];
    const { address, asked } = await serve((response) => streamed(response, streams.shift() ?? [], false));
    const bounds = { silentSeconds: 0.5, waitingSeconds: 0 };
    expect(await sequencesOf(address, 5, bounds)).toEqual([1, 2, 3, 4, 5]);
    expect(asked.map(({ isStream }) => isStream)).toEqual([true, true, true, false, true]);
  });

  it('a refusal is waited for as it says, and one that stays is told', async () => {
    const limited = await serve((response) =>
      limited.asked.length === 1
        ? void response.writeHead(429, { 'retry-after': '2' }).end('{}')
        : streamed(response, [changeOf(1)]),
    );
    expect(await sequencesOf(limited.address, 1, patient)).toEqual([1]);
    expect((limited.asked[1]?.atMs ?? 0) - (limited.asked[0]?.atMs ?? 0)).toBeGreaterThan(1_990);
    const refuse = (response: ServerResponse) =>
      void response.writeHead(401).end('{"error":{"code":"unauthorized","message":"no"}}');
    const refusing = await serve(refuse, refuse);
    await expect(sequencesOf(refusing.address, 1, patient)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('a service that is gone for a while is waited for', async () => {
    const isGone = () => asked.length >= 2 && asked.length <= 5;
    const { address, asked } = await serve(
      (response) =>
        isGone()
          ? void response.destroy()
          : streamed(response, ['retry: 10\n\n', changeOf(asked.length === 1 ? 1 : 3)]),
      (response, now) => (isGone() ? void response.destroy() : paged(response, now)),
    );
    // The stream brought one, three tries nothing, then polls are asked until one is answered.
    expect(await sequencesOf(address, 3, { ...patient, waitingSeconds: 0 })).toEqual([1, 2, 3]);
  });

  describe('of a real service', () => {
    let served: ClientService;
    beforeAll(async () => void (served = await clientService(70)));
    afterAll(() => served.close());

    it('takes one stream for what is there and what is published, and keeps the cursor behind each change', async () => {
      const proxy = await startFaultyProxy(
        () => served.service.port,
        () => null,
      );
      const client = open({ baseUrl: proxy.address });
      const following = client.follow({ filter: since, most: 74, bounds: patient });
      await expect.poll(() => served.service.services.held.size()).toBe(1);
      for (const count of [1, 3]) await served.publish(count);
      const { changes, cursor } = await following;
      expect(changes.map(({ sequence }) => sequence)).toEqual(upTo(74));
      expect(proxy.asked.map(({ isStream }) => isStream)).toEqual([true]);
      // The last change was cut.
      const again = await client.call<{ data: unknown[] }>('listChanges', { cursor });
      expect(again.data).toEqual(changes.slice(-1));
      await proxy.close();
    });

    it('goes on by a stream from a position within a page that was polled, and keeps nothing before it is reached', async () => {
      const client = open({ baseUrl: served.address });
      const { meta } = await client.call<{ meta: { nextCursor: string } }>('listChanges', {
        ...since,
        limit: 10,
      });
      const change = (await client.changes(since)).find(({ sequence }) => sequence === 65);
      if (change === undefined) throw new Error('the feed has no change 65');
      const text = `${meta.nextCursor} 65 ${changeKey(change)}`;
      const found = await client.follow({ filter: since, most: 5, text, bounds: patient });
      expect(found.changes.map(({ sequence }) => sequence)).toEqual([66, 67, 68, 69, 70]);
      // The place behind 65, and that behind each change but the last one, which was cut.
      expect(found.saves).toBe(5);
    });
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
