import { firstRoom, withRoom } from '../work/number-room.ts';

/** Texts in memory, by their numbers. */
export interface HeldTexts {
  /** Keeps a text, and returns its number: 0, 1, 2, … */
  keep(text: string): number;
  /** The text with a number. */
  of(number: number): string;
  /** How many texts there are. */
  count(): number;
  /** Bytes that the texts take, about. */
  bytes(): number;
}

/** Characters of texts that are put together into one string. */
const chunkCharacters = 256 * 1024;
/** Bytes that the place of a text takes. */
const placeBytes = 8;

/**
 * Holds texts in long strings. The garbage collector copies short strings as long as they are young, which
 * took longer than to sort and write them; a string as long as these has a page of its own and stays there.
 */
export function createHeldTexts(): HeldTexts {
  const chunks: string[] = [];
  /** The chunk of each text, and where it begins there. */
  let chunkOf: Uint32Array = new Uint32Array(firstRoom);
  let begins: Uint32Array = new Uint32Array(firstRoom);
  let count = 0;
  /** Texts of the chunk that is not full. */
  let open: string[] = [];
  let openLength = 0;
  let bytes = 0;

  return {
    keep(text) {
      chunkOf = withRoom(chunkOf, count + 1);
      begins = withRoom(begins, count + 1);
      chunkOf[count] = chunks.length;
      begins[count] = openLength;
      open.push(text);
      openLength += text.length;
      bytes += text.length + placeBytes;
      if (openLength >= chunkCharacters) {
        chunks.push(open.join(''));
        [open, openLength] = [[], 0];
      }
      return count++;
    },
    of(number) {
      const at = chunkOf[number] as number;
      const chunk = chunks[at];
      if (chunk === undefined) return open[open.length - (count - number)] as string;
      const isLast = number + 1 === count || chunkOf[number + 1] !== at;
      return chunk.slice(begins[number], isLast ? chunk.length : begins[number + 1]);
    },
    count: () => count,
    bytes: () => bytes,
  };
}
