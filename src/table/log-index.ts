import type { LogList, LogPart } from '../format/log-files.ts';
import { lineEnd, lineStart, type Block } from './block.ts';
import type { StoredBlock } from './table-head.ts';

/** A gzip member of the log: where it is stored, and what is known of its rows. */
export interface LogMember extends Required<StoredBlock> {
  /** Each filing date of its rows, sorted; empty for a row that has none. */
  readonly labels: readonly string[];
}

const [space, dash, zero] = [0x20, 0x2d, 0x30];
/** Bytes of `2026-08-01`. */
const dayLength = 10;
/** Digits of a SHA-256. */
const digestLength = 64;

/** What a line of the index of a file says: the offset of a member, its SHA-256, and the dates of its rows. */
export function memberOf(list: LogList, part: LogPart, index: Block, at: number): LogMember {
  return { ...storedMember(list, part, index, at), labels: daysIn(index, at) };
}

/** As `memberOf`, without each of the dates, for who reads the member. */
export function storedMember(list: LogList, part: LogPart, index: Block, at: number): Required<StoredBlock> {
  const offset = offsetIn(index, at);
  const end = at + 1 < index.ends.length ? offsetIn(index, at + 1) : part.bytes;
  const digest = digestStart(index, at);
  return {
    offset,
    bytes: end - offset,
    sha256: index.bytes.toString('latin1', digest, digest + digestLength),
    rows: Math.min(list.rowsPerMember, part.rows - at * list.rowsPerMember),
    filedFrom: dayText(index, firstDay(index, at)),
    filedTo: dayText(index, lastDay(index, at)),
  };
}

function offsetIn(index: Block, at: number): number {
  const from = lineStart(index, at);
  return Number(index.bytes.toString('latin1', from, index.bytes.indexOf(space, from)));
}

const digestStart = (index: Block, at: number) => index.bytes.indexOf(space, lineStart(index, at)) + 1;

const daysStart = (index: Block, at: number) => digestStart(index, at) + digestLength + 1;

/** Each filing date in a line of the index. */
function daysIn(index: Block, at: number): string[] {
  const [from, end] = [daysStart(index, at), lineEnd(index, at)];
  return from < end ? index.bytes.toString('latin1', from, end).split(' ') : [];
}

/** Offset of the least filing date in a line of the index; -1 if a row has no date. */
function firstDay(index: Block, at: number): number {
  const from = daysStart(index, at);
  return from < lineEnd(index, at) && index.bytes[from] !== space ? from : -1;
}

/** Offset of the greatest filing date in a line of the index; -1 if no row has a date. */
function lastDay(index: Block, at: number): number {
  const end = lineEnd(index, at);
  return end - dayLength < daysStart(index, at) ? -1 : end - dayLength;
}

const dayText = ({ bytes }: Block, from: number) =>
  from === -1 ? '' : bytes.toString('latin1', from, from + dayLength);

/** A date at an offset as a number: 20260801. 0 if there is none. */
function dayNumber({ bytes }: Block, from: number): number {
  let number = 0;
  if (from !== -1)
    for (let at = from; at < from + dayLength; at++)
      if (bytes[at] !== dash) number = number * 10 + (bytes[at] as number) - zero;
  return number;
}

/**
 * The least and the greatest date of each line of an index, as numbers. Walks ask for those of hundreds of
 * lines.
 */
const daysOfIndexes = new WeakMap<Block, Int32Array>();

function daysOf(index: Block): Int32Array {
  let days = daysOfIndexes.get(index);
  if (!days) {
    days = new Int32Array(2 * index.ends.length);
    for (let at = 0; at < index.ends.length; at++) {
      days[2 * at] = dayNumber(index, firstDay(index, at));
      days[2 * at + 1] = dayNumber(index, lastDay(index, at));
    }
    daysOfIndexes.set(index, days);
  }
  return days;
}

/** Bounds of the filing date as numbers, and as they were asked for. */
export interface DayBounds {
  readonly since: string;
  readonly until: string;
  readonly from: number;
  readonly to: number;
}

/** The bounds of a request, both inclusive; null if it has none. */
export function boundsOf({
  since = '',
  until = '\uffff',
}: {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}): DayBounds | null {
  if (since === '' && until === '\uffff') return null;
  const numberOf = (day: string) => Number(day.replaceAll('-', ''));
  return { since, until, from: numberOf(since), to: until === '\uffff' ? Infinity : numberOf(until) };
}

/** Whether a file may have filing dates between the bounds. */
export function overlaps({ filedFrom, filedTo }: LogPart, bounds: DayBounds | null): boolean {
  return bounds === null || (filedTo >= bounds.since && filedFrom <= bounds.until);
}

/** Whether all filing dates of a file are between the bounds. */
export function isWithin({ filedFrom, filedTo }: LogPart, bounds: DayBounds | null): boolean {
  return bounds === null || (filedFrom !== '' && filedFrom >= bounds.since && filedTo <= bounds.until);
}

/**
 * An estimate of how many rows of a member have a filing date between the bounds: none, all, or the share that its
 * dates have. At least one if one of its dates is between them.
 */
export function rowsBetween(
  index: Block,
  at: number,
  rows: number,
  { since, until, from, to }: DayBounds,
): number {
  const days = daysOf(index);
  const [first, last] = [days[2 * at] as number, days[2 * at + 1] as number];
  if (last < from || first > to) return 0;
  if (first >= from && last <= to && first > 0) return rows;
  const each = daysIn(index, at);
  if (each.length === 0) return rows;
  const between = each.filter((day) => day >= since && day <= until).length;
  return Math.ceil((rows * between) / each.length);
}

/** The line of the index for a member. `days` are the filing dates of its rows, each once, sorted. */
export function indexLine(offset: number, sha256: string, days: readonly string[]): string {
  return `${[offset, sha256, ...days].join(' ')}\n`;
}
