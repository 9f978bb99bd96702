import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBatchFile } from '../../build/ledger/batch.ts';
import { arrivalKey, rowOfFiling, type Observation } from '../../build/ledger/observation.ts';
import { ciksOf } from '../../build/ledger/parties.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { hasItems } from '../../src/domain/event-types.ts';
import { compareText, foldSymbol } from '../../src/domain/scalars.ts';
import { ledgerFiling } from '../support/arbitraries.ts';
import { useDirectories } from '../support/directories.ts';
import { createdAt, digest, histories } from '../support/histories.ts';
import { foldBatches, type BatchRows, type LedgerModel } from '../support/ledger-model.ts';
import { modelOf } from '../support/log-model.ts';
import { publishedRows, writeHistory } from '../support/published.ts';

const fresh = useDirectories('fold');

// `equality.test.ts` checks that segments have the rows of this fold.
const fold = (batches: readonly BatchRows[]): LedgerModel =>
  foldBatches(structuredClone(batches) as BatchRows[]);

/** Who is named by documents with a CIK and a name: the first spelling, and when it came. */
function personsOf(batches: readonly BatchRows[]): Map<string, object> {
  const persons = new Map<string, object>();
  for (const { contents = [], run } of batches)
    for (const { ownership } of contents.toSorted((a, b) => compareText(a.accessionNo, b.accessionNo))) {
      const said = ownership.ownership;
      for (const { cik, name } of 'owners' in said ? said.owners : 'persons' in said ? said.persons : [])
        if (cik !== null && name !== null && !persons.has(cik))
          persons.set(cik, {
            company: { cik, name, tickers: [], exchange: null, formerNames: [] },
            at: run.createdAt,
          });
    }
  return persons;
}

describe('folding batches', () => {
  it('folding batches gives the same observations as the rules of the specification', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const ledger = fold(batches);
        const { log, newest } = modelOf(batches);
        expect(
          ledger.observations.map(({ filing, sequence, revision, corrected }) => [
            filing.accessionNo,
            sequence,
            revision,
            corrected,
          ]),
        ).toEqual(
          log.map(({ sequence, revision, corrected, filing }) => [
            filing.accessionNo,
            sequence,
            revision,
            corrected ?? [],
          ]),
        );
        expect([...ledger.newest].map(([accessionNo, { sequence }]) => [accessionNo, sequence])).toEqual(
          [...newest].map(([accessionNo, { sequence }]) => [accessionNo, sequence]),
        );
        expect(ledger.batches.at(-1)?.lastSequence).toBe(log.length);
        expect(ledger.latestRun).toEqual(batches.at(-1)?.run);
        expect(ledger.batches.map(({ number, sha256, createdAt: at }) => [number, sha256, at])).toEqual(
          batches.map(({ number }) => [number, digest(number), createdAt(number)]),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('folding keeps the last row of each filing, and the time of the first batch that carries the filing', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const ledger = fold(batches);
        for (const filing of ledger.filings) {
          const said = batches.flatMap((batch) =>
            batch.filings
              .filter(({ accessionNo }) => accessionNo === filing.accessionNo)
              .map((row) => ({ row, at: batch.run.createdAt })),
          );
          const { row } = said.at(-1) as (typeof said)[number];
          const newest = ledger.newest.get(filing.accessionNo) as Observation;
          expect([rowOfFiling(newest), filing.ingestedAt]).toEqual([
            { ...row, items: hasItems(row.form) ? row.items : [], filerCiks: row.filerCiks.toSorted() },
            said[0]?.at,
          ]);
        }
        expect(ledger.filings.map(({ accessionNo }) => accessionNo).sort()).toEqual(
          [
            ...new Set(batches.flatMap(({ filings }) => filings.map(({ accessionNo }) => accessionNo))),
          ].sort(),
        );
      }),
    );
  });

  it('folding a batch never changes earlier observations', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const whole = fold(batches).observations;
        for (let length = 1; length < batches.length; length++) {
          const part = fold(batches.slice(0, length));
          expect(whole.slice(0, part.observations.length)).toEqual(part.observations);
          expect(part.batches.at(-1)?.lastSequence).toBe(part.observations.length);
        }
      }),
    );
  });

  it('folding gives every sequence number once, without a gap', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const { observations } = fold(batches);
        expect(observations.map(({ sequence }) => sequence)).toEqual(observations.map((_, at) => at + 1));
      }),
    );
  });

  it('folding does not depend on the order of the rows in a batch', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const reversed = batches.map((batch) => ({ ...batch, filings: batch.filings.toReversed() }));
        expect(fold(reversed)).toEqual(fold(batches));
      }),
    );
  });

  it('folding keeps the last row of each company and every symbol that it had', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        const { companies, symbols } = fold(batches);
        const said = batches.flatMap((batch) =>
          batch.companies.map((company) => ({ company, at: batch.run.createdAt })),
        );
        const persons = personsOf(batches);
        const described = new Set(said.map(({ company }) => company.cik));
        expect([...companies.keys()].filter((cik) => described.has(cik)).sort()).toEqual(
          [...described].sort(),
        );
        for (const [cik, { updatedAt, everTickers, ...company }] of companies) {
          const own = said.filter((each) => each.company.cik === cik);
          if (own.length === 0) {
            expect(persons.get(cik)).toEqual({ company, at: updatedAt });
            continue;
          }
          expect({ company, at: updatedAt }).toEqual(own.at(-1));
          expect(new Set(everTickers)).toEqual(new Set(own.flatMap((each) => each.company.tickers)));
          expect(everTickers.slice(0, company.tickers.length)).toEqual(company.tickers);
        }
        // If several companies of a batch claim a symbol, the company with the greatest CIK gets it.
        const byCik = batches.flatMap(({ companies: described, run }) =>
          described
            .toSorted((a, b) => compareText(a.cik, b.cik))
            .map((company) => ({ company, at: run.createdAt })),
        );
        const last = new Map(
          byCik.flatMap(({ company, at }) =>
            company.tickers.map((ticker) => [foldSymbol(ticker), { cik: company.cik, at }] as const),
          ),
        );
        expect(symbols).toEqual(last);
      }),
    );
  });
});

