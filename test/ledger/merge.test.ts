import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameFiling } from '../../build/ledger/filing-columns.ts';
import { fileSighting, mergeCompany, mergeFiling, sameCompany } from '../../build/ledger/merge-filing.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Entity } from '../../build/sources/roles.ts';
import type { TickerRow } from '../../build/sources/tickers.ts';
import { factNames, factsFrom } from '../../src/domain/company-facts.ts';
import { foldSymbol } from '../../src/domain/scalars.ts';
import { bareFiling, entityOf } from '../support/ledgers.ts';

const [parent, daughter, owner, stranger] = ['0000000001', '0000000002', '0000000003', '0000000004'] as const;
const noneListed = () => false;

/** Merges the rows of files. */
const mergeFiles = (
  known: LedgerFiling | undefined,
  rows: readonly LedgerFiling[],
  isListed: (cik: string) => boolean,
) => mergeFiling(known, rows.map(fileSighting), isListed);

/** A filing as the file of one company lists it. */
function sighting(cik: string, role: 'subject' | 'filer', members: Partial<LedgerFiling> = {}): LedgerFiling {
  return bareFiling(1, {
    accessionNo: '0000000009-26-000001',
    form: '4',
    filedAt: '2026-03-02',
    subjectCik: role === 'subject' ? cik : null,
    filerCiks: role === 'subject' ? [] : [cik],
    ...members,
  });
}

describe('mergeFiling', () => {
  it('mergeFiling believes the company that the filing belongs to', () => {
    const seen = [
      sighting(owner, 'filer', { form: '4/A', primaryDocument: 'owner.xml', isXbrl: true }),
      sighting(parent, 'subject', { form: '4', primaryDocument: 'issuer.xml' }),
    ];
    expect(mergeFiles(undefined, seen, noneListed)).toMatchObject({
      form: '4',
      primaryDocument: 'issuer.xml',
      isXbrl: false,
    });
  });

  it.each([
    ['the filer whose login made the accession number', '0000000002-26-000001', noneListed, daughter],
    ['else a listed filer', '0000000009-26-000001', (cik: string) => cik === owner, owner],
    ['else the filer with the lowest CIK', '0000000009-26-000001', noneListed, parent],
  ])('mergeFiling of joint filers believes %s', (_, accessionNo, isListed, believed) => {
    const seen = [owner, daughter, parent].map((cik) =>
      sighting(cik, 'filer', { accessionNo, form: '8-K', primaryDocument: cik }),
    );
    expect(mergeFiles(undefined, seen, isListed)).toMatchObject({
      primaryDocument: believed,
      filerCiks: [parent, daughter, owner],
    });
  });

  it('mergeFiling takes corrections of the company that the filing belongs to', () => {
    const known = sighting(parent, 'subject', {
      form: '8-K',
      items: ['2.02'],
      filedAt: '2026-03-02',
      sizeBytes: 1,
    });
    expect(
      mergeFiles(
        known,
        [sighting(parent, 'subject', { form: '8-K/A', items: [], filedAt: '2026-03-03', sizeBytes: 2 })],
        noneListed,
      ),
    ).toMatchObject({ form: '8-K/A', items: [], filedAt: '2026-03-03', sizeBytes: 2 });
  });

  it('mergeFiling takes a correction of the role of a company', () => {
    expect(mergeFiles(sighting(parent, 'filer'), [sighting(parent, 'subject')], noneListed)).toMatchObject({
      subjectCik: parent,
      filerCiks: [],
    });
    expect(mergeFiles(sighting(parent, 'subject'), [sighting(parent, 'filer')], noneListed)).toMatchObject({
      subjectCik: null,
      filerCiks: [parent],
    });
  });

  it('mergeFiling keeps the lowest CIK as the subject when two companies claim to be it', () => {
    const both = [sighting(parent, 'subject'), sighting(daughter, 'subject')];
    const known = mergeFiles(undefined, both, noneListed);
    expect(known).toMatchObject({ subjectCik: parent, filerCiks: [daughter] });
    for (const seen of both) expect(mergeFiles(known, [seen], noneListed)).toEqual(known);
    const [first, second] = both as [LedgerFiling, LedgerFiling];
    expect(mergeFiles(mergeFiles(undefined, [second], noneListed), [first], noneListed)).toEqual(known);
    expect(mergeFiles(mergeFiles(undefined, [first], noneListed), [second], noneListed)).toEqual(known);
  });
});

