import { prefixLetters } from '../contract/search.ts';

/** A word of a query, or the join of two that stand together. */
interface Piece {
  readonly text: string;
  readonly bytes: Buffer;
  /** The words that it covers, a bit for each. */
  readonly mask: number;
}

/**
 * A query of at most 30 words. A name has a word if it has the word itself, or its join with the word before
 * or behind it.
 */
export interface CompiledQuery {
  readonly words: readonly string[];
  readonly pieces: readonly Piece[];
  readonly firstPieces: readonly Piece[];
  /** All words as one. */
  readonly joined: Buffer;
}

/**
 * The groups of hits, best first: the present name begins with the query, has its words, or a former name has
 * them.
 */
export const groups = { begins: 0, name: 1, formerName: 2 } as const;

/**
 * How well a company fits a query, least is best: first by the number of words that it lacks, then by its
 * group.
 */
export function scoreOf(missing: number, group: number): number {
  return missing * 3 + group;
}

const namesStart = '{"names":["'.length;
const betweenNames = '","'.length;
const [space, quote, comma] = [0x20, 0x22, 0x2c];

/** Prepares the words of a query. */
export function compileQuery(words: readonly string[]): CompiledQuery {
  const piece = (text: string, mask: number): Piece => ({ text, bytes: Buffer.from(text), mask });
  const pieces = words.flatMap((word, at) => [
    piece(word, 1 << at),
    ...(at + 1 < words.length ? [piece(`${word}${words[at + 1]}`, 3 << at)] : []),
  ]);
  return {
    words,
    pieces,
    firstPieces: pieces.filter(({ mask }) => (mask & 1) !== 0),
    joined: Buffer.from(words.join('')),
  };
}

/**
 * The score of a row of the table `search`, which lies at an offset of a block. The better one of its names
 * counts.
 */
export function matchRow(query: CompiledQuery, bytes: Buffer, row: number, isListed: boolean): number {
  let from = row + namesStart;
  let missing = lacks(query, bytes, from, isListed);
  let best = scoreOf(
    missing,
    missing === 0 && begins(query, bytes, from, isListed) ? groups.begins : groups.name,
  );
  for (;;) {
    while (bytes[from] !== quote) from++;
    if (missing === 0 || bytes[from + 1] !== comma) return best;
    from += betweenNames;
    missing = lacks(query, bytes, from, isListed);
    best = Math.min(best, scoreOf(missing, groups.formerName));
  }
}

/** How many words of a query a name lacks. */
function lacks({ words, pieces }: CompiledQuery, bytes: Buffer, from: number, isListed: boolean): number {
  let mask = 0;
  for (let at = from, isStart = true; bytes[at] !== quote; at++) {
    if (isStart)
      for (const piece of pieces)
        if ((mask & piece.mask) !== piece.mask && fits(piece, bytes, at, isListed)) mask |= piece.mask;
    isStart = bytes[at] === space;
  }
  let missing = words.length;
  for (; mask !== 0; mask &= mask - 1) missing--;
  return missing;
}

/**
 * Whether the word that starts at an offset, or it and the next one joined, is the piece, or begins with it
 * where that is enough.
 */
function fits({ text, bytes: wanted }: Piece, bytes: Buffer, start: number, isListed: boolean): boolean {
  const at = behind(wanted, bytes, start, 1);
  return (
    at !== -1 && (isListed || text.length >= prefixLetters || bytes[at] === space || bytes[at] === quote)
  );
}

function begins(
  { firstPieces, joined }: CompiledQuery,
  bytes: Buffer,
  from: number,
  isListed: boolean,
): boolean {
  return (
    behind(joined, bytes, from, Infinity) !== -1 &&
    firstPieces.some((piece) => fits(piece, bytes, from, isListed))
  );
}

/** The offset behind letters that stand in the bytes with at most some spaces between; -1 if they do not. */
function behind(wanted: Buffer, bytes: Buffer, start: number, spaces: number): number {
  let at = start;
  let left = spaces;
  for (let letter = 0; letter < wanted.length; letter++, at++) {
    if (letter > 0 && left > 0 && bytes[at] === space) {
      at++;
      left--;
    }
    if (bytes[at] !== wanted[letter]) return -1;
  }
  return at;
}