describe('a batch', () => {
  const batch = (number: number, filings: readonly LedgerFiling[]): BatchRows => ({
    number,
    sha256: digest(number),
    run: { target: '', status: 'success', message: null, createdAt: createdAt(number) },
    filings,
    companies: [],
  });
  const one = fc.sample(ledgerFiling(), { numRuns: 1, seed: 1 })[0] as LedgerFiling;

  it('folding takes a batch without rows', async () => {
    expect(fold([batch(1, [])])).toMatchObject({ filings: [], batches: [{ lastSequence: 0 }] });
    const { batches, ...others } = await publishedRows(fresh(), [batch(1, [])]);
    expect(batches.map(({ json }) => JSON.parse(json) as unknown)).toMatchObject([
      { number: 1, lastSequence: 0, changes: 0, refused: 0 },
    ]);
    expect(Object.values(others).flat()).toEqual([]);
  });
  it('a batch that carries a new filing twice is refused', () =>
    expect(publishedRows(fresh(), [batch(1, [one, { ...one }])])).rejects.toThrow(
      `batch 1 carries ${one.accessionNo} twice`,
    ));
  it('a batch that carries a known filing twice is refused', () =>
    expect(
      publishedRows(fresh(), [batch(1, [one]), batch(2, [one, { ...one, form: '10-K' }])]),
    ).rejects.toThrow(`batch 2 carries ${one.accessionNo} twice`));
  it('a batch has the same bytes for every order of its filings', () =>
    fc.assert(
      fc.asyncProperty(histories, async (batches) => {
        const [upwards, downwards] = [fresh(), fresh()];
        await writeHistory(upwards, batches);
        await writeHistory(
          downwards,
          batches.map((each) => ({ ...each, filings: each.filings.toReversed() })),
        );
        expect((await readBatchFile(downwards, batches.length)).sha256).toBe(
          (await readBatchFile(upwards, batches.length)).sha256,
        );
      }),
      { numRuns: 20 },
    ));
});

describe('the order of arrival', () => {
  it('filings of a batch are ordered by filing date, acceptance, accession number', () => {
    const row = (filedAt: string, acceptedEastern: string | null, accessionNo: string) =>
      ({ filedAt, acceptedEastern, accessionNo }) as LedgerFiling;
    const ordered = [
      row('2026-01-01', '20260101235959', 'z'),
      row('2026-01-02', null, 'a'),
      row('2026-01-02', null, 'b'),
      row('2026-01-02', '20260101180000', 'b'),
      row('2026-01-02', '20260102060000', 'a'),
      row('2026-01-02', '20260102060000', 'b'),
    ];
    expect(ordered.toReversed().sort((a, b) => compareText(arrivalKey(a), arrivalKey(b)))).toEqual(ordered);
  });
  it('ciksOf names every company of a filing, the subject first', () => {
    expect(ciksOf({ subjectCik: '0000000002', filerCiks: ['0000000001'] })).toEqual([
      '0000000002',
      '0000000001',
    ]);
    expect(ciksOf({ subjectCik: null, filerCiks: ['0000000001'] })).toEqual(['0000000001']);
  });
});
