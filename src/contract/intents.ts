import * as z from 'zod';
import { intentActions } from './catalog.ts';
import { StatsMeta } from './envelopes.ts';
import { calendarDate, count, timestamp } from '../domain/scalars.ts';

const market = z.string();
const action = z.enum(intentActions);
const target = z
  .string()
  .nullable()
  .describe('A feed, dataset or workflow of the market; null for the market itself.');
const lastSeenAt = timestamp
  .nullable()
  .describe('When the newest of these intents was recorded, UTC; null if there are none.');

/** An intent, as a line of the journal. It has no IP address and no cookie. */
export const Intent = z
  .object({
    market,
    action,
    target,
    path: z.string().nullable().describe('The path that was asked.'),
    referrer: z.string().nullable().describe('The page that led here, without its query.'),
    userAgent: z.string().max(200).nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Intent', description: 'Something that a visitor of the catalog did.' });
export type Intent = z.infer<typeof Intent>;

/** Intents of one kind on one day. */
export const IntentCount = z.object({
  date: calendarDate,
  market,
  action,
  target,
  count: z.int().min(1),
  lastSeenAt: timestamp,
});
export type IntentCount = z.infer<typeof IntentCount>;

/** The most intents in `recent`. */
export const recentMaximum = 50;

/**
 * Counts of all intents that were recorded, and the newest intents. The snapshot keeps them, and the next
 * build adds to them.
 */
export const RecordedIntents = z.object({
  counts: z.array(IntentCount),
  recent: z.array(Intent).max(recentMaximum),
});
export type RecordedIntents = z.infer<typeof RecordedIntents>;

/** The windows of the statistics, in days. */
export const statisticsDays = [1, 7, 30, 90] as const;
/** The default window, in days. */
export const statisticsDaysDefault = 30;

/** From looking at a market to wanting it. */
const ValidationFunnel = z
  .object({
    market,
    views: count,
    requests: count,
    demos: count,
    downloads: count,
    marketplaceClicks: count,
    strongIntent: count.describe('Requests, downloads and marketplace clicks together.'),
    viewToStrongIntentRate: z.number().nullable().describe('Strong intent by view; null without views.'),
    lastSeenAt,
    lastStrongIntentAt: lastSeenAt,
  })
  .meta({ id: 'ValidationFunnel', description: 'From looking at a market to wanting it.' });

/** The same for one feed, dataset or workflow. */
const ValidationTargetFunnel = ValidationFunnel.extend({ target }).meta({
  id: 'ValidationTargetFunnel',
  description: 'From looking at a part of a market to wanting it.',
});

/** What visitors of the catalog wanted in a window of days. */
export const ValidationStats = z
  .object({
    total: count,
    days: z
      .int()
      .min(1)
      .describe('Length of the window, which ends on the newest day that anything is known of.'),
    byMarket: z.array(z.object({ market, count, lastSeenAt })),
    byAction: z.array(z.object({ market, action, count, lastSeenAt })),
    byTarget: z.array(z.object({ market, target, action, count, lastSeenAt })),
    funnels: z.array(ValidationFunnel),
    targetFunnels: z.array(ValidationTargetFunnel),
    daily: z.array(z.object({ date: calendarDate, market, action, count })),
    recent: z.array(Intent).max(recentMaximum).describe('The newest ones.'),
  })
  .meta({ id: 'ValidationStats', description: 'What visitors of the catalog wanted.' });
export type ValidationStats = z.infer<typeof ValidationStats>;

/** Statistics with their meta. */
export const ValidationStatsResponse = z
  .object({ data: ValidationStats, meta: StatsMeta })
  .meta({ id: 'ValidationStatsResponse', description: 'What visitors of the catalog wanted.' });

/** The answer of a sample-only path, and the JSON file of every sample. */
export const SampleResponse = z
  .object({
    data: z.array(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()])),
    ),
    meta: z.object({
      count,
      market,
      dataset: z.string(),
      sampleOnly: z.literal(true),
      notInvestmentAdvice: z.literal(true),
    }),
  })
  .meta({
    id: 'SampleResponse',
    description: 'A static sample. It is not live, and no parameter changes it.',
  });

/** The answer to an intent; browsers are redirected instead. */
export const IntentResponse = z
  .object({
    data: z.object({
      market,
      action,
      target,
      counted: z.boolean().describe('False for prefetches, HEAD and programs that say they are bots.'),
      url: z.string().describe('Where it leads.'),
    }),
    meta: z.object({
      intentsKept: z.boolean().describe('Whether this service keeps intents; one that does not counts none.'),
      notInvestmentAdvice: z.literal(true),
    }),
  })
  .meta({ id: 'IntentResponse', description: 'What was recorded.' });
