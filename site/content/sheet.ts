import { ownershipSentence } from '../../src/contract/ownership-sentence.ts';
import type { Ownership } from '../../src/contract/ownership.ts';
import type { Party } from '../../src/contract/records.ts';

/** One cell of a CSV file. */
export type Cell = string | number | boolean | null;

/** Stands before a CSV file: without it Excel takes the bytes of `Á` as two other characters. */
export const sheetMark = '\ufeff';

/** What a spreadsheet would run as a formula. Some take spaces and invisible characters before it away. */
const formula = /^[\p{C}\p{Z}]*[=+\-@]|^[\t\r\n]/u;

/** Whether a spreadsheet would run a text. Where Chinese and Japanese are written, it takes `＝` and its kin as `=`. */
const isFormula = (text: string) => formula.test(text.normalize('NFKC'));

/**
 * Returns the named members of a record as cells. A list of texts becomes one text, separated by spaces; any
 * other object or list becomes JSON.
 */
export function cellsOf(record: object, names: readonly string[]): Cell[] {
  const members = new Map<string, unknown>(Object.entries(record));
  return names.map((name) => {
    const value = members.get(name) ?? null;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ');
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
  });
}

/** A spreadsheet keeps this many digits of a number, and shows longer ones in another way. */
const digitsShown = 11;

/** Whether a spreadsheet would show a text as another number: without its zeros, or in powers of ten. */
function isMisread(text: string): boolean {
  const number = Number(text);
  return (
    /\d/.test(text) &&
    Number.isFinite(number) &&
    (String(number) !== text || text.replace(/\D/g, '').length > digitsShown)
  );
}

/** The names of parties with their roles, for people to read: `APPLE INC (issuer); COOK TIMOTHY (reporting_owner)`. */
const partiesText = (parties: readonly Party[]): string =>
  parties.map(({ cik, name, role }) => `${name ?? cik}${role === null ? '' : ` (${role})`}`).join('; ');

/** The named members of a filing or company as cells for people: parties are their names, ownership is a sentence. */
export function sheetCellsOf(
  record: { readonly parties?: readonly Party[]; readonly ownership?: Ownership | null | undefined },
  names: readonly string[],
): Cell[] {
  const { parties, ownership } = record;
  return cellsOf(
    {
      ...record,
      ...(parties && { parties: partiesText(parties) }),
      ...(ownership && { ownership: ownershipSentence(ownership) }),
    },
    names,
  );
}

/**
 * A cell as a spreadsheet takes it. A text that it would show as another number, as a CIK or an instant of 14 digits, is
 * written as `="0000320193"`; one that it would run as a formula gets an apostrophe before it. Numbers stay as they
 * are, even negative ones.
 */
export function sheetCell(value: Cell): Cell {
  if (typeof value !== 'string') return value;
  if (isMisread(value)) return `="${value}"`;
  return isFormula(value) ? `'${value}` : value;
}
