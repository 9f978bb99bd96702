import * as z from 'zod';
import { foldSymbol } from '../domain/scalars.ts';
import { foldWords } from '../domain/folded-words.ts';

/**
 * Partitions of the table `search` are named by the first letters of a word, at most this many. Words with
 * the same first letters share a partition.
 */
export const prefixLetters = 6;
/**
 * With at least this many letters the beginning of a word finds every company. Fewer letters find companies with a
 * ticker symbol, and equal words: too many names begin with them.
 */
export const beginningLetters = 3;

/** A row of the table `search`: enough to check every word of a query. */
export const SearchRow = z.object({
  names: z
    .array(z.string())
    .min(1)
    .describe(
      'Its present name, then its former ones, each as the words by which it is found, with single spaces between.',
    ),
});
export type SearchRow = z.infer<typeof SearchRow>;

/** The members of a company that search needs. */
export interface SearchedCompany {
  readonly cik: string;
  readonly ticker: string | null;
  readonly name: string;
  readonly formerNames: readonly string[];
  readonly filingCount: number;
}

/**
 * The rows of a company in the table `search`: the same row under several keys, each of which occurs once.
 */
export interface Postings {
  readonly keys: readonly { readonly partition: string; readonly sort: string }[];
  readonly row: SearchRow;
}

/**
 * The position of a word in the names of a company, best first. It is the first character of a sort key; the
 * rank of the company follows.
 */
export const wordPositions = { begins: 0, within: 1, former: 2 } as const;

/** Words that nearly every name could have. */
const commonWords = new Set([
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
/**
 * Characters that keys of tables must not have: with them, the order of keys as strings would differ from the
 * order of their bytes.
 */
const notAllowedInKeys = /[\u{10000}-\u{10ffff}]+/u;
/**
 * Most letters of the name in a rank. Every row of a company has the rank, and more letters would hardly
 * change the order.
 */
const rankLetters = 40;

/**
 * The words by which a name is found, and the words of a query: folded, with neighbouring single letters
 * joined (`J.P. Morgan` gives `jp` and `morgan`). Words such as `inc` are left out, unless the text has no
 * others.
 */
export function searchWords(text: string): string[] {
  const words: string[] = [];
  let isOpen = false;
  for (const word of foldWords(text)
    .flatMap((each) => each.split(notAllowedInKeys))
    .filter((each) => each !== '')) {
    const isLetter = word.length === 1 && !/\p{N}/u.test(word);
    if (isOpen && isLetter) words.push(`${words.pop() ?? ''}${word}`);
    else words.push(word);
    isOpen = isLetter;
  }
  const significant = words.filter((word) => !commonWords.has(word));
  return significant.length > 0 ? significant : words;
}

/**
 * Whether the beginning of a word finds every company that has it. Only such a word may make a name a partial match:
 * `BRK.B` would find every company with a word that begins with B.
 */
export function tellsCompanies(word: string): boolean {
  return word.length >= beginningLetters;
}

/** Names of exchanges and markets that people write before a symbol, as in `NASDAQ:AAPL`. */
const exchangePrefix =
  /^(?:NASDAQ(?:GS|GM|CM)?|NYSE(?:ARCA|AMERICAN|MKT)?|AMEX|ARCA|BATS|CBOE|OTC(?:MKTS|QB|QX)?|PINK) ?: ?/i;
/** The market that Bloomberg writes behind a symbol, as in `BRK/B US Equity`. */
const marketSuffix = /(?: |:)US(?: Equity)?$/i;

/**
 * The symbols and CIKs that a query may mean, folded, the most literal one first: the whole text, and the
 * text without what people write around a symbol (`$AAPL`, `NASDAQ:AAPL`, `AAPL US`, `CIK0000320193`,
 * `cik 320193`).
 */
export function symbolsMeant(text: string): string[] {
  const whole = text.trim().replace(/\s+/g, ' ');
  const cik = /^CIK[ :#=-]{0,2}(\d{1,10})$/i.exec(whole)?.[1];
  const bare = cik ?? whole.replace(exchangePrefix, '').replace(/^\$/, '').replace(marketSuffix, '');
  return [...new Set([whole, bare].map(foldSymbol))];
}

/**
 * The sort key of a company in every list of companies, which ascends. Listed companies come first. In each
 * group, companies with more filings come first, compared by powers of two; equal ones are in order of name.
 * The CIK makes the rank unique. A rank changes seldom: when the number of filings doubles, when a company
 * gets its first symbol, or when its name changes.
 */
export function rankOf({ cik, ticker, name, filingCount }: Omit<SearchedCompany, 'formerNames'>): string {
  const magnitude = filingCount === 0 ? 0 : filingCount.toString(2).length;
  return `${ticker === null ? 1 : 0}${99 - magnitude}${searchWords(name).join(' ').slice(0, rankLetters)} ${cik}`;
}

/** The CIK of the company with a rank. */
export function cikOfRank(rank: string): string {
  return rank.slice(-10);
}

/** Whether the company with a rank is listed. */
function isListedRank(rank: string): boolean {
  return rank.startsWith('0');
}

/**
 * The rows of a company in the table `search`. A term of a name is a word, or two neighbouring words joined
 * (`coca cola` is also `cocacola`). Each term is in the partitions named by its first three to six letters. Terms of
 * a listed company are also in those named by its first letter and its first two.
 *
 * A word of a query is looked up in the partition named by its first six letters. With at least three letters it finds
 * all terms that begin with it; with fewer it finds those of listed companies, and equal terms of the others.
 */
export function postingsOf(company: SearchedCompany): Postings {
  const rank = rankOf(company);
  const names = [company.name, ...company.formerNames].map(searchWords);
  const positionOf = new Map<string, number>();
  names.forEach((words, number) =>
    words.forEach((word, at) => {
      const position =
        number > 0 ? wordPositions.former : at > 0 ? wordPositions.within : wordPositions.begins;
      for (const term of at + 1 < words.length ? [word, `${word}${words[at + 1]}`] : [word]) {
        for (let letters = isListedRank(rank) ? 1 : beginningLetters; letters <= prefixLetters; letters++) {
          const partition = term.slice(0, letters);
          positionOf.set(partition, Math.min(position, positionOf.get(partition) ?? wordPositions.former));
        }
      }
    }),
  );
  return {
    keys: [...positionOf].map(([partition, position]) => ({ partition, sort: `${position}${rank}` })),
    row: { names: names.map((words) => words.join(' ')) },
  };
}
