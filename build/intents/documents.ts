import { statisticsDays, type IntentTally, type ValidationStats } from '../../src/contract/validation.ts';
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
 * The statistics of each window. Windows end on the newest day that the tally or the ledger knows of: a build
 * has no clock, so that the same input gives the same bytes.
 */
export function validationDocuments(
  tally: IntentTally,
  markets: readonly string[],
  latestRun: IngestRun,
): ValidationDocument[] {
  const newestIntent = tally.counts.reduce(
    (newest, { lastSeenAt }) => (lastSeenAt > newest ? lastSeenAt : newest),
    '',
  );
  const generatedAt = newestIntent > latestRun.createdAt ? newestIntent : latestRun.createdAt;
  const lastDay = tally.counts.reduce(
    (last, { date }) => (date > last ? date : last),
    latestRun.createdAt.slice(0, 10),
  );
  return statisticsDays.map((days) => ({
    name: `validation-stats-${days}`,
    document: {
      data: validationStats(tally, markets, days, lastDay),
      meta: { generatedAt, notInvestmentAdvice: true },
    },
  }));
}
