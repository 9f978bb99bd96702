import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTickerFile } from '../../build/sources/tickers.ts';
import { searchCompanies, type SearchSource } from '../../src/answers/company-search.ts';
import {
  postingsOf,
  rankOf,
  searchWords,
  SearchRow,
  type SearchedCompany,
} from '../../src/format/search-rows.ts';
import { foldSymbol } from '../../src/domain/scalars.ts';
import { makeLine } from '../../src/table/line.ts';
import type { SegmentEntry, TableName } from '../../src/format/snapshot.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { hostileText } from '../support/arbitraries.ts';
import { useDirectories } from '../support/directories.ts';
import { recordings } from '../support/replay.ts';
import { makeSegment, openSegments, type SegmentRow } from '../support/table.ts';
import { has, needs } from '../support/needs.ts';

const fresh = useDirectories('company-search');

/** The published record of a company. */
const companyJson = ({ cik, ticker, name, filingCount }: SearchedCompany) =>
  JSON.stringify({
    cik,
    ticker,
    name,
    exchange: null,
    updatedAt: '2026-01-01T00:00:00.000Z',
    filingCount,
    latestFilingAt: null,
  });

/** What a publication writes for a company that was known as `before`. */
function rowsOf(company: SearchedCompany, before?: SearchedCompany): SegmentRow[] {
  const rows = new Map<string, SegmentRow>();
  const add = (table: TableName, partition: string, sort: string, row: string | null) =>
    rows.set(`${table}\n${partition}\n${sort}`, { table, partition, sort, row });
  if (before) {
    for (const { partition, sort } of postingsOf(before).keys) add('search', partition, sort, null);
    add('companies', 'all', rankOf(before), null);
    if (before.ticker !== null) add('symbols', foldSymbol(before.ticker), '', null);
  }
  const { keys, row } = postingsOf(company);
  for (const { partition, sort } of keys)
    add('search', partition, sort, JSON.stringify(SearchRow.parse(row)));
  add('companies', 'all', rankOf(company), companyJson(company));
  add(
    'profiles',
    company.cik,
    '',
    `${companyJson(company).slice(0, -1)},"forms":[],"formerNames":${JSON.stringify(company.formerNames)}}`,
  );
  if (company.ticker !== null)
    add(
      'symbols',
      foldSymbol(company.ticker),
      '',
      JSON.stringify({ symbol: foldSymbol(company.ticker), cik: company.cik }),
    );
  return [...rows.values()];
}

/** Segments of publications, oldest first, and a search over them. */
async function publish(publications: readonly (readonly SegmentRow[])[]) {
  const directory = fresh();
  const entries: SegmentEntry[] = [];
  for (const [at, rows] of publications.entries())
    entries.push(
      await makeSegment(directory, { from: at + 1, to: at + 1, rows: rows.length }, rows, {
        before: entries,
      }),
    );
  const segments = (await openSegments(directory, entries, createBlockCache(64 * 1024 * 1024))).reverse();
  const source: SearchSource = { tables: (name) => segments.map((segment) => segment.tables[name]) };
  const ask = (q: string, limit = 50) => searchCompanies(source, { q, limit });
  const search = async (q: string, limit?: number) =>
    (await ask(q, limit)).companies.map(
      (bytes) => JSON.parse(bytes.toString()) as { cik: string; name: string },
    );
  return Object.assign(search, { ask });
}

