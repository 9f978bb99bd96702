/** Shows how far long work has come. */
export interface Progress {
  start(total: number, unit: string): void;
  step(): void;
  stop(): void;
}

/** Where progress is shown: one line that changes on a terminal, plain lines now and then elsewhere. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const linePauseMs = { terminal: 200, log: 10_000 };

/** Progress with rate and time left. `now` is in milliseconds. */
export function createProgress(output: ProgressOutput, now: () => number): Progress {
  const pauseMs = output.isTTY ? linePauseMs.terminal : linePauseMs.log;
  let running: { total: number; unit: string; done: number; startedAt: number; shownAt: number } | null = null;

  function show(): void {
    if (!running) return;
    const seconds = Math.max(0.001, (now() - running.startedAt) / 1000);
    const rate = running.done / seconds;
    const left = rate > 0 ? duration((running.total - running.done) / rate) : 'unknown';
    const text = `${running.done} of ${running.total} ${running.unit}, ${rate.toFixed(1)} a second, ${left} left`;
    output.write(output.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
    running.shownAt = now();
  }

  return {
    start(total, unit) {
      running = { total, unit, done: 0, startedAt: now(), shownAt: now() };
    },
    step() {
      if (!running) return;
      running.done++;
      if (now() - running.shownAt >= pauseMs) show();
    },
    stop() {
      if (running && output.isTTY) output.write('\r\u001b[K');
      running = null;
    },
  };
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
