import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerCompany } from '../../build/ledger/ledger-rows.ts';
import { foldWords } from '../../src/domain/folded-words.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { bareFiling } from '../support/made-up.ts';

const company = (
  number: number,
  name: string,
  tickers: readonly string[] = [],
  formerNames: readonly string[] = [],
): LedgerCompany => ({ cik: String(number).padStart(10, '0'), name, tickers, exchange: null, formerNames });
const companies = [
  company(1, 'APPLE INC', ['AAPL'], ['APPLE COMPUTER INC']),
  company(2, 'Apple Hospitality REIT, Inc.', ['APLE']),
  company(3, 'Big Apple Consulting USA'),
  company(4, 'Pineapple Energy Inc.', ['PEGY']),
  company(5, 'Berkshire Hathaway Inc', ['BRK-B', 'BRK-A']),
  company(6, 'Société Générale', ['SCGLY']),
  company(7, "McDonald's Corp", ['MCD']),
  company(8, 'AT&T INC.', ['T']),
  company(9, 'T Rowe Price Group, Inc.', ['TROW']),
  company(10, 'Meta Platforms, Inc.', ['META'], ['Facebook Inc']),
  company(11, 'Hostile `!#$(),:;=.-;\\|@/{}&\' "quoted" Co', ['HOST']),
  company(12, 'NAN', ['NAN']),
  // A word of its name begins with the letter B, and with Z.
  company(13, 'Bausch Zeta Health', ['BHC']),
];
const filing = (at: number, cik: string) => bareFiling(at, { filerCiks: [cik] });

let made: MadeSnapshot;
let service: SampleService;
beforeAll(async () => {
  made = await makeSnapshot();
  // The consulting company has the most filings and no symbol, and listed companies still come first.
  const filings = [
    ...Array.from({ length: 9 }, (_, at) => filing(at, '0000000003')),
    filing(20, '0000000001'),
    filing(21, '0000000001'),
    filing(22, '0000000002'),
  ];
  await made.publish(filings, companies);
  service = await serviceOver(made.directory);
});

interface Found {
  data: { cik: string }[];
  meta: { count: number; query: string; partial: boolean };
}

async function searched(q: string, limit = 50): Promise<Found> {
  const response = await service.get(`/v1/sec/companies/search?q=${encodeURIComponent(q)}&limit=${limit}`);
  expect(response.status).toBe(200);
  const found = (await response.json()) as Found;
  expect(found.meta).toMatchObject({ count: found.data.length, query: q.trim() });
  return found;
}

const search = async (q: string, limit?: number) =>
  (await searched(q, limit)).data.map(({ cik }) => Number(cik));

describe('search', () => {
  it.each([
    ['aapl', [1]],
    ['AAPL', [1]],
    ['0000000001', [1]],
    ['apple', [1, 2, 3]],
    ['APPLE', [1, 2, 3]],
    ['appl', [1, 2, 3]],
    ['consulting', [3]],
    ['consul', [3]],
    ['consu', [3]],
    ['co', [1]],
    ['apple inc', [1, 2, 3]],
    ['inc apple', [1, 2, 3]],
    ['hospitality apple', [2]],
    ['apple computer', [1]],
    ['facebook', [10]],
    ['brk.b', [5]],
    ['BRK/A', [5]],
    ['brk-a', [5]],
    ['brk b', [5]],
    ['societe generale', [6]],
    ['SOCIÉTÉ', [6]],
    ['mcdonalds', [7]],
    ["mcdonald's", [7]],
    ['mcdonald’s', [7]],
    ['at&t', [8]],
    ['AT T', [8]],
    ['nan', [12]],
    ['NAN', [12]],
    ['pple', []],
    ['zzzz', []],
    ['!!', []],
    ['"quoted"', [11]],
    ['","name":"', []],
    ['apple xyz', [1, 2, 3]],
    ['apple xyz zzz', []],
    ['hospitality apple xyz', [2]],
    ['aapl xyz', []],
    ['__proto__', []],
    ['0000000099', []],
    ['  apple  ', [1, 2, 3]],
    ['BHX.B', []],
    ['t z', []],
    ['apple z', [1, 2, 3]],
    ['CIK0000000001', [1]],
    ['cik 1', [1]],
    ['CIK: 0000000001', [1]],
    ['CIK#1', [1]],
    ['$AAPL', [1]],
    ['NASDAQ:AAPL', [1]],
    ['NYSE: BRK.B', [5]],
    ['AAPL US', [1]],
    ['BRK/B US Equity', [5]],
    ['AAPL:US', [1]],
    ['$ZZZZ', []],
    ['cik 99', []],
  ])('a search for %s finds %j', async (q, expected) => expect(await search(q)).toEqual(expected));
  it('a search says whether its companies match a part of the words only', async () => {
    for (const [q, isPartial] of [
      ['apple', false],
      ['apple xyz', true],
      ['apple z', true],
      ['AAPL', false],
      ['AAPL US', false],
      ['aapl xyz', false],
      ['zzzz', false],
    ] as const)
      expect([q, (await searched(q)).meta.partial]).toEqual([q, isPartial]);
  });
  it('a search says why it may not give all, and what may have been meant', async () => {
    for (const [q, partialBecause, didYouMean] of [
      ['consulting', [], null],
      ['consultng', [], 'consulting'],
      ['apple consultng', ['missing_words'], 'apple consulting'],
      ['zz', ['few_letters'], null],
    ] as const)
      expect((await searched(q)).meta).toMatchObject({ partialBecause, didYouMean });
  });
  it('a search stops at the limit, the best first', async () =>
    expect(await search('apple', 1)).toEqual([1]));
  it('a search finds an exact symbol before names that begin with it', async () =>
    expect((await search('meta'))[0]).toBe(10));
});

describe('foldWords', () => {
  it.each([
    ['Société Générale S.A.', ['societe', 'generale', 's', 'a']],
    ["O'Reilly", ['oreilly']],
    ['  ', []],
    ['3M CO', ['3m', 'co']],
    ['İstanbul', ['istanbul']],
    ['株式会社', ['株式会社']],
  ])('foldWords of %s gives %j', (text, words) => expect(foldWords(text)).toEqual(words));
});
