import { withStarted } from '../child.ts';
import { startTimer } from '../load.ts';
import { drawRequests, type MixedRequest } from '../requests.ts';
import { below, decimal, greatest, median, quantile, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { startService } from '../service.ts';

/** Other requests that warm the code of a fresh service up and do not count. */
const warmUps = 500;
const requestsMeasured = 4000;
/** Services that are started; each is asked everything twice. */
const passes = 3;
const worstMaximum = 50;
const one = { connections: 1 };

/** How long an answer may take, except for one in a hundred. */
function allowedMs(bytes: number): number {
  return 10 + (4 * Math.max(0, bytes - 300_000)) / 1_000_000;
}

/**
 * How long any valid request takes, one after the other, from the first byte sent to the last one that comes:
 * asked for the first time, and again. A request counts with the median of all passes, so that a moment in
 * which the machine did something else does not.
 */
export async function serviceTimeRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const { requests, targets } = await drawRequests(snapshots, warmUps + requestsMeasured, 7);
  const [before, measured] = [targets.slice(0, warmUps), targets.slice(warmUps)];
  const [cold, warm]: [(readonly number[])[], (readonly number[])[]] = [[], []];
  let bytes: readonly number[] = [];
  for (let pass = 0; pass < passes; pass++)
    await withStarted(async (keep) => {
      const [timer, server] = [await keep(startTimer()), await keep(startService(snapshots))];
      await timer.ask(server, before, one);
      cold.push((await timer.ask(server, measured, one)).ms);
      const again = await timer.ask(server, measured, one);
      warm.push(again.ms);
      ({ bytes } = again);
    });
  const what = `${decimal(measured.length)} requests of every kind, ${decimal(scratch.filings.large)} filings, never asked before`;
  const asked = requests.slice(warmUps);
  return [
    ...rowsOf(scratch, what, asked, bytes, cold),
    ...rowsOf(scratch, 'the same again', asked, bytes, warm),
  ];
}

function rowsOf(
  { detail }: Scratch,
  what: string,
  requests: readonly MixedRequest[],
  bytes: readonly number[],
  rounds: readonly (readonly number[])[],
): Row[] {
  const timesOf = (of: (times: readonly number[]) => number) =>
    requests.map((_, at) => of(rounds.map((round) => round[at] as number)));
  const ms = timesOf(median);
  // Where others use the machine, too, the least times come nearest to those of the service alone.
  const least = timesOf((times) => Math.min(...times));
  const shareOf = (times: readonly number[]) => {
    const shares = times.map((each, at) => each / allowedMs(bytes[at] as number));
    return quantile(shares, 0.99);
  };
  const [worst, longest] = [greatest(ms), greatest(rounds.flat())];
  const slowest = requests[ms.indexOf(worst)] as MixedRequest;
  const kinds = kindsOf(requests, ms);
  detail(`\n${what}\n${kinds.map(describeKind).join('\n')}\n`);
  const [slowestKind] = kinds as [KindTimes];
  return [
    row(
      what,
      `p99 ${shareOf(ms).toFixed(2)} times what its length allows, ${shareOf(least).toFixed(2)} by the least times; p50 ${median(ms).toFixed(2)} ms, p99 ${quantile(ms, 0.99).toFixed(2)} ms (slowest kind: ${slowestKind.kind}, p99 ${slowestKind.p99.toFixed(2)} ms)`,
      below(shareOf(ms), 1, () => '10 ms at p99, and 4 ms for each megabyte beyond 300 KB'),
    ),
    row(
      'the slowest of them',
      `${worst.toFixed(2)} ms, ${slowest.kind} (longest of any pass ${longest.toFixed(2)} ms, of the least times ${greatest(least).toFixed(2)} ms)`,
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
}

/** The times of each kind of request, the slowest kind first. */
function kindsOf(requests: readonly MixedRequest[], ms: readonly number[]): KindTimes[] {
  const kinds = [...new Set(requests.map(({ kind }) => kind))].map((kind) => {
    const indexes = [...requests.keys()].filter((at) => requests[at]?.kind === kind);
    const times = indexes.map((at) => ms[at] as number);
    const worst = greatest(times);
    return {
      kind,
      count: times.length,
      p50: median(times),
      p99: quantile(times, 0.99),
      worst,
      slowest: requests[indexes[times.indexOf(worst)] as number]?.target ?? '',
    };
  });
  return kinds.sort((a, b) => b.p99 - a.p99);
}

function describeKind({ kind, count, p50, p99, worst, slowest }: KindTimes): string {
  const time = (ms: number) => `${ms.toFixed(2).padStart(7)} ms`;
  return `${kind.padEnd(42)} ${String(count).padStart(5)}  p50 ${time(p50)}  p99 ${time(p99)}  worst ${time(worst)}  ${slowest.length > 90 ? `${slowest.slice(0, 90)}…` : slowest}`;
}
