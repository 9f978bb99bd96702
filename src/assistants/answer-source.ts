import type { Services } from '../requests/services.ts';
import { coverageToTheMinute, type Coverage } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/open.ts';

/** What answers to tools, resources, prompts and skills are made from. */
export interface AnswerSource {
  readonly services: Services;
  readonly snapshot: Snapshot;
  /** What the snapshot covers now. Texts say it. */
  readonly coverage: Coverage;
}

/** Does something with the current snapshot. Throws `snapshot_unavailable` if there is none. */
export function withSource<Result>(
  services: Services,
  work: (source: AnswerSource) => Promise<Result>,
): Promise<Result> {
  const { served, now } = services;
  return served.use((snapshot) =>
    work({ services, snapshot, coverage: coverageToTheMinute(snapshot, now()) }),
  );
}
