/**
 * Makes a function that remembers what it made of each key. Before it would remember more than `maximum`, it
 * forgets all: the few keys that come again and again are made once more, and input without end fills no
 * memory. `kept` gives the key to hold where holding the one that came would hold more than that.
 *
 * For what is looked up for each filing and cheap to make again: it needs no order of use, which the cache of
 * a package keeps, and the contract imports no package but zod. `make` never gives undefined.
 */
export function remembered<Key, Value>(
  maximum: number,
  make: (key: Key) => Value,
  kept: (key: Key) => Key = (key) => key,
): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      if (made.size >= maximum) made.clear();
      made.set(kept(key), (value = make(key)));
    }
    return value;
  };
}