/** The same rules over a list of companies, without tables. */
function naiveSearch(companies: readonly SearchedCompany[], q: string, limit: number): string[] {
  const words = searchWords(q).slice(0, 12);
  const symbol = foldSymbol(q);
  const exact = companies.find(
    ({ cik, ticker }) => cik === symbol || (ticker !== null && foldSymbol(ticker) === symbol),
  );
  const hitsOf = (words: readonly string[], lacking: number) =>
    companies.flatMap((company) => {
      const finds = words.some((word) => word.length >= 3);
      const fits = (term: string, piece: string) =>
        term === piece || (term.startsWith(piece) && (finds || piece.length >= 3 || company.ticker !== null));
      const scores = [company.name, ...company.formerNames].map((name, number) => {
        const own = searchWords(name);
        const terms = own.flatMap((word, at) => [
          word,
          ...(at + 1 < own.length ? [`${word}${own[at + 1]}`] : []),
        ]);
        const has = (piece: string) => terms.some((term) => fits(term, piece));
        const missing = words.filter(
          (word, at) =>
            !has(word) &&
            !(at > 0 && has(`${words[at - 1]}${word}`)) &&
            !(at + 1 < words.length && has(`${word}${words[at + 1]}`)),
        ).length;
        const isFirst = [words[0] ?? '', ...(words.length > 1 ? [`${words[0]}${words[1]}`] : [])].some(
          (piece) => [own[0] ?? '', `${own[0]}${own[1] ?? ''}`].some((term) => fits(term, piece)),
        );
        const begins = missing === 0 && own.join('').startsWith(words.join('')) && isFirst;
        return { missing, group: number > 0 ? 2 : begins ? 0 : 1 };
      });
      const [best] = scores.sort((a, b) => a.missing - b.missing || a.group - b.group);
      return best && words.length > 0 && best.missing <= lacking
        ? [{ ...best, cik: company.cik, rank: rankOf(company) }]
        : [];
    });
  const complete = hitsOf(words, 0);
  // A word of fewer than three letters is no partial match.
  const telling = words.filter((word) => word.length >= 3);
  const found = complete.length > 0 || exact ? complete : hitsOf(telling, Math.floor(telling.length / 2));
  found.sort(
    (a, b) =>
      a.missing - b.missing || a.group - b.group || Buffer.compare(Buffer.from(a.rank), Buffer.from(b.rank)),
  );
  return [...new Set([...(exact ? [exact.cik] : []), ...found.map(({ cik }) => cik)])].slice(0, limit);
}

