/** Things of which the first one is always known: adding one and taking it take steps like the logarithm of their number. */
export interface Heap<Item> {
  /** The first one; undefined if there is none. */
  readonly first: () => Item | undefined;
  readonly add: (item: Item) => void;
  /** Takes the first one out; undefined if there is none. */
  readonly take: () => Item | undefined;
  /** Takes the first one out and adds another one, in one step; undefined if there is none: then it adds nothing. */
  readonly exchange: (item: Item) => Item | undefined;
}

/** Makes an empty binary heap. `compare` is negative if the first of two comes before the other one. */
export function createHeap<Item>(compare: (a: Item, b: Item) => number): Heap<Item> {
  /** The item at `n` does not come behind those at `2n + 1` and `2n + 2`. */
  const items: Item[] = [];

  /** Whether the item at a position comes before another one. */
  const comesFirst = (at: number, other: Item) => compare(items[at] as Item, other) < 0;

  /** Puts an item in the place of the first one, and moves it to where it belongs. */
  function sink(item: Item): void {
    let at = 0;
    for (let below = 1; below < items.length; below = 2 * at + 1) {
      if (below + 1 < items.length && comesFirst(below + 1, items[below] as Item)) below++;
      if (!comesFirst(below, item)) break;
      items[at] = items[below] as Item;
      at = below;
    }
    items[at] = item;
  }

  return {
    first: () => items[0],
    add(item) {
      let at = items.length;
      items.push(item);
      for (let above = (at - 1) >> 1; at > 0 && !comesFirst(above, item); above = (at - 1) >> 1) {
        items[at] = items[above] as Item;
        at = above;
      }
      items[at] = item;
    },
    take() {
      const [taken] = items;
      const item = items.pop();
      if (items.length > 0 && item !== undefined) sink(item);
      return taken;
    },
    exchange(item) {
      const [taken] = items;
      if (items.length > 0) sink(item);
      return taken;
    },
  };
}
