import { amendsEarlier, eventTypeOfForm } from './event-types.ts';

/**
 * Why an entry of the change feed may matter. `amended` comes first, because it tells a reader to look at an
 * earlier filing again; event type and items still show that a filing is an 8-K. An 8-K is a
 * `material_event`, because the regulator defines its items as events worth a report, unless its only item is
 * 9.01, exhibits.
 */
export type ChangeType = keyof typeof changeTypes;

/** The change types with the rule for each, as documents word it. The first rule that holds decides. */
export const changeTypes = {
  amended:
    'The form amends an earlier filing, such as 10-K/A, or the entry corrects an earlier entry of the same filing: every entry with revision 2 or more does.',
  material_event: 'A Form 8-K that reports more than exhibits (item 9.01).',
  new: 'Everything else.',
} as const;

/** The names of the change types, in the order of the rules. */
export const changeTypeNames = Object.keys(changeTypes) as [ChangeType, ...ChangeType[]];

/** The rules in one sentence for each change type, for descriptions. */
export const changeTypeRules = `The first rule that holds decides. ${changeTypeNames
  .map((name) => `\`${name}\`: ${changeTypes[name]}`)
  .join(' ')}`;

/**
 * The change type of a filing that is seen for the first time, by the rules of `changeTypes`. Each later
 * revision is `amended`.
 */
export function changeTypeOf(form: string, items: readonly string[]): ChangeType {
  if (amendsEarlier(form)) return 'amended';
  if (eventTypeOfForm(form) !== 'current_report') return 'new';
  return items.length === 0 || items.some((code) => code !== '9.01') ? 'material_event' : 'new';
}