const word = fc.constantFrom(
  'a',
  'b',
  'ab',
  'abc',
  'b c',
  'smith',
  'smiths',
  'smithson',
  'SMITHSONIAN',
  'john',
  'johns',
  'Johnson',
  'coca',
  'cola',
  'cocacola',
  'Coca-Cola',
  'é',
  'Société',
  '株式会社',
  'ß',
  'the',
  'Inc',
  '&',
  '3',
  '3m',
  'm',
);
const name = fc.oneof(
  { weight: 9, arbitrary: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')) },
  { weight: 1, arbitrary: hostileText },
);
const company = (cik: fc.Arbitrary<number>): fc.Arbitrary<SearchedCompany> =>
  fc
    .record({
      cik,
      isListed: fc.boolean(),
      name,
      formerNames: fc.array(name, { maxLength: 2 }),
      filingCount: fc.nat({ max: 20 }),
    })
    .map(({ cik: number, isListed, ...rest }) => ({
      ...rest,
      cik: String(number).padStart(10, '0'),
      ticker: isListed ? `S${number}` : null,
    }));
const publications = fc.array(fc.array(company(fc.integer({ min: 1, max: 15 })), { maxLength: 15 }), {
  minLength: 1,
  maxLength: 4,
});
const queries = fc.array(
  fc.oneof(
    name,
    fc.tuple(name, fc.nat({ max: 6 })).map(([text, end]) => text.slice(0, end + 1)),
    fc.integer({ min: 1, max: 16 }).map((number) => `s${number}`),
    fc.integer({ min: 1, max: 16 }).map(String),
  ),
  { minLength: 1, maxLength: 12 },
);

describe('company search', () => {
  it('company search finds what a search of a list finds, over any publications', { tags: ['slow'] }, () =>
    fc.assert(
      fc.asyncProperty(
        publications,
        queries,
        fc.integer({ min: 1, max: 8 }),
        async (batches, asked, limit) => {
          const known = new Map<string, SearchedCompany>();
          const search = await publish(
            batches.map((batch) => {
              const latest = new Map(batch.map((each) => [each.cik, each]));
              return [...latest.values()].flatMap((each) => {
                const rows = rowsOf(each, known.get(each.cik));
                known.set(each.cik, each);
                return rows;
              });
            }),
          );
          for (const q of asked)
            expect(
              (await search(q, limit)).map(({ cik }) => cik),
              q,
            ).toEqual(naiveSearch([...known.values()], q, limit));
        },
      ),
      { numRuns: 150 },
    ),
  );

  it('company search finds the best of thousands in several segments and blocks', {
    tags: ['slow'],
  }, async () => {
    const people = Array.from(
      { length: 6000 },
      (_, at): SearchedCompany => ({
        cik: String(at + 1).padStart(10, '0'),
        ticker: at % 50 === 0 ? `S${at}` : null,
        name: [`Smith John ${at % 7}`, `John Smith & ${at}`, `Johnson ${at % 10} Smith`][at % 3] as string,
        formerNames: at % 11 === 0 ? ['Smithsonian Coca Cola'] : [],
        filingCount: at % 64,
      }),
    );
    const grown = people.map((each, at) =>
      at % 5 === 0 ? { ...each, filingCount: each.filingCount * 4 + 1 } : each,
    );
    const search = await publish([
      people.flatMap((each) => rowsOf(each)),
      grown.flatMap((each, at) => (at % 5 === 0 ? rowsOf(each, people[at]) : [])),
      rowsOf(people[3] as SearchedCompany, people[3]),
    ]);
    for (const q of [
      'smith',
      'john',
      'john smith',
      'smith john',
      'john 5',
      'johnson 5 smith',
      'smithson',
      'cocacola',
      'smith cola',
      'john nobody',
      '5',
      's50',
      'johns',
      'xyzzy',
    ]) {
      for (const limit of [1, 50, 200]) {
        const found = (await search(q, limit)).map(({ cik }) => cik);
        const isCut = (await search.ask(q, limit)).partialBecause.includes('many_names');
        if (q !== 'john nobody') expect(found, `${q} ${limit}`).toEqual(naiveSearch(grown, q, limit));
        else {
          expect(isCut, q).toBe(true);
          expect(naiveSearch(grown, q, grown.length), q).toEqual(expect.arrayContaining(found));
        }
      }
    }
  });

  it('company search says where it did not look', { tags: ['slow'] }, async () => {
    const named = (name: string, at: number, filingCount = 5): SearchedCompany => ({
      cik: String(at).padStart(10, '0'),
      ticker: null,
      name,
      formerNames: [],
      filingCount,
    });
    const search = await publish([
      [
        ...Array.from({ length: 6200 }, (_, at) => named(`Smithers Alpha ${at}`, at + 1)),
        ...Array.from({ length: 6200 }, (_, at) => named(`Bravo Johnson ${at}`, at + 10_001)),
        named('Smithers Johnson', 20_001, 0),
      ].flatMap((each) => rowsOf(each)),
    ]);
    const told = async (q: string, limit?: number) => {
      const { companies, partialBecause } = await search.ask(q, limit);
      return [companies.length, ...partialBecause];
    };
    expect(await told('smi', 200)).toEqual([200]);
    expect(await told('smi alp 6100')).toEqual([1]);
    expect(await told('sm')).toEqual([0, 'few_letters']);
    expect(await told('smithers xanadu 7')).toEqual([50, 'missing_words', 'many_names']);
    expect(await told('alp xanadu 6100')).toEqual([1, 'missing_words']);
    expect(await told('0000000001')).toEqual([1]);
    // The name is among more rows than one request reads, and no rarer word leads to it.
    expect(await told('smi joh')).toEqual([50, 'missing_words', 'many_names']);
  });

  it('a word with one mistake is forgiven', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('hathaway', 'microsoft', 'zuckerberg', 'abcdef'),
        fc.nat(),
        fc.constantFrom('substitute', 'insert', 'omit', 'exchange'),
        fc.boolean(),
        async (name, where, mistake, isListed) => {
          const company: SearchedCompany = {
            cik: '0000000001',
            ticker: isListed ? 'TICK' : null,
            name: `Great ${name}`,
            formerNames: [],
            filingCount: 3,
          };
          // The first three letters of companies that are not listed have to be right, and of others the first or second.
          const at = (isListed ? 1 : 3) + (where % (name.length - (isListed ? 2 : 4)));
          const [begin, end] = [name.slice(0, at), name.slice(at)];
          const wrong = {
            substitute: `${begin}q${end.slice(1)}`,
            insert: `${begin}q${end}`,
            omit: `${begin}${end.slice(1)}`,
            exchange: `${begin}${end[1]}${end[0]}${end.slice(2)}`,
          }[mistake];
          const { companies, didYouMean } = await (await publish([rowsOf(company)])).ask(wrong);
          if (name.startsWith(wrong)) expect(companies).toHaveLength(1);
          else expect(wrong.length < 4 ? null : didYouMean).toBe(wrong.length < 4 ? null : name);
        },
      ),
      { numRuns: 40 },
    ));

  it('company search makes valid table keys of any name', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            hostileText,
            fc.string({ unit: 'grapheme' }),
            fc.constantFrom('\u{20000}\u{20001} Ltd', '𝐀pple', '\ud800', '\uffff', ''),
          ),
          { minLength: 1, maxLength: 3 },
        ),
        fc.nat(),
        ([first = '', ...formerNames], filingCount) => {
          const each: SearchedCompany = {
            cik: '0000000001',
            ticker: null,
            name: first,
            formerNames,
            filingCount,
          };
          const { keys, row } = postingsOf(each);
          for (const key of keys)
            expect(makeLine(key, JSON.stringify(SearchRow.parse(row)))).toContain(rankOf(each));
          expect(new Set(keys.map(({ partition }) => partition)).size).toBe(keys.length);
        },
      ),
    ));

  it('company search lists companies by rank', () => {
    const rank = (filingCount: number, ticker: string | null, text: string, cik = '0000000001') =>
      rankOf({ cik, ticker, name: text, filingCount });
    const ranks = [
      rank(9, 'A', 'B'),
      rank(7, 'A', 'A'),
      rank(7, 'A', 'Aa'),
      rank(0, 'A', 'A'),
      rank(2 ** 40, null, 'A'),
      rank(5, null, 'A'),
      rank(4, null, 'A', '0000000002'),
      rank(1, null, 'A'),
      rank(0, null, 'A'),
    ];
    expect(ranks.toSorted()).toEqual(ranks);
    expect(rank(8, null, 'A')).toBe(rank(15, null, 'A Inc'));
  });
});

