import type { Load, Round } from './load.ts';
import { decimal, median, type Row } from './row.ts';

/** One load of the service beside one of a peer, and what must hold between them. */
export interface Comparison {
  readonly what: string;
  readonly ours: Load;
  readonly peer: Load;
  readonly peerName: string;
  /** The least ratio, by rate and by processor time. */
  readonly least: number;
}

/** From this share of a processor on, a server was busy all the time. */
const busyLeast = 0.85;

/**
 * The row of a comparison: medians of the ratios of all rounds, with the lowest and the highest. Both ratios
 * must hold, but that of rates says nothing where the peer waited for a processor, or where the service had
 * to share one with the generator: then processor time alone decides. A service that waits while nobody works
 * is not excused.
 */
export function compare(
  { what, peerName, least }: Comparison,
  ours: readonly Round[],
  theirs: readonly Round[],
): Row {
  const digits = least < 1 ? 2 : 1;
  const pairs = ours.map((round, at) => [round, theirs[at] as Round] as const);
  const byRate = pairs.map(([our, their]) => our.requestsPerSecond / their.requestsPerSecond);
  const byCpu = pairs.map(([our, their]) => their.cpuMicroseconds / our.cpuMicroseconds);
  const text = (ratio: number) => ratio.toFixed(digits);
  const spread = (ratios: readonly number[]) =>
    `${text(median(ratios))} (${text(Math.min(...ratios))}-${text(Math.max(...ratios))})`;
  return {
    what,
    measured: `${spread(byRate)} by rate, ${spread(byCpu)} by CPU: ${describe(ours)} to ${describe(theirs)}`,
    bound: `>= ${least} of ${peerName}`,
    holds: median(byCpu) >= least && (median(byRate) >= least || !isBusy(theirs) || shared(ours)),
  };
}

const middle = (rounds: readonly Round[], name: keyof Round) => median(rounds.map((round) => round[name]));
const isBusy = (rounds: readonly Round[]) => middle(rounds, 'serverBusy') >= busyLeast;
const shared = (rounds: readonly Round[]) =>
  !isBusy(rounds) && middle(rounds, 'serverBusy') + middle(rounds, 'generatorBusy') >= busyLeast;

/** Rate and processor time; where the server waited, also how busy it was, and the generator. */
function describe(rounds: readonly Round[]): string {
  const percent = (name: 'serverBusy' | 'generatorBusy') => `${Math.round(middle(rounds, name) * 100)} %`;
  const waited = isBusy(rounds)
    ? ''
    : `, busy ${percent('serverBusy')}, generator ${percent('generatorBusy')}`;
  return `${decimal(middle(rounds, 'requestsPerSecond'))}/s ${decimal(middle(rounds, 'cpuMicroseconds'), 1)} us${waited}`;
}
