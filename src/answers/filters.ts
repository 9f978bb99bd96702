import { ApiError } from '../contract/errors.ts';
import { eventTypes } from '../contract/event-types.ts';
import { isFormInUse, unknownEventTypeMessage, unknownFormMessage } from '../contract/nearest.ts';
import type { Query } from '../contract/parameters.ts';
import type { Stats } from '../contract/records.ts';
import type { Snapshot } from '../snapshot/open.ts';

const known = new WeakMap<Snapshot, readonly string[]>();

/** The forms that filings of a snapshot have, most frequent first: those of its statistics, read once. */
function formsOf(snapshot: Snapshot): readonly string[] {
  const read = known.get(snapshot);
  if (read) return read;
  const { data } = JSON.parse(snapshot.documents.stats.toString()) as { data: Pick<Stats, 'forms'> };
  const forms = data.forms.map(({ form }) => form);
  known.set(snapshot, forms);
  return forms;
}

/**
 * Refuses filters that can match nothing, now or later, because who polls with one would get empty lists for ever. Throws
 * `invalid_parameter`, whose message names the nearest values.
 */
export function requireKnownFilters(snapshot: Snapshot, { form, eventType }: Query): void {
  if (eventType !== undefined && !(eventTypes as readonly string[]).includes(eventType)) {
    throw new ApiError('invalid_parameter', unknownEventTypeMessage(eventType));
  }
  if (form !== undefined && !isFormInUse(form) && !formsOf(snapshot).includes(form)) {
    throw new ApiError('invalid_parameter', unknownFormMessage(form, formsOf(snapshot)));
  }
}
