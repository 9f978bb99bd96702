import { filterLabel, ownFilters, valuesOf, type FilteredFiling } from '../../src/contract/filing-filters.ts';
import { remembered } from '../../src/domain/remembered.ts';
import { issuerLabel } from '../../src/format/snapshot.ts';
import { noteOf } from '../../src/table/line.ts';
import { needleOf, offsetBehind, valuesAt, type Extent } from '../../src/rows/members.ts';
import { extentOf, isOfIssuer } from '../../src/rows/parts.ts';
import type { TableRow } from '../../src/table/table.ts';
import type { Line } from './table-files.ts';
import type { RowFacts } from './table-writer.ts';

/** What the index says about every row of a table that nobody filters. */
export const noFacts: RowFacts = { filedAt: '', labels: [] };
/** What the index of a filtered table says about a row that hides. */
const factsOfHiding: RowFacts = { filedAt: '', labels: ['*'] };

const formNeedle = needleOf('form');
const others = ownFilters.map((filter) => ({ filter, needle: needleOf(filter.name) }));
const filedAtNeedle = needleOf('filedAt');
const quote = 0x22;

/** What the index of a filtered table says about a line. */
export function factsOfLine(line: Line): RowFacts {
  if (line.block !== undefined) return factsOf(line);
  const { row, note, facts: known } = line;
  if (known !== undefined) return known;
  if (row === null) return factsOfHiding;
  if (typeof row !== 'string') return factsOfBytes(row, note !== undefined);
  if (row.startsWith('"')) return factsOfDay(row);
  // Behind the sequence, many filings of a list have the same text.
  const facts = factsOfListed(row.slice(row.indexOf(',')));
  return note === undefined ? facts : { ...facts, labels: [...facts.labels, '*'] };
}

/**
 * What the index of a filtered table says about a change. `members` are the form and what `ownFilters` ask for,
 * as JSON. A correction may replace a row that had other labels.
 */
export function factsOfMembers(members: readonly string[], filedAt: string, isCorrection: boolean): RowFacts {
  const labels = labelsOf(members.join());
  return { filedAt, labels: isCorrection ? [...labels, '*'] : labels };
}

/** What the index of a filtered table says about a line on the disk. */
export function factsOf({ block, line }: TableRow): RowFacts {
  const extent = extentOf({ block, line });
  if (extent.to - extent.from === 4) return factsOfHiding;
  return factsOfBytes(extent, noteOf(block, line) !== null);
}

const textsRemembered = 10_000;
const labelsOf = remembered(textsRemembered, (members: string) => {
  const [form, ...own] = JSON.parse(`[${members}]`) as [string, ...unknown[]];
  const filing = Object.fromEntries(ownFilters.map(({ name }, index) => [name, own[index]]));
  return [
    form,
    ...ownFilters.flatMap((filter) =>
      valuesOf({ form, ...filing } as FilteredFiling, filter).map((value) => filterLabel(filter, value)),
    ),
  ];
});
const factsOfDay = remembered(
  textsRemembered,
  (row: string): RowFacts => ({ filedAt: row.slice(1, -1), labels: [] }),
);
const factsOfListed = remembered(textsRemembered, (text: string) => {
  const bytes = Buffer.from(text);
  return factsOfBytes({ bytes, from: 0, to: bytes.length }, false);
});

/**
 * Reads what the index of a filtered table says about a row: a change, a listed filing, or a filing date
 * alone. The row is not parsed: its members are found as bytes. Only rows of corrections have a note.
 */
function factsOfBytes({ bytes, from, to }: Extent, hasNote: boolean): RowFacts {
  if (bytes[from] === quote) return { filedAt: bytes.toString('latin1', from + 1, to - 1), labels: [] };
  const formAt = offsetBehind({ bytes, from, to }, formNeedle);
  const [form = ''] = valuesAt(bytes, formAt);
  const labels = [form];
  // The other members mostly stand behind the form.
  const behindForm = { bytes, from: formAt, to };
  for (const { filter, needle } of others) {
    const near = offsetBehind(behindForm, needle);
    const at = near === -1 ? offsetBehind({ bytes, from, to: formAt }, needle) : near;
    if (at !== -1) for (const value of valuesAt(bytes, at)) labels.push(filterLabel(filter, value));
  }
  if (hasNote) labels.push('*');
  const filedAt = offsetBehind(behindForm, filedAtNeedle);
  if (filedAt !== -1) return { filedAt: valuesAt(bytes, filedAt)[0] ?? '', labels };
  // A listed filing has no date, because its key has it.
  if (isOfIssuer(behindForm)) labels.push(issuerLabel);
  return { filedAt: '', labels };
}
