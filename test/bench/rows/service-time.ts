import { createRandom } from '../../support/generate.ts';
import { withStarted } from '../child.ts';
import { startTimer, type Timed } from '../load.ts';
import { allowedMs, drawRequests, requestsOfEachKind, type MixedRequest } from '../requests.ts';
import { below, decimal, greatest, median, quantile, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { startService } from '../service.ts';

/** Other requests that warm the code of a fresh service up and do not count. */
const warmUps = 500;
const requestsOfKind = 100;
/** Services that are started; each is asked everything twice. */
const passes = 3;
const worstMaximum = 50;
const one = { connections: 1 };

/**
 * How long any valid request takes, one after the other, from the first byte sent to the last one that comes:
 * asked for the first time, and again. Each kind is asked for alone. A request counts with the median of all
 * passes, and without the time for which it waited for a processor, so that other work of the machine does not count.
 */
export async function serviceTimeRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const { vocabulary, targets: before } = await drawRequests(snapshots, warmUps, 7);
  const requests = requestsOfEachKind(vocabulary, requestsOfKind, createRandom(8));
  const targets = requests.map(({ target }) => target);
  const [cold, warm]: [(readonly number[])[], (readonly number[])[]] = [[], []];
  let bytes: readonly number[] = [];
  for (let pass = 0; pass < passes; pass++)
    await withStarted(async (keep) => {
      const [timer, server] = [await keep(startTimer()), await keep(startService(snapshots))];
      await timer.ask(server, before, one);
      cold.push(served(await timer.ask(server, targets, one)));
      const again = await timer.ask(server, targets, one);
      warm.push(served(again));
      ({ bytes } = again);
    });
  const filings = decimal(scratch.filings.large);
  return [
    ...rowsOf(scratch, `${filings} filings, never asked before`, requests, bytes, cold),
    ...rowsOf(scratch, 'the same again', requests, bytes, warm),
  ];
}

/** How long each request took, without what it waited for a processor. */
const served = ({ ms, waitedMs }: Timed) => ms.map((took, at) => took - (waitedMs[at] as number));

function rowsOf(
  { detail }: Scratch,
  what: string,
  requests: readonly MixedRequest[],
  bytes: readonly number[],
  rounds: readonly (readonly number[])[],
): Row[] {
  const ms = requests.map((_, at) => median(rounds.map((round) => round[at] as number)));
  const kinds = kindsOf(requests, ms, bytes);
  detail(`\n${what}\n${kinds.map(describeKind).join('\n')}\n`);
  const [slowest] = kinds as [KindTimes];
  const slow = kinds.filter(({ share }) => share >= 1);
  const named = (slow.length > 0 ? slow : [slowest]).map(({ kind, p99 }) => `${kind}: ${p99.toFixed(2)} ms`);
  const worst = greatest(ms);
  return [
    row(
      `each of ${kinds.length} kinds of requests, ${what}`,
      `p99 at most ${slowest.share.toFixed(2)} times what its length allows (${named.join('; ')}); p50 of all ${median(ms).toFixed(2)} ms`,
      below(
        slowest.share,
        1,
        () => '10 ms at p99 (rare watchlists 20), and 4 ms for each megabyte beyond 300 KB',
      ),
    ),
    row(
      'the slowest request',
      `${worst.toFixed(2)} ms, ${requests[ms.indexOf(worst)]?.kind ?? ''} (longest of any pass ${greatest(rounds.flat()).toFixed(2)} ms)`,
      below(worst, worstMaximum, ' ms'),
    ),
  ];
}

interface KindTimes {
  readonly kind: string;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly slowest: string;
  /** How much of the time that is allowed an answer takes: all but one in a hundred take less. */
  readonly share: number;
}

/** The times of each kind of request; first the kind that takes most of what is allowed. */
function kindsOf(
  requests: readonly MixedRequest[],
  ms: readonly number[],
  bytes: readonly number[],
): KindTimes[] {
  const kinds = [...new Set(requests.map(({ kind }) => kind))].map((kind) => {
    const indexes = [...requests.keys()].filter((at) => requests[at]?.kind === kind);
    const times = indexes.map((at) => ms[at] as number);
    const shares = indexes.map(
      (at) => (ms[at] as number) / allowedMs(requests[at] as MixedRequest, bytes[at] as number),
    );
    const worst = greatest(times);
    return {
      kind,
      count: times.length,
      p50: median(times),
      p99: quantile(times, 0.99),
      worst,
      slowest: requests[indexes[times.indexOf(worst)] as number]?.target ?? '',
      share: quantile(shares, 0.99),
    };
  });
  return kinds.sort((a, b) => b.share - a.share);
}

function describeKind({ kind, count, p50, p99, worst, slowest, share }: KindTimes): string {
  const time = (ms: number) => `${ms.toFixed(2).padStart(7)} ms`;
  return `${kind.padEnd(48)} ${String(count).padStart(4)}  ${share.toFixed(2)}  p50 ${time(p50)}  p99 ${time(p99)}  worst ${time(worst)}  ${slowest.length > 90 ? `${slowest.slice(0, 90)}…` : slowest}`;
}
