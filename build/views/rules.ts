import { amendsEarlier, eventTypeOfForm } from '../../src/contract/event-types.ts';

/** What a filing is to a reader who follows changes. */
export type ChangeType = 'new' | 'amended' | 'material_event';

/**
 * The one change type of a filing, by the first rule that holds. `amended` comes first because it tells a reader to
 * revisit a record; that the filing is an 8-K stays visible in its event type and items. Form 8-K is the regulator's own
 * definition of an event worth a report, so it is a `material_event`, unless exhibits (9.01) are all it brings.
 */
export function changeTypeOf(form: string, items: readonly string[]): ChangeType {
  if (amendsEarlier(form)) return 'amended';
  if (eventTypeOfForm(form) !== 'current_report') return 'new';
  return items.length === 0 || items.some((code) => code !== '9.01') ? 'material_event' : 'new';
}
