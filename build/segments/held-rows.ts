import { checkKey } from '../../src/table/line.ts';
import { copyOf } from '../../src/domain/copy-of.ts';
import { groupBy } from '../work/groups.ts';
import { firstRoom, withRoom } from '../work/number-room.ts';
import { createPlaces, type Places } from '../work/places.ts';
import type { HeldTexts } from './held-texts.ts';
import { partitionIn, sortIn, type RunRow, type RunTable } from './run-line.ts';

/** Rows of one table in memory, in any order. A row is the number of its text and its partition. */
export interface HeldRows {
  /**
   * Adds a row. Throws for a partition that no table can have. A table whose rows tell their partition takes
   * none.
   */
  add(partition: string, text: number): void;
  /** Bytes that the rows take beside their texts, about; 0 if there are none. */
  bytes(): number;
  /** The text of the row that was added last to a partition of a table whose rows tell it; null if none was. */
  find(partition: string): string | null;
  /** Yields the rows in the order of the table; of rows with the same keys the one that was added last. */
  sorted(): Generator<RunRow>;
}

/** Bytes of a row: its text and its partition. */
const rowBytes = 8;
/** Bytes that a partition takes with its name, about. */
const partitionBytes = 100;

/** Holds rows of a table whose texts are in `texts`. */
export function createHeldRows(definition: RunTable, texts: HeldTexts): HeldRows {
  return definition.partitionOf ? createTelling(definition as Required<RunTable>, texts) : createSorting();

  function createSorting(): HeldRows {
    const partitions = new Map<string, number>();
    let rows: Uint32Array = new Uint32Array(firstRoom);
    let partitionOf: Uint32Array = new Uint32Array(firstRoom);
    let count = 0;
    return {
      add(partition, text) {
        let number = partitions.get(partition);
        if (number === undefined) {
          checkKey(partition);
          partitions.set(copyOf(partition), (number = partitions.size));
        }
        rows = withRoom(rows, count + 1);
        partitionOf = withRoom(partitionOf, count + 1);
        rows[count] = text;
        partitionOf[count++] = number;
      },
      bytes: () => count * rowBytes + partitions.size * partitionBytes,
      find: () => null,
      *sorted() {
        const { direction, comesInOrder } = definition;
        const added = rows.subarray(0, count);
        const ranks = comesInOrder ? null : ranksOf(added, texts);
        const byRank = ranks ? ordered(numbersTo(count), ranks).positions : null;
        const { positions, ends } = ordered(byRank ?? numbersTo(count), partitionOf);
        for (const partition of [...partitions.keys()].sort()) {
          const number = partitions.get(partition) as number;
          const [from, to] = [number === 0 ? 0 : (ends[number - 1] as number), ends[number] as number];
          for (let step = 0; step < to - from; step++) {
            const at = direction === 'ascending' ? from + step : to - 1 - step;
            const row = positions[at] as number;
            // Of rows with the same key the last one counts.
            if (ranks && at + 1 < to && ranks[positions[at + 1] as number] === ranks[row]) continue;
            yield { partition, text: texts.of(added[row] as number) };
          }
        }
      },
    };
  }
}

/** Holds rows that have no sort key and tell their partition, in which each is alone. */
function createTelling(definition: Required<RunTable>, texts: HeldTexts): HeldRows {
  let rows: Uint32Array = new Uint32Array(firstRoom);
  let count = 0;
  const nameOf = (text: number) => partitionIn(definition, texts.of(text));
  /** The row that was added last to each partition, once somebody asked for one. */
  let places: Places | null = null;

  function placesOfAll(): Places {
    const all = createPlaces(nameOf);
    for (const text of rows.subarray(0, count)) all.set(nameOf(text), text);
    return all;
  }

  return {
    add(partition, text) {
      rows = withRoom(rows, count + 1);
      rows[count++] = text;
      places?.set(partition, text);
    },
    bytes: () => count * rowBytes,
    find(partition) {
      places ??= placesOfAll();
      const found = places.get(partition);
      return found === undefined ? null : texts.of(found);
    },
    *sorted() {
      const names = Array.from(rows.subarray(0, count), nameOf);
      const name = (at: number) => names[at] as string;
      const sorted = inOrder(numbersTo(count), name);
      for (let index = 0; index < sorted.length; index++) {
        const at = sorted[index] as number;
        const next = sorted[index + 1];
        // Of rows with the same key the last one counts.
        if (next === undefined || name(next) !== name(at))
          yield { partition: name(at), text: texts.of(rows[at] as number) };
      }
    },
  };
}

