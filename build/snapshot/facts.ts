import type { Change, Event, Filing } from '../../src/contract/records.ts';
import { feedOrder, historyOrder, tableDefinition, tagsOf, type RecordOf, type TableName } from '../../src/contract/snapshot.ts';

/** What the index says of a row: its order value, its filing date and its tags. */
export interface RowFacts {
  readonly order: string;
  readonly filedAt: string;
  readonly tags: readonly string[];
}

const noTags: readonly string[] = [];

/** The facts of a row. Writing and verifying an index both go through here. */
export function factsOf<Name extends TableName>(name: Name, record: RecordOf<Name>): RowFacts {
  const { shape, tagged } = tableDefinition(name);
  if (shape === 'feed') {
    const change = record as Change;
    return { order: feedOrder(change.sequence), filedAt: change.filing.filedAt ?? '', tags: tagged ? tagsOf(change.filing) : noTags };
  }
  if (shape === 'history') {
    const row = record as Filing | Event;
    return { order: historyOrder(row), filedAt: row.filedAt ?? '', tags: tagged ? tagsOf(row) : noTags };
  }
  return { order: '', filedAt: '', tags: noTags };
}
