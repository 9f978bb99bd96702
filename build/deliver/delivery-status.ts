import type { Action } from './actions.ts';
import { isPending } from './actions.ts';
import type { PositionProblem } from './check-positions.ts';
import type { EndpointState } from './delivery-state.ts';

/** The states of endpoints, for metrics and people. */
export const statuses = ['ok', 'failing', 'refused', 'gone', 'disabled'] as const;

/** Returns the state of an endpoint in one word. */
export function statusOf({ disabled, refused, failing }: EndpointState): (typeof statuses)[number] {
  if (disabled !== null) return disabled === 'gone' ? 'gone' : 'disabled';
  return refused !== null ? 'refused' : failing !== null ? 'failing' : 'ok';
}

/**
 * Describes an endpoint in one line. `known` is undefined if nothing was delivered to it yet; `problem` is what
 * the feed says of its position at the moment.
 */
export function lineOf(
  name: string,
  known: EndpointState | undefined,
  actions: readonly Action[],
  problem?: PositionProblem,
): string {
  const entry = known && problem?.isRefused ? { ...known, refused: problem.reason } : known;
  const pending = actions
    .filter((action) => action.endpoint === name && isPending(action, entry))
    .map(({ does }) => `${does} is still to be done`);
  if (entry === undefined) return [name, 'new', ...pending].join('  ');
  const { delivered, deadLetters, last, failing, refused, lost } = entry;
  const status = statusOf(entry);
  const because =
    status === 'failing' && failing
      ? `${failing.attempts} attempts of ${failing.id} in ${duration(failing.forMs)}: ${failing.reason}`
      : status === 'refused'
        ? `by the feed: ${refused}`
        : status === 'gone'
          ? 'it answered 410'
          : null;
  return [
    name,
    status,
    `${delivered} delivered`,
    ...(last ? [`last ${last.id} at ${last.at}`] : []),
    ...(deadLetters > 0 ? [`${deadLetters} given up`] : []),
    ...(because === null ? [] : [because]),
    ...(problem && !problem.isRefused ? [problem.reason] : []),
    ...(lost ? [`began again at ${lost.at}, because the feed no longer had ${lost.change}`] : []),
    ...pending,
  ].join('  ');
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
