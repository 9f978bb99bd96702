import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { paths } from '../../../src/format/snapshot.ts';
import { createRandom } from '../../support/generate.ts';
import type { Published } from '../publications.ts';
import { mixedRequests } from '../requests.ts';
import { decimal, median, megabytes, quantile, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, startService } from '../service.ts';
import { startTimer } from '../timed.ts';
import { readVocabulary } from '../vocabulary.ts';

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
  const random = createRandom(5);
  setPointer(published, 0);
  const vocabulary = await readVocabulary(published.snapshots, random);
  const seconds = warmUpSeconds + (scratch.publications * switchEveryMs) / 1000 + 1;
  const targetsOf = (count: number, share: number) =>
    mixedRequests(vocabulary, count, random, share).map(({ target }) => target);
  const before = targetsOf(requestsBefore, largestShare);
  const mixed = targetsOf(2 * perSecond * seconds, 1);
  const [still, during] = [mixed.slice(0, perSecond * seconds), mixed.slice(perSecond * seconds)];
  const server = await startService(published.snapshots);
  const timer = await startTimer();
  try {
    await ask(server, '/v1/sec/latest');
    const first = (await server.usage()).rssBytes;
    scratch.say(`asking ${decimal(before.length)} different requests`);
    const flood = await timer.ask(server, before, { connections });
    const between = (await server.usage()).rssBytes;
    scratch.say(
      `asking ${perSecond} a second for ${seconds} s without publications, and as long with ${scratch.publications}`,
    );
    const calm = (await timer.ask(server, still, { connections, perSecond })).ms.slice(
      warmUpSeconds * perSecond,
    );
    const switched = (
      await Promise.all([timer.ask(server, during, { connections, perSecond }), publishAgain(published)])
    )[0].ms.slice(warmUpSeconds * perSecond);
    const { rssBytes } = await server.usage();
    const seen = server.logged().match(/"event":"snapshot"/g)?.length ?? 0;
    const [p99, p99Before] = [quantile(switched, 0.99), quantile(calm, 0.99)];
    scratch.detail(
      `memory: ${megabytes(first)} at the first answer, ${megabytes(between)} after ${decimal(before.length)} requests at ${decimal(before.length / flood.seconds)}/s, ${megabytes(rssBytes)} after ${scratch.publications} publications`,
    );
    return [
      {
        what: `${perSecond} requests/s while ${scratch.publications} publications arrive`,
        measured: `p99 ${(p99 / p99Before).toFixed(2)} times that without: ${p99.toFixed(2)} ms, greatest ${Math.max(...switched).toFixed(2)} ms, p50 ${median(switched).toFixed(2)} ms (${seen - 1} switches; without any: p99 ${p99Before.toFixed(2)} ms, greatest ${Math.max(...calm).toFixed(2)} ms)`,
        bound: `p99 <= ${growthMaximum} times that without publications`,
        holds: p99 <= growthMaximum * p99Before,
      },
      {
        what: 'memory at the first answer',
        measured: megabytes(first),
        bound: `< ${megabytes(firstMaximum)}`,
        holds: first < firstMaximum,
      },
      {
        what: `memory after ${decimal(before.length)} different requests and ${scratch.publications} publications`,
        measured: `${megabytes(rssBytes)} (${megabytes(between)} before the publications)`,
        bound: `< ${megabytes(afterMaximum)}`,
        holds: rssBytes < afterMaximum,
      },
    ];
  } finally {
    timer.stop();
    await server.stop();
  }
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
