import { beginningLetters, prefixLetters } from '../format/search-rows.ts';
import { rowBehindKeys } from '../table/line.ts';
import { growingAhead } from '../table/partition.ts';
import { sortIn, visitRows } from '../table/merged-walk.ts';
import { once } from '../table/passes.ts';
import type { Table } from '../table/table.ts';
import { compileQuery, forEachWord, groups, matchRow, scoreOf } from './company-match.ts';

/** The most rows that are read to see whether a name has a word of the query. */
const knownRowsMaximum = 300;
/** The most rows of each partition in which the word is looked for that was meant. */
const nearRowsMaximum = 1000;
/** The most words of a query that are corrected. */
const correctedMaximum = 2;
/** Shorter words are not corrected: too many words differ from them in one letter. */
const correctedLetters = 4;
const onlyDigits = /^\p{N}+$/u;

/**
 * The words of a query, with those that no name has replaced by near words that names have: words that differ by one
 * letter that is missing, added or another one, or by two neighbouring letters that are exchanged. Null where there is
 * nothing to replace.
 *
 * Near words are looked for where names of all companies have a word with the same first three letters, and where names
 * of companies with a ticker symbol have one that begins with the first letter or the second. Of several, the one of the
 * company with the best rank is taken.
 */
export function correctedWords(tables: readonly Table[], words: readonly string[]): string[] | null {
  const corrected: string[] = [];
  let count = 0;
  for (const word of words) {
    const isCorrectable =
      count < correctedMaximum && word.length >= correctedLetters && !onlyDigits.test(word);
    const near = isCorrectable
      ? once(`near ${word}`, () => (isKnown(tables, word) ? null : nearWord(tables, word)))
      : null;
    if (near !== null) count++;
    corrected.push(near ?? word);
  }
  return count > 0 ? corrected : null;
}

/** Whether a name has a word, or two neighbouring ones joined, that begins with this one. */
function isKnown(tables: readonly Table[], word: string): boolean {
  const query = compileQuery([word]);
  let isFound = false;
  visitFirst(tables, word.slice(0, prefixLetters), knownRowsMaximum, ({ bytes, row }) => {
    isFound = matchRow(query, bytes, row, true) <= scoreOf(0, groups.formerName);
    return !isFound;
  });
  return isFound;
}

function nearWord(tables: readonly Table[], word: string): string | null {
  const wanted = Buffer.from(word);
  const partitions = new Set([word.slice(0, beginningLetters), word.slice(0, 1), word.slice(1, 2)]);
  let best: { readonly word: string; readonly sort: string } | null = null;
  for (const partition of partitions)
    visitFirst(tables, partition, nearRowsMaximum, ({ bytes, row, sort }) => {
      let near: string | null = null;
      forEachWord(bytes, row, (from, to) => {
        if (near === null && isNear(wanted, bytes, from, to)) near = bytes.toString('utf8', from, to);
      });
      if (near === null) return true;
      const found = { word: near, sort: sort() };
      if (best === null || found.sort < best.sort) best = found;
      return false;
    });
  return (best as { readonly word: string } | null)?.word ?? null;
}

/** Visits the first rows of a partition, until `visit` returns false. `row` is the offset of its JSON. */
function visitFirst(
  tables: readonly Table[],
  partition: string,
  rowsMaximum: number,
  visit: (row: { readonly bytes: Buffer; readonly row: number; readonly sort: () => string }) => boolean,
): void {
  let left = rowsMaximum;
  visitRows(
    tables,
    { partitions: [partition] },
    growingAhead,
    (visited) =>
      left-- > 0 &&
      visit({
        bytes: visited.block.bytes,
        row: visited.sortTo + rowBehindKeys,
        sort: () => sortIn(visited),
      }),
  );
}

/**
 * Whether the text at `from` to `to` differs from the wanted one in one place: by a letter that is missing, added or
 * another one, or by two neighbouring letters that are exchanged. Letters are bytes, which those of names nearly always
 * are.
 */
export function isNear(wanted: Buffer, bytes: Buffer, from: number, to: number): boolean {
  const length = to - from;
  const difference = length - wanted.length;
  if (difference < -1 || difference > 1) return false;
  const shorter = Math.min(length, wanted.length);
  let same = 0;
  while (same < shorter && bytes[from + same] === wanted[same]) same++;
  if (same === length && same === wanted.length) return false;
  let behind = 0;
  while (behind < shorter - same && bytes[to - 1 - behind] === wanted[wanted.length - 1 - behind]) behind++;
  if (same + behind >= Math.max(length, wanted.length) - 1) return true;
  return (
    difference === 0 &&
    same + behind === length - 2 &&
    bytes[from + same] === wanted[same + 1] &&
    bytes[from + same + 1] === wanted[same]
  );
}
