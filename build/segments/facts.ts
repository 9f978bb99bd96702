import { noteOf, rowExtent } from '../../src/segments/line.ts';
import type { TablePlace } from '../../src/segments/table.ts';
import type { RowFacts } from './table-writer.ts';

const none: RowFacts = { filedAt: '', labels: [] };
const ofHiding: RowFacts = { filedAt: '', labels: ['*'] };
const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const filedAtNeedle = Buffer.from('"filedAt":"');
const [quote, bracket] = [0x22, 0x5d];

/** Stands beside a row of a filing whose form or items an earlier observation had otherwise: it may replace a row with other labels. */
export const relabelledNote = '{"relabelled":true}';

/**
 * What the index of a filtered table tells of a row about a filing. The members are found as bytes: no string of JSON holds
 * a quote that is not escaped, and forms and items hold nothing that is.
 */
export function factsOf(isFiltered: boolean, { chunk, line }: TablePlace): RowFacts {
  if (!isFiltered) return none;
  const { from, to } = rowExtent(chunk, line);
  if (to - from === 4) return ofHiding;
  const behind = (needle: Buffer, end: number) => {
    const at = chunk.bytes.indexOf(needle, from) + needle.length;
    return chunk.bytes.toString('latin1', at, chunk.bytes.indexOf(end, at));
  };
  const form = behind(formNeedle, quote);
  const items = behind(itemsNeedle, bracket);
  const labels = items === '' ? [form] : [form, ...items.slice(1, -1).split('","')];
  if (noteOf(chunk, line) === relabelledNote) labels.push('*');
  return { filedAt: behind(filedAtNeedle, quote), labels };
}
