import { isObject } from '../domain/scalars.ts';
import type { Extent } from '../rows/members.ts';
import type { PageEnd } from '../http/http-answer.ts';

/** Rows as bytes, with commas between. `end` is written after each piece whose last bytes were cut off. */
export interface Rows {
  readonly extents: readonly Extent[];
  readonly end?: string;
}

/** A piece of an answer: text of the envelope, or rows. */
export type Piece = string | Rows;

/** Stands in a body for a list of rows of the page, by their numbers. */
export class RowList {
  readonly numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
  }
}

/** Stands in a body for the one row of a page that is no list. */
export const theRow: unique symbol = Symbol('theRow');

/** The body of an answer. In `data`, or in the members of `data`, a `RowList` or `theRow` stands for rows. */
export interface Envelope {
  readonly data: unknown;
  readonly meta?: object;
}

/** The body of an answer with the first rows of a page. */
export interface Body {
  readonly envelope: Envelope;
  /** Where the answer ends; null for what has no cursor. */
  readonly end: PageEnd | null;
  /** The buckets of a watchlist, by position, that have more changes now than the answer gives. */
  readonly cut?: ReadonlySet<number>;
  /** The buckets without changes that a shortened watchlist leaves out, and how many of them have changes behind it. */
  readonly leftOut?: { readonly buckets: number; readonly withMore: number };
}

/** What a query found: a list, or a single record as a list of one. Renderers make answers of it. */
export interface Page {
  /** How many rows it has. */
  readonly count: number;
  /** How many rows are given whatever their length is: one, if it is left out. */
  readonly least?: number;
  /** Entries of the request that name no company. */
  readonly unknown?: readonly string[];
  /** Rows as JSON, with commas between. */
  json(numbers: readonly number[]): Piece;
  /** A row, parsed; undefined for an entry of the request that is not there. */
  record(number: number): unknown;
  /**
   * The body of the answer with the first `count` rows. The cursors in it go on behind them. One that has to be
   * shortened leaves out buckets without changes. A cursor may need a block of a host: it is called in passes.
   */
  first(count: number, isShortened?: boolean): Body;
}

/** A page of rows as they lie in tables: each is some pieces of bytes, which commas join to one object. */
export function pageOfRows(rows: readonly (readonly Extent[])[], first: Page['first'], end = ''): Page {
  return {
    count: rows.length,
    json(numbers) {
      const extents: Extent[] = [];
      for (const number of numbers) for (const extent of rows[number] ?? []) extents.push(extent);
      return { extents, end };
    },
    record(number) {
      const pieces = (rows[number] ?? []).map(
        ({ bytes, from, to }) => bytes.toString('utf8', from, to) + end,
      );
      return pieces.length === 0 ? undefined : JSON.parse(pieces.join(','));
    },
    first,
  };
}

/** A page of records that are objects already. */
export function pageOfRecords(records: readonly unknown[], first: (count: number) => Body): Page {
  return {
    count: records.length,
    json: (numbers) => numbers.map((number) => JSON.stringify(records[number])).join(','),
    record: (number) => records[number],
    first,
  };
}

/** A single record, with what its answer says beside it. */
export function pageOfOne(record: unknown, meta: object): Page {
  return pageOfRecords([record], () => ({ envelope: { data: theRow, meta }, end: null }));
}

/** The numbers of the first rows. */
export function firstRows(count: number): RowList {
  const numbers: number[] = [];
  for (let number = 0; number < count; number++) numbers.push(number);
  return new RowList(numbers);
}

/** The body of a list with its first `count` rows. `cursor` goes on behind them; null if nothing can come behind them. */
export const listBody = (count: number, meta: object, cursor: string | null): Body => ({
  envelope: { data: firstRows(count), meta },
  end: { isEmpty: false, isWhole: cursor === null, cursor },
});

/** The numbers of the rows of several lists, if the lists are given in turn: one row of each that has more. */
export function numbersInTurn(lengths: readonly number[]): number[][] {
  const numbers: number[][] = lengths.map(() => []);
  let next = 0;
  for (let round = 0; round < Math.max(0, ...lengths); round++)
    for (const [list, length] of lengths.entries()) if (round < length) numbers[list]?.push(next++);
  return numbers;
}

/** Those of the numbers that belong to the first `count` rows. */
export function firstOf(numbers: readonly number[], count: number): RowList {
  return new RowList(numbers.filter((number) => number < count));
}

/** An envelope as JSON, in which `json` writes the rows. */
export function envelopePieces({ data, meta }: Envelope, json: Page['json']): Piece[] {
  const pieces: Piece[] = ['{"data":'];
  addPieces(pieces, data, json);
  pieces.push(meta === undefined ? '}' : `,"meta":${JSON.stringify(meta)}}`);
  return pieces;
}

function addPieces(pieces: Piece[], value: unknown, json: Page['json']): void {
  if (value === theRow) pieces.push(json([0]));
  else if (value instanceof RowList) pieces.push('[', json(value.numbers), ']');
  else if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      pieces.push(at === 0 ? '[' : ',');
      addPieces(pieces, each, json);
    }
    pieces.push(value.length === 0 ? '[]' : ']');
  } else if (isObject(value) && Object.values(value).some((member) => member instanceof RowList)) {
    for (const [at, [name, member]] of Object.entries(value).entries()) {
      pieces.push(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`);
      addPieces(pieces, member, json);
    }
    pieces.push('}');
  } else pieces.push(JSON.stringify(value));
}

/** An envelope as an object, with `rows` where rows stand. Entries that are not there are left out. */
export function filledEnvelope({ data, meta }: Envelope, rows: readonly unknown[]): Envelope {
  const filled = (value: unknown): unknown => {
    if (value === theRow) return rows[0];
    if (value instanceof RowList)
      return value.numbers.map((number) => rows[number]).filter((row) => row !== undefined);
    if (Array.isArray(value)) return value.map(filled);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]));
  };
  return { data: filled(data), ...(meta === undefined ? {} : { meta }) };
}
