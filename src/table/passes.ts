import type { Block } from './block.ts';

// Tables and the log are read by plain functions over blocks in memory. From a folder a block is read when it is its
// turn. From a host it takes a round trip, so a function that lacks blocks notes them and ends; they are read together,
// and the function runs again. Each run is a pass, and the reads between two passes are a round. So what is noted
// together decides how many rounds an answer takes: `together` and `noting` are for that.
//
// A function that runs in passes may run several times. It changes nothing but what it makes itself.

/** What a function is told that lacks a block. Nobody catches it but the functions here. */
const lacking = new Error('a block of a host is read outside of `inPasses`');

/** The passes of one piece of work. */
interface Passes {
  /** What was read for them, by name. It stays until they end, whatever caches do. */
  readonly read: Map<string, Block | Buffer | Failure>;
  /** What is not done again in later passes, by name; see `once`. */
  readonly kept: Map<string, { readonly result: unknown }>;
  /** What the pass that runs has noted, by name. */
  readonly noted: Map<string, () => Promise<Block | Buffer>>;
  /** When a pass may end to give others their turn; see `mayPause`. */
  pauseAtMs: number;
  pause: Promise<void> | null;
}

/** A read that failed: of a block that nobody needs this says nothing. */
class Failure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** The passes whose function runs. A pass never waits, so there is one at a time. */
let running: Passes | null = null;

/**
 * A pass runs for so long before it gives others their turn, in milliseconds. Nearly all answers take less. Who asks for little
 * waits for a few turns: with 20 ms `/livez` took three times as long beside watchlists of rare companies.
 */
const passMs = 10;

/** Runs a function over tables and the log until it lacks nothing. Throws what it throws. */
export async function inPasses<Result>(work: () => Result): Promise<Result> {
  const passes: Passes = {
    read: new Map(),
    kept: new Map(),
    noted: new Map(),
    pauseAtMs: 0,
    pause: null,
  };
  for (let lengthMs = passMs; ; ) {
    const before = running;
    running = passes;
    const [startedMs, keptBefore] = [performance.now(), passes.kept.size];
    passes.pauseAtMs = startedMs + lengthMs;
    try {
      return work();
    } catch (error) {
      if (error !== lacking) throw error;
    } finally {
      running = before;
    }
    if (passes.pause !== null) {
      // What was done in this pass is done once more, so the next one gets twice the time; unless it goes on where this was.
      lengthMs = passes.kept.size > keptBefore ? passMs : 2 * (performance.now() - startedMs);
      await passes.pause;
      passes.pause = null;
    }
    const noted = [...passes.noted];
    passes.noted.clear();
    await Promise.all(
      noted.map(async ([name, read]) => {
        passes.read.set(name, await read().catch((error: unknown) => new Failure(error)));
      }),
    );
  }
}

/** What was read for the work that runs, by its name; undefined if it was not noted before. Throws if that read failed. */
export function readBefore<Kind extends Block | Buffer>(name: string): Kind | undefined {
  const found = running?.read.get(name);
  if (found instanceof Failure) throw found.error;
  return found as Kind | undefined;
}

/** Notes what the work that runs will need. */
export function note(name: string, read: () => Promise<Block | Buffer>): void {
  if (running?.read.has(name) === false) running.noted.set(name, read);
}

/** Notes what the work that runs lacks, and ends the pass. */
export function lack(name: string, read: () => Promise<Block | Buffer>): never {
  note(name, read);
  throw lacking;
}

/** Ends a pass that has run for long, if others wait. `pause` gives what to wait for; null if nobody waits. */
export function mayPause(pause: (() => Promise<void> | null) | undefined): void {
  if (pause === undefined || running === null || performance.now() < running.pauseAtMs) return;
  running.pause ??= pause();
  if (running.pause !== null) throw lacking;
}

/** Whether the pass that runs ends to give others their turn: it looks for nothing more then. */
const isPaused = () => running !== null && running.pause !== null;

/**
 * Calls a function for each value, one after the other. If one lacks a block the others are called as well, so that all
 * that they lack is read in one round.
 */
export function together<Value, Result>(
  values: readonly Value[],
  each: (value: Value, at: number) => Result,
): Result[] {
  const results: Result[] = [];
  let isLacking = false;
  for (const [at, value] of values.entries())
    try {
      results.push(each(value, at));
    } catch (error) {
      // What a later one throws counts when the earlier ones lack nothing.
      if ((error !== lacking && !isLacking) || isPaused()) throw error;
      isLacking = true;
    }
  if (isLacking) throw lacking;
  return results;
}

/**
 * Calls a function, unless an earlier pass called it to its end: then the result is that one. So work that gave others
 * their turn goes on where it was. `name` is another one for each call of the work.
 */
export function once<Result>(name: string, call: () => Result): Result {
  const known = running?.kept.get(name) as { readonly result: Result } | undefined;
  if (known) return known.result;
  const result = call();
  running?.kept.set(name, { result });
  return result;
}

/** Calls two functions, like `together`. */
export function both<First, Second>(first: () => First, second: () => Second): [First, Second] {
  const [one, two] = together<() => First | Second, First | Second>([first, second], (each) => each());
  return [one as First, two as Second];
}

/** Notes what a function lacks that is needed soon. What it throws counts when it is its turn. */
export function foresee(read: () => unknown): void {
  try {
    read();
  } catch {
    // It is called again.
  }
}

/** Calls a function. If it lacks a block, what `also` lacks is noted as well: it is needed next. */
export function noting<Result>(read: () => Result, also: () => unknown): Result {
  try {
    return read();
  } catch (error) {
    if (error === lacking && !isPaused()) foresee(also);
    throw error;
  }
}
