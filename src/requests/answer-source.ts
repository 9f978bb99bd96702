import type { Source } from '../answers/for-assistants.ts';
import { coverageToTheMinute } from '../snapshot/coverage.ts';
import type { Services } from './services.ts';

/** What answers to tools, resources, prompts and skills are made from. */
export interface AnswerSource extends Source {
  readonly services: Services;
}

/** Does something with the current snapshot. Throws `snapshot_unavailable` if there is none. */
export function withSource<Result>(
  services: Services,
  work: (source: AnswerSource) => Promise<Result>,
): Promise<Result> {
  const { served, now, turns } = services;
  return served.use((snapshot) =>
    work({ services, snapshot, coverage: coverageToTheMinute(snapshot, now()), now, pause: turns.pause }),
  );
}
