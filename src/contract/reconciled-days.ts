import * as z from 'zod';
import { calendarDate, count, timestamp } from '../domain/scalars.ts';

/** One comparison of a day with an index. */
const DayLook = z.object({
  at: timestamp.describe('When, UTC.'),
  index: z
    .enum(['daily', 'quarterly'])
    .describe('The index of the day, which is never changed, or the rebuilt index of its quarter.'),
  fetched: count.describe('Filings that were fetched then.'),
  corrected: count.describe('Filings that were put right then.'),
});

/**
 * The result of comparing one day of the ledger with EDGAR's indexes. Results that older releases recorded lack
 * the members with a default: these releases compared accession numbers alone.
 */
export const ReconciledDay = z
  .object({
    day: calendarDate.describe('The day of the index.'),
    indexed: count.describe('Filings that the index of the day lists, of whatever company.'),
    listed: count.describe(
      'Filings of the day that name a company of the universe: those in the index of the day, and `added`. It is the sum of `found`, `different`, `open` and `missing`.',
    ),
    held: count.describe('Those of them that the ledger had already.'),
    fetched: count.describe('Those that were fetched then.'),
    missing: count.describe('Those that could not be fetched or understood.'),
    found: count
      .nullable()
      .default(null)
      .describe(
        'Those that the ledger has now with the companies, the form and the date of the index, and with their documents. Null: only accession numbers were compared.',
      ),
    corrected: count
      .nullable()
      .default(null)
      .describe('Those that the ledger had otherwise, and that were put right then.'),
    different: count
      .nullable()
      .default(null)
      .describe(
        "Those about which EDGAR's index says something else than the header and the company's file, which count.",
      ),
    open: count
      .nullable()
      .default(null)
      .describe(
        'Those whose documents are not known yet, or about which a source has not answered yet. They are looked at again.',
      ),
    added: count.default(0).describe('Those that only the rebuilt index of the quarter lists.'),
    reasons: z
      .array(z.object({ accessionNo: z.string(), reason: z.string() }))
      .describe('Why they are missing, open or different; if they are many, only the first ones.'),
    withdrawn: z
      .array(z.string())
      .describe(
        'Accession numbers that the rebuilt index of the quarter no longer has: EDGAR withdrew them. They stay as they were served.',
      ),
    quarterReadAt: timestamp
      .nullable()
      .describe('When the day was last compared with the rebuilt index of its quarter, UTC; null if never.'),
    note: z
      .string()
      .nullable()
      .describe('What is odd about the index, such as that there is none; else null.'),
    checkedAt: timestamp.describe('When the day was last compared, with either index, UTC.'),
    looks: z
      .array(DayLook)
      .default([])
      .describe(
        'The first comparison, and each later one that fetched or corrected something; of many, the newest ones. Empty: not known.',
      ),
  })
  .meta({ id: 'ReconciledDay', description: 'One day that was held against the indexes of EDGAR.' });
export type ReconciledDay = z.infer<typeof ReconciledDay>;

/**
 * Whether a day was compared with an index of EDGAR: its own, or the rebuilt one of its quarter. A day of which
 * no index could be had is kept, too, so that it is looked at again, and never counts as reconciled.
 */
export function isReconciled({
  indexed,
  quarterReadAt,
}: Pick<ReconciledDay, 'indexed' | 'quarterReadAt'>): boolean {
  return indexed > 0 || quarterReadAt !== null;
}
