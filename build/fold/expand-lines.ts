import { asFilterValue, ownFilters } from '../../src/contract/filing-filters.ts';
import { remembered } from '../../src/domain/remembered.ts';
import type { Filing } from '../../src/contract/records.ts';
import type { TableName } from '../../src/format/snapshot.ts';
import { factsOfMembers } from '../segments/row-facts.ts';
import { noteIn, rowOf, type Line } from '../segments/table-files.ts';
import type { RowFacts } from '../segments/table-writer.ts';
import { causeJsonOf, changeOf, valueOf, wholeValuesIn } from './compact-observation.ts';
import { contentsRowOf } from './contents-rows.ts';
import { textOf } from './json-texts.ts';
import { summaryRowOf } from './summary-row.ts';

/** The row of a segment, and what the index says about it. */
interface Expanded {
  readonly row: string;
  readonly facts?: RowFacts;
}

/** Makes the row of a compact observation. */
type Expand = (compact: string) => Expanded;

/** What the index says of members from which a filter makes its values, by their JSON. */
const made = ownFilters.map(({ name, member = name as keyof Filing, valuesOf }) => ({
  member,
  of:
    valuesOf &&
    remembered(10_000, (json: string) =>
      JSON.stringify(
        asFilterValue(
          valuesOf([JSON.parse(json) as string | string[] | null].flat().filter((each) => each !== null)),
        ),
      ),
    ),
}));

/** What makes the rows of the tables with long rows. */
const expands: Partial<Record<TableName, Expand>> = {
  'company-changes'(compact) {
    const values = wholeValuesIn(compact);
    const filedAt = valueOf(values, 'filedAt');
    return {
      row: changeOf(compact, values),
      facts: factsOfMembers(
        [
          valueOf(values, 'form'),
          ...made.map(({ member, of }) => (of ? of(valueOf(values, member)) : valueOf(values, member))),
        ],
        { filedAt: textOf(filedAt), acceptanceDateTime: textOf(valueOf(values, 'acceptanceDateTime')) },
        causeJsonOf(values),
      ),
    };
  },
  summaries: (compact) => ({ row: summaryRowOf(compact) }),
  ownership: (held) => ({ row: contentsRowOf(held) }),
  documents: (held) => ({ row: contentsRowOf(held) }),
};

/** Makes the row of a segment of what the runs of a fold hold for it: in tables with long rows, less. */
export function expandRow(table: TableName, held: string): Expanded {
  return expands[table]?.(held) ?? { row: held };
}

/** Makes the lines of a segment of those that the runs of a fold hold. */
export function expandLines(table: TableName, lines: Generator<Line>): Generator<Line> {
  return table in expands ? expandedLines(table, lines) : lines;
}

function* expandedLines(table: TableName, lines: Iterable<Line>): Generator<Line> {
  for (const line of lines) {
    yield { keys: line.keys, note: noteIn(line), ...expandRow(table, rowOf(line) as string) };
  }
}
