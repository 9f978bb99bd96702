import { leftOutOfCompact } from '../contract/compact-members.ts';
import { isObject } from '../domain/scalars.ts';

/** Leaves out of each filing in a record what compact answers do not have. */
export function compacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compacted);
  if (!isObject(value)) return value;
  // Of all records, only filings have a primary document.
  const isFiling = 'primaryDocument' in value;
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value))
    if (!isFiling) made[name] = compacted(member);
    else if (!leftOutOfCompact.has(name)) made[name] = member;
  return made;
}
