import { z } from 'zod';
import { foldWords } from './words.ts';

/**
 * Partitions of the table `search` are named by this many first letters of a word; words that begin with the
 * same ones share one.
 */
export const prefixLetters = 6;

/** What the table `search` tells of a company: enough to check every word of a query and to rank the hit. */
export const SearchRow = z.object({
  names: z
    .array(z.string())
    .min(1)
    .describe(
      'Its present name, then its former ones, each as the words by which it is found, with single spaces between.',
    ),
});
/** See the schema of the same name. */
export type SearchRow = z.infer<typeof SearchRow>;

/** What search has to know of a company. */
export interface SearchedCompany {
  readonly cik: string;
  readonly ticker: string | null;
  readonly name: string;
  readonly formerNames: readonly string[];
  readonly filingCount: number;
}

/**
 * The rows of a company in the table `search`: the same row under each of the keys, none of which occurs
 * twice.
 */
export interface Postings {
  readonly keys: readonly { readonly partition: string; readonly sort: string }[];
  readonly row: SearchRow;
}

/**
 * Where a word stands, best first. It is the first character of a sort key, the rank of the company follows.
 */
export const standings = { begins: 0, within: 1, former: 2 } as const;

/** Words that nearly every name could have. */
const emptyWords = new Set([
  'the',
  'and',
  'of',
  'inc',
  'incorporated',
  'corp',
  'corporation',
  'co',
  'company',
  'ltd',
  'limited',
  'llc',
  'lp',
  'llp',
  'plc',
]);
/** Keys of tables hold no such characters: their order as texts would not be that of their bytes. */
const beyondKeys = /[\u{10000}-\u{10ffff}]+/u;
/**
 * Letters of the name in a rank: with more a rank would not tell more, and every row of a company holds it.
 */
const rankLetters = 40;

/**
 * The words by which a name is found, and those of a query: folded, single letters that stand together joined
 * (`J.P. Morgan` gives `jp` and `morgan`), and without those that say nothing, such as `inc`, unless the text
 * has no others.
 */
export function searchWords(text: string): string[] {
  const words: string[] = [];
  let isOpen = false;
  for (const word of foldWords(text)
    .flatMap((each) => each.split(beyondKeys))
    .filter((each) => each !== '')) {
    const isLetter = word.length === 1 && !/\p{N}/u.test(word);
    if (isOpen && isLetter) words.push(`${words.pop() ?? ''}${word}`);
    else words.push(word);
    isOpen = isLetter;
  }
  const telling = words.filter((word) => !emptyWords.has(word));
  return telling.length > 0 ? telling : words;
}

/**
 * The position of a company in every list of companies, ascending: listed ones first, then by the magnitude
 * of their filings (the power of two), greatest first, then by name. The CIK makes it unique. It changes
 * seldom: when filings double, with the first symbol, with a new name.
 */
export function rankOf({ cik, ticker, name, filingCount }: Omit<SearchedCompany, 'formerNames'>): string {
  const magnitude = filingCount === 0 ? 0 : filingCount.toString(2).length;
  return `${ticker === null ? 1 : 0}${99 - magnitude}${searchWords(name).join(' ').slice(0, rankLetters)} ${cik}`;
}

/** The CIK of the company that has a rank. */
export function cikOfRank(rank: string): string {
  return rank.slice(-10);
}

/** Whether a company of this rank is listed. */
function isListedRank(rank: string): boolean {
  return rank.startsWith('0');
}

/**
 * The rows of a company in the table `search`. A term of a name is a word, or two neighbours joined (`coca
 * cola` is also `cocacola`). Each term stands under its first six letters, and that of a listed company also
 * under each shorter beginning: so a word of a query is looked up under its own first six letters and finds
 * all terms that begin with it if it has six, or the company is listed, and otherwise those that are equal to
 * it. About six rows for a company that is not listed.
 */
export function postingsOf(company: SearchedCompany): Postings {
  const rank = rankOf(company);
  const names = [company.name, ...company.formerNames].map(searchWords);
  const standingOf = new Map<string, number>();
  names.forEach((words, number) =>
    words.forEach((word, at) => {
      const standing = number > 0 ? standings.former : at > 0 ? standings.within : standings.begins;
      for (const term of at + 1 < words.length ? [word, `${word}${words[at + 1]}`] : [word]) {
        for (let letters = isListedRank(rank) ? 1 : prefixLetters; letters <= prefixLetters; letters++) {
          const partition = term.slice(0, letters);
          standingOf.set(partition, Math.min(standing, standingOf.get(partition) ?? standings.former));
        }
      }
    }),
  );
  return {
    keys: [...standingOf].map(([partition, standing]) => ({ partition, sort: `${standing}${rank}` })),
    row: { names: names.map((words) => words.join(' ')) },
  };
}