const ciks = [parent, daughter, owner, stranger, '0000000009'];
/** The values that files give for one filing. A file may leave some of them open. */
const truth = {
  reportDate: '2026-01-31',
  acceptedEastern: '20260302170000',
  primaryDocument: 'a.htm',
  primaryDocDescription: 'A',
  sizeBytes: 7,
};
/** Rows of one filing from the files of several companies, each with a role, a form and gaps of its own. */
const sightings = fc
  .uniqueArray(
    fc.record({
      cik: fc.constantFrom(...ciks),
      role: fc.constantFrom('subject' as const, 'filer' as const),
      form: fc.constantFrom('4', '8-K', '4/A'),
      blanks: fc.subarray(Object.keys(truth) as (keyof typeof truth)[]),
    }),
    { selector: ({ cik }) => cik, minLength: 1 },
  )
  .map((list) =>
    list.map(({ cik, role, form, blanks }) =>
      sighting(cik, role, { ...truth, form, ...Object.fromEntries(blanks.map((member) => [member, null])) }),
    ),
  );
const listed = fc.subarray(ciks).map((list) => (cik: string) => list.includes(cik));

describe('merging any rows', () => {
  it('merging does not depend on the order of the rows', () => {
    fc.assert(
      fc.property(
        sightings,
        fc.infiniteStream(fc.nat()),
        listed,
        fc.option(sightings, { nil: undefined }),
        (seen, random, isListed, before) => {
          const known = before && mergeFiles(undefined, before, isListed);
          const shuffled = seen
            .map((each) => ({ each, at: random.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ each }) => each);
          expect(mergeFiles(known, shuffled, isListed)).toEqual(mergeFiles(known, seen, isListed));
        },
      ),
    );
  });

  it('merging the same rows again changes nothing', () => {
    fc.assert(
      fc.property(sightings, listed, fc.context(), (seen, isListed, context) => {
        const known = mergeFiles(undefined, seen, isListed);
        for (const part of [seen, ...seen.map((each) => [each]), seen.slice(1), seen.slice(0, -1)]) {
          if (part.length === 0) continue;
          context.log(JSON.stringify(part));
          const again = mergeFiles(known, part, isListed);
          expect(again).toEqual(known);
          expect(sameFiling(known, again)).toBe(true);
        }
      }),
    );
  });

  it('merging rows one after the other gives the same companies and values as merging them at once', () => {
    fc.assert(
      fc.property(sightings, listed, (seen, isListed) => {
        const gradually = seen.reduce<LedgerFiling | undefined>(
          (known, each) => mergeFiles(known, [each], isListed),
          undefined,
        ) as LedgerFiling;
        const { subjectCik, filerCiks, ...values } = mergeFiles(undefined, seen, isListed);
        expect(gradually).toMatchObject({ subjectCik, filerCiks });
        for (const member of Object.keys(truth) as (keyof typeof truth)[])
          expect(gradually[member]).toBe(values[member]);
      }),
    );
  });

  it('merging names every company once, and loses no value', () => {
    fc.assert(
      fc.property(sightings, sightings, listed, (before, seen, isListed) => {
        const merged = mergeFiles(mergeFiles(undefined, before, isListed), seen, isListed);
        const names = [...(merged.subjectCik === null ? [] : [merged.subjectCik]), ...merged.filerCiks];
        expect(names.toSorted()).toEqual(
          [
            ...new Set([...before, ...seen].map((each) => each.subjectCik ?? (each.filerCiks[0] as string))),
          ].sort(),
        );
        expect(merged.filerCiks).toEqual(merged.filerCiks.toSorted());
        for (const member of Object.keys(truth) as (keyof typeof truth)[])
          if ([...before, ...seen].some((each) => each[member] !== null))
            expect(merged[member]).toBe(truth[member]);
      }),
    );
  });
});

