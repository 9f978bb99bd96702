import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ciksOf, compareArrival, createFold, type BatchRows, type Ledger } from '../build/ledger/fold.ts';
import type { LedgerFiling } from '../build/ledger/rows.ts';
import { foldSymbol } from '../src/contract/shapes.ts';
import { ledgerCompany, ledgerFiling } from './support/arbitraries.ts';

const createdAt = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const digest = (number: number) => String(number).padStart(64, '0');

/** Batches over a few accession numbers, so that they meet again. */
const someAccession = fc.integer({ min: 1, max: 8 }).map((number) => `0000000001-26-${String(number).padStart(6, '0')}`);
const histories = fc
  .array(fc.record({ filings: fc.uniqueArray(ledgerFiling(someAccession), { selector: ({ accessionNo }) => accessionNo, maxLength: 6 }), companies: fc.uniqueArray(ledgerCompany(), { selector: ({ cik }) => cik, maxLength: 4 }) }), { minLength: 1, maxLength: 5 })
  .map((list) => list.map(({ filings, companies }, at): BatchRows => ({ number: at + 1, sha256: digest(at + 1), run: { target: `run ${at + 1}`, status: 'success', message: null, createdAt: createdAt(at + 1) }, filings, companies })));

function fold(batches: readonly BatchRows[]): Ledger {
  const folding = createFold(foldSymbol);
  for (const batch of structuredClone(batches) as BatchRows[]) folding.add(batch);
  return folding.result() as Ledger;
}

/** The rule of the format's specification, written as plainly as it is said there. */
function model(batches: readonly BatchRows[]) {
  const filings = new Map<string, LedgerFiling & { sequence: number; ingestedAt: string; later: Record<string, number> }>();
  let last = 0;
  for (const { filings: rows, run } of batches) {
    const fresh = rows.filter(({ accessionNo }) => !filings.has(accessionNo));
    const known = rows.filter(({ accessionNo }) => filings.has(accessionNo));
    const sortKey = ({ filedAt, acceptedAt, accessionNo }: LedgerFiling) => `${filedAt} ${acceptedAt ?? ''.padEnd(14)} ${accessionNo}`;
    for (const row of fresh.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))) filings.set(row.accessionNo, { ...row, sequence: ++last, ingestedAt: run.createdAt, later: {} });
    for (const row of known.toSorted((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1))) {
      const before = filings.get(row.accessionNo) as LedgerFiling & { sequence: number; ingestedAt: string; later: Record<string, number> };
      const names = [row.subjectCik ?? [], row.filerCiks].flat().sort();
      const later = { ...before.later };
      for (const cik of names) if (before.subjectCik !== cik && !before.filerCiks.includes(cik)) later[cik] = ++last;
      filings.set(row.accessionNo, { ...before, ...row, later });
    }
  }
  return { filings: [...filings.values()].sort((a, b) => a.sequence - b.sequence), last };
}
const flatten = ({ filings }: Ledger) => filings.map(({ laterSequences, ...filing }) => ({ ...filing, later: Object.fromEntries(laterSequences ?? []) }));

