import { tellsCompanies } from '../format/search-rows.ts';

/** A word of a query, or two neighbouring words joined into one. */
interface Piece {
  readonly bytes: Buffer;
  /** Whether it also matches words of unlisted companies that begin with it. Else only equal ones match. */
  readonly isBeginning: boolean;
  /** The words that it covers, one bit for each. */
  readonly mask: number;
}

/**
 * A query of at most 30 words, prepared for matching. A name has a word of the query if it has the word
 * itself, or the word joined with its neighbour in the query.
 */
export interface CompiledQuery {
  readonly words: readonly string[];
  readonly pieces: readonly Piece[];
  readonly firstPieces: readonly Piece[];
  /** All words of the query joined into one. */
  readonly joined: Buffer;
}

/**
 * The groups of hits, best first: the present name begins with the query, the present name has its words, a
 * former name has its words.
 */
export const groups = { begins: 0, name: 1, formerName: 2 } as const;

/**
 * The score of a company for a query; the lowest score is best. It depends first on the number of words of
 * the query that are missing, then on the group.
 */
export function scoreOf(missing: number, group: number): number {
  return missing * 3 + group;
}

const namesStart = '{"names":["'.length;
const betweenNames = '","'.length;
const [space, quote, comma] = [0x20, 0x22, 0x2c];

/**
 * Prepares the words of a query. A word of few letters finds no unlisted company by itself (`tellsCompanies`). Beside a
 * longer word, which finds the company, it may be a beginning like any other.
 */
export function compileQuery(words: readonly string[]): CompiledQuery {
  const finds = words.some(tellsCompanies);
  const piece = (text: string, mask: number): Piece => ({
    bytes: Buffer.from(text),
    isBeginning: finds || tellsCompanies(text),
    mask,
  });
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
 * The score of a row of the table `search`, which begins at offset `row` of the bytes. The best of its names
 * counts.
 */
export function matchRow(query: CompiledQuery, bytes: Buffer, row: number, isListed: boolean): number {
  let from = row + namesStart;
  let missing = countMissing(query, bytes, from, isListed);
  let best = scoreOf(
    missing,
    missing === 0 && beginsWithQuery(query, bytes, from, isListed) ? groups.begins : groups.name,
  );
  for (;;) {
    while (bytes[from] !== quote) from++;
    if (missing === 0 || bytes[from + 1] !== comma) return best;
    from += betweenNames;
    missing = countMissing(query, bytes, from, isListed);
    best = Math.min(best, scoreOf(missing, groups.formerName));
  }
}

/** Gives the words of all names of a row of the table `search`, each as offsets of its beginning and end. */
export function forEachWord(bytes: Buffer, row: number, use: (from: number, to: number) => void): void {
  for (let at = row + namesStart; ; ) {
    let from = at;
    for (; bytes[at] !== quote; at++)
      if (bytes[at] === space) {
        use(from, at);
        from = at + 1;
      }
    use(from, at);
    if (bytes[at + 1] !== comma) return;
    at += betweenNames;
  }
}

/** The number of words of the query that a name lacks. */
function countMissing(
  { words, pieces }: CompiledQuery,
  bytes: Buffer,
  from: number,
  isListed: boolean,
): number {
  let mask = 0;
  for (let at = from, isStart = true; bytes[at] !== quote; at++) {
    if (isStart)
      for (const piece of pieces)
        if ((mask & piece.mask) !== piece.mask && matchesAt(piece, bytes, at, isListed)) mask |= piece.mask;
    isStart = bytes[at] === space;
  }
  let missing = words.length;
  for (; mask !== 0; mask &= mask - 1) missing--;
  return missing;
}

/**
 * Whether the word at an offset, or that word joined with the next one, equals the piece. It may also just
 * begin with the piece if the company is listed or the piece is a beginning.
 */
function matchesAt(
  { isBeginning, bytes: wanted }: Piece,
  bytes: Buffer,
  start: number,
  isListed: boolean,
): boolean {
  const at = endOfMatch(wanted, bytes, start, 1);
  return at !== -1 && (isListed || isBeginning || bytes[at] === space || bytes[at] === quote);
}

function beginsWithQuery(
  { firstPieces, joined }: CompiledQuery,
  bytes: Buffer,
  from: number,
  isListed: boolean,
): boolean {
  return (
    endOfMatch(joined, bytes, from, Infinity) !== -1 &&
    firstPieces.some((piece) => matchesAt(piece, bytes, from, isListed))
  );
}

/**
 * The offset behind the wanted letters if the bytes at `start` have them, with at most `spaces` spaces in
 * between; -1 if they do not.
 */
function endOfMatch(wanted: Buffer, bytes: Buffer, start: number, spaces: number): number {
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
