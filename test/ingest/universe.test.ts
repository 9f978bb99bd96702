import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeUniverse, parseUniverse, resolveUniverse } from '../../build/ingest/universe.ts';
import type { TickerRow } from '../../build/sources/tickers.ts';
import { relatedCiks, successors } from '../../src/domain/successors.ts';
import { useDirectories } from '../support/directories.ts';
import { createUniverses, wasFilledWith } from '../../build/ledger/universes.ts';

const directory = useDirectories('universe');
const named = (...entries: string[]) => ({ kind: 'named', entries }) as const;
const row = (ticker: string, cik: string): TickerRow => ({ ticker, cik, name: ticker, exchange: null });

describe('parseUniverse', () => {
  it.each([
    ['AAPL', ['AAPL']],
    ['aapl,Msft', ['AAPL', 'MSFT']],
    ['AAPL, MSFT  GOOG,,', ['AAPL', 'MSFT', 'GOOG']],
    ['320193,0000320193', ['0000320193']],
    ['brk.b,BRK/B,BRK-B', ['BRK-B']],
    ['NA,NAN,ON', ['NA', 'NAN', 'ON']],
  ])('parseUniverse understands %j', (text, entries) =>
    expect(parseUniverse(text)).toEqual(named(...entries)),
  );
  it('parseUniverse takes listed and all in small letters: ALL is a symbol', () => {
    expect(parseUniverse('listed')).toEqual({ kind: 'listed' });
    expect(parseUniverse('all')).toEqual({ kind: 'all' });
    expect(parseUniverse('ALL')).toEqual(named('ALL'));
    expect(parseUniverse('all,AAPL')).toEqual(named('ALL', 'AAPL'));
  });
  it.each([
    ['', /names no company/],
    [' , ', /names no company/],
    ['AAPL;rm -rf', /"AAPL;RM"/],
    ['"AAPL"', /neither a ticker symbol nor a CIK/],
    ['-AAPL', /"-AAPL"/],
    ['A'.repeat(21), /neither/],
    ['../x', /neither/],
    ['Ünï', /neither/],
  ])('parseUniverse refuses %j', (text, message) => {
    expect(() => parseUniverse(text)).toThrow(message);
    expect(() => parseUniverse(text)).toThrow(/^--universe[^\n]*$/);
  });

  it('parseUniverse reads a file with comments', () => {
    const path = join(directory(), 'companies.txt');
    writeFileSync(path, '\ufeff# the watched ones\r\nAAPL, msft # two\n\n320193\tBRK.B\n#GOOG\n');
    expect(parseUniverse(`@${path}`)).toEqual(named('AAPL', 'MSFT', '0000320193', 'BRK-B'));
  });
  it('parseUniverse refuses a bad file in one line', () => {
    const [empty, folder, long] = ['empty', 'folder', 'long'].map((name) => join(directory(), name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(empty, '# nothing\n');
    mkdirSync(folder);
    writeFileSync(long, Array.from({ length: 200_001 }, (_, at) => `T${at}`).join('\n'));
    for (const path of ['/no/such/file', '', empty, folder, long])
      expect(() => parseUniverse(`@${path}`)).toThrow(/^--universe[^\n]*$/);
    expect(() => parseUniverse('@/no/such/file')).toThrow('/no/such/file');
    expect(() => parseUniverse(`@${long}`)).toThrow('200001');
  });
});

describe('describeUniverse', () => {
  it('describeUniverse names what was asked for, and stays short', () => {
    expect(describeUniverse({ kind: 'listed' }, null)).toBe('listed');
    expect(describeUniverse({ kind: 'listed' }, '2026-01-01')).toBe('listed since 2026-01-01');
    expect(describeUniverse({ kind: 'all' }, null)).toBe('all');
    expect(describeUniverse({ kind: 'all' }, '2026-01-01')).toBe('all since 2026-01-01');
    expect(describeUniverse(named('AAPL', 'MSFT'), null)).toBe('AAPL,MSFT');
    expect(describeUniverse(named(...Array.from({ length: 12 }, (_, at) => `T${at}`)), '2026-01-01')).toBe(
      'T0,T1,T2,T3,T4,T5,T6,T7,T8,T9 and 2 more since 2026-01-01',
    );
  });
});

describe('the universes of a ledger', () => {
  const universesOf = (...targets: string[]) => {
    const universes = createUniverses([]);
    for (const target of targets) universes.add(target);
    return universes.all();
  };
  it.each(['follow: all', 'reconcile 2026-03-02 to 2026-03-06: all', 'follow: all since 2026-01-01'])(
    'a run with the target %s takes new filings of everyone, and fills nothing',
    (target) => {
      expect(universesOf(target)).toEqual(['everyone']);
      expect(wasFilledWith('all', universesOf(target))).toBe(false);
    },
  );
  it.each(['all', 'all since 2026-01-01'])(
    'a run with the target %s fills the ledger with everyone',
    (target) => {
      expect(universesOf(target)).toEqual(['all', 'everyone']);
      expect(wasFilledWith('listed', universesOf(target))).toBe(true);
    },
  );
  it('a run of the listed companies fills the ledger with these alone', () => {
    expect(universesOf('listed since 2026-01-01')).toEqual(['listed']);
    expect([wasFilledWith('listed', ['listed']), wasFilledWith('all', ['listed'])]).toEqual([true, false]);
  });
  it.each(['ALL', 'follow: ALL', 'AAPL,ALL', 'reconcile 2026-03-02: companies of the ledger', 'small'])(
    'a run with the target %s says nothing about a universe',
    (target) => expect(universesOf(target)).toEqual([]),
  );
  it('the order of the runs does not matter, and what older batches said stays', () => {
    expect(universesOf('listed', 'AAPL', 'all')).toEqual(universesOf('all', 'all', 'listed'));
    const universes = createUniverses(['listed']);
    universes.add('follow: all');
    expect(universes.all()).toEqual(['listed', 'everyone']);
  });
});

describe('resolveUniverse', () => {
  const tickers = [row('AAPL', '0000320193'), row('BRK-B', '0001067983'), row('BRK-A', '0001067983')];
  const nobody = new Map<string, string>();

  it('finds symbols, takes CIKs as they are, names what nobody has, and sorts', () => {
    expect(
      resolveUniverse(named('BRK-B', 'AAPL', '0000000005', 'BRK-A', 'NOPE', '0000320193'), tickers, nobody),
    ).toEqual({ ciks: ['0000000005', '0000320193', '0001067983'], unknown: ['NOPE'] });
  });
  it('remembers symbols that upstream dropped, but believes upstream first', () => {
    const remembered = new Map([
      ['ATVI', '0000718877'],
      ['AAPL', '0000000009'],
    ]);
    expect(resolveUniverse(named('ATVI', 'AAPL'), tickers, remembered)).toEqual({
      ciks: ['0000320193', '0000718877'],
      unknown: [],
    });
  });
  it('gives the same file and list in any order', () => {
    expect(resolveUniverse(named('AAPL', 'BRK-A'), tickers, nobody).ciks).toEqual(
      resolveUniverse(named('BRK-A', 'AAPL'), tickers.toReversed(), nobody).ciks,
    );
  });
  it('takes everyone who is listed', () => {
    expect(resolveUniverse({ kind: 'listed' }, tickers, nobody)).toEqual({
      ciks: ['0000320193', '0001067983'],
      unknown: [],
    });
    expect(resolveUniverse({ kind: 'listed' }, [], new Map([['AAPL', '0000320193']]))).toEqual({
      ciks: [],
      unknown: [],
    });
  });
  it.each(successors)(
    'takes all companies of a succession together: $description',
    ({ predecessorCik, successorCik }) => {
      const all = [...relatedCiks(successorCik)].sort();
      expect(all).toEqual(expect.arrayContaining([predecessorCik, successorCik]));
      for (const entry of all) expect(resolveUniverse(named(entry), [], nobody).ciks).toEqual(all);
      expect(resolveUniverse(named('XYZ'), [row('XYZ', successorCik)], nobody).ciks).toEqual(all);
    },
  );
});
