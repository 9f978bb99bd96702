import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFold, type BatchRows, type Ledger } from '../build/ledger/fold.ts';
import { compareArrival } from '../build/ledger/observation.ts';
import { ciksOf } from '../build/ledger/parties.ts';
import type { LedgerFiling } from '../build/ledger/rows.ts';
import { foldSymbol } from '../src/contract/shapes.ts';
import { ledgerFiling } from './support/arbitraries.ts';
import { createdAt, digest, histories } from './support/histories.ts';
import { modelOf } from './support/log-model.ts';

function fold(batches: readonly BatchRows[]): Ledger {
  const folding = createFold(foldSymbol);
  for (const batch of structuredClone(batches) as BatchRows[]) folding.add(batch);
  return folding.result() as Ledger;
}

describe('folding batches', () => {
  it('comes to what the specification says', () => {
    fc.assert(fc.property(histories, (batches) => {
      const ledger = fold(batches);
      const { log, newest } = modelOf(batches);
      expect(ledger.observations.map(({ accessionNo, sequence, revision, corrected }) => [accessionNo, sequence, revision, corrected])).toEqual(log.map(({ sequence, revision, corrected, filing }) => [filing.accessionNo, sequence, revision, corrected ?? []]));
      expect(ledger.filings.map(({ accessionNo, sequence }) => [accessionNo, sequence])).toEqual([...newest].map(([accessionNo, { sequence }]) => [accessionNo, sequence]));
      expect(ledger.batches.at(-1)?.lastSequence).toBe(log.length);
      expect(ledger).toMatchObject({ id: digest(1), latestRun: batches.at(-1)?.run });
      expect(ledger.batches.map(({ number, sha256, createdAt: at }) => [number, sha256, at])).toEqual(batches.map(({ number }) => [number, digest(number), createdAt(number)]));
    }), { numRuns: 300 });
  });

  it('keeps of each filing what the last batch said, and when the first one did', () => {
    fc.assert(fc.property(histories, (batches) => {
      const ledger = fold(batches);
      for (const filing of ledger.filings) {
        const said = batches.flatMap((batch) => batch.filings.filter(({ accessionNo }) => accessionNo === filing.accessionNo).map((row) => ({ row, at: batch.run.createdAt })));
        expect(filing).toMatchObject({ ...(said.at(-1) as (typeof said)[number]).row, ingestedAt: said[0]?.at });
      }
      expect(ledger.filings.map(({ accessionNo }) => accessionNo).sort()).toEqual([...new Set(batches.flatMap(({ filings }) => filings.map(({ accessionNo }) => accessionNo)))].sort());
    }));
  });

  it('never changes what was observed before a batch', () => {
    fc.assert(fc.property(histories, (batches) => {
      const whole = fold(batches).observations;
      for (let length = 1; length < batches.length; length++) {
        const part = fold(batches.slice(0, length));
        expect(whole.slice(0, part.observations.length)).toEqual(part.observations);
        expect(part.batches.at(-1)?.lastSequence).toBe(part.observations.length);
      }
    }));
  });

  it('gives every place once, without a gap', () => {
    fc.assert(fc.property(histories, (batches) => {
      const { observations } = fold(batches);
      expect(observations.map(({ sequence }) => sequence)).toEqual(observations.map((_, at) => at + 1));
    }));
  });

  it('does not depend on the order of the rows in a batch', () => {
    fc.assert(fc.property(histories, (batches) => {
      const reversed = batches.map((batch) => ({ ...batch, filings: batch.filings.toReversed() }));
      expect(fold(reversed)).toEqual(fold(batches));
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
