import { causePartition } from '../../src/contract/corrections.ts';
import { changeCauses, type ChangeCause, type Filing } from '../../src/contract/records.ts';
import { filterLabel, ownFilters, valuesOf, type FilteredFiling } from '../../src/contract/filing-filters.ts';
import { remembered } from '../../src/domain/remembered.ts';
import { causeInNote, isAcceptedOddly, oddAcceptance, type KindNote } from '../../src/format/list-rows.ts';
import { beginsWithDay, issuerLabel } from '../../src/format/snapshot.ts';
import { noteOf, rowExtent } from '../../src/table/line.ts';
import { needleOf, offsetBehind, textOf as textIn, valuesAt, type Extent } from '../../src/rows/members.ts';
import { filterValuesIn, isOfIssuer } from '../../src/rows/parts.ts';
import type { TableRow } from '../../src/table/table.ts';
import type { Line } from './table-files.ts';
import type { RowFacts } from './table-writer.ts';

/** What the index says about every row of a table that nobody filters. */
export const noFacts: RowFacts = { filedAt: '', labels: [] };
/** What the index of a filtered table says about a row that hides. */
const factsOfHiding: RowFacts = { filedAt: '', labels: ['*'] };

const formNeedle = needleOf('form');
const filedAtNeedle = needleOf('filedAt');
const acceptanceNeedle = needleOf('acceptanceDateTime');
const largestValuesNeedle = needleOf('largestValues');
const sequenceNeedle = needleOf('sequence');
const causeNeedle = needleOf('cause');
/** What stands before the sequence of a listed filing. */
const listedOpening = '{"sequence":';
const [quote, comma, bracket] = [0x22, 0x2c, 0x5b];
/** Rows of at most this many bytes are listed filings. */
const shortRow = 128;
const rememberedMaximum = 10_000;

/** What the index of a filtered table says about a line. */
export function factsOfLine(line: Line): RowFacts {
  const facts = factsOfRow(line);
  const { sort } = line.keys;
  return facts.filedAt === '' && beginsWithDay(sort) ? { ...facts, filedAt: sort.slice(0, 10) } : facts;
}

function factsOfRow(line: Line): RowFacts {
  if (line.block !== undefined) return factsOf(line);
  const { row, note, facts: known } = line;
  if (known !== undefined) return known;
  if (row === null) return factsOfHiding;
  if (row.startsWith('"')) return factsOfDay(row.slice(1, -1), note ?? '');
  if (row.length <= shortRow && row.startsWith(listedOpening) && !row.includes('"largestValues"'))
    return (note === undefined ? factsOfShort : factsOfNoted)(row.slice(row.indexOf(',')));
  const bytes = Buffer.from(row);
  return rowFactsOf({ bytes, from: 0, to: bytes.length }, note ?? null);
}

/**
 * What the index of a filtered table says about a change. `members` are the form and what `ownFilters` ask for,
 * and `cause` its cause, as JSON; a first entry has none. A correction may replace a row that had other labels.
 */
export function factsOfMembers(
  members: readonly string[],
  times: Pick<Filing, 'filedAt' | 'acceptanceDateTime'>,
  cause: string,
): RowFacts {
  const labels = [...labelsOf(members.join()), ...labelsOfCause(cause)];
  return {
    filedAt: times.filedAt ?? '',
    labels: isAcceptedOddly(times) ? [...labels, oddAcceptance] : labels,
  };
}

/** What the index of a filtered table says about a line on the disk. */
function factsOf({ block, line }: TableRow): RowFacts {
  const { from, to } = rowExtent(block, line);
  return rowFactsOf({ bytes: block.bytes, from, to }, noteOf(block, line));
}

