/** Random numbers that a seed and a name decide. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** Whether a chance of one in `count` comes. */
  oneIn(count: number): boolean;
  /** One of some items. Throws if there are none. */
  pick<Item>(items: readonly Item[]): Item;
  /** Bytes. */
  bytes(count: number): Buffer;
}

/**
 * Returns the random numbers of a name under a seed. Each part of a run has a name of its own: what one part draws
 * does not change what another one does, so a history stays alike while it is shrunk.
 */
export function randomOf(seed: number, name: string): Random {
  let [a, b, c, d] = mixed(`${seed} ${name}`);
  // xoshiro128**, by David Blackman and Sebastiano Vigna, in the public domain.
  const draw = (): number => {
    const scaled = Math.imul(b, 5);
    const result = Math.imul((scaled << 7) | (scaled >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  const next = () => draw() / 2 ** 32;
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    oneIn: (count) => below(count) === 0,
    pick(items) {
      if (items.length === 0) throw new Error('there is nothing to pick from');
      return items[below(items.length)] as (typeof items)[number];
    },
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}

/** Four numbers from a text (FNV-1a, with a different start for each). */
function mixed(text: string): [number, number, number, number] {
  const hashOf = (start: number) => {
    let hash = start;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash ^= hash >>> 16;
    hash = Math.imul(hash, 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0 || 1;
  };
  return [hashOf(0x811c9dc5), hashOf(0x12345671), hashOf(0x7654321b), hashOf(0x2f6e2b1d)];
}
