import fc from 'fast-check';
import type { LedgerFiling } from '../../build/ledger/rows.ts';
import { successors } from '../../src/contract/successors.ts';
import { ledgerCompany, ledgerFiling } from './arbitraries.ts';
import type { BatchRows } from './log-model.ts';

/** When batch `number` of a history was recorded. */
export const createdAt = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
/** The digest of batch `number` of a history. */
export const digest = (number: number) => String(number).padStart(64, '0');

const [{ predecessorCik, successorCik }] = successors as [(typeof successors)[number]];

/** Two companies of the small world are a predecessor and its successor. */
const related: Readonly<Record<string, string>> = { '0000000005': predecessorCik, '0000000006': successorCik };
const rename = (cik: string) => related[cik] ?? cik;

/** What a later batch may say of a filing that is known; of one that is not known it says a whole row. */
const changes = {
  nothing: (before: LedgerFiling) => before,
  acceptance: (before: LedgerFiling, row: LedgerFiling) => ({ ...before, acceptedAt: row.acceptedAt }),
  form: (before: LedgerFiling, row: LedgerFiling) => ({ ...before, form: row.form }),
  'another company': (before: LedgerFiling, row: LedgerFiling) => ({ ...before, filerCiks: [...new Set([...before.filerCiks, ...row.filerCiks])].filter((cik) => cik !== before.subjectCik).sort() }),
  'other companies': (before: LedgerFiling, row: LedgerFiling) => ({ ...before, subjectCik: row.subjectCik, filerCiks: row.filerCiks }),
  everything: (_: LedgerFiling, row: LedgerFiling) => row,
} as const;

const someAccession = fc.integer({ min: 1, max: 8 }).map((number) => `${String(number % 3).padStart(10, '0')}-26-${String(number).padStart(6, '0')}`);
const said = fc.record({ row: ledgerFiling(someAccession), change: fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])) });
const batch = fc.record({
  filings: fc.uniqueArray(said, { selector: ({ row }) => row.accessionNo, maxLength: 6 }),
  companies: fc.uniqueArray(ledgerCompany(), { selector: ({ cik }) => cik, maxLength: 4 }),
});

/**
 * Ledgers of a few batches over a few filings and companies, so that they meet again: new filings, corrections of every
 * kind, rows that say nothing new, companies that are renamed or described late, and symbols that change hands.
 */
export const histories = fc.array(batch, { minLength: 1, maxLength: 6 }).map((batches): BatchRows[] => {
  const known = new Map<string, LedgerFiling>();
  return batches.map(({ filings, companies }, at) => {
    const rows = filings.map(({ row, change }) => {
      const fresh = { ...row, subjectCik: row.subjectCik === null ? null : rename(row.subjectCik), filerCiks: row.filerCiks.map(rename) };
      const before = known.get(row.accessionNo);
      const after = before ? changes[change](before, fresh) : fresh;
      known.set(row.accessionNo, after);
      return { ...after };
    });
    const run = { target: `run ${at + 1}`, status: 'success', message: null, createdAt: createdAt(at + 1) };
    return { number: at + 1, sha256: digest(at + 1), run, filings: rows, companies: companies.map((company) => ({ ...company, cik: rename(company.cik) })) };
  });
});
