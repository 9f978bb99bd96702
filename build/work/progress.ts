import { printable } from '../../src/log/printable.ts';

/** Shows how far a long task is. Each kind of work counts the unit that takes most of its time. */
export interface Progress {
  /**
   * Begins a kind of work, replacing the one before. `name` and `unit` are shown: `fetching`, `files`.
   * `total` is left out if it is not known yet.
   */
  begin(name: string, unit: string, total?: number): void;
  /** Adds to what has to be done. `isAll` says that nothing more will be added. */
  expect(count: number, isAll: boolean): void;
  /** Counts this much as done. */
  step(count?: number): void;
  stop(): void;
}

/** Shows nothing. */
export const quietProgress: Progress = { begin() {}, expect() {}, step() {}, stop() {} };

/**
 * Where progress is written: on a terminal one line that is overwritten, elsewhere a new line every ten
 * seconds.
 */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** The time in milliseconds, and a timer. `every` returns a function that stops the timer. */
export interface Clock {
  now(): number;
  every(pauseMs: number, look: () => void): () => void;
}

/**
 * How long a line is shown before the next one, and how often the timer checks that while no step is made.
 */
const terminalMs = { line: 200, look: 200 };
const logMs = { line: 10_000, look: 1000 };

interface Work {
  readonly name: string;
  readonly unit: string;
  readonly startedAt: number;
  done: number;
  /** Null if it is not known how much there is to do. */
  expected: number | null;
  isAll: boolean;
}

/**
 * Creates progress that shows rate and time left. Each step also checks the clock, because timers do not run
 * during work that never awaits.
 */
export function createProgress(output: ProgressOutput, clock: Clock): Progress {
  const pauses = output.isTTY ? terminalMs : logMs;
  let work: Work | null = null;
  let shownAt = 0;
  let stopLooking: (() => void) | null = null;

  function show(): void {
    if (work === null) return;
    shownAt = clock.now();
    const text = printable(describe(work, (shownAt - work.startedAt) / 1000));
    output.write(output.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }
  function look(): void {
    if (clock.now() - shownAt >= pauses.line) show();
  }

  return {
    begin(name, unit, total) {
      // `shownAt` is not reset between kinds of work, so that many short ones still print a line every ten
      // seconds.
      if (work === null) shownAt = clock.now();
      work = {
        name,
        unit,
        startedAt: clock.now(),
        done: 0,
        expected: total ?? null,
        isAll: total !== undefined,
      };
      stopLooking ??= clock.every(pauses.look, look);
      if (output.isTTY) show();
      else look();
    },
    expect(count, isAll) {
      if (work === null) return;
      work.expected = (work.expected ?? 0) + count;
      work.isAll = isAll;
    },
    step(count = 1) {
      if (work === null) return;
      work.done += count;
      look();
    },
    stop() {
      stopLooking?.();
      stopLooking = null;
      if (work !== null && output.isTTY) output.write('\r\u001b[K');
      work = null;
    },
  };
}

/** Writes what is known, e.g. `fetching: 12 of at least 76 files, 5.0 a second, at least 13 s left`. */
function describe({ name, unit, done, expected, isAll }: Work, seconds: number): string {
  const least = isAll ? '' : 'at least ';
  const total = expected === null ? '' : ` of ${least}${spell(Math.max(expected, done))}`;
  const counted = `${name}: ${spell(done)}${total} ${unit}`;
  if (done === 0 || seconds <= 0) return counted;
  const rate = done / seconds;
  const left = expected === null ? '' : `, ${least}${duration(Math.max(0, expected - done) / rate)} left`;
  return `${counted}, ${rate < 10 ? rate.toFixed(1) : spell(Math.round(rate))} a second${left}`;
}

function spell(count: number): string {
  return count.toLocaleString('en-US');
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
