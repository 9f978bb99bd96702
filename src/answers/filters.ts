import { ApiError } from '../contract/errors.ts';
import { eventTypes } from '../contract/event-types.ts';
import { isFormInUse, unknownEventTypeMessage, unknownFormMessage } from '../contract/nearest.ts';
import type { Query } from '../contract/parameters.ts';
import type { Snapshot } from '../snapshot/open.ts';

/**
 * Refuses filters that can match nothing, now or later, because who polls with one would get empty lists for ever. Throws
 * `invalid_parameter`, whose message names the nearest values.
 */
export function requireKnownFilters({ forms }: Pick<Snapshot, 'forms'>, { form, eventType }: Query): void {
  if (eventType !== undefined && !(eventTypes as readonly string[]).includes(eventType)) {
    throw new ApiError('invalid_parameter', unknownEventTypeMessage(eventType));
  }
  if (form !== undefined && !isFormInUse(form) && !forms.includes(form)) {
    throw new ApiError('invalid_parameter', unknownFormMessage(form, forms));
  }
}
