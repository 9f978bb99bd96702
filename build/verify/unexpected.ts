import { formKeyOf } from '../../src/contract/filing-filters.ts';
import { itemTitle } from '../../src/domain/items.ts';
import { remembered } from '../../src/domain/remembered.ts';
import type { LogChange } from './log-change.ts';

/** Counts entries of the log that have what the present rules do not expect. */
export interface Unexpected {
  add(change: Pick<LogChange, 'form' | 'eventType' | 'items'>): void;
  /** By `<form> <family>`: those whose members the rules would not derive from the form. */
  readonly formerKinds: ReadonlyMap<string, number>;
  /** By item: those with an item that the list of Form 8-K lacks. */
  readonly unlistedItems: ReadonlyMap<string, number>;
}

/** Begins to count. */
export function createUnexpected(): Unexpected {
  const [formerKinds, unlistedItems] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    add({ form, eventType, items }) {
      const { kind, unlisted } = unexpectedOf(JSON.stringify([form, eventType, items]));
      if (kind !== null) count(formerKinds, kind);
      for (const item of unlisted) count(unlistedItems, item);
    },
    formerKinds,
    unlistedItems,
  };
}

/** What is not expected, by the JSON of the form, the family and the JSON of the items. */
const unexpectedOf = remembered(10_000, (members: string) => {
  const [form, eventType, listed] = JSON.parse(members) as [string, string, string];
  const items = JSON.parse(listed) as string[];
  const key = formKeyOf({ form, eventType, items });
  return {
    kind: key === form ? null : key,
    unlisted: items.filter((item) => itemTitle(item) === undefined),
  };
});