describe('folding batches', () => {
  it('comes to what the specification says', () => {
    fc.assert(fc.property(histories, (batches) => {
      const ledger = fold(batches);
      const expected = model(batches);
      expect(flatten(ledger)).toEqual(expected.filings);
      expect(ledger.batches.at(-1)?.lastSequence).toBe(expected.last);
      expect(ledger).toMatchObject({ id: digest(1), latestRun: batches.at(-1)?.run });
      expect(ledger.batches.map(({ number, sha256, createdAt: at }) => [number, sha256, at])).toEqual(batches.map(({ number }) => [number, digest(number), createdAt(number)]));
    }), { numRuns: 300 });
  });

  it('never moves what was there before a batch', () => {
    fc.assert(fc.property(histories, (batches) => {
      const whole = flatten(fold(batches));
      for (let length = 1; length < batches.length; length++) {
        const part = fold(batches.slice(0, length));
        const places = flatten(part).map(({ accessionNo, sequence, ingestedAt }) => ({ accessionNo, sequence, ingestedAt }));
        expect(whole.slice(0, places.length).map(({ accessionNo, sequence, ingestedAt }) => ({ accessionNo, sequence, ingestedAt }))).toEqual(places);
        for (const { sequence } of whole.slice(places.length)) expect(sequence).toBeGreaterThan(part.batches.at(-1)?.lastSequence ?? 0);
      }
    }));
  });

  it('gives every place once, and the last batch knows the last one', () => {
    fc.assert(fc.property(histories, (batches) => {
      const ledger = fold(batches);
      const places = flatten(ledger).flatMap(({ sequence, later }) => [sequence, ...Object.values(later)]).sort((a, b) => a - b);
      expect(new Set(places).size).toBe(places.length);
      expect(places.at(-1) ?? 0).toBeLessThanOrEqual(ledger.batches.at(-1)?.lastSequence ?? 0);
      expect(ledger.filings.map(({ sequence }) => sequence)).toEqual(ledger.filings.map(({ sequence }) => sequence).sort((a, b) => a - b));
    }));
  });

  it('does not depend on the order of the rows in a batch', () => {
    fc.assert(fc.property(histories, (batches) => {
      const reversed = batches.map((batch) => ({ ...batch, filings: batch.filings.toReversed() }));
      expect(flatten(fold(reversed))).toEqual(flatten(fold(batches)));
    }));
  });

  it('keeps of a company what the last batch said, when, every symbol it ever had, and to whom each went last', () => {
    fc.assert(fc.property(histories, (batches) => {
      const { companies, symbols } = fold(batches);
      const said = batches.flatMap((batch) => batch.companies.map((company) => ({ company, at: batch.run.createdAt })));
      expect([...companies.keys()].sort()).toEqual([...new Set(said.map(({ company }) => company.cik))].sort());
      for (const [cik, { updatedAt, everTickers, ...company }] of companies) {
        const own = said.filter((each) => each.company.cik === cik);
        expect({ company, at: updatedAt }).toEqual(own.at(-1));
        expect(new Set(everTickers)).toEqual(new Set(own.flatMap((each) => each.company.tickers)));
        expect(everTickers.slice(0, company.tickers.length)).toEqual(company.tickers);
      }
      const last = new Map(said.flatMap(({ company }) => company.tickers.map((ticker) => [foldSymbol(ticker), company.cik] as const)));
      expect(symbols).toEqual(last);
    }));
  });
});

describe('a fold', () => {
  const batch = (number: number, filings: readonly LedgerFiling[]): BatchRows => ({ number, sha256: digest(number), run: { target: '', status: 'success', message: null, createdAt: createdAt(number) }, filings, companies: [] });
  const one = fc.sample(ledgerFiling(), { numRuns: 1, seed: 1 })[0] as LedgerFiling;

  it('of nothing is nothing', () => expect(createFold(foldSymbol).result()).toBeNull());
  it('of a batch without rows is a ledger', () => expect(fold([batch(1, [])])).toMatchObject({ filings: [], batches: [{ lastSequence: 0 }] }));
  it('refuses a new filing twice in a batch', () => expect(() => fold([batch(1, [one, { ...one }])])).toThrow(`batch 1 carries ${one.accessionNo} twice`));
  it('refuses a known filing twice in a batch', () => expect(() => fold([batch(1, [one]), batch(2, [one, { ...one, form: '10-K' }])])).toThrow(`batch 2 carries ${one.accessionNo} twice`));
});

describe('the order of arrival', () => {
  it('is by filing date, acceptance, accession number; an unknown acceptance is first', () => {
    const row = (filedAt: string, acceptedAt: string | null, accessionNo: string) => ({ filedAt, acceptedAt, accessionNo }) as LedgerFiling;
    const ordered = [row('2026-01-01', '20260101235959', 'z'), row('2026-01-02', null, 'a'), row('2026-01-02', null, 'b'), row('2026-01-02', '20260101180000', 'b'), row('2026-01-02', '20260102060000', 'a'), row('2026-01-02', '20260102060000', 'b')];
    expect(ordered.toReversed().sort(compareArrival)).toEqual(ordered);
  });
  it('names every company of a filing', () => {
    expect(ciksOf({ subjectCik: '0000000002', filerCiks: ['0000000001'] })).toEqual(['0000000002', '0000000001']);
    expect(ciksOf({ subjectCik: null, filerCiks: ['0000000001'] })).toEqual(['0000000001']);
  });
});
