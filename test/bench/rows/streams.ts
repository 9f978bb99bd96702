import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { here, startServer, withStarted } from '../child.ts';
import { below, decimal, megabytes, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

const streams = 10_000;
/** A key may hold as many as are left, so it takes several to have all. */
const keys = Array.from({ length: 8 }, (_, at) => `benchmark-key-of-streams-${at}`);
/** Streams that are opened and closed before anything is measured, so that the program has what all of them share. */
const warmUpStreams = 500;
/** For so long a service is let alone before its memory is read. */
const restMs = 12_000;
const [bytesMaximum, spreadMaximumMs] = [20_000, 1000];
const target = '/v1/sec/changes?since=2000-01-01';

/** What many streams take while they wait, and how soon the last one has what is published. */
export async function streamsRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots, publish } = await scratch.own('streams');
  return withStarted(async (keep) => {
    const server = await keep(
      startServer({
        script: 'src/start.mjs',
        environment: { SNAPSHOTS_DIR: snapshots, API_KEYS: keys.join(','), PORT: '0' },
      }),
    );
    const cursor = await cursorAtEnd(server.port);
    await (await openStreams(server.port, warmUpStreams, cursor)).stop();
    await delay(restMs);
    const before = (await server.usage()).rssBytes;
    scratch.say(`opening ${decimal(streams)} streams`);
    const clients = await keep(openStreams(server.port, streams, cursor));
    await delay(restMs);
    const usage = await server.usage();
    const bytes = (usage.rssBytes - before) / clients.opened;
    const told = clients.told();
    await publish(1);
    const spreadMs = await told;
    const cpuSeconds = (await server.usage()).cpuSeconds - usage.cpuSeconds;
    return [
      row(
        `memory for each of ${decimal(streams)} streams that wait`,
        `${decimal(bytes / 1000, 1)} KB (${megabytes(before)} before, ${megabytes(usage.rssBytes)} with them; ${decimal(clients.opened)} opened)`,
        below(bytes, bytesMaximum, ' bytes'),
        { text: 'all open', holds: clients.opened === streams },
      ),
      row(
        `from the first to the last of ${decimal(streams)} streams that have what was published`,
        `${decimal(spreadMs)} ms (${decimal(cpuSeconds, 2)} s of CPU with the publication and comments)`,
        below(spreadMs, spreadMaximumMs, ' ms'),
      ),
    ];
  });
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
  stop(): Promise<void>;
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
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      // The service notices that its clients are gone.
      await delay(1000);
    },
  };
}
