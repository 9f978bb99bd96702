import { isObject } from '../../src/domain/scalars.ts';

/** The members of a filing that a compact answer has, in the words of the interface. */
export const compactNames: readonly string[] = [
  'accessionNo',
  'cik',
  'ticker',
  'companyName',
  'form',
  'eventType',
  'items',
  'filedAt',
  'acceptedAt',
  'parties',
  'documentUrl',
];
const summaryNames: readonly string[] = ['summary', 'itemTitles', 'links', 'notInvestmentAdvice'];

/** A REST answer as compact answers have it. */
export function compactOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compactOf);
  if (!isObject(value)) return value;
  const isFiling = 'isInlineXbrl' in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isFiling || compactNames.includes(name) || summaryNames.includes(name))
      .map(([name, member]) => [name, compactOf(member)]),
  );
}
