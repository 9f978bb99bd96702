import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accessionNoOf, heldSummary, sequenceOf, summaryRowOf } from '../../build/fold/summary-row.ts';
import { summarize } from '../../build/fold/summary.ts';
import { linksOf } from '../../build/ledger/document-addresses.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { firstObservation } from '../../build/ledger/observation.ts';
import type { Filing } from '../../src/contract/records.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { filled } from '../../src/rows/placeholders.ts';
import { ledgerFiling } from '../support/arbitraries.ts';
import { filing as filingOf } from '../support/made-up.ts';

interface Made {
  readonly filing: Filing;
  readonly row: string;
}

/** The row of a filing of a company with any name and symbol. */
function made(row: LedgerFiling, name: string, ticker: string | null): Made {
  const companyOf = () => ({ name, tickers: ticker === null ? [] : [ticker], exchange: null });
  const observation = firstObservation(row, companyOf, '2026-03-01T12:00:00.000Z', 7);
  const held = heldSummary(observation, true);
  expect(heldSummary(observation, false)).toBe(held);
  expect([accessionNoOf(held), sequenceOf(held)]).toEqual([row.accessionNo, 7]);
  return { filing: observation.filing, row: summaryRowOf(held) };
}

function withValues({ filing, row }: Made): unknown {
  const bytes = Buffer.from(JSON.stringify(filing));
  return JSON.parse(filled(row, { bytes, from: 0, to: bytes.length }));
}

const texts = (...values: string[]) => fc.constantFrom(...values);
const names = texts(
  '',
  'Plain Co',
  ' A  B ',
  'A\u00a0B',
  'Élan "Q" \\',
  '{ticker}',
  '{}',
  'A { B',
  '{"a":1}',
  '\t{x}\n',
);
const documents = texts(
  'a.htm',
  'xslF345X05/a.xml',
  'XSL/a b.XML',
  'xsl/{}.xml',
  'xsl/a/b.xml',
  'xsl//a.xml',
  '0001.txt',
  '../a',
  '{cik}',
);
const filings = fc
  .tuple(
    ledgerFiling(),
    texts('4', '8-K', 'DEF 14A', '10-K/A', '{form}', '5/A'),
    fc.option(documents, { nil: null }),
    texts('9999999997-25-000001', '0000320193-25-000001'),
    texts('1999-01-01', '2009-12-31', '2010-01-01', '2026-01-01'),
  )
  .map(([row, form, primaryDocument, accessionNo, filedAt]) => ({
    ...row,
    form,
    primaryDocument,
    accessionNo,
    filedAt,
  }));

describe('the row of a summary', () => {
  it('gives the sentences and addresses of its filing, whatever texts that has', { tags: ['slow'] }, () =>
    fc.assert(
      fc.property(filings, names, fc.option(texts('AAPL', '{cik}', '"')), (row, name, ticker) => {
        const one = made(row, name, ticker);
        expect(withValues(one)).toMatchObject({
          summary: summarize(one.filing),
          links: linksOf(one.filing),
        });
      }),
      { numRuns: 3000 },
    ),
  );

  it('is the same behind the sequence for filings of one kind', () => {
    const members = { form: '4', primaryDocument: 'xslF345X05/a.xml', reportDate: '2026-01-02' };
    const rows = [
      made(filingOf(1, members), 'One Inc', 'ONE'),
      made(filingOf(2, { ...members, primaryDocument: 'xslF345X06/b.xml' }), 'Two {} & Co', 'TWO'),
    ];
    expect(rows[0]?.row).toBe(rows[1]?.row);
    expect(rows[0]?.row).not.toContain('2026');
  });

  it('cannot be served with a placeholder that is not known, or without a text for it', () => {
    const filing = Buffer.from('{"ticker":null,"companyName":"A"}');
    const extent = { bytes: filing, from: 0, to: filing.length };
    expect(filled('"{companyName} {}"', extent)).toBe('"A {"');
    for (const name of ['ticker', 'cik', 'toString', 'folder'])
      expect(() => filled(`"{${name}}"`, extent)).toThrow(CorruptSnapshot);
  });
});
