import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeTexts, filingOf, formAndTimeOf, type Observed } from '../../build/fold/compact-observation.ts';
import { expandRow } from '../../build/fold/expand-lines.ts';
import { partitionOfHeld, heldSummary, sequenceOf, summaryRowOf } from '../../build/fold/summary-row.ts';
import { summarize } from '../../build/fold/summary.ts';
import { linksOf } from '../../build/ledger/document-addresses.ts';
import { firstObservation, nextObservation } from '../../build/ledger/observation.ts';
import { itemTitle } from '../../src/domain/items.ts';
import type { Filing } from '../../src/contract/records.ts';
import { accessionNoOf } from '../../src/format/filing-partition.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import type { Extent } from '../../src/rows/members.ts';
import { filled } from '../../src/rows/placeholders.ts';
import { hostileText, ledgerFiling } from '../support/arbitraries.ts';
import { filing } from '../support/made-up.ts';

const ledgerFilings = ledgerFiling();
const texts = (...values: string[]) => fc.constantFrom(...values);
/** Filings, many of them with texts that look like placeholders, and with documents, numbers and days that decide addresses. */
const odd = fc
  .tuple(
    ledgerFilings,
    texts('4', '8-K', 'DEF 14A', '10-K/A', '{form}', '5/A'),
    fc.option(
      texts(
        'a.htm',
        'xslF345X05/a.xml',
        'XSL/a b.XML',
        'xsl/{}.xml',
        'xsl/a/b.xml',
        'xsl//a.xml',
        '0001.txt',
        '../a',
        '{cik}',
      ),
    ),
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
const rows = fc.oneof(ledgerFilings, odd);
const names = fc.oneof(
  hostileText,
  texts('', 'Plain Co', ' A  B ', 'A\u00a0B', 'Élan "Q" \\', '{ticker}', '{}', 'A { B', '{"a":1}', '\t{x}\n'),
);
const observedAt = '2026-03-01T12:00:00.000Z';
const laterAt = '2026-03-02T12:00:00.000Z';

/** Observations by the rules, of companies with any names: a first one, and the correction of another row to it. */
const observations = fc
  .tuple(rows, rows, names, fc.boolean(), fc.boolean())
  .map(([row, other, name, isKnown, isCorrected]): Observed => {
    const companyOf = () =>
      isKnown ? { name, tickers: [name], exchange: name, facts: { sic: name } } : undefined;
    const first = firstObservation(row, companyOf, observedAt, 7);
    if (!isCorrected) return first;
    const later = { ...other, accessionNo: row.accessionNo };
    return nextObservation({ filing: first.filing, revision: 1 }, later, companyOf, laterAt, 123_456_789);
  });
/** Members that older rules may have given other values. */
const former: fc.Arbitrary<Partial<Filing>> = fc.record(
  {
    eventType: hostileText,
    detailUrl: fc.option(hostileText),
    documentUrl: fc.option(hostileText),
    acceptedAt: fc.constantFrom(null, '2026-01-01T00:00:00-05:00'),
    ingestedAt: fc.constantFrom(null, laterAt),
    parties: fc.constantFrom([{ cik: '0000000001', name: null, role: null }], []),
  },
  { requiredKeys: [] },
);

const jsonOf = ({ sequence, changeType, observedAt: at, revision, corrected, cause, filing }: Observed) =>
  JSON.stringify({
    sequence,
    changeType,
    observedAt: at,
    revision,
    ...(revision === 1 ? {} : { corrected, cause }),
    filing,
  });

/** The JSON of a filing, as a change has it. */
function filingBytes({ filing }: Observed): Extent {
  const bytes = Buffer.from(JSON.stringify(filing));
  return { bytes, from: 0, to: bytes.length };
}

/** The row of a summary with the values of its placeholders, as `JSON.stringify` writes it. */
const summaryOf = ({ sequence, filing }: Observed) =>
  JSON.stringify({
    sequence,
    summary: summarize(filing),
    itemTitles: filing.items.map((code) => itemTitle(code) ?? null),
    links: linksOf(filing),
    notInvestmentAdvice: true,
  });

function expectRows(observed: Observed): void {
  const { change, compact } = changeTexts(observed);
  expect(change).toBe(jsonOf(observed));
  expect(compact).not.toContain('\n');
  expect(expandRow('company-changes', compact).row).toBe(change);
  const held = heldSummary(observed, false);
  expect([accessionNoOf(partitionOfHeld(held)), sequenceOf(held)]).toEqual([
    observed.filing.accessionNo,
    observed.sequence,
  ]);
  expect(filled(expandRow('summaries', held).row, filingBytes(observed))).toBe(summaryOf(observed));
  expect(filingOf(compact)).toEqual(observed.filing);
  expect(formAndTimeOf(compact)).toEqual({ form: observed.filing.form, observedAt: observed.observedAt });
}

describe('a compact observation', () => {
  it('gives the rows that JSON.stringify writes, whatever texts the filing has', { tags: ['slow'] }, () =>
    fc.assert(
      fc.property(observations, (observed) => {
        expectRows(observed);
        expect(changeTexts(observed, true)).toEqual(changeTexts(observed));
        expect(heldSummary(observed, true)).toBe(heldSummary(observed, false));
      }),
      { numRuns: 500 },
    ),
  );

  it('keeps values that older rules gave', { tags: ['slow'] }, () =>
    fc.assert(
      fc.property(observations, former, (observed, values) =>
        expectRows({ ...observed, filing: { ...observed.filing, ...values } }),
      ),
      { numRuns: 300 },
    ),
  );

  it('keeps members that it does not know', () =>
    fc.assert(
      fc.property(observations, hostileText, (observed, text) =>
        expectRows({ ...observed, filing: { ...observed.filing, added: text } as Filing }),
      ),
      { numRuns: 200 },
    ));

  it('is shorter than half of the change, where the rules give its values', () => {
    const companyOf = () => ({ name: 'Company', tickers: [], exchange: null });
    for (const row of fc.sample(ledgerFilings, { seed: 1, numRuns: 200 })) {
      const named = { ...row, primaryDocument: 'a.htm', primaryDocDescription: null };
      const { change, compact } = changeTexts(firstObservation(named, companyOf, observedAt, 1));
      expect(compact.length).toBeLessThan(change.length / 2);
    }
  });
});

describe('the row of a summary', () => {
  it('is the same behind the sequence for filings of one kind', () => {
    const summaryRow = (number: number, primaryDocument: string, name: string, ticker: string) => {
      const row = filing(number, { form: '4', reportDate: '2026-01-02', primaryDocument });
      const companyOf = () => ({ name, tickers: [ticker], exchange: null });
      return summaryRowOf(heldSummary(firstObservation(row, companyOf, observedAt, 7), true));
    };
    const row = summaryRow(1, 'xslF345X05/a.xml', 'One Inc', 'ONE');
    expect(row).toBe(summaryRow(2, 'xslF345X06/b.xml', 'Two {} & Co', 'TWO'));
    expect(row).not.toContain('2026');
  });

  it('cannot be served with a placeholder that is not known, or without a text for it', () => {
    const bytes = Buffer.from('{"ticker":null,"companyName":"A"}');
    const extent = { bytes, from: 0, to: bytes.length };
    expect(filled('"{companyName} {}"', extent)).toBe('"A {"');
    for (const name of ['ticker', 'cik', 'toString', 'folder'])
      expect(() => filled(`"{${name}}"`, extent)).toThrow(CorruptSnapshot);
  });
});
