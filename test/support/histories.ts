import fc from 'fast-check';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { successors } from '../../src/domain/successors.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import { ledgerCompany, ledgerFiling } from './arbitraries.ts';
import { contents, form4, schedule13, transaction } from './contents.ts';
import type { BatchRows } from './ledger-model.ts';

/** When batch `number` of a history was recorded. */
export const createdAt = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
/** The digest of batch `number` of a history. */
export const digest = (number: number) => String(number).padStart(64, '0');

const [{ predecessorCik, successorCik }] = successors as [(typeof successors)[number]];

/** Two companies of the small world are a predecessor and its successor. */
const related: Readonly<Record<string, string>> = {
  '0000000005': predecessorCik,
  '0000000006': successorCik,
};
const rename = (cik: string) => related[cik] ?? cik;

/** What a later batch may say of a filing that is known; of one that is not known it says a whole row. */
const changes = {
  nothing: (before: LedgerFiling) => before,
  acceptance: (before: LedgerFiling, row: LedgerFiling) => ({
    ...before,
    acceptedEastern: row.acceptedEastern,
  }),
  form: (before: LedgerFiling, row: LedgerFiling) => ({ ...before, form: row.form }),
  'another company': (before: LedgerFiling, row: LedgerFiling) => ({
    ...before,
    filerCiks: [...new Set([...before.filerCiks, ...row.filerCiks])]
      .filter((cik) => cik !== before.subjectCik)
      .sort(),
  }),
  'other companies': (before: LedgerFiling, row: LedgerFiling) => ({
    ...before,
    subjectCik: row.subjectCik,
    filerCiks: row.filerCiks,
  }),
  everything: (_: LedgerFiling, row: LedgerFiling) => row,
} as const;

const accessions = (greatest: number) =>
  fc
    .integer({ min: 1, max: greatest })
    .map((number) => `${String(number % 3).padStart(10, '0')}-26-${String(number).padStart(6, '0')}`);

type Kind = keyof typeof changes;
const kinds = fc.constantFrom(...(Object.keys(changes) as Kind[]));
const companiesOfBatch = fc.uniqueArray(ledgerCompany(), { selector: ({ cik }) => cik, maxLength: 4 });

const documentsOfFiling = fc.array(
  fc.record({
    sequence: fc.option(fc.nat(20)),
    type: fc.constantFrom(
      '8-K',
      'EX-99.1',
      'EX-99',
      'ex-99.01',
      'EX-101.SCH',
      'GRAPHIC',
      'EX-5 "{folder}"',
      '',
    ),
    description: fc.option(fc.constantFrom('PRESS RELEASE', 'Óther "text"')),
    name: fc.option(fc.constantFrom('a.htm', 'ex99-1.htm', 'g.jpg')),
    size: fc.option(fc.nat()),
  }),
  { minLength: 1, maxLength: 4 },
);

/** What documents say of some filings, which the ledger may have or not: often of two owners, and often again. */
const contentsOf = (greatest: number): fc.Arbitrary<LedgerContents[]> =>
  fc.uniqueArray(
    fc
      .record({
        accessionNo: accessions(greatest),
        source: fc.constantFrom('document' as const, 'data_set' as const),
        owners: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 2 }),
        named: fc.constantFrom('Owner', 'Óther "Owner"', null),
        remarks: fc.constantFrom(null, 'Remarks'),
        isSchedule: fc.boolean(),
        documents: fc.option(documentsOfFiling),
        isRead: fc.boolean(),
      })
      .map(({ accessionNo, source, owners, named, remarks, isSchedule, documents, isRead }) => {
        const read = isSchedule ? schedule13(owners, named) : form4(owners, [transaction(1)], remarks, named);
        return {
          ...(isRead || !documents ? contents(accessionNo, read, source) : { accessionNo }),
          ...(documents ? { documents } : {}),
        };
      }),
    { selector: ({ accessionNo }) => accessionNo, maxLength: 3 },
  );
const contentsOfBatch = contentsOf(8);

interface Said {
  readonly row: LedgerFiling;
  readonly change: Kind;
}

const saidOf = (
  row: fc.Arbitrary<LedgerFiling>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<Said[]> =>
  fc.uniqueArray(fc.record({ row, change: kinds }), {
    selector: (said) => said.row.accessionNo,
    minLength,
    maxLength,
  });

/** Batches of what is said and of companies as a ledger has them. */
function toHistory(
  batches: readonly (Pick<BatchRows, 'companies' | 'contents'> & { readonly filings: readonly Said[] })[],
): BatchRows[] {
  const known = new Map<string, LedgerFiling>();
  return batches.map(({ filings, companies, contents = [] }, at) => {
    const rows = filings.map(({ row, change }) => {
      const fresh = {
        ...row,
        subjectCik: row.subjectCik === null ? null : rename(row.subjectCik),
        filerCiks: row.filerCiks.map(rename).sort(),
      };
      const before = known.get(row.accessionNo);
      const after = before ? changes[change](before, fresh) : fresh;
      known.set(row.accessionNo, after);
      return { ...after };
    });
    const run = { target: `run ${at + 1}`, status: 'success', message: null, createdAt: createdAt(at + 1) };
    return {
      number: at + 1,
      sha256: digest(at + 1),
      run,
      filings: rows,
      companies: companies.map((company) => ({ ...company, cik: rename(company.cik) })),
      contents,
    };
  });
}

/**
 * Ledgers of a few batches over a few filings and companies, so that they meet again: new filings,
 * corrections of every kind, rows that say nothing new, companies that are renamed or described late, and
 * symbols that change hands.
 */
export const histories = fc
  .array(
    fc.record({
      filings: saidOf(ledgerFiling(accessions(8)), 0, 6),
      companies: companiesOfBatch,
      contents: contentsOfBatch,
    }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map(toHistory);

/** Filings of few days and times, so that their order is decided by what comes after these. */
const meeting = fc
  .tuple(
    ledgerFiling(
      fc.oneof({ weight: 2, arbitrary: accessions(10) }, { weight: 1, arbitrary: accessions(60) }),
    ),
    fc.constantFrom('2026-02-02', '2026-02-03', '2026-03-01'),
    fc.constantFrom(null, '20260202160000', '20260203070000', '20260301173000'),
  )
  .map(([row, filedAt, acceptedEastern]) => ({ ...row, filedAt, acceptedEastern }));

/**
 * As `histories`, with batches of very different sizes, none and many rows among them, so that their segments
 * stay apart or are joined.
 */
export const unevenHistories = fc
  .array(
    fc.record({
      filings: fc.oneof(
        { weight: 1, arbitrary: fc.constant([]) },
        { weight: 4, arbitrary: saidOf(meeting, 1, 3) },
        { weight: 2, arbitrary: saidOf(meeting, 3, 10) },
        { weight: 1, arbitrary: saidOf(meeting, 20, 40) },
      ),
      companies: fc.oneof(
        { weight: 1, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: companiesOfBatch },
      ),
      contents: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: contentsOf(10) },
        { weight: 1, arbitrary: contentsOf(60) },
      ),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map(toHistory);
