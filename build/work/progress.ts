/** Shows how far long work has come. Every kind of work counts what takes its time. */
export interface Progress {
  /**
   * Begins a kind of work and says what is counted: `fetching`, `files`. It replaces the one
   * before. `total` is all that there is to do; it is left out if nobody knows that yet.
   */
  begin(name: string, unit: string, total?: number): void;
  /** There is this much more to do than was known before; `isAll`: and no more will come. */
  expect(count: number, isAll: boolean): void;
  /** This much is done. */
  step(count?: number): void;
  stop(): void;
}

/** Progress that nobody wants to see. */
export const quietProgress: Progress = { begin() {}, expect() {}, step() {}, stop() {} };

/** Where progress is shown: one line that changes on a terminal, a line every ten seconds elsewhere. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** The time in milliseconds, and a timer, which gives a function that ends it. */
export interface Clock {
  now(): number;
  every(pauseMs: number, look: () => void): () => void;
}

/** How long a line stands, and how often its age is looked at while no step is made. */
const terminalMs = { line: 200, look: 200 };
const logMs = { line: 10_000, look: 1000 };

interface Work {
  readonly name: string;
  readonly unit: string;
  readonly startedAt: number;
  done: number;
  /** Null if nobody knows how much there is to do. */
  expected: number | null;
  isAll: boolean;
}

/**
 * Progress with rate and time left. It also looks at the clock at every step: work that never waits lets no
 * timer run.
 */
export function createProgress(output: ProgressOutput, clock: Clock): Progress {
  const pauses = output.isTTY ? terminalMs : logMs;
  let work: Work | null = null;
  let shownAt = 0;
  let stopLooking: (() => void) | null = null;

  function show(): void {
    if (work === null) return;
    shownAt = clock.now();
    const text = describe(work, (shownAt - work.startedAt) / 1000);
    output.write(output.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }
  function look(): void {
    if (clock.now() - shownAt >= pauses.line) show();
  }

  return {
    begin(name, unit, total) {
      // Ten seconds of short works in a row are ten seconds, too.
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

/** `fetching: 12 of at least 76 files, 5.0 a second, at least 13 s left`, as far as it is known. */
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
