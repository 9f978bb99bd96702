import { parseArgs } from 'node:util';
import { describeHappening, drawHistory, type History } from './history.ts';
import { mutants } from './mutants.ts';
import { loadReleases } from './releases.ts';
import { runHistory, type RunResult } from './run.ts';
import { shrink } from './shrink.ts';
import type { Release } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    mutants: { type: 'boolean', default: false },
    /** Takes out only the mend of this point of the issue. */
    point: { type: 'string' },
    /** Prints everything that happens. */
    loud: { type: 'boolean', default: false },
  },
});
const number = (name: 'seed' | 'days' | 'runs') => {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} ${values[name]}: must be a whole number above 0`);
  process.exit(2);
};
const [first, days, runs] = [number('seed'), number('days'), number('runs')];
/** How many histories are tried while one that fails is shrunk. */
const shrinkTries = 24;
/** A mend that is missing has to be found within so many seeds. */
const seedsMaximum = 200;
/** How many lines of the trace a failure shows. */
const shownLines = 25;

if (values.mutants) await findMutants();
else {
  const releases = await loadReleases([]);
  for (let seed = first; seed < first + runs; seed++) await runSeed(seed, releases);
}

async function runSeed(seed: number, releases: readonly Release[]): Promise<void> {
  const history = drawHistory(seed, days);
  const before = process.cpuUsage();
  const result = await runHistory(history, releases, values.loud);
  const { user, system } = process.cpuUsage(before);
  console.log(
    `seed ${seed}: ${days} days, ${history.happenings.length} faults, trace ${result.digest}: ${result.failure === null ? 'ok' : `failed: ${result.failure}`}`,
  );
  console.error(`  ${Math.round(result.virtualMs / ((user + system) / 1000))} times real time, by CPU`);
  if (result.failure === null) return;
  process.exitCode = 1;
  if (values.loud) return;
  let [shortest, last] = [history, result];
  shortest = await shrink(
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
}

/** What kind of failure it is: its words without names and numbers. */
const kindOf = ({ failure }: RunResult) => failure?.replaceAll(/\d[\w-]*/g, '') ?? null;

function show(
  { happenings, startDay, ranBefore, days: length }: History,
  { failure, last }: RunResult,
): void {
  console.log(
    `  the shortest history that still fails, ${length} days from ${startDay}${ranBefore === null ? '' : `, after a first run ${ranBefore} days before`}:`,
  );
  for (const each of happenings) console.log(`    ${describeHappening(each)}`);
  console.log(`  what is wrong: ${failure}`);
  console.log('  what happened last:');
  for (const line of last.slice(-shownLines)) console.log(`    ${line.slice(0, 300)}`);
}

async function findMutants(): Promise<void> {
  for (const mutant of mutants) {
    if (values.point !== undefined && Number(values.point) !== mutant.point) continue;
    const releases = await loadReleases(mutant.edits);
    const others = Array.from({ length: seedsMaximum }, (_, at) => first + at);
    let found: number | null = null;
    for (const seed of mutant.seed === null ? others : [mutant.seed, ...others]) {
      const { failure } = await runHistory(drawHistory(seed, days), releases);
      if (failure === null) continue;
      found = seed;
      console.error(`  ${failure}`);
      break;
    }
    console.log(
      `${mutant.name}: ${found === null ? `not found within ${seedsMaximum} seeds` : `found by seed ${found}`}`,
    );
    if (found === null) process.exitCode = 1;
  }
}
