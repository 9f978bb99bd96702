import type { Change, Event, Filing } from '../../src/contract/records.ts';
import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import { feedOrder, historyOrder, tableDefinition, tagsOf, type RecordOf, type TableName } from '../../src/contract/snapshot.ts';
import type { Observation } from '../ledger/observation.ts';

/** What the index says of a row: its order value, its filing date and its tags. */
export interface RowFacts {
  readonly order: string;
  readonly filedAt: string;
  readonly tags: readonly string[];
}

/** Members of a filing that an index is made of. */
type ListedFiling = Pick<Event, 'accessionNo' | 'form' | 'eventType' | 'filedAt' | 'acceptanceDateTime'>;

const noTags: readonly string[] = [];
const noFacts: RowFacts = { order: '', filedAt: '', tags: noTags };

/** The facts of a row, from its record. */
export function factsOf<Name extends TableName>(name: Name, record: RecordOf<Name>): RowFacts {
  const { shape } = tableDefinition(name);
  if (shape === 'feed') return listFacts(name, (record as Change).filing, (record as Change).sequence);
  return shape === 'history' ? listFacts(name, record as Filing | Event, 0) : noFacts;
}

/** The same facts of a row about a filing, without its record: a filing stands in many tables. */
export function factsOfFiling(name: TableName, filing: Observation | undefined, sequence = 0): RowFacts {
  if (filing === undefined) return noFacts;
  const { accessionNo, form, filedAt, acceptedAt } = filing;
  return listFacts(name, { accessionNo, form, filedAt, acceptanceDateTime: acceptedAt, eventType: eventTypeOfForm(form) }, sequence);
}

function listFacts(name: TableName, filing: ListedFiling, sequence: number): RowFacts {
  const { shape, tagged } = tableDefinition(name);
  return { order: shape === 'feed' ? feedOrder(sequence) : historyOrder(filing), filedAt: filing.filedAt ?? '', tags: tagged ? tagsOf(filing) : noTags };
}
