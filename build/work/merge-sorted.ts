/** An input of a merge, at the value that is its turn. */
interface Run<Value> {
  value: Value;
  /** 0 for the newest. */
  readonly age: number;
  readonly values: Generator<Value>;
}

/** Whether the value of a run comes before that of another one. */
type Precedes<Value> = (a: Run<Value>, b: Run<Value>) => boolean;

/**
 * Merges inputs, given newest first, each of which is in the order of `compare` and has no two equal values. Of equal
 * values yields the newest.
 */
export function mergeSorted<Value>(
  inputs: readonly Generator<Value>[],
  compare: (a: Value, b: Value) => number,
): Generator<Value> {
  const [only] = inputs;
  return only && inputs.length === 1 ? only : merged(inputs, compare);
}

function* merged<Value>(
  inputs: readonly Generator<Value>[],
  compare: (a: Value, b: Value) => number,
): Generator<Value> {
  const precedes: Precedes<Value> = (a, b) => {
    const order = compare(a.value, b.value);
    return order < 0 || (order === 0 && a.age < b.age);
  };
  const runs: Run<Value>[] = [];
  try {
    // Open the inputs as a binary heap: no run precedes its parent.
    inputs.forEach((values, age) => {
      const { done, value } = values.next();
      if (done !== true) runs.push({ value, age, values });
    });
    for (let at = (runs.length >> 1) - 1; at >= 0; at--) sink(runs, at, precedes);
    let shown: Value | null = null;
    for (let run = runs[0]; run; run = runs[0]) {
      // A value can equal the one before it only where it comes from another run.
      if (shown === null || compare(shown, run.value) !== 0) yield (shown = run.value);
      // Stay with the run as long as it precedes all others: that takes one comparison for each value.
      const second = secondOf(runs, precedes);
      let next = run.values.next();
      for (; next.done !== true; next = run.values.next()) {
        run.value = next.value;
        if (second && !precedes(run, second)) break;
        yield (shown = run.value);
      }
      // Put another run in its place.
      if (next.done === true) removeFirst(runs);
      sink(runs, 0, precedes);
    }
  } finally {
    // A caller may stop early: this closes the files of the inputs.
    for (const { values } of runs) values.return(undefined);
  }
}

/** The run that is behind the first one in the order; undefined if there is none. */
function secondOf<Value>(
  [, left, right]: readonly Run<Value>[],
  precedes: Precedes<Value>,
): Run<Value> | undefined {
  return left && right && precedes(right, left) ? right : left;
}

/** Drops the first run, and puts the last one in its place. */
function removeFirst<Value>(runs: Run<Value>[]): void {
  const last = runs.pop();
  if (last && runs.length > 0) runs[0] = last;
}

/** Moves a run down the heap until it precedes its children. */
function sink<Value>(runs: Run<Value>[], from: number, precedes: Precedes<Value>): void {
  const run = runs[from];
  if (!run) return;
  let at = from;
  for (let child = 2 * at + 1; child < runs.length; child = 2 * at + 1) {
    if (child + 1 < runs.length && precedes(runs[child + 1] as Run<Value>, runs[child] as Run<Value>))
      child++;
    if (!precedes(runs[child] as Run<Value>, run)) break;
    runs[at] = runs[child] as Run<Value>;
    at = child;
  }
  runs[at] = run;
}
