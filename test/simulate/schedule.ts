/** Whoever schedules something: what it has scheduled does not happen after its end. */
export interface Owner {
  readonly isAlive: boolean;
}

/** The owner of what happens whoever has ended. */
export const always: Owner = { isAlive: true };

/** Something that will happen. */
export interface Scheduled {
  cancel(): void;
}

/** Virtual time: a queue of what happens when. Nothing passes but what is scheduled. */
export interface Schedule {
  /** Milliseconds since 1970, in the true time of the model. */
  nowMs(): number;
  /** Lets something happen after a time in milliseconds; what was scheduled first for a time comes first. */
  after(pauseMs: number, owner: Owner, happen: () => void): Scheduled;
  /** Resolves after a time in milliseconds. */
  wait(pauseMs: number): Promise<void>;
  /** Looks again and again, each time so many milliseconds after it was done with the time before. */
  every(pauseMs: number, look: () => Promise<void> | void): void;
  /**
   * Lets everything happen up to a time. After each event it waits until the code that the event has woken waits
   * again, so one event has one effect, whatever the machine does.
   */
  runUntil(untilMs: number): Promise<void>;
  /** How many events have happened. */
  readonly events: number;
}

interface Entry {
  readonly atMs: number;
  readonly number: number;
  readonly owner: Owner;
  readonly happen: () => void;
  isCancelled: boolean;
}

/** Creates virtual time that begins at an instant. `settled` resolves when no code is left to run. */
export function createSchedule(startMs: number, settled: () => Promise<void>): Schedule {
  const heap: Entry[] = [];
  let nowMs = startMs;
  let numbers = 0;
  let events = 0;

  const precedes = (a: Entry, b: Entry) => a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);

  function push(entry: Entry): void {
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (precedes(above, entry)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  function pop(): Entry {
    const first = heap[0] as Entry;
    const moved = heap.pop() as Entry;
    if (heap.length === 0) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && precedes(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      if (precedes(moved, heap[child] as Entry)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = moved;
    return first;
  }

  function after(pauseMs: number, owner: Owner, happen: () => void): Scheduled {
    const entry: Entry = {
      atMs: nowMs + Math.max(0, pauseMs),
      number: numbers++,
      owner,
      happen,
      isCancelled: false,
    };
    push(entry);
    return { cancel: () => void (entry.isCancelled = true) };
  }
  const wait = (pauseMs: number) => new Promise<void>((resolve) => void after(pauseMs, always, resolve));

  return {
    nowMs: () => nowMs,
    after,
    wait,
    every(pauseMs, look) {
      const next = async () => {
        await look();
        after(pauseMs, always, () => void next());
      };
      after(pauseMs, always, () => void next());
    },
    async runUntil(untilMs) {
      while (heap.length > 0 && (heap[0] as Entry).atMs <= untilMs) {
        const { atMs, owner, happen, isCancelled } = pop();
        if (isCancelled || !owner.isAlive) continue;
        nowMs = atMs;
        events++;
        happen();
        await settled();
      }
      nowMs = untilMs;
    },
    get events() {
      return events;
    },
  };
}

/** Resolves when no microtask and no tick of Node is left. */
export function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
