import { allPartition, issuerLabel } from '../../src/contract/snapshot.ts';
import { linePrefix, noteOf, rowExtent, standsIn } from '../../src/table/line.ts';
import type { TablePlace } from '../../src/table/table.ts';
import type { RowFacts } from './table-writer.ts';

/** What the index tells of a row in a table that is not filtered. */
export const noFacts: RowFacts = { filedAt: '', labels: [] };
/** What it tells of a row that hides, in one that is. */
export const factsOfHiding: RowFacts = { filedAt: '', labels: ['*'] };

const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const issuerNeedle = Buffer.from(',"issuer":true');
const filedAtNeedle = Buffer.from('"filedAt":"');
/** How lines of the feed of all companies begin. */
const wholeFeed = linePrefix(allPartition);
const [quote, bracket] = [0x22, 0x5d];

/**
 * What the index of a filtered table tells of a row: a change, a listed filing, or a filing date alone. The
 * members are found as bytes, in the order in which records have them: no string of JSON holds a quote that
 * is not escaped, and forms and items hold nothing that is.
 */
export function factsOf({ chunk, line }: TablePlace): RowFacts {
  const { bytes } = chunk;
  const { from, to } = rowExtent(chunk, line);
  if (to - from === 4) return factsOfHiding;
  if (bytes[from] === quote) return { filedAt: bytes.toString('latin1', from + 1, to - 1), labels: [] };
  if (standsIn(chunk, line, wholeFeed)) {
    const filedAt = dateBehind(bytes, from);
    return { filedAt, labels: [filedAt] };
  }
  const formFrom = bytes.indexOf(formNeedle, from) + formNeedle.length;
  const formTo = bytes.indexOf(quote, formFrom);
  const itemsFrom = bytes.indexOf(itemsNeedle, formTo) + itemsNeedle.length;
  const itemsTo = bytes[itemsFrom] === bracket ? itemsFrom : bytes.indexOf(bracket, itemsFrom);
  const form = bytes.toString('latin1', formFrom, formTo);
  const named =
    itemsTo === itemsFrom
      ? [form]
      : [form, ...bytes.toString('latin1', itemsFrom + 1, itemsTo - 1).split('","')];
  // Only rows of corrections have notes.
  const labels = noteOf(chunk, line) === null ? named : [...named, '*'];
  // The members of a listed filing end here, or with the one that makes its company the issuer.
  if (itemsTo + 2 >= to) return { filedAt: '', labels };
  if (bytes.indexOf(issuerNeedle, itemsTo) === itemsTo + 1)
    return { filedAt: '', labels: [...labels, issuerLabel] };
  return { filedAt: dateBehind(bytes, itemsTo), labels };
}

function dateBehind(bytes: Buffer, at: number): string {
  const from = bytes.indexOf(filedAtNeedle, at) + filedAtNeedle.length;
  return bytes.toString('latin1', from, from + 10);
}
