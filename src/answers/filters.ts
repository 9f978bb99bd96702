import type { AnswerPlan } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { eventTypeOfForm, eventTypes, ownershipFamilies } from '../contract/event-types.ts';
import { itemTitle } from '../contract/items.ts';
import {
  isFormInUse,
  unknownEventTypeMessage,
  unknownFormMessage,
  unknownItemMessage,
} from '../contract/nearest.ts';
import type { Query } from '../contract/parameters.ts';
import type { Snapshot } from '../snapshot/open.ts';

/**
 * Refuses filters that can never match anything: a client that polls with one would get empty lists for ever.
 * Throws `invalid_parameter`, whose message names the nearest values.
 */
export function requireKnownFilters(
  { forms }: Pick<Snapshot, 'forms'>,
  plan: AnswerPlan,
  { form: asked = [], eventType, items = [] }: Query,
): void {
  const refuse = (message: string) => {
    throw new ApiError('invalid_parameter', message);
  };
  if (eventType !== undefined && !(eventTypes as readonly string[]).includes(eventType))
    refuse(unknownEventTypeMessage(eventType));
  for (const form of asked)
    if (!isFormInUse(form) && !forms.includes(form)) refuse(unknownFormMessage(form, forms));
  for (const item of items) if (itemTitle(item) === undefined) refuse(unknownItemMessage(item));
  if (plan.kind !== 'history' || plan.insiders !== true) return;
  const other = asked.find((form) => !ownershipFamilies.has(eventTypeOfForm(form)));
  if (other !== undefined)
    refuse(`form: must be 3, 4, 5 or one of their amendments 3/A, 4/A, 5/A here, not ${other}`);
  if (eventType !== undefined && !ownershipFamilies.has(eventType))
    refuse(`eventType: must be one of ${[...ownershipFamilies].join(', ')} here, not ${eventType}`);
}
