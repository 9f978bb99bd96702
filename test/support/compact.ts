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
/** Those of an insider transaction, and of its owners. */
const transactionNames: readonly string[] = [
  'accessionNo',
  'filedAt',
  'ticker',
  'owners',
  'isPlanned',
  'number',
  'isDerivative',
  'security',
  'on',
  'code',
  'shares',
  'price',
  'value',
  'direction',
];
const ownerNames: readonly string[] = ['name', 'title'];
const summaryNames: readonly string[] = ['summary', 'itemTitles', 'links', 'notInvestmentAdvice'];

/** A REST answer as compact answers have it. */
export function compactOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compactOf);
  if (!isObject(value)) return value;
  const names =
    'isInlineXbrl' in value
      ? [...compactNames, ...summaryNames]
      : 'isEquitySwap' in value
        ? transactionNames
        : 'isTenPercentOwner' in value
          ? ownerNames
          : null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => names === null || names.includes(name))
      .map(([name, member]) => [name, compactOf(member)]),
  );
}
