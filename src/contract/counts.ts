import * as z from 'zod';
import { calendarDate, count } from '../domain/scalars.ts';
import { newestFiledAt, notInvestmentAdvice } from './list-meta.ts';
import { oneOf, type Parameter } from './parameter.ts';

/** What counts are told apart by. */
export const countsBy = ['form', 'eventType', 'item', 'month'] as const;
/** One of them. */
export type CountBy = (typeof countsBy)[number];

/** What counts are told apart by, as a parameter. */
export const by: Parameter = {
  name: 'by',
  in: 'query',
  description: `What the rows tell apart: ${countsBy.map((each) => `\`${each}\``).join(', ')}. Left out, only \`meta.total\` is given.`,
  brief: 'Also a row for each.',
  ...oneOf(countsBy),
  example: 'month',
};

/** The filters of counts, as `meta` says them. */
export const AppliedCountFilters = z
  .object({
    ticker: z.string().nullable(),
    form: z.string().nullable(),
    eventType: z.string().nullable(),
    items: z.string().nullable(),
    since: calendarDate.nullable(),
    until: calendarDate.nullable(),
  })
  .meta({
    id: 'AppliedCountFilters',
    description: 'The filters of the request. Null where none was asked.',
  });

/** Filings counted. */
export const CountsResponse = z
  .object({
    data: z.array(
      z
        .object({
          value: z.string().describe('The form, event family, item or month (`YYYY-MM`).'),
          count,
        })
        .meta({ id: 'CountOf', description: 'How many filings have a value.' }),
    ),
    meta: z
      .object({
        total: count
          .nullable()
          .describe(
            'How many filings match, each counted once; null for several items of all companies, which one filing may have together.',
          ),
        by: z.enum(countsBy).nullable(),
        filters: AppliedCountFilters,
        newestFiledAt,
        notInvestmentAdvice,
      })
      .meta({ id: 'CountsMeta', description: 'Facts about counts.' }),
  })
  .meta({ id: 'CountsResponse', description: 'How many filings there are.' });
export type CountsResponse = z.infer<typeof CountsResponse>;
