import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { argumentsOrExit, commands } from '../../src/settings/commands.ts';
import { minuteMs } from '../../src/time/units.ts';
import { drawHistory } from '../simulate/history.ts';
import { root } from '../simulate/machine/bundle.ts';
import { Killed } from '../simulate/machine/process.ts';
import { mutants as simulated } from '../simulate/mutants.ts';
import { loadReleases } from '../simulate/releases.ts';
import { runHistory } from '../simulate/run.ts';
import type { Release } from '../simulate/world.ts';
import { copyCheckout, edit } from './copy.ts';
import { mutants } from './list/all.ts';
import type { Mutant } from './mutant.ts';

/** What `vitest --reporter=json` writes, as far as it is read here. */
interface Results {
  readonly testResults: readonly {
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A test that does not end, as one that an edit sends round in a circle, is ended after this time. */
const testMaximumMs = 10 * minuteMs;

/** Where a seed on record shows nothing any more, so many others are tried if the mutant was named. */
const otherSeeds = 200;

/** The groups of the processes that run tests now. */
const running = new Set<number>();

const command = argumentsOrExit(commands.mutants());
const wanted = command.args;
const known = [...mutants, ...simulated].map(({ name }) => name);
const unknown = wanted.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`there is no mutant "${unknown}"; --list names them`);
  process.exit(2);
}
const isWanted = ({ name }: { readonly name: string }) => wanted.length === 0 || wanted.includes(name);

// A program of the simulator that is killed in the middle of a call may leave a promise that nobody waits for.
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Killed)) throw error;
});

if (command.opts<{ list?: boolean }>().list === true) list();
else await run();

function list(): void {
  for (const { name, breaks } of mutants.filter(isWanted)) console.log(`${name}: ${breaks}`);
  for (const { name } of simulated.filter(isWanted))
    console.log(`${name}: a history of the simulator goes wrong`);
}

async function run(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'mutants-'));
  process.once('exit', () => {
    for (const group of running) endGroup(group);
    rmSync(scratch, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  // Tests look for recordings beside the checkout.
  const recordings = join(dirname(root), 'shared');
  if (existsSync(recordings)) symlinkSync(recordings, join(scratch, 'shared'));
  let [found, missed] = [0, 0];
  const tell = (name: string, by: string | null, why: string) => {
    console.log(by === null ? `${name}: NOT FOUND: ${why}` : `${name}: found by ${by}`);
    if (by === null) missed++;
    else found++;
  };
  const waiting = mutants.filter(isWanted);
  /** Tries one mutant after the other in a copy of its own. */
  const tryWaiting = async (_: unknown, lane: number) => {
    const directory = join(scratch, `checkout-${lane}`);
    if (waiting.length > 0) copyCheckout(directory);
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      try {
        tell(mutant.name, await findingTest(directory, mutant), `${mutant.test} passes without the mend`);
      } catch (error) {
        tell(mutant.name, null, (error as Error).message);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, tryWaiting));
  for (const { name, edits, seed } of simulated.filter(isWanted)) {
    const by = await findingSeed(seed, await loadReleases(edits));
    const found = by === seed ? `seed ${seed}` : null;
    tell(name, found, `seed ${seed} shows nothing wrong${by === null ? '' : `, but seed ${by} does`}`);
  }
  console.log(`Mutants  ${missed > 0 ? `${missed} missed | ` : ''}${found} found (${found + missed})`);
  if (missed > 0) process.exitCode = 1;
}

/** The first seed that shows that something is wrong, the one on record before all others. Null if none does. */
async function findingSeed(known: number, releases: readonly Release[]): Promise<number | null> {
  const others = Array.from({ length: wanted.length === 0 ? 0 : otherSeeds }, (_, at) => at + 1);
  for (const seed of [known, ...others]) {
    const { failure } = await runHistory(drawHistory(seed, 1), releases);
    if (failure === null) continue;
    console.error(`  ${failure}`);
    return seed;
  }
  return null;
}

/** The test that finds a mutant: a fast one if one does. Null if all pass. Throws if the tests did not run. */
async function findingTest(directory: string, mutant: Mutant): Promise<string | null> {
  const restore = edit(directory, mutant.edits);
  try {
    const fast = await failingTest(directory, mutant, ['--tags-filter=!slow']);
    if (fast !== null) return `fast test ${mutant.test}: ${fast}`;
    const slow = await failingTest(directory, mutant, ['--tags-filter=slow']);
    return slow === null ? null : `slow test ${mutant.test}: ${slow}`;
  } finally {
    restore();
  }
}

/** The title of the first test of the file that fails; null if all pass or none was chosen. */
async function failingTest(
  directory: string,
  { test, title }: Mutant,
  choice: readonly string[],
): Promise<string | null> {
  const report = join(directory, 'report.json');
  rmSync(report, { force: true });
  const chosen = title === undefined ? [] : ['-t', title];
  const args = ['--reporter=json', `--outputFile=${report}`, '--bail=1', '--passWithNoTests'];
  const said = await vitest(directory, ['run', test, ...args, ...chosen, ...choice]);
  if (!existsSync(report)) throw new Error(`${test} did not run: ${said.trim().split('\n')[0]}`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Results;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.find(({ status }) => status === 'failed');
  if (failed) return failed.fullName;
  // A file that cannot be loaded shows that the edit is wrong, not that a test finds it.
  const broken = testResults.find(({ message }) => message !== undefined && message !== '');
  if (broken) throw new Error(`${test} did not run: ${broken.message}`);
  return null;
}

/** Runs tests in a folder, and returns what they print as errors. Ends them, and throws, if they take too long. */
function vitest(directory: string, args: readonly string[]): Promise<string> {
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  // A group of its own, so that its workers end with it.
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const group = child.pid;
    if (group !== undefined) running.add(group);
    const timer = setTimeout(() => {
      if (group !== undefined) endGroup(group);
      reject(new Error(`${args[1]} does not end within ${testMaximumMs / minuteMs} minutes`));
    }, testMaximumMs);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      if (group !== undefined) running.delete(group);
      resolve(said);
    });
  });
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