/** The same of a row of which is known where it is, and its note. */
export function rowFactsOf({ bytes, from, to }: Extent, note: string | null): RowFacts {
  if (to - from === 4) return factsOfHiding;
  if (bytes[from] === quote) return factsOfDay(bytes.toString('latin1', from + 1, to - 1), note ?? '');
  // With the largest values of transactions behind it.
  if (bytes[from] === bracket)
    return factsOfDay(bytes.toString('latin1', from + 2, bytes.indexOf(quote, from + 2)), note ?? '');
  const hasNote = note !== null;
  if (
    to - from > shortRow ||
    offsetBehind({ bytes, from, to: from + listedOpening.length }, sequenceNeedle) === -1
  )
    return findFacts({ bytes, from, to }, hasNote);
  // Filings with transactions differ, so what is found is not worth remembering.
  if (offsetBehind({ bytes, from, to }, largestValuesNeedle) !== -1)
    return findFacts({ bytes, from, to }, hasNote);
  let at = from;
  while (at < to && bytes[at] !== comma) at++;
  return (hasNote ? factsOfNoted : factsOfShort)(bytes.toString('latin1', at, to));
}

const labelsOf = remembered(rememberedMaximum, (members: string) => {
  const [form, ...own] = JSON.parse(`[${members}]`) as [string, ...unknown[]];
  const filing = Object.fromEntries(ownFilters.map(({ name }, index) => [name, own[index]]));
  return [
    form,
    ...ownFilters.flatMap((filter) =>
      valuesOf({ form, ...filing } as FilteredFiling, filter).map((value) => filterLabel(filter, value)),
    ),
  ];
});
/** The label of a cause, as JSON, and that of a row that may replace another; none for a first entry. */
const labelsOfCause = remembered(changeCauses.length + 1, (cause: string): readonly string[] =>
  cause === '' ? [causePartition(undefined)] : [causePartition(JSON.parse(cause) as ChangeCause), '*'],
);

/** What the index says about a row of `change-dates`, with its note. */
const factsOfDay = (row: string, note: string): RowFacts =>
  factsOfDayAndCause(`${row.slice(0, row.indexOf(' '))} ${causeOf(note)}`);
const causeOf = remembered(
  rememberedMaximum,
  (note: string) => causeInNote(JSON.parse(note || '[]') as KindNote) ?? '',
);
const factsOfDayAndCause = remembered(rememberedMaximum, (text: string): RowFacts => {
  const [filedAt = '', cause] = text.split(' ');
  return { filedAt, labels: [causePartition((cause || undefined) as ChangeCause | undefined)] };
});

/** Listed filings are alike behind their sequence, which is their first member. */
const [factsOfShort, factsOfNoted] = [false, true].map((hasNote) =>
  remembered(rememberedMaximum, (text: string) => {
    const bytes = Buffer.from(text, 'latin1');
    return findFacts({ bytes, from: 0, to: bytes.length }, hasNote);
  }),
) as [(text: string) => RowFacts, (text: string) => RowFacts];

function findFacts({ bytes, from, to }: Extent, hasNote: boolean): RowFacts {
  const formAt = offsetBehind({ bytes, from, to }, formNeedle);
  const [form = ''] = valuesAt(bytes, formAt);
  const labels = [form];
  // The other members mostly stand behind the form.
  const behindForm = { bytes, from: formAt, to };
  for (const filter of ownFilters) {
    const values = filterValuesIn(behindForm, filter) ?? filterValuesIn({ bytes, from, to: formAt }, filter);
    for (const value of values ?? []) labels.push(filterLabel(filter, value));
  }
  // Only rows of corrections have a note.
  if (hasNote) labels.push('*');
  const filedAt = offsetBehind(behindForm, filedAtNeedle);
  if (filedAt !== -1) {
    const cause = offsetBehind({ bytes, from, to: formAt }, causeNeedle);
    labels.push(causePartition(cause === -1 ? undefined : (valuesAt(bytes, cause)[0] as ChangeCause)));
    const times = {
      filedAt: valuesAt(bytes, filedAt)[0] ?? null,
      acceptanceDateTime: textIn(behindForm, acceptanceNeedle) || null,
    };
    if (isAcceptedOddly(times)) labels.push(oddAcceptance);
    return { filedAt: times.filedAt ?? '', labels };
  }
  // A listed filing has no date: the index takes it from its key.
  if (isOfIssuer(behindForm)) labels.push(issuerLabel);
  return { filedAt: '', labels };
}
