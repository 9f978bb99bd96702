/**
 * Shares out a bounded amount, such as bytes or places, among those who hold parts of it. A holder may have
 * more while it holds less than is left. So one holder alone gets half of the amount, two get a third each,
 * and something is always left for the next one. `null` is the holder of everything that nobody asked for with
 * a key.
 */
export interface Shares {
  /** Whether a holder may have more. */
  hasRoom(holder: string | null): boolean;
  /** Counts a part, whether there is room or not. The function that is returned gives it back, once. */
  add(holder: string | null, amount: number): () => void;
  /** What nobody holds; negative if more was added than there is. */
  readonly left: () => number;
}

/** Shares out an amount of which nobody holds anything yet. */
export function createShares(maximum: number): Shares {
  const held = new Map<string | null, number>();
  let left = maximum;

  function count(holder: string | null, amount: number): void {
    const now = (held.get(holder) ?? 0) + amount;
    if (now === 0) held.delete(holder);
    else held.set(holder, now);
    left -= amount;
  }

  return {
    hasRoom: (holder) => (held.get(holder) ?? 0) < left,
    add(holder, amount) {
      count(holder, amount);
      let isHeld = true;
      return () => {
        if (isHeld) count(holder, -amount);
        isHeld = false;
      };
    },
    left: () => left,
  };
}
