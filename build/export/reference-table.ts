import { referenceDocument } from '../../src/contract/reference.ts';
import { columnsOf, required } from './columns.ts';
import type { TableDefinition } from './tables.ts';

/** A value that members of records have, with what it means. */
export interface ReferenceRow {
  /** The member or filter that has it, in the words of filters: `form`, `items`, `transactionCode`. */
  readonly list: string;
  readonly code: string;
  readonly name: string;
  /** The family of a form. */
  readonly eventType: string | null;
  /** What took its place: the newer name of a form, the newer code of an item. */
  readonly replacedBy: string | null;
}

/** Every value of the closed lists. */
export function referenceRows(): ReferenceRow[] {
  const { forms, items, transactionCodes, eventTypes, exchanges, states, roles, changeTypes } =
    referenceDocument();
  const rowsOf = (list: string, values: readonly (readonly [code: string, name: string])[]) =>
    values.map(([code, name]): ReferenceRow => ({ list, code, name, eventType: null, replacedBy: null }));
  return [
    ...rowsOf(
      'changeType',
      changeTypes.map(({ changeType, description }) => [changeType, description]),
    ),
    ...rowsOf(
      'eventType',
      eventTypes.map(({ eventType, description }) => [eventType, description]),
    ),
    ...rowsOf(
      'exchange',
      exchanges.map(({ exchange, description }) => [exchange, description]),
    ),
    ...forms.map(({ form, description, eventType, newName }) => ({
      list: 'form',
      code: form,
      name: description,
      eventType,
      replacedBy: newName,
    })),
    ...items.map(({ code, title, successor }) => ({
      list: 'items',
      code,
      name: title,
      eventType: null,
      replacedBy: successor,
    })),
    ...rowsOf(
      'role',
      roles.map(({ role, description }) => [role, description]),
    ),
    ...rowsOf(
      'state',
      states.map(({ state, name }) => [state, name]),
    ),
    ...rowsOf(
      'transactionCode',
      transactionCodes.map(({ code, description }) => [code, description]),
    ),
  ];
}

/** The descriptions of the members. */
const members = {
  list: { description: 'The member or filter that has the value.' },
  code: { description: 'The value.' },
  name: { description: 'What it means.' },
  eventType: { description: 'The family of a form.' },
  replacedBy: {
    description: 'What took its place: the newer name of a form, the newer code of an item.',
  },
} as const;

/** What values mean: the lists of `/reference.json`. */
export const referenceTable: TableDefinition<ReferenceRow> = {
  name: 'reference',
  columns: columnsOf(members, (row: ReferenceRow) => row, [
    [1, 'list', 'string', required],
    [2, 'code', 'string', required],
    [3, 'name', 'string', required],
    [4, 'eventType', 'string'],
    [5, 'replacedBy', 'string'],
  ]),
  identifiers: ['list', 'code'],
  sortedBy: ['list', 'code'],
  bloomed: [],
  dividedBy: null,
};
