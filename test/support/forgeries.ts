import { tableDefinition, type TableName } from '../../src/format/snapshot.ts';
import { compareKeys } from '../../src/table/line.ts';
import type { ForgedLine } from './segments.ts';

/** What a forger does with one line of a table. */
export const forgeryKinds = ['change', 'drop', 'double', 'swap', 'move'] as const;
/** See `forgeryKinds`. */
export type ForgeryKind = (typeof forgeryKinds)[number];

/** Draws a whole number from 0 up to but not including `end`. */
export type Draw = (end: number) => number;

/** The lines of a table after a forgery, and the name of the member that was changed, if it was one. */
export interface ForgedTable {
  readonly lines: ForgedLine[];
  readonly member: string | null;
}

/**
 * Forges one line of a table, so that the lines stay in its order. Returns null if the lines that were drawn
 * are none that this kind of forgery changes.
 */
export function forgeLines(
  table: TableName | 'log',
  lines: readonly ForgedLine[],
  kind: ForgeryKind,
  draw: Draw,
): ForgedTable | null {
  if (lines.length === 0) return null;
  const at = draw(lines.length);
  const line = lines[at] as ForgedLine;
  const others = lines.toSpliced(at, 1);
  switch (kind) {
    case 'change': {
      const changed = changedLine(line, draw);
      return changed && { lines: lines.toSpliced(at, 1, changed.line), member: changed.member };
    }
    case 'drop':
      return { lines: others, member: null };
    case 'double':
      return { lines: sortedLines(table, [...lines, { ...line, sort: `${line.sort}0` }]), member: null };
    case 'swap': {
      const other = draw(lines.length);
      const { row } = lines[other] as ForgedLine;
      if (row === line.row) return null;
      const swapped = lines.toSpliced(at, 1, { ...line, row });
      return {
        lines: swapped.toSpliced(other, 1, { ...(lines[other] as ForgedLine), row: line.row }),
        member: null,
      };
    }
    case 'move': {
      const { partition } = lines[draw(lines.length)] as ForgedLine;
      const isTaken = others.some((each) => each.partition === partition && each.sort === line.sort);
      if (table === 'log' || partition === line.partition) return null;
      return {
        lines: sortedLines(table, [
          ...others,
          isTaken ? { ...line, partition: `${partition}0` } : { ...line, partition },
        ]),
        member: null,
      };
    }
  }
}

/** Puts lines into the order of a table. */
export function sortedLines(table: TableName | 'log', lines: readonly ForgedLine[]): ForgedLine[] {
  const direction = table === 'log' ? 'ascending' : tableDefinition(table).direction;
  return lines.toSorted((a, b) => compareKeys(direction, a, b));
}

/** Changes one value of the row or of the note of a line; null if a row that hides was drawn. */
function changedLine(
  line: ForgedLine,
  draw: Draw,
): { readonly line: ForgedLine; readonly member: string } | null {
  if (line.row === null) return null;
  const isNote = line.note !== undefined && draw(4) === 0;
  const value: unknown = JSON.parse((isNote ? line.note : line.row) as string);
  const { changed, member } = changedValue(value, draw);
  const text = JSON.stringify(changed);
  return {
    line: isNote ? { ...line, note: text } : { ...line, row: text },
    member: isNote ? 'note' : member,
  };
}

/** Changes one value somewhere in JSON. Tells the first name on the way to it. */
export function changedValue(
  value: unknown,
  draw: Draw,
): { readonly changed: unknown; readonly member: string } {
  if (typeof value === 'number') return { changed: value + 1, member: '' };
  if (typeof value === 'boolean') return { changed: !value, member: '' };
  if (typeof value === 'string') return { changed: changedText(value, draw), member: '' };
  if (value === null) return { changed: 'x', member: '' };
  if (Array.isArray(value)) {
    if (value.length === 0) return { changed: ['x'], member: '' };
    const at = draw(value.length);
    return { changed: value.toSpliced(at, 1, changedValue(value[at], draw).changed), member: '' };
  }
  const names = Object.keys(value as object);
  const name = names[draw(names.length)] as string;
  const inner = (value as Record<string, unknown>)[name];
  return { changed: { ...value, [name]: changedValue(inner, draw).changed }, member: name };
}

/** Puts another digit or letter in place of one, so that the text keeps its format where that can be. */
function changedText(text: string, draw: Draw): string {
  if (text === '') return 'x';
  const at = draw(text.length);
  const character = text[at] as string;
  const other = /\d/.test(character) ? String((Number(character) + 1) % 10) : character === 'x' ? 'y' : 'x';
  return text.slice(0, at) + other + text.slice(at + 1);
}
