import * as z from 'zod';
import { amendsEarlier } from '../domain/event-types.ts';
import { calendarDate, count } from '../domain/scalars.ts';
import { newestFiledAt, notInvestmentAdvice, nextCursor } from './list-meta.ts';
import { directions, Section16Ownership, Transaction } from './ownership.ts';
import { Filing } from './records.ts';
import { relationships, transactionsReport } from './transaction-filters.ts';

const { owners, isPlanned } = Section16Ownership.shape;
const { accessionNo, form, filedAt, acceptedAt, cik, ticker, companyName, detailUrl, documentUrl } =
  Filing.shape;

/** One transaction of a Form 4 or 5 or an amendment of one, with what its filing says for all of them. */
export const InsiderTransaction = z
  .object({
    accessionNo,
    form,
    isAmendment: z
      .boolean()
      .describe('Whether the form amends an earlier one, whose transactions may be in the list as well.'),
    filedAt,
    acceptedAt,
    cik,
    ticker,
    companyName,
    owners,
    isPlanned,
    detailUrl,
    documentUrl,
    ...Transaction.shape,
  })
  .meta({
    id: 'InsiderTransaction',
    description:
      'One transaction of a Form 4 or 5. `cik`, `ticker` and `companyName` are those of the issuer. The transaction belongs to all `owners` together.',
  });
export type InsiderTransaction = z.infer<typeof InsiderTransaction>;

/** The filters of insider transactions, as `meta` says them. */
export const AppliedTransactionFilters = z
  .object({
    ticker: z.string().nullable().describe('The issuer, as it was asked.'),
    tickers: z.string().nullable().describe('Several issuers as they were asked, with commas between.'),
    owner: z.string().nullable(),
    code: z.string().nullable().describe('Several with commas between.'),
    direction: z.enum(directions).nullable(),
    relationship: z.enum(relationships).nullable(),
    isDerivative: z.boolean().nullable(),
    isPlanned: z.boolean().nullable(),
    minValue: z.number().nullable(),
    since: calendarDate.nullable().describe('Also if a cursor remembered it.'),
    until: calendarDate.nullable().describe('Also if a cursor remembered it.'),
  })
  .meta({
    id: 'AppliedTransactionFilters',
    description: 'Every filter of insider transactions that was applied. Null where nothing was.',
  });
export type AppliedTransactionFilters = z.infer<typeof AppliedTransactionFilters>;

/** Meta of the list of insider transactions. */
const InsiderTransactionMeta = z
  .object({
    count: count.describe('Rows in this answer.'),
    total: count
      .nullable()
      .describe('How many transactions match, where this answer has them all; else null.'),
    nextCursor: nextCursor
      .nullable()
      .describe(
        'Pass it back as `cursor` for the next older rows, also in the middle of a filing; null when there are none.',
      ),
    filters: AppliedTransactionFilters,
    unknown: z
      .array(z.string())
      .describe('The entries of `tickers` that no company of this service has, in the order asked.'),
    newestFiledAt,
    notInvestmentAdvice,
  })
  .meta({ id: 'InsiderTransactionMeta', description: 'Facts about a list of insider transactions.' });

/** Insider transactions with their meta. */
export const InsiderTransactionListResponse = z
  .object({ data: z.array(InsiderTransaction), meta: InsiderTransactionMeta })
  .meta({ id: 'InsiderTransactionListResponse', description: 'Insider transactions, newest filing first.' });

/**
 * The rows of a filing, in the order of its document; none if it has no transactions, or they were not read. Each member is
 * named: rows that are spread of an object made in a loop take five times as long, and a page looks at hundreds.
 */
export function insiderTransactionsOf(filing: Filing): InsiderTransaction[] {
  const report = transactionsReport(filing);
  if (report === null) return [];
  const { accessionNo, form, filedAt, acceptedAt, cik, ticker, companyName, detailUrl, documentUrl } = filing;
  const { owners, isPlanned } = report;
  const isAmendment = amendsEarlier(form);
  return report.transactions.map((transaction) => ({
    accessionNo,
    form,
    isAmendment,
    filedAt,
    acceptedAt,
    cik,
    ticker,
    companyName,
    owners,
    isPlanned,
    detailUrl,
    documentUrl,
    ...transaction,
  }));
}