describe('sameFiling', () => {
  const filing = sighting(parent, 'subject', { ...truth, items: ['2.02'], filerCiks: [owner] });
  const changes: Partial<LedgerFiling>[] = [
    { form: '5' },
    { filedAt: '2026-03-03' },
    { reportDate: null },
    { acceptedEastern: null },
    { items: [] },
    { items: ['2.02', '9.01'] },
    { items: ['9.01'] },
    { primaryDocument: 'b' },
    { primaryDocDescription: 'b' },
    { sizeBytes: 8 },
    { isXbrl: true },
    { isInlineXbrl: true },
    { subjectCik: null },
    { filerCiks: [] },
    { filerCiks: [stranger] },
  ];
  it('sameFiling is false for a change of any member', () => {
    for (const change of changes)
      expect([change, sameFiling(filing, { ...filing, ...change })]).toEqual([change, false]);
    expect(new Set(['accessionNo', ...changes.flatMap((change) => Object.keys(change))])).toEqual(
      new Set(Object.keys(filing)),
    );
    expect(sameFiling(filing, { ...filing, items: ['2.02'], filerCiks: [owner] })).toBe(true);
  });
});

describe('mergeCompany', () => {
  const entity = (cik: string, tickers: readonly string[], members: Partial<Entity> = {}) =>
    entityOf(cik, tickers, { name: 'N', ...members });
  const row = (cik: string, ticker: string, exchange: string | null = null): TickerRow => ({
    cik,
    ticker,
    name: 'N',
    exchange,
  });
  const known = (tickers: readonly string[], exchange: string | null = 'NYSE'): LedgerCompany => ({
    cik: parent,
    name: 'N',
    tickers,
    exchange,
    formerNames: [],
  });
  const nobody = () => undefined;
  /** What becomes of a company that is known, if its file has these symbols. */
  const merged = (
    tickers: readonly string[],
    members: Partial<Entity> = {},
    before?: LedgerCompany,
    holderOf: (symbol: string) => string | undefined = nobody,
  ) => mergeCompany(entity(parent, tickers, members), [], before, holderOf);
  const holders = (held: Record<string, string>) => (symbol: string) => held[symbol];

  it('mergeCompany joins the symbols of the file of the company and of the ticker files, in this order, each once', () => {
    expect(
      mergeCompany(
        entity(parent, ['AAA', 'AAAW']),
        [row(parent, 'AAA'), row(parent, 'AAAU', 'OTC')],
        undefined,
        nobody,
      ),
    ).toEqual({
      cik: parent,
      name: 'N',
      tickers: ['AAA', 'AAAW', 'AAAU'],
      exchange: 'NYSE',
      formerNames: [],
    });
  });
  it('mergeCompany takes two spellings of a symbol as one', () =>
    expect(
      mergeCompany(entity(parent, ['BRK-B']), [row(parent, 'BRK.B')], undefined, nobody).tickers.map(
        foldSymbol,
      ),
    ).toEqual(['BRK-B']));
  it('mergeCompany takes the exchange of the primary symbol from the ticker files if the file of the company has none', () => {
    expect(
      mergeCompany(
        entity(parent, ['AAA'], { exchange: null }),
        [row(parent, 'AAAW', 'OTC'), row(parent, 'AAA', 'Nasdaq')],
        undefined,
        nobody,
      ).exchange,
    ).toBe('Nasdaq');
    expect(mergeCompany(entity(parent, []), [row(parent, 'AAA', 'Nasdaq')], undefined, nobody)).toMatchObject(
      { tickers: ['AAA'], exchange: 'Nasdaq' },
    );
  });
  it('mergeCompany keeps the last known symbols and exchange of a company that EDGAR dropped', () => {
    const tickers = ['ATVI', 'ATVIW'];
    expect(merged([], {}, known(tickers))).toMatchObject({ tickers, exchange: 'NYSE' });
    expect(merged([], {}, known(['ATVI']), holders({ ATVI: parent })).tickers).toEqual(['ATVI']);
  });
  it('mergeCompany drops a symbol that another company holds now', () => {
    expect(merged([], {}, known(['AAA', 'BBB']), holders({ AAA: daughter })).tickers).toEqual(['BBB']);
    expect(merged([], {}, known(['BRK.B']), holders({ 'BRK-B': daughter }))).toMatchObject({
      tickers: [],
      exchange: null,
    });
  });
  it('mergeCompany gives no exchange to a company without a symbol', () =>
    expect(merged([], { exchange: 'NYSE' })).toMatchObject({ tickers: [], exchange: null }));
  it('mergeCompany takes the new name and the former names from the file of the company', () => {
    const names = { name: 'New', formerNames: ['Old'] };
    expect(merged([], names, { ...known([]), name: 'Old' })).toMatchObject(names);
  });

  it('mergeCompany takes the facts of the file of the company, and keeps the known ones if the file has no facts', () => {
    const facts = factsFrom((name) => (name === 'sic' ? '3571' : null));
    const before = { ...known([]), facts: factsFrom((name) => (name === 'sic' ? '1000' : null)) };
    const none = factsFrom(() => null);
    expect(merged([], { facts }, before).facts).toEqual(facts);
    expect(merged([], { facts: none }, before).facts).toEqual(none);
    expect(merged([], {}, before).facts).toEqual(before.facts);
    expect(merged([], {}, known([]))).not.toHaveProperty('facts');
  });

  it('mergeCompany takes the days of former names from the file, and keeps the known ones where a source has none', () => {
    const formerNamePeriods = [{ name: 'Old', since: '1994-01-26', until: null }];
    const before = { ...known([]), formerNamePeriods };
    expect(merged([], {}, before)).toMatchObject({ formerNamePeriods });
    expect(merged([], { formerNamePeriods: [] }, before)).not.toHaveProperty('formerNamePeriods');
    expect(merged([], { formerNamePeriods }, known([]))).toMatchObject({ formerNamePeriods });
  });

  it('mergeCompany changes nothing when it merges the same files again', () => {
    const symbols = fc.uniqueArray(fc.constantFrom('AAA', 'BBB', 'BRK-B', 'BRK.B', 'CCC'));
    fc.assert(
      fc.property(
        symbols,
        symbols,
        symbols,
        fc.constantFrom(null, 'NYSE'),
        fc.dictionary(fc.constantFrom('AAA', 'BBB', 'BRK-B', 'CCC'), fc.constantFrom(parent, daughter)),
        (own, files, before, exchange, held) => {
          const merge = (company: LedgerCompany | undefined) =>
            mergeCompany(
              entity(parent, own, { exchange }),
              files.map((ticker) => row(parent, ticker, 'OTC')),
              company,
              holders(held),
            );
          const once = merge(known(before));
          expect(sameCompany(merge(once), once)).toBe(true);
        },
      ),
    );
  });
});

