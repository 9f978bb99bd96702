import { printable } from './printable.ts';
import { isLogged, type LineLog, type LogLevel } from './levels.ts';

/** Writes structured lines: one JSON object each. */
export interface Log {
  /** Logs an event. Without a level, the level is that of the event. */
  event(event: string, details: Record<string, unknown>, level?: LogLevel): void;
  request(line: RequestLine): void;
  /** Writes the lines that are held back. */
  flush(): void;
}

/** What is logged of a request. Its query and headers are left out, because keys must never reach a log. */
export interface RequestLine {
  /** When its answer was sent, in milliseconds since 1970. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** Bytes of the body that left the process. */
  readonly bytes: number;
  /** The id of the key, the buyer as `gateway:<name>`, or null. Needs no escaping in JSON. */
  readonly caller: string | null;
  /** The id that the client got in `X-Request-Id`. */
  readonly requestId: string;
  /** The error code; null if the request did not fail. */
  readonly failure: string | null;
  /** Whether the client took the whole answer. */
  readonly isWhole: boolean;
  /** Whether it was a probe of liveness or readiness. */
  readonly isProbe: boolean;
}

/** The levels of events that need attention; all other events are `info`. */
const eventLevels: Readonly<Record<string, LogLevel>> = {
  accepted_pointer_unkept: 'warn',
  error: 'error',
  intent_lost: 'error',
  intents_refused: 'warn',
  key_use_unsaved: 'warn',
  keys_refused: 'warn',
  snapshot_refused: 'warn',
  heartbeat_refused: 'warn',
};

/** Probes come every few seconds and matter only when they fail. */
function levelOf({ status, isProbe }: RequestLine): LogLevel {
  return status >= 500 ? 'warn' : isProbe ? 'debug' : 'info';
}

/** A log that counts the events that need attention, whether it writes them or not. */
export interface CountingLog extends Log {
  /** How often each of these events came since the start; 0 for those that did not come. */
  readonly warnings: ReadonlyMap<string, number>;
}

const heldBytesMaximum = 32 * 1024;
const holdMs = 100;

/**
 * Makes a log that collects lines for a moment, so that a busy service does not make a system call for each
 * request. `write` gets whole lines and may keep their bytes; `now` is in milliseconds since 1970. Lines
 * beyond `level` are left out. A request is logged as `warn` if the service failed, as `debug` if it was a
 * successful probe, else as `info`.
 */
export function createLog(
  write: (lines: Buffer) => void,
  now: () => number,
  level: LogLevel = 'info',
): CountingLog {
  let held = Buffer.allocUnsafeSlow(heldBytesMaximum);
  let heldBytes = 0;
  let time = { ms: 0, text: '' };
  let timer: NodeJS.Timeout | null = null;
  const warnings = new Map(Object.keys(eventLevels).map((event) => [event, 0]));

  function flush(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (heldBytes === 0) return;
    write(held.subarray(0, heldBytes));
    held = Buffer.allocUnsafeSlow(heldBytesMaximum);
    heldBytes = 0;
  }

  /** Encodes each line at once: encoding one long text that was joined from many lines takes far longer. */
  function add(line: string): void {
    // A UTF-16 code unit takes at most three bytes of UTF-8.
    if (heldBytes + 3 * line.length > heldBytesMaximum) flush();
    if (3 * line.length > heldBytesMaximum) return write(Buffer.from(line));
    heldBytes += held.write(line, heldBytes);
    timer ??= setTimeout(flush, holdMs).unref();
  }

  /** The time as text, made once for each millisecond, because many requests share one. */
  function timeText(ms: number): string {
    if (ms !== time.ms) time = { ms, text: new Date(ms).toISOString() };
    return time.text;
  }

  return {
    flush,
    warnings,
    event(event, details, of = eventLevels[event] ?? 'info') {
      const came = warnings.get(event);
      if (came !== undefined) warnings.set(event, came + 1);
      if (isLogged(of, level))
        add(`${printable(JSON.stringify({ time: timeText(now()), event, ...details }))}\n`);
    },
    request(line) {
      if (!isLogged(levelOf(line), level)) return;
      const { atMs, method, path, status, durationMs, bytes, caller, requestId, failure, isWhole } = line;
      const who = caller === null ? 'null' : `"${caller}"`;
      const why = failure === null ? '' : `,"code":"${failure}"`;
      const how = isWhole ? '' : ',"aborted":true';
      add(
        `{"time":"${timeText(atMs)}","event":"request","method":"${method}","path":${printable(JSON.stringify(path))},"status":${status},"durationMs":${hundredths(durationMs)},"bytes":${bytes},"caller":${who},"requestId":"${requestId}"${why}${how}}\n`,
      );
    },
  };
}

/** Logs lines for people as events of one name, with their level and their text. */
export function linesOf(log: Log, event: string): LineLog {
  return (message, level = 'info') => log.event(event, { level, message }, level);
}

/** A number with two decimals. Two whole numbers become text faster than one with a fraction. */
function hundredths(value: number): string {
  const count = Math.round(value * 100);
  const fraction = count % 100;
  return `${(count - fraction) / 100}.${fraction < 10 ? '0' : ''}${fraction}`;
}
