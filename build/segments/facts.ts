import { noteOf, rowExtent } from '../../src/segments/line.ts';
import type { TablePlace } from '../../src/segments/table.ts';
import type { RowFacts } from './table-writer.ts';

const none: RowFacts = { filedAt: '', labels: [] };
const ofHiding: RowFacts = { filedAt: '', labels: ['*'] };
const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const filedAtNeedle = Buffer.from('"filedAt":"');
const [quote, bracket] = [0x22, 0x5d];

/**
 * The note of a row that may stand in for one with the same keys in an older segment, of another form or with other items. Its
 * block is read whatever is wanted, as one with a row that hides: else a filter would find the older row.
 */
export const replacingNote = '{"replaces":true}';

/** Whether a line may replace one with the same keys in an older segment. */
export function replaces({ chunk, line }: TablePlace): boolean {
  return noteOf(chunk, line) === replacingNote;
}

/**
 * What the index of a filtered table tells of a row about a filing. The members are found as bytes: no string of JSON holds
 * a quote that is not escaped, and forms and items hold nothing that is.
 */
export function factsOf(isFiltered: boolean, place: TablePlace): RowFacts {
  if (!isFiltered) return none;
  const { chunk, line } = place;
  const { from, to } = rowExtent(chunk, line);
  if (to - from === 4) return ofHiding;
  const behind = (needle: Buffer, end: number) => {
    const at = chunk.bytes.indexOf(needle, from) + needle.length;
    return chunk.bytes.toString('latin1', at, chunk.bytes.indexOf(end, at));
  };
  const form = behind(formNeedle, quote);
  const items = behind(itemsNeedle, bracket);
  const labels = items === '' ? [form] : [form, ...items.slice(1, -1).split('","')];
  return { filedAt: behind(filedAtNeedle, quote), labels: replaces(place) ? [...labels, '*'] : labels };
}