describe('searchWords', () => {
  it.each([
    ['J P MORGAN & CO', ['jp', 'morgan']],
    ['J.P. Morgan', ['jp', 'morgan']],
    ['AT&T INC.', ['at', 't']],
    ['A T & T', ['att']],
    ['The Coca-Cola Company', ['coca', 'cola']],
    ['3M CO', ['3m']],
    ['3 M', ['3', 'm']],
    ["McDonald's Corp", ['mcdonalds']],
    ['The Company', ['the', 'company']],
    ['Bank of America Corp /DE/', ['bank', 'america', 'de']],
    ['U.S. Bancorp', ['us', 'bancorp']],
    ['Gap L.P.', ['gap']],
    ['\u{20000} Ltd', ['ltd']],
    ['', []],
    ['&', []],
  ])('searchWords of %s gives %j', (text, words) => expect(searchWords(text)).toEqual(words));
});

describe('company search over recorded names', needs('recordings'), () => {
  const load = () => {
    const rows = parseTickerFile(
      readFileSync(join(recordings, '2026-08-18/www.sec.gov/files/company_tickers.json')),
    );
    const companies = new Map<string, SearchedCompany>();
    rows.forEach(
      ({ cik, ticker, name: title }, at) =>
        companies.has(cik) ||
        companies.set(cik, {
          cik,
          ticker,
          name: title,
          formerNames: cik === '0001326801' ? ['Facebook Inc'] : [],
          filingCount: Math.max(1, 4000 - at),
        }),
    );
    const made = (number: number, title: string): SearchedCompany => ({
      cik: String(number).padStart(10, '0'),
      ticker: null,
      name: title,
      formerNames: [],
      filingCount: 50,
    });
    return [
      ...companies.values(),
      made(1, 'A T & T CORP'),
      made(2, 'J P MORGAN CHASE & CO/OLD'),
      made(3, 'MICRO PEOPLE LLC'),
      made(4, 'MICROBE HUNTERS LLC'),
    ];
  };
  const searching = (async () =>
    has('recordings') ? publish([load().flatMap((each) => rowsOf(each))]) : null)();
  const find = async (q: string) =>
    ((await searching)?.(q) ?? Promise.resolve([])).then((found) => found.map(({ cik }) => Number(cik)));

  it.each([
    ['JP Morgan', 19617],
    ['jp morgan chase', 19617],
    ['J.P. Morgan', 19617],
    ['JPMorgan', 19617],
    ['jpm', 19617],
    ['the coca cola company', 21344],
    ['coca-cola', 21344],
    ['CocaCola', 21344],
    ['AT&T', 732717],
    ['at & t', 732717],
    ['AT&T INC.', 732717],
    ['a t & t', 732717],
    ['3M', 66740],
    ['3 m', 66740],
    ['mcdonalds', 63908],
    ["McDonald's", 63908],
    ['berkshire', 1067983],
    ['brk.b', 1067983],
    ['hathaway berkshire', 1067983],
    ['micro', 789019],
    ['microsoft corp', 789019],
    ['facebook', 1326801],
    ['320193', 320193],
    ['0000320193', 320193],
    ['apple', 320193],
    ['Bank of America', 70858],
    ['apple computer company', 320193],
  ])('a search for %s finds company %i', async (q, cik) =>
    expect((await find(q)).slice(0, 8)).toContain(cik),
  );
  it.each([
    ['JP Morgan', 2],
    ['jpmorgan chase', 2],
    ['at&t', 1],
    ['a t & t', 1],
    ['micro', 3],
  ])('a search for %s also finds the company %i, which is not listed', async (q, cik) =>
    expect(await find(q)).toContain(cik),
  );
  it('three letters of a word find a company that is not listed', async () => {
    for (const q of ['mic', 'micr', 'micro', 'microb', 'microbe'])
      expect((await (await searching)?.(q, 200))?.map(({ cik }) => Number(cik))).toContain(4);
    expect(await find('microbe hunters')).toEqual([4]);
    expect(await find('hun mi')).toContain(4);
  });
  it.each([
    ['mircosoft', 'microsoft'],
    ['micosoft', 'microsoft'],
    ['microssoft corp', 'microsoft'],
    ['imcrosoft', 'microsoft'],
    ['berkshire hathawey', 'berkshire hathaway'],
    ['amazin com', 'amazon com'],
    ['nvidya', 'nvidia'],
    ['microbes hunterz', 'microbe hunters'],
    ['qqqqqq', null],
    ['10101010', null],
  ])('a search for %s asks whether %s was meant', async (q, meant) => {
    const found = await (await searching)?.ask(q);
    expect(found?.didYouMean ?? null).toBe(meant);
    if (meant !== null) expect(await find(meant)).not.toEqual([]);
  });
  it('hostile queries get an ordinary answer', async () => {
    for (const q of [
      '!!',
      '""',
      '","name":"',
      '\\',
      '\ud800',
      '\u{20000}',
      '\uffff',
      '__proto__',
      ' '.repeat(100),
      '\0',
      "'; drop table",
      '"],"row":',
      'null',
    ])
      expect(await find(q), q).toEqual(await find(q.trim()));
    expect(await find('"]}')).toEqual([]);
    expect(await find('xyzzyx')).toEqual([]);
    expect((await find('a '.repeat(50))).length).toBeLessThanOrEqual(50);
    expect(await find(Array.from({ length: 25 }, (_, at) => `q${at}z`).join(' '))).toEqual([]);
  });
});
