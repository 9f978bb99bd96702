import { leftOutOfOwners, leftOutOfSummary, leftOutOfTransactions } from '../contract/compact-members.ts';
import { isObject } from '../domain/scalars.ts';

/** Leaves out of each filing or transaction in a record what compact answers do not have. */
export function compacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compacted);
  if (!isObject(value)) return value;
  // Of all records, only filings have a primary document, and only transactions with their filing `isAmendment`.
  if ('primaryDocument' in value) return without(value, leftOutOfSummary);
  if ('isAmendment' in value) {
    const owners = value['owners'] as readonly object[];
    return {
      ...without(value, leftOutOfTransactions),
      owners: owners.map((owner) => without(owner, leftOutOfOwners)),
    };
  }
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) made[name] = compacted(member);
  return made;
}

const without = (record: object, names: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)));
