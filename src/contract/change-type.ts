import { amendsEarlier, eventTypeOfForm } from './event-types.ts';
import type { Change } from './records.ts';

/**
 * The change type of a filing that is seen for the first time. The first rule that holds decides. `amended`
 * comes first, because it tells a reader to look at an earlier filing again; event type and items still show
 * that a filing is an 8-K. An 8-K is a `material_event`, because the regulator defines its items as events
 * worth a report, unless its only item is 9.01, exhibits. Later revisions are always `amended`.
 */
export function changeTypeOf(form: string, items: readonly string[]): Change['changeType'] {
  if (amendsEarlier(form)) return 'amended';
  if (eventTypeOfForm(form) !== 'current_report') return 'new';
  return items.length === 0 || items.some((code) => code !== '9.01') ? 'material_event' : 'new';
}
