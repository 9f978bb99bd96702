/** Writes structured lines: one JSON object each. */
export interface Log {
  event(event: string, details: Record<string, unknown>): void;
  request(line: RequestLine): void;
  /** Writes what is held back. */
  flush(): void;
}

/** What is logged of a request. Its query and headers are left out: keys must never reach a log. */
export interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** Bytes of the body that left the process. */
  readonly bytes: number;
  /** The id of the key, `gateway`, or null. */
  readonly caller: string | null;
  /** Why it failed and the id that its client was told; null if it did not fail. */
  readonly failure: { readonly code: string; readonly requestId: string } | null;
  /** Whether the client took the whole answer. */
  readonly isWhole: boolean;
}

const heldCharactersMaximum = 32 * 1024;
const holdMs = 100;

/**
 * A log that gathers lines for a moment, so that a busy service does not make a system call for each request.
 * `write` gets whole lines; `now` is in milliseconds.
 */
export function createLog(write: (text: string) => void, now: () => number): Log {
  let held = '';
  let time = { ms: 0, text: '' };
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (held !== '') write(held);
    held = '';
  }

  function add(line: string): void {
    held += line;
    if (held.length > heldCharactersMaximum) flush();
    else timer ??= setTimeout(flush, holdMs).unref();
  }

  /** Many requests fall into one millisecond: its text is made once. */
  function timeText(): string {
    const ms = now();
    if (ms !== time.ms) time = { ms, text: new Date(ms).toISOString() };
    return time.text;
  }

  return {
    flush,
    event: (event, details) => add(`${JSON.stringify({ time: timeText(), event, ...details })}\n`),
    request({ method, path, status, durationMs, bytes, caller, failure, isWhole }) {
      const start = `{"time":"${timeText()}","event":"request","method":${JSON.stringify(method)},"path":${JSON.stringify(path)},"status":${status}`;
      const end = `,"durationMs":${Math.round(durationMs * 100) / 100},"bytes":${bytes},"caller":${caller === null ? 'null' : `"${caller}"`}`;
      const why = failure === null ? '' : `,"code":"${failure.code}","requestId":"${failure.requestId}"`;
      add(`${start}${end}${why}${isWhole ? '' : ',"aborted":true'}}\n`);
    },
  };
}
