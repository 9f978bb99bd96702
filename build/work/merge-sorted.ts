import { createHeap } from '../../src/table/heap.ts';

/** An input of a merge, at the value that is its turn. */
interface Run<Value> {
  value: Value;
  /** 0 for the newest. */
  readonly age: number;
  readonly values: Generator<Value>;
}

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
  const compareRuns = (a: Run<Value>, b: Run<Value>) => compare(a.value, b.value) || a.age - b.age;
  const runs = createHeap(compareRuns);
  try {
    for (const [age, values] of inputs.entries()) {
      const { done, value } = values.next();
      if (done !== true) runs.add({ value, age, values });
    }
    let shown: Value | null = null;
    let run = runs.take();
    while (run) {
      // A value can equal the one before it only where it comes from another run.
      if (shown === null || compare(shown, run.value) !== 0) yield (shown = run.value);
      // Stay with the run as long as it precedes all others: that takes one comparison for each value.
      const second = runs.first();
      let next = run.values.next();
      for (; next.done !== true; next = run.values.next()) {
        run.value = next.value;
        if (second && compareRuns(run, second) > 0) break;
        yield (shown = run.value);
      }
      run = next.done === true ? runs.take() : runs.exchange(run);
    }
  } finally {
    // A caller may stop early: this closes the files of the inputs.
    for (const values of inputs) values.return(undefined);
  }
}
