import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalKey } from '../../build/ledger/observation.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { compareText } from '../../src/domain/scalars.ts';
import { ledgerFiling } from '../support/arbitraries.ts';
import { useDirectories } from '../support/directories.ts';
import { createdAt, digest } from '../support/histories.ts';
import type { BatchRows } from '../support/ledger-model.ts';
import { publishedRows } from '../support/published.ts';

const fresh = useDirectories('fold');

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
});
