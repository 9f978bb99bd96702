import { copyOf } from './copy-of.ts';

/**
 * Makes a function that remembers what it made of each key. Before it would remember more than `maximum`, it
 * forgets all: the few keys that come again and again are made once more, and input without end fills no
 * memory. A key is copied first: ten thousand of them that were cut from rows kept 300 MB of blocks.
 *
 * For what is looked up for each filing and cheap to make again: it needs no order of use, which the cache of
 * a package keeps, and the contract imports no package but zod. `make` never gives undefined.
 */
export function remembered<Key extends string | number | null, Value>(
  maximum: number,
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      if (made.size >= maximum) made.clear();
      const own = copyOf(key);
      made.set(own, (value = make(own)));
    }
    return value;
  };
}