describe('sameCompany', () => {
  it('sameCompany is false for a change of any member', () => {
    const company: LedgerCompany = {
      cik: parent,
      name: 'N',
      tickers: ['AAA'],
      exchange: 'NYSE',
      formerNames: ['O'],
    };
    const changes: Partial<LedgerCompany>[] = [
      { name: 'M' },
      { tickers: [] },
      { tickers: ['AAB'] },
      { exchange: null },
      { formerNames: [] },
      { formerNames: ['P'] },
      ...factNames.map((fact) => ({ facts: factsFrom((name) => (name === fact ? '1000' : null)) })),
      { formerNamePeriods: [{ name: 'O', since: null, until: null }] },
    ];
    const periods = [{ name: 'O', since: '1994-01-26', until: '2007-01-04' }];
    for (const other of [
      { name: 'O', since: '1994-01-27', until: '2007-01-04' },
      { name: 'O', since: '1994-01-26', until: null },
      { name: 'P', since: '1994-01-26', until: '2007-01-04' },
    ])
      expect(
        sameCompany({ ...company, formerNamePeriods: periods }, { ...company, formerNamePeriods: [other] }),
      ).toBe(false);
    for (const change of changes)
      expect([change, sameCompany(company, { ...company, ...change })]).toEqual([change, false]);
    expect(
      sameCompany(company, {
        ...company,
        tickers: ['AAA'],
        formerNames: ['O'],
        facts: factsFrom(() => null),
      }),
    ).toBe(true);
  });
});
