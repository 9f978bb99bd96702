import type { Action } from './actions.ts';
import { isPending } from './actions.ts';
import type { EndpointState } from './delivery-state.ts';

/** The states of endpoints, for metrics and people. */
export const statuses = ['ok', 'failing', 'refused', 'gone', 'disabled'] as const;

/** Returns the state of an endpoint in one word. */
export function statusOf({ disabled, refused, failing }: EndpointState): (typeof statuses)[number] {
  if (disabled !== null) return disabled === 'gone' ? 'gone' : 'disabled';
  return refused !== null ? 'refused' : failing !== null ? 'failing' : 'ok';
}

/** Describes an endpoint in one line. `entry` is undefined if nothing was delivered to it yet. */
export function lineOf(name: string, entry: EndpointState | undefined, actions: readonly Action[]): string {
  const pending = actions
    .filter((action) => action.endpoint === name && isPending(action, entry))
    .map(({ does }) => `${does} is still to be done`);
  if (entry === undefined) return [name, 'new', ...pending].join('  ');
  const { delivered, deadLetters, last, failing, refused } = entry;
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
    ...pending,
  ].join('  ');
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
