import { mostFrequentFirst, type CountByEventType, type CountByForm } from '../../../src/contract/records.ts';

/** Counts filings by form: the most frequent form first, equally frequent ones by name. */
export function countByForm(filings: readonly { form: string }[]): CountByForm[] {
  return countBy(filings, ({ form }) => form).map(([form, count]) => ({ form, count }));
}

/** Counts filings by event family: the most frequent first, equally frequent ones by name. */
export function countByEventType(
  filings: readonly { form: string }[],
  eventTypeOf: (form: string) => string,
): CountByEventType[] {
  return countBy(filings, ({ form }) => eventTypeOf(form)).map(([eventType, count]) => ({
    eventType,
    count,
  }));
}

function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return mostFrequentFirst(counts);
}
