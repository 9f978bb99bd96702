import { statisticsDays, type RecordedIntents, type ValidationStats } from '../../src/contract/intents.ts';
import type { IngestRun } from '../../src/contract/records.ts';
import { validationStats } from './count.ts';

/** A document of `GET /v1/validation/stats`. */
export interface ValidationDocument {
  readonly name: `validation-stats-${(typeof statisticsDays)[number]}`;
  readonly document: {
    readonly data: ValidationStats;
    readonly meta: { readonly generatedAt: string; readonly notInvestmentAdvice: true };
  };
}

/**
 * Returns the statistics of each window. Windows end on the newest day of the intents or the newest ledger
 * run, not today: a build reads no clock, so that the same input gives the same bytes.
 */
export function validationDocuments(
  intents: RecordedIntents,
  markets: readonly string[],
  latestRun: IngestRun,
): ValidationDocument[] {
  const newestIntent = intents.counts.reduce(
    (newest, { lastSeenAt }) => (lastSeenAt > newest ? lastSeenAt : newest),
    '',
  );
  const generatedAt = newestIntent > latestRun.createdAt ? newestIntent : latestRun.createdAt;
  const lastDay = intents.counts.reduce(
    (last, { date }) => (date > last ? date : last),
    latestRun.createdAt.slice(0, 10),
  );
  return statisticsDays.map((days) => ({
    name: `validation-stats-${days}`,
    document: {
      data: validationStats(intents, markets, days, lastDay),
      meta: { generatedAt, notInvestmentAdvice: true },
    },
  }));
}
