import { prefixLetters } from '../contract/search.ts';

/** A word of a query, or the join of two that stand together. */
export interface Piece {
  readonly text: string;
  readonly bytes: Buffer;
  /** The words that it covers, a bit for each. */
  readonly mask: number;
}

/** A query of at most 30 words. A name has a word if it has the word itself, or its join with the word before or behind it. */
export interface CompiledQuery {
  readonly words: readonly string[];
  readonly pieces: readonly Piece[];
  readonly firstPieces: readonly Piece[];
  /** All words as one. */
  readonly joined: Buffer;
}

/** How well a company fits a query: how many of its words it lacks, and which name has the others, best first. */
export interface Match {
  readonly missing: number;
  readonly group: 0 | 1 | 2;
}

/** The groups of hits, best first. */
export const groups = { begins: 0, name: 1, formerName: 2 } as const;

const namesStart = '{"names":["'.length;
const betweenNames = '","'.length;
const [space, quote, comma] = [0x20, 0x22, 0x2c];

/** Prepares the words of a query. */
export function compileQuery(words: readonly string[]): CompiledQuery {
  const piece = (text: string, mask: number): Piece => ({ text, bytes: Buffer.from(text), mask });
  const pieces = words.flatMap((word, at) => [piece(word, 1 << at), ...(at + 1 < words.length ? [piece(`${word}${words[at + 1]}`, 3 << at)] : [])]);
  return { words, pieces, firstPieces: pieces.filter(({ mask }) => (mask & 1) !== 0), joined: Buffer.from(words.join('')) };
}

/** Compares a row of the table `search`, which lies at an offset of a block, with a query. The better one of its names counts. */
export function matchRow(query: CompiledQuery, bytes: Buffer, row: number, isListed: boolean): Match {
  let best: Match = { missing: query.words.length, group: groups.formerName };
  for (let from = row + namesStart, isFormer = false; ; isFormer = true) {
    const { missing, end } = lookFor(query, bytes, from, isListed);
    if (missing <= best.missing) {
      const group = isFormer ? groups.formerName : missing === 0 && begins(query, bytes, from, isListed) ? groups.begins : groups.name;
      if (missing < best.missing || group < best.group) best = { missing, group };
    }
    if (best.missing === 0 || bytes[end + 1] !== comma) return best;
    from = end + betweenNames;
  }
}

/** How many words of a query a name lacks, and where the name ends. */
function lookFor({ words, pieces }: CompiledQuery, bytes: Buffer, from: number, isListed: boolean): { readonly missing: number; readonly end: number } {
  let mask = 0;
  let end = from;
  for (let start = from; bytes[end] !== quote; start = ++end) {
    for (const piece of pieces) if ((mask & piece.mask) !== piece.mask && fits(piece, bytes, start, isListed)) mask |= piece.mask;
    while (bytes[end] !== space && bytes[end] !== quote) end++;
    if (bytes[end] === quote) break;
  }
  let missing = words.length;
  for (; mask !== 0; mask &= mask - 1) missing--;
  return { missing, end };
}

/** Whether the word that starts at an offset, or it and the next one joined, is the piece, or begins with it where that is enough. */
function fits({ text, bytes: wanted }: Piece, bytes: Buffer, start: number, isListed: boolean): boolean {
  const at = behind(wanted, bytes, start, 1);
  return at !== -1 && (isListed || text.length >= prefixLetters || bytes[at] === space || bytes[at] === quote);
}

function begins({ firstPieces, joined }: CompiledQuery, bytes: Buffer, from: number, isListed: boolean): boolean {
  return behind(joined, bytes, from, Infinity) !== -1 && firstPieces.some((piece) => fits(piece, bytes, from, isListed));
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
