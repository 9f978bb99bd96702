import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { backoff, pause } from '../../src/fetch/backoff.ts';
import { replaceFile, whereMissing } from '../../src/files/local.ts';

/** The change of an endpoint that was tried and not accepted. */
const failing = z.object({
  /** The id of its message. */
  id: z.string(),
  attempts: z.int(),
  /** How long it has been tried, without the time in which the program did not run. */
  forMs: z.number(),
  reason: z.string(),
  /** Whether an attempt in this row of failures lasted long. States of before do not say it. */
  isSlow: z.boolean().optional(),
});

const endpointState = z.object({
  /** A cursor of the feed; null before the first one is known. */
  cursor: z.string().nullable(),
  /** Changes behind the cursor up to this sequence were delivered; 0 if none was. */
  sequence: z.int(),
  /** Which change has this sequence, by `changeKey`, and the filter that showed it; see `Handled`. */
  change: z.string().optional(),
  filter: z.string().optional(),
  /** Why nothing is delivered: the receiver said 410, or an operator wants it so. */
  disabled: z.enum(['gone', 'operator']).nullable(),
  failing: failing.nullable(),
  /** Why the feed refuses the filter or the cursor; null if it takes them. */
  refused: z.string().nullable(),
  /** Companies of the filter that nobody knows, with commas between; empty or not set if there are none. */
  unknown: z.string().optional(),
  delivered: z.int(),
  deadLetters: z.int(),
  /** The last message that was accepted, and when, for people. */
  last: z.object({ id: z.string(), at: z.string() }).nullable(),
  /** The change that the log no longer had, and when that was found: changes behind the cursor came again. */
  lost: z.object({ change: z.string(), at: z.string() }).optional(),
  /** The number of the last action of an operator that was done. */
  action: z.int(),
});

const stateFile = z.object({
  format: z.literal(1),
  // A map, because customers choose the names: an object would have endpoints such as `constructor` already.
  endpoints: z.record(z.string(), endpointState).transform((each) => new Map(Object.entries(each))),
  /** Endpoints that left the file, oldest first: one that comes back goes on where it was. */
  removed: z.array(z.tuple([z.string(), endpointState])),
});

/** How far an endpoint is. The program changes it in place, and saves it. */
export type EndpointState = z.infer<typeof endpointState>;
/** What the program has to remember. */
export type State = z.output<typeof stateFile>;

const textOf = (state: State) =>
  `${JSON.stringify({ ...state, endpoints: Object.fromEntries(state.endpoints) })}\n`;

/** The state of an endpoint that is new. */
export function newEndpoint(cursor: string | null): EndpointState {
  return {
    cursor,
    sequence: 0,
    disabled: null,
    failing: null,
    refused: null,
    delivered: 0,
    deadLetters: 0,
    last: null,
    action: 0,
  };
}

/** The most endpoints that are remembered after they left the file. */
const removedMaximum = 1000;

/** Remembers an endpoint that has left the file. */
export function removeEndpoint({ endpoints, removed }: State, name: string): void {
  const left = endpoints.get(name);
  if (left === undefined) return;
  endpoints.delete(name);
  removed.push([name, left]);
  removed.splice(0, removed.length - removedMaximum);
}

/** Takes back an endpoint that has left the file; null if it is not remembered. */
export function takeRemoved({ removed }: State, name: string): EndpointState | null {
  const at = removed.findIndex(([each]) => each === name);
  return at === -1 ? null : (removed.splice(at, 1)[0]?.[1] ?? null);
}

const fileName = 'state.json';

/** Reads the state in a folder; an empty one if there is none. Throws if it is damaged. */
export async function readState(directory: string): Promise<State> {
  const path = join(directory, fileName);
  const text = await readFile(path, 'utf8').catch(whereMissing(null));
  if (text === null) return { format: 1, endpoints: new Map(), removed: [] };
  try {
    return stateFile.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `${path} is damaged: restore it from a backup, or remove it to begin at the end of the feed`,
      { cause: error },
    );
  }
}

/** Removes what killed processes left while they wrote. Call it under the lock of the folder. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (/^state\.json\..*\.tmp$/.test(name)) await rm(join(directory, name), { force: true });
}

/** Saves the state of all endpoints in one file. */
export interface Store {
  readonly state: State;
  /**
   * Resolves when the state of this moment is on the disk. Endpoints that call it at the same time share one
   * write.
   */
  saved(): Promise<void>;
  /** Saves the state of this moment with the next write, which comes soon. */
  touch(): void;
  /** How many writes failed in a row. */
  readonly failures: () => number;
  /** Writes what is not saved yet. Rejects if that fails. */
  close(): Promise<void>;
}

/** The pauses after writes that failed. */
const retryPauses = { firstMs: 500, longestMs: 10_000 };
const touchedMs = 1000;

/**
 * Makes a store. A write that fails, as on a full disk, is repeated until it succeeds: `saved` does not
 * resolve before, so no endpoint gets more than one message that the file does not know. `onFailure` is told
 * of the first one in a row.
 */
export function createStore(directory: string, state: State, onFailure: (error: Error) => void): Store {
  const path = join(directory, fileName);
  let waiting: (() => void)[] = [];
  let isDirty = false;
  const closing = new AbortController();
  let failures = 0;
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function write(): Promise<void> {
    const served = waiting;
    [waiting, isDirty] = [[], false];
    try {
      await replaceFile(path, textOf(state));
      failures = 0;
      for (const resolve of served) resolve();
    } catch (error) {
      [waiting, isDirty] = [[...served, ...waiting], true];
      if (failures++ === 0) onFailure(error as Error);
    }
  }

  async function writeAll(): Promise<void> {
    while (isDirty && !closing.signal.aborted) {
      await write();
      if (failures > 0) await pause(backoff(failures, retryPauses), closing.signal);
    }
  }

  function begin(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    isDirty = true;
    writing ??= writeAll().finally(() => {
      writing = null;
      // What became dirty after the last look.
      if (isDirty && !closing.signal.aborted) begin();
    });
  }

  return {
    state,
    saved: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        begin();
      }),
    touch: () => void (closing.signal.aborted || (timer ??= setTimeout(begin, touchedMs))),
    failures: () => failures,
    async close() {
      if (timer) clearTimeout(timer);
      closing.abort();
      await writing;
      await replaceFile(path, textOf(state));
    },
  };
}

/** A change that was given up. */
export interface DeadLetter {
  readonly endpoint: string;
  readonly at: string;
  readonly attempts: number;
  readonly reason: string;
  /** `npm run deliver -- replay NAME --cursor` takes it: deliveries begin again with this change. */
  readonly cursor: string;
  readonly id: string;
  /** What was sent. */
  readonly message: unknown;
}

/** Appends a dead letter to the file in a folder, and waits until it is on the disk. */
export async function addDeadLetter(directory: string, letter: DeadLetter): Promise<void> {
  const file = await open(join(directory, 'dead-letters.jsonl'), 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const { buffer } =
      size === 0 ? { buffer: Buffer.from('\n') } : await file.read(Buffer.alloc(1), 0, 1, size - 1);
    // A kill or a full disk may have left a part of a line, whose change is given up again.
    const begin = buffer.toString() === '\n' ? '' : '\n';
    await file.appendFile(`${begin}${JSON.stringify(letter)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
