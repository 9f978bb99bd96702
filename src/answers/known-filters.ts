import type { AnswerPlan } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { eventTypeOfForm, hasItems, ownershipFamilies } from '../domain/event-types.ts';
import { askedFilters, valuesAsked, type Vocabulary } from '../contract/filing-filters.ts';
import { formsByEventType } from '../domain/forms.ts';
import { hasTransactions } from '../contract/transaction-filters.ts';
import { transactionFamilies } from '../domain/reported-ownership.ts';
import type { Query } from '../contract/parameters.ts';

/**
 * Refuses filters that can never match anything, alone or together: a client that polls with them would get
 * empty lists for ever. Throws `invalid_parameter`, whose message names the nearest values, or both filters and
 * what goes together.
 */
export function requireKnownFilters(served: Vocabulary, plan: AnswerPlan, query: Query): void {
  const { ticker, tickers, form: asked = [], eventType, items = [] } = query;
  const refuse = (message: string) => {
    throw new ApiError('invalid_parameter', message);
  };
  if (ticker !== undefined && tickers !== undefined)
    refuse('ticker and tickers: give one of them; tickers takes several with commas between');
  for (const { filter, values } of askedFilters(valuesAsked(query)))
    for (const value of values) {
      const reason = filter.unknown?.(value, served, values) ?? null;
      if (reason !== null) refuse(reason);
    }
  const isOfInsiders = plan.kind === 'history' && plan.insiders === true;
  if (isOfInsiders) {
    const other = asked.find((form) => !ownershipFamilies.has(eventTypeOfForm(form)));
    if (other !== undefined)
      refuse(`form: must be 3, 4, 5 or one of their amendments 3/A, 4/A, 5/A here, not ${other}`);
    if (eventType !== undefined && !ownershipFamilies.has(eventType))
      refuse(`eventType: must be one of ${[...ownershipFamilies].join(', ')} here, not ${eventType}`);
  }
  const conflict = conflictOf(served, asked, eventType, items) ?? transactionConflictOf(served, query);
  if (conflict !== null) refuse(conflict);
  if (isOfInsiders && items.length > 0)
    refuse(`items: must be left out here, because Forms 3, 4 and 5 have no items; ${onlyCurrentReports}`);
}

/**
 * Why filters of transactions can never match together with the others; null if a filing could match. Only the form
 * decides whether a filing can have transactions, whatever family older rules gave it.
 */
function transactionConflictOf(
  { formerKinds }: Pick<Vocabulary, 'formerKinds'>,
  { form = [], eventType, items = [], transactionCode, minValue }: Query,
): string | null {
  const [name, value] =
    transactionCode === undefined ? ['minValue', minValue] : ['transactionCode', transactionCode.join(',')];
  if (value === undefined) return null;
  const refusal = (other: string, asked: string) =>
    `${other} and ${name}: ${other}=${asked} and ${name}=${value} never match together; only Forms 4 and 5 and their amendments have transactions, those of the families ${[...transactionFamilies].join(' and ')}`;
  if (items.length > 0) return refusal('items', items.join(','));
  if (form.length > 0 && !form.some(hasTransactions)) return refusal('form', form.join(','));
  const hadFamily = formerKinds.some((kind) => kind.eventType === eventType && hasTransactions(kind.form));
  if (eventType === undefined || transactionFamilies.has(eventType) || hadFamily) return null;
  return refusal('eventType', eventType);
}

const onlyCurrentReports = `only forms of the family current_report have items: ${formsByEventType.current_report.join(', ')} and their amendments`;

/**
 * Why filters that are known can never match together; null if a filing could match. Each filter allows some
 * event families: a form its own one, items only that of Form 8-K. A form has exactly one family, so a filing
 * can match exactly if these sets have a family in common; and because an event type and items allow one
 * family each, that is so exactly if each two of them have one in common. Older entries of the change feed may
 * have what older rules told of their form; whoever follows them goes on with the same filters.
 */
function conflictOf(
  { forms: served, formerKinds }: Pick<Vocabulary, 'forms' | 'formerKinds'>,
  asked: readonly string[],
  eventType: string | undefined,
  items: readonly string[],
): string | null {
  const [forms, item] = [asked.join(','), items.join(',')];
  const former = formerKinds.filter(({ form }) => asked.length === 0 || asked.includes(form));
  if (former.some((kind) => eventType === undefined || kind.eventType === eventType)) return null;
  const isOfFamily = (form: string) => eventTypeOfForm(form) === eventType;
  if (eventType !== undefined && asked.length > 0 && !asked.some(isOfFamily)) {
    const families = asked.map((form) => `${form} belongs to ${eventTypeOfForm(form)}`);
    return `form and eventType: form=${forms} and eventType=${eventType} never match together; ${families.join(', ')}`;
  }
  if (items.length === 0) return null;
  if (asked.length > 0 && !asked.some(hasItems))
    return `form and items: form=${forms} and items=${item} never match together; ${onlyCurrentReports}`;
  const hasFamilyItems = (family: string) =>
    family === 'current_report' || served.some((form) => hasItems(form) && eventTypeOfForm(form) === family);
  return eventType === undefined || hasFamilyItems(eventType)
    ? null
    : `eventType and items: eventType=${eventType} and items=${item} never match together; ${onlyCurrentReports}`;
}
