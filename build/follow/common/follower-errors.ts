import type { LineLog } from '../../../src/log/levels.ts';

/** The last error of a follower, for the status line. */
export interface Errors {
  /** Keeps an error, and logs it unless it is the same as the last one. */
  note(text: string): void;
  /** Keeps a failed attempt, and logs it at level `debug`. */
  noteAttempt(text: string): void;
  /** `atMs` is when it was kept, by the monotonic clock. */
  last(): { readonly text: string; readonly atMs: number } | null;
}

/** Creates the record of errors, empty at first. */
export function createErrors(log: LineLog, elapsed: () => number): Errors {
  let last: ReturnType<Errors['last']> = null;
  const keep = (text: string) => void (last = { text, atMs: elapsed() });
  return {
    note(text) {
      if (last?.text !== text) log(text, 'warn');
      keep(text);
    },
    noteAttempt(text) {
      log(text, 'debug');
      keep(text);
    },
    last: () => last,
  };
}
