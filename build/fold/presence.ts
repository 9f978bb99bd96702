/**
 * Tells whether a filing may be in the runs of a fold, or is certainly in none. Most filings of a first build
 * are new. Without this each of them would be looked for in every run, and ten million filings have hundreds
 * of runs.
 */
export interface Presence {
  add(accessionNo: string): void;
  /**
   * False only if it was never added. Of those that were not, one in a thousand is taken for one that may
   * be there.
   */
  mayHave(accessionNo: string): boolean;
}

/**
 * Bits of the filter for each number, at least, and how many of them a number sets. At most one in a thousand
 * of the numbers that were never added finds all of its bits set. Each of those is looked for in every run.
 */
const [bitsEach, bitsSet] = [16, 6];

/** Makes a Bloom filter for about `expected` accession numbers. It takes two to four bytes for each. */
export function createPresence(expected: number): Presence {
  const bits = 2 ** Math.max(16, Math.min(32, Math.ceil(Math.log2(expected * bitsEach + 1))));
  const words = new Uint32Array(bits / 32);

  /** Calls `visit` for each bit of a number until it returns false. */
  function everyBit(accessionNo: string, visit: (word: number, bit: number) => boolean): boolean {
    const login = Number(accessionNo.slice(0, 10));
    const number = Number(accessionNo.slice(11, 13)) * 1_000_000 + Number(accessionNo.slice(14));
    const first = mixed(Math.imul(login, 0x9e3779b1) ^ number);
    const step = mixed(first ^ login) | 1;
    for (let at = 0; at < bitsSet; at++) {
      const position = ((first + Math.imul(at, step)) >>> 0) % bits;
      if (!visit(position >>> 5, 1 << (position & 31))) return false;
    }
    return true;
  }

  return {
    add(accessionNo) {
      everyBit(accessionNo, (word, bit) => {
        words[word] = (words[word] as number) | bit;
        return true;
      });
    },
    mayHave: (accessionNo) => everyBit(accessionNo, (word, bit) => ((words[word] as number) & bit) !== 0),
  };
}

/** Spreads a number over 32 bits: the last steps of MurmurHash3. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