/** The rank of each row by its sort key; rows with the same key have the same one. */
function ranksOf(rows: Uint32Array, texts: HeldTexts): Uint32Array {
  const keys: string[] = [];
  // The rows of one text in several partitions come one after the other.
  const keyOf = rows.map((text, at) =>
    at > 0 && text === rows[at - 1] ? keys.length - 1 : keys.push(sortIn(texts.of(text))) - 1,
  );
  const key = (at: number) => keys[at] as string;
  const sorted = inOrder(numbersTo(keys.length), key);
  const ranks = new Uint32Array(keys.length);
  let rank = 0;
  for (let at = 0; at < sorted.length; at++) {
    const number = sorted[at] as number;
    if (at > 0 && key(number) !== key(sorted[at - 1] as number)) rank++;
    ranks[number] = rank;
  }
  return keyOf.map((each) => ranks[each] as number);
}

/** The numbers from 0 up to but not including `end`. */
function numbersTo(end: number): Uint32Array {
  const numbers = new Uint32Array(end);
  for (let number = 0; number < end; number++) numbers[number] = number;
  return numbers;
}

/**
 * Puts positions into the order of the number that `numberAt` has for each. Those with the same number stay in
 * their order and end at `ends` of it.
 */
function ordered(
  positions: Uint32Array,
  numberAt: Uint32Array,
): { readonly positions: Uint32Array; readonly ends: Uint32Array } {
  // Loops by index: they take a third of the time of iterators over so many numbers.
  let greatest = 0;
  for (let at = 0; at < positions.length; at++) greatest = Math.max(greatest, numberOf(at));
  /** Where the next position of each number goes. */
  const ends = new Uint32Array(greatest + 2);
  for (let at = 0; at < positions.length; at++) (ends[numberOf(at) + 1] as number) += 1;
  for (let number = 1; number < ends.length; number++) (ends[number] as number) += ends[number - 1] as number;
  const placed = new Uint32Array(positions.length);
  for (let at = 0; at < positions.length; at++) {
    const number = numberOf(at);
    placed[ends[number] as number] = positions[at] as number;
    (ends[number] as number) += 1;
  }
  return { positions: placed, ends };

  function numberOf(at: number): number {
    return numberAt[positions[at] as number] as number;
  }
}

/** Characters of a date in a sort key, of the login in an accession number, and of a CIK. */
const beginning = 10;

/** Numbers by their keys; those with the same key stay in their order. */
function inOrder(numbers: Uint32Array, keyOf: (number: number) => string): Uint32Array {
  // Rows mostly come in their order.
  if (isInOrder(numbers)) return numbers;
  // The keys are sorted by their beginnings first. Rows with the same date or login are few, and mostly come in
  // their order.
  const groups = groupBy(numbers, (number) => keyOf(number).slice(0, beginning));
  const sorted = new Uint32Array(numbers.length);
  let end = 0;
  for (const begin of [...groups.keys()].sort()) {
    const group = groups.get(begin) as number[];
    sorted.set(isInOrder(group) ? group : group.sort(byKey), end);
    end += group.length;
  }
  return sorted;

  function isInOrder(some: ArrayLike<number>): boolean {
    for (let at = 1; at < some.length; at++)
      if (keyOf(some[at - 1] as number) > keyOf(some[at] as number)) return false;
    return true;
  }

  function byKey(a: number, b: number): number {
    const [first, second] = [keyOf(a), keyOf(b)];
    return first === second ? 0 : first < second ? -1 : 1;
  }
}
