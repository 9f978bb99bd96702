/**
 * Makes room for `length` numbers: returns the array, or one that is twice as long and begins with the same
 * numbers. The garbage collector does not look through such arrays.
 */
export function withRoom(numbers: Uint32Array, length: number): Uint32Array {
  if (length <= numbers.length) return numbers;
  const longer = new Uint32Array(Math.max(2 * numbers.length, length));
  longer.set(numbers);
  return longer;
}

/** Numbers that an array has room for at first. */
export const firstRoom = 64;
