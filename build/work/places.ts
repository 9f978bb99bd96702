/** Numbers by texts that are held elsewhere. */
export interface Places {
  /** Sets the number of a key. A number that the key had before is forgotten. */
  set(key: string, place: number): void;
  /** The number of a key; undefined if it has none. */
  get(key: string): number | undefined;
}

/**
 * Makes an empty index. `keyOf` gives the key of a number that was set, so that the index holds no text: it
 * takes 8 to 16 bytes for each key, and the garbage collector does not look through them. A map of strings
 * takes a hundred.
 */
export function createPlaces(keyOf: (place: number) => string): Places {
  /** Open addressing: a place plus 1, or 0 where nothing is. */
  let slots = new Uint32Array(1024);
  let count = 0;

  function slotOf(key: string): number {
    const mask = slots.length - 1;
    let slot = hashOf(key) & mask;
    for (let place = slots[slot] as number; place !== 0; place = slots[slot] as number) {
      if (keyOf(place - 1) === key) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  function grow(): void {
    const places = slots;
    slots = new Uint32Array(2 * places.length);
    for (const place of places) if (place !== 0) slots[slotOf(keyOf(place - 1))] = place;
  }

  return {
    set(key, place) {
      const slot = slotOf(key);
      if (slots[slot] === 0) count++;
      slots[slot] = place + 1;
      if (2 * count > slots.length) grow();
    },
    get(key) {
      const place = slots[slotOf(key)] as number;
      return place === 0 ? undefined : place - 1;
    },
  };
}

/** Spreads a text over 32 bits. */
function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
