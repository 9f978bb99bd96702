import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { appendFilings } from '../../support/generate.ts';
import { here, run, startServer } from '../child.ts';
import { decimal, megabytes, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { shapeOf } from '../shape.ts';

const streams = 10_000;
/** A key may hold as many as are left, so it takes several to have all. */
const keys = Array.from({ length: 8 }, (_, at) => `benchmark-key-of-streams-${at}`);
const filings = 2000;
/** Streams that are opened and closed before anything is measured, so that the program has what all of them share. */
const warmUpStreams = 500;
/** For so long a service is let alone before its memory is read. */
const restMs = 12_000;
const [bytesMaximum, spreadMaximumMs] = [20_000, 1000];
const target = '/v1/sec/changes?since=2000-01-01';

/** What many streams take while they wait, and how soon the last one has what is published. */
export async function streamsRows(scratch: Scratch): Promise<Row[]> {
  const [ledger, snapshots] = [
    join(scratch.directory, 'ledger-of-streams'),
    join(scratch.directory, 'snapshots-of-streams'),
  ];
  const shape = shapeOf(filings);
  await run({ script: here('processes/make-ledger.ts'), arguments: [ledger, JSON.stringify(shape)] });
  const build = () =>
    run({ script: 'build/start.mjs', arguments: ['build', '--ledger', ledger, '--snapshots', snapshots] });
  await build();
  const server = await startServer({
    script: 'src/start.mjs',
    environment: { SNAPSHOTS_DIR: snapshots, API_KEYS: keys.join(','), PORT: '0' },
  });
  try {
    const cursor = await cursorAtEnd(server.port);
    await (await openStreams(server.port, warmUpStreams, cursor)).close();
    await delay(restMs);
    const before = (await server.usage()).rssBytes;
    scratch.say(`opening ${decimal(streams)} streams`);
    const clients = await openStreams(server.port, streams, cursor);
    await delay(restMs);
    const usage = await server.usage();
    const bytes = (usage.rssBytes - before) / streams;
    const told = clients.told();
    await appendFilings(ledger, shape, 1, 0);
    await build();
    const spreadMs = await told;
    const cpuSeconds = (await server.usage()).cpuSeconds - usage.cpuSeconds;
    await clients.close();
    return [
      {
        what: `memory for each of ${decimal(streams)} streams that wait`,
        measured: `${decimal(bytes / 1000, 1)} KB (${megabytes(before)} before, ${megabytes(usage.rssBytes)} with them; ${decimal(clients.opened)} opened)`,
        bound: `< ${bytesMaximum / 1000} KB`,
        holds: bytes < bytesMaximum && clients.opened === streams,
      },
      {
        what: `from the first to the last of ${decimal(streams)} streams that have what was published`,
        measured: `${decimal(spreadMs)} ms (${decimal(cpuSeconds, 2)} s of CPU with the publication and comments)`,
        bound: `< ${spreadMaximumMs} ms`,
        holds: spreadMs < spreadMaximumMs,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** The end of the feed: streams begin there, as those of followers do. */
async function cursorAtEnd(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/sec/bulk`, {
    headers: { 'x-api-key': keys[0] ?? '' },
  });
  return ((await answer.json()) as { meta: { nextCursor: string } }).meta.nextCursor;
}

interface Clients {
  readonly opened: number;
  /** Resolves when the last stream has something new: to the milliseconds since the first one had it. */
  told(): Promise<number>;
  close(): Promise<void>;
}

/** Opens streams from another process. Throws if one is refused. */
async function openStreams(port: number, count: number, cursor: string): Promise<Clients> {
  const given = [port, count, keys, `${target}&cursor=${cursor}`];
  const child = fork(here('processes/streams.mjs'), [JSON.stringify(given)]);
  process.once('exit', () => child.kill('SIGKILL'));
  const [{ opened }] = (await once(child, 'message')) as [{ opened: number }];
  return {
    opened,
    async told() {
      child.send('tell');
      const [{ spreadMs }] = (await once(child, 'message')) as [{ spreadMs: number }];
      return spreadMs;
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      // The service notices that its clients are gone.
      await delay(1000);
    },
  };
}
