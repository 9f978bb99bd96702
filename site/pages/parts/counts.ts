import { mostFrequentFirst, type CountByEventType, type CountByForm } from '../../../src/contract/records.ts';

/** Counts by form, most frequent first, then by form. */
export function countByForm(filings: readonly { form: string }[]): CountByForm[] {
  return countBy(filings, ({ form }) => form).map(([form, count]) => ({ form, count }));
}

/** Counts by event family, most frequent first, then by family. */
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
