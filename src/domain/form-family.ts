import type { EventType } from './event-types.ts';
import { formsByEventType } from './forms.ts';

// Form ATS-N has amendments of four kinds (17 CFR 242.304): material, updating, correcting, order display.
const amendmentSuffix = /\/(?:A|MA|UA|CA|OFA)$/;
const eventTypeByForm = new Map(
  Object.entries(formsByEventType).flatMap(([eventType, forms]) =>
    forms.map((form) => [form, eventType as EventType] as const),
  ),
);

/** A form in its published spelling without the suffix of an amendment. */
export function originalOf(form: string): string {
  return form.replace(amendmentSuffix, '');
}

/**
 * The event family of a form in its published spelling. A file of its own, so that the scripts of pages load
 * no descriptions of families.
 */
export function familyOfForm(form: string): EventType {
  return eventTypeByForm.get(originalOf(form)) ?? 'other_filing';
}
