import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { paths } from '../../../src/format/snapshot.ts';
import { withStarted } from '../child.ts';
import { startTimer } from '../load.ts';
import type { Published } from '../publications.ts';
import { drawRequests } from '../requests.ts';
import { atMost, below, decimal, greatest, median, megabytes, quantile, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, startService } from '../service.ts';

const requestsBefore = 100_000;
const perSecond = 50;
const connections = 16;
/** Of the requests before: they fill caches and memory, and most users ask for less than the largest answers. */
const largestShare = 0.1;
/** The first second of a load warms up the connections and does not count. */
const warmUpSeconds = 1;
const switchEveryMs = 1000;
const [growthMaximum, firstMaximum, afterMaximum] = [1.5, 120e6, 250e6];

/**
 * A service that is asked a hundred thousand different requests, and then goes on to be asked while
 * publications arrive, one each second. They were built before: what is measured is the service and not what
 * a build beside it takes of the machine.
 */
export async function switchingRows(scratch: Scratch): Promise<Row[]> {
  const published = (await scratch.published()).large;
  setPointer(published, 0);
  const seconds = warmUpSeconds + (scratch.publications * switchEveryMs) / 1000 + 1;
  const length = perSecond * seconds;
  const before = (await drawRequests(published.snapshots, requestsBefore, 5, largestShare)).targets;
  const mixed = (await drawRequests(published.snapshots, 2 * length, 6)).targets;
  return withStarted(async (keep) => {
    const server = await keep(startService(published.snapshots));
    const timer = await keep(startTimer());
    const rss = async () => (await server.usage()).rssBytes;
    const msOf = async (some: readonly string[]) => {
      const { ms } = await timer.ask(server, some, { connections, perSecond });
      return ms.slice(warmUpSeconds * perSecond);
    };
    await ask(server, '/v1/sec/latest');
    const first = await rss();
    scratch.say(`asking ${decimal(requestsBefore)} different requests`);
    const flood = await timer.ask(server, before, { connections });
    const between = await rss();
    scratch.say(
      `asking ${perSecond} a second for ${seconds} s without publications, and as long with ${scratch.publications}`,
    );
    const calm = await msOf(mixed.slice(0, length));
    const [switched] = await Promise.all([msOf(mixed.slice(length)), publishAgain(published)]);
    const after = await rss();
    const seen = server.logged().match(/"event":"snapshot"/g)?.length ?? 0;
    const [p99, p99Before] = [quantile(switched, 0.99), quantile(calm, 0.99)];
    scratch.detail(
      `memory: ${megabytes(first)} at the first answer, ${megabytes(between)} after ${decimal(requestsBefore)} requests at ${decimal(requestsBefore / flood.seconds)}/s, ${megabytes(after)} after ${scratch.publications} publications`,
    );
    return [
      row(
        `${perSecond} requests/s while ${scratch.publications} publications arrive`,
        `p99 ${(p99 / p99Before).toFixed(2)} times that without: ${p99.toFixed(2)} ms, greatest ${greatest(switched).toFixed(2)} ms, p50 ${median(switched).toFixed(2)} ms (${seen - 1} switches; without any: p99 ${p99Before.toFixed(2)} ms, greatest ${greatest(calm).toFixed(2)} ms)`,
        atMost(p99 / p99Before, growthMaximum, ' times'),
      ),
      row('memory at the first answer', megabytes(first), below(first, firstMaximum, megabytes)),
      row(
        `memory after ${decimal(requestsBefore)} different requests and ${scratch.publications} publications`,
        `${megabytes(after)} (${megabytes(between)} before the publications)`,
        below(after, afterMaximum, megabytes),
      ),
    ];
  });
}

/** Lets the pointer name one snapshot after the other, as they were published. */
async function publishAgain(published: Published): Promise<void> {
  await delay(warmUpSeconds * 1000);
  for (let at = 1; at < published.pointers.length; at++) {
    setPointer(published, at);
    await delay(switchEveryMs);
  }
}

/** Lets the pointer of a directory name what a publication made; 0 is what there was before the first one. */
export function setPointer(
  { snapshots, pointers }: Pick<Published, 'snapshots' | 'pointers'>,
  at: number,
): void {
  const path = join(snapshots, paths.pointer);
  writeFileSync(`${path}.new`, pointers[at] as Buffer);
  renameSync(`${path}.new`, path);
}
