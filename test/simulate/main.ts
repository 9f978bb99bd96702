import { argumentsOrExit, commands } from '../../src/settings/commands.ts';
import { minuteMs } from '../../src/time/units.ts';
import { describeHappening, drawHistory, type History } from './history.ts';
import { keptSeeds } from './kept.ts';
import { Killed } from './machine/process.ts';
import { loadReleases } from './releases.ts';
import { runHistory, type RunResult } from './run.ts';
import { shrink } from './shrink.ts';
import type { Release } from './world.ts';

/** How many histories are tried while one that fails is shrunk. */
const shrinkTries = 24;
/** How many lines of the trace a failure shows. */
const shownLines = 25;

const options = argumentsOrExit(commands.simulate()).opts<{
  seed?: string;
  days?: number;
  runs?: string;
  trace?: boolean;
  kept?: boolean;
  minutes?: string;
}>();
const [first, days] = [numberOf('seed'), options.days ?? 1];
// Kept seeds are all that is wanted unless others are asked for.
const isKeptOnly = options.kept === true && options.seed === undefined && options.runs === undefined;
const runs = isKeptOnly ? 0 : numberOf('runs');
const forMs = options.minutes === undefined ? null : numberOf('minutes') * minuteMs;

// A program that is killed in the middle of a call may leave a promise that nobody waits for.
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Killed)) throw error;
});

await runSeeds(await loadReleases([]));

/** Runs the kept seeds of no more days if they are wanted, and then so many others, or as many as the minutes are enough for. */
async function runSeeds(releases: readonly Release[]): Promise<void> {
  let [passed, failed] = [0, 0];
  const run = async (seed: number, length: number) => {
    if (await runSeed(seed, length, releases)) passed++;
    else failed++;
  };
  for (const kept of options.kept ? keptSeeds : []) if (kept.days <= days) await run(kept.seed, kept.days);
  // The minutes are those of seeds that nobody has seen yet: the last one ends in time, if it takes no longer than the others.
  const freshFromMs = performance.now();
  let [longestMs, beganMs] = [0, freshFromMs];
  const isMore = (seed: number) =>
    forMs === null ? seed < first + runs : beganMs + longestMs - freshFromMs < forMs;
  for (let seed = first; isMore(seed); seed++) {
    await run(seed, days);
    longestMs = Math.max(longestMs, performance.now() - beganMs);
    beganMs = performance.now();
  }
  console.error(`Simulator  ${failed > 0 ? `${failed} failed | ` : ''}${passed} passed (${passed + failed})`);
}

function numberOf(name: 'seed' | 'runs' | 'minutes'): number {
  const text = options[name] ?? '1';
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  console.error(`--${name}: must be a whole number above 0, not ${text}`);
  process.exit(2);
}

/** Returns whether nothing is wrong. */
async function runSeed(seed: number, length: number, releases: readonly Release[]): Promise<boolean> {
  const history = drawHistory(seed, length);
  const before = process.cpuUsage();
  const result = await runHistory(history, releases, options.trace === true);
  const { user, system } = process.cpuUsage(before);
  console.log(
    `seed ${seed}: ${length} days, ${history.happenings.length} faults, trace ${result.digest}: ${result.failure === null ? 'ok' : `failed: ${result.failure}`}`,
  );
  console.error(`  ${Math.round(result.virtualMs / ((user + system) / 1000))} times real time, by CPU`);
  if (result.failure === null) return true;
  process.exitCode = 1;
  if (options.trace === true) return false;
  let last = result;
  const shortest = await shrink(
    history,
    async (each) => {
      const shorter = await runHistory(each, releases);
      if (kindOf(shorter) !== kindOf(result)) return false;
      last = shorter;
      return true;
    },
    shrinkTries,
  );
  show(shortest, last);
  return false;
}

/** What kind of failure it is: its words without names and numbers. */
function kindOf({ failure }: RunResult): string | null {
  return failure?.replaceAll(/\d[\w-]*/g, '') ?? null;
}

function show(
  { happenings, startDay, ranBefore, days: length }: History,
  { failure, last }: RunResult,
): void {
  const firstRun = ranBefore === null ? '' : `, after a first run ${ranBefore} days before`;
  console.log(`  the shortest history that still fails, ${length} days from ${startDay}${firstRun}:`);
  for (const each of happenings) console.log(`    ${describeHappening(each)}`);
  console.log(`  what is wrong: ${failure}`);
  console.log('  what happened last:');
  for (const line of last.slice(-shownLines)) console.log(`    ${line.slice(0, 300)}`);
}
