import { describe, expect, it } from 'vitest';
import { parseTickerFile, tickerFiles, tickerRowsMinimum } from '../../build/sources/tickers.ts';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const table = (rows: readonly unknown[], fields: readonly string[] = ['cik', 'name', 'ticker', 'exchange']) =>
  bytes({ fields, data: rows });
const list = (...rows: readonly unknown[]) =>
  bytes(Object.fromEntries(rows.map((row, at) => [String(at), row])));
const parse = (body: Buffer, minimum = 0) => parseTickerFile(body, minimum);
const apple = { cik: '0000320193', ticker: 'AAPL', name: 'Apple Inc.', exchange: 'Nasdaq' };

describe('the file with exchanges', () => {
  it('the file with exchanges is read by the names of its fields', () => {
    expect(parse(table([[320193, 'Apple Inc.', 'AAPL', 'Nasdaq']]))).toEqual([apple]);
    expect(
      parse(
        table([['Nasdaq', 'x', 'AAPL', 320193, 'Apple Inc.']], ['exchange', 'new', 'ticker', 'cik', 'name']),
      ),
    ).toEqual([apple]);
  });
  it.each([
    ['320193', '0000320193'],
    ['0000320193', '0000320193'],
    [320193, '0000320193'],
    [9999999999, '9999999999'],
  ])('a ticker row may have the CIK %j', (cik, padded) =>
    expect(parse(table([[cik, 'N', 'AAA', 'NYSE']]))).toMatchObject([{ cik: padded }]),
  );
  it.each([
    [null, null],
    ['NYSE', 'NYSE'],
    ['', null],
    [undefined, null],
  ])('a ticker row may have the exchange %j', (exchange, expected) => {
    expect(parse(table([[1, 'N', 'AAA', exchange]]))).toMatchObject([{ exchange: expected }]);
    expect(parse(table([[1, 'N', 'AAA']]))).toMatchObject([{ exchange: null }]);
  });
  it.each(['NA', 'NAN', 'ON', 'NULL', 'TRUE', 'BRK-B', 'BRK.B', 'A', 'BAC-PM', '0A'])(
    'a ticker row may have the symbol %s',
    (ticker) => {
      expect(parse(table([[1, 'N', ticker, null]]))).toMatchObject([{ ticker }]);
    },
  );
  it('spaces around a symbol are removed', () =>
    expect(parse(table([[1, 'N', ' AAA ', null]]))).toMatchObject([{ ticker: 'AAA' }]));
  it('a ticker file may list a company with several symbols, and a symbol twice', () => {
    expect(
      parse(
        table([
          [1, 'N', 'AAA', null],
          [1, 'N', 'AAAW', null],
          [1, 'N', 'AAA', null],
        ]),
      ).map(({ ticker }) => ticker),
    ).toEqual(['AAA', 'AAAW', 'AAA']);
  });
  it.each([
    ['an empty symbol', [1, 'N', '', null]],
    ['no symbol', [1, 'N', null, null]],
    ['a symbol with a space', [1, 'N', 'A B', null]],
    ['a number for a symbol', [1, 'N', 5, null]],
    ['no CIK', [null, 'N', 'AAA', null]],
    ['the CIK 0', [0, 'N', 'AAA', null]],
    ['the CIK "0"', ['0', 'N', 'AAA', null]],
    ['the CIK 0000000000', ['0000000000', 'N', 'AAA', null]],
    ['a CIK of 11 digits', ['00000000001', 'N', 'AAA', null]],
    ['a number of 11 digits', [10_000_000_001, 'N', 'AAA', null]],
    ['a broken CIK', [1.5, 'N', 'AAA', null]],
    ['nothing', []],
    ['a formula', [1, 'N', '=cmd()', null]],
    ['a list of symbols', [1, 'N', 'AAA,BBB', null]],
  ])('a ticker row with %s is left out', (_, row) => {
    expect(parse(table([row, [320193, 'Apple Inc.', 'AAPL', 'Nasdaq']]))).toEqual([apple]);
  });
  it('a file with exchanges without the needed fields has no rows', () =>
    expect(() => parse(table([[1, 'N', 'AAA', null]], ['a', 'b', 'c', 'd']), 1)).toThrow(
      'it has 0 companies',
    ));
});

describe('the plain file', () => {
  it('the plain ticker file is a list under numbers', () => {
    expect(parse(list({ cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' }))).toEqual([
      { ...apple, exchange: null },
    ]);
    expect(parse(list({ cik_str: '320193', ticker: 'AAPL', title: 'Apple Inc.', more: true }))).toHaveLength(
      1,
    );
  });
  it.each([
    { cik_str: 1, ticker: '', title: 'N' },
    { cik_str: 1, ticker: 'AAA' },
    { ticker: 'AAA', title: 'N' },
    { cik_str: '0', ticker: 'AAA', title: 'N' },
    null,
    5,
    [],
    'text',
  ])('the plain ticker file leaves %j out', (row) => {
    expect(parse(list(row, { cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' }))).toMatchObject([
      { ticker: 'AAPL' },
    ]);
  });
});

describe('a ticker file', () => {
  const rows = Array.from({ length: tickerRowsMinimum }, (_, at) => [
    at + 1,
    `Company ${at}`,
    `T${at}`,
    'NYSE',
  ]);
  it('a ticker file is whole from a thousand companies on', () => {
    expect(parseTickerFile(table(rows))).toHaveLength(tickerRowsMinimum);
    expect(() => parseTickerFile(table(rows.slice(1)))).toThrow(
      `it has ${tickerRowsMinimum - 1} companies, a complete one has at least ${tickerRowsMinimum}`,
    );
    expect(() => parseTickerFile(table([...rows.slice(1), [1, 'N', '', null]]))).toThrow('companies');
  });
  it.each(['{}', '[]', '{"fields":[],"data":[]}', '{"fields":["cik","name","ticker","exchange"],"data":[]}'])(
    'a ticker file that is %s is refused',
    (text) => expect(() => parseTickerFile(Buffer.from(text))).toThrow('it has 0 companies'),
  );
  it('a ticker file may hold members like __proto__', () => {
    const read = parse(
      Buffer.from(
        '{"__proto__":{"cik_str":1,"ticker":"EVIL","title":"N"},"constructor":null,"0":{"cik_str":320193,"ticker":"AAPL","title":"Apple Inc."}}',
      ),
    );
    expect(read.map(({ ticker }) => ticker)).toContain('AAPL');
    expect(({} as Record<string, unknown>)['ticker']).toBeUndefined();
  });
  it('of two ticker files the one with exchanges counts first', () =>
    expect(tickerFiles[0]).toBe('company_tickers_exchange.json'));
});
