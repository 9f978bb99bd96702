import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { FilterName } from '../../src/contract/filing-filters.ts';
import { contents, form4, transaction } from './contents.ts';
import { createRandom } from './generate.ts';
import type { BatchRows } from './ledger-model.ts';
import { bareFiling, cikOf, company, filing, madeUp, operatingFacts, type MadeUpBatch } from './ledgers.ts';

/** Values of every filter of filings: of `manyKinds` each finds some, and not all. */
export const filterValues: Readonly<Record<FilterName, readonly string[]>> = {
  form: ['4', '8-K', '10-K', '8-K/A', '4/A', '5', '3'],
  eventType: ['current_report', 'insider_transaction', 'annual_report', 'insider_annual_statement'],
  items: ['2.02', '9.01', '1.01'],
  transactionCode: ['P', 'S', 'M', 'F'],
  minValue: ['10000', '1000000', '0', '8000', '75000.01', '100000', '1999999999'],
  sic: ['6022', '3571', '7011'],
  exchange: ['NASDAQ', 'CBOE', 'NYSE'],
  listed: ['true', 'false'],
  // Some of them are in the hour that clocks show twice.
  acceptedSince: ['2025-11-02T06:30:00Z', '2026-01-01T05:00:01Z', '2025-11-02T05:30:00Z'],
  acceptedUntil: ['2026-01-01T05:00:01Z', '2026-01-02T12:00:00Z', '2025-11-02T06:30:00Z'],
  exhibit: ['EX-99.1', 'EX-10.1', 'EX-99.4(A)', 'EX-5'],
};

/** The first and the last day of its filings, and days between. */
export const filedDays = ['1999-12-31', '2026-01-01', '2026-01-02', '2026-02-28'] as const;
/** On, before, long before and after these days, and on both sides of a change of clocks. */
const stamps = [
  '20260101000000',
  '20260101000001',
  '20260102163000',
  '19991231180000',
  '20251102013000',
  null,
];
/** Of the forms that have transactions there are more. */
const forms = [...filterValues.form, 'X.1&(2)', '4', '4', '4/A', '5'];

/** Company `number` in a batch: the second one says something else of each. */
function companyIn(batch: number, number: number): LedgerCompany {
  const kind = (number + batch) % 3;
  return company(number, kind === 0 ? null : `T${number}`, {
    exchange: [null, 'Nasdaq', 'CBOE'][kind] as string | null,
    facts: { ...operatingFacts, sic: ['7011', '6022', '3571'][kind] as string },
  });
}

/**
 * A ledger whose filings go through the values of every filter independently. Later batches correct some of them: form,
 * items, companies, day, transactions, exhibits. More filings have transactions than one request for these looks at.
 */
export function manyKinds(): BatchRows[] {
  const batches = madeUp(...[640, 100, 16, 3].map((count, batch) => filingsOfBatch(batch, count)));
  return batches.map((each, batch) => ({ ...each, contents: contentsOf(batch, each.filings) }));
}

/** Filings of a batch, each once; those of the first one are new. */
function filingsOfBatch(batch: number, count: number): MadeUpBatch {
  const { random, oneOf, someOf } = choices(batch);
  const filings = Array.from({ length: count }, (_, at): LedgerFiling => {
    const [subject, ...others] = [oneOf([1, 2, 3]), ...someOf([4, 5, 6])].map(cikOf) as [string, ...string[]];
    const number = batch === 0 ? at + 1 : 1 + Math.floor(random() * 660);
    const form = number === 7 ? '4' : oneOf(forms);
    const isAbout = /^[345]/.test(form);
    return filing(number, {
      form,
      items: someOf(filterValues.items),
      filedAt: oneOf(filedDays),
      acceptedEastern: oneOf(stamps),
      // Long rows: each list has many blocks.
      primaryDocDescription: 'x'.repeat((at % 7) * 300),
      subjectCik: isAbout ? subject : null,
      filerCiks: isAbout ? others : [subject, ...others].sort(),
    });
  });
  return {
    filings: [...new Map(filings.map((row) => [row.accessionNo, row])).values()],
    companies: batch < 2 ? [1, 2, 3, 4, 5, 6].map((number) => companyIn(batch, number)) : [],
  };
}

/** The filing in the middle of which a page of transactions ends. */
export const longReport = bareFiling(7).accessionNo;

/** What the documents of most of these filings say: of Forms 3 to 5 transactions, of others exhibits. */
function contentsOf(batch: number, filings: readonly LedgerFiling[]): LedgerContents[] {
  const { random, oneOf, someOf } = choices(batch + 100);
  const report = (codes: readonly (string | null)[]) => {
    const transactions = codes.map((code, at) =>
      transaction(at + 1, {
        code,
        value: oneOf([null, 0, 9000, 75_000, 100_000, 3e6, 2e9]),
        direction: oneOf(['disposed', 'acquired', null]),
        isDerivative: random() < 0.3,
      }),
    );
    const document = form4(oneOf([[4], [5], [4, 6]]), transactions);
    const owners = document.ownership.owners.map((owner) => ({
      ...owner,
      isDirector: random() < 0.5,
      isOfficer: random() < 0.3,
      isTenPercentOwner: random() < 0.15,
      isOther: random() < 0.1,
    }));
    return {
      ...document,
      ownership: { ...document.ownership, owners, isPlanned: oneOf([true, false, null]) },
    };
  };
  return filings.flatMap(({ accessionNo, form }): LedgerContents[] => {
    const codes = someOf(['P', 'S', 'M', 'F', null]);
    const types = ['main', ...someOf(['EX-99.1', 'ex-10.1', 'EX-99.4(A)', 'EX-5', 'LETTER "x"'])];
    if (accessionNo === longReport) return [contents(accessionNo, report(Array(130).fill('S')))];
    if (random() > 0.85) return [];
    if (/^[345]/.test(form)) return [contents(accessionNo, report(codes))];
    const documents = types.map((type, at) => ({
      sequence: at + 1,
      type,
      description: null,
      name: `${at}.htm`,
      size: null,
    }));
    return [{ accessionNo, documents }];
  });
}

/** What is chosen for a batch, as by chance. */
function choices(seed: number) {
  const random = createRandom(seed + 1);
  return {
    random,
    oneOf: <Value>(list: readonly Value[]) => list[Math.floor(random() * list.length)] as Value,
    someOf: <Value>(list: readonly Value[]) => list.filter(() => random() < 0.4),
  };
}
