import * as z from 'zod';
import { CompanyFacts, factNames, factsFrom, FormerNamePeriod } from '../../src/domain/company-facts.ts';
import { cik, isSymbol } from '../../src/domain/scalars.ts';
import { csvLines, csvRows } from '../csv/csv.ts';
import {
  fieldsOfFiling,
  filingColumns,
  filingMembers,
  filingOfFields,
  filingSchema,
  freeTextsOf,
  isPlainFiling,
  type LedgerFiling,
  wordsOf,
} from './filing-columns.ts';

export type { LedgerFiling } from './filing-columns.ts';

/** One entity as a batch records it. */
export interface LedgerCompany {
  cik: string;
  name: string;
  /** Symbols in upstream's order, the primary one first. If upstream dropped them, the last known ones. */
  tickers: readonly string[];
  /** The exchange of the primary symbol. */
  exchange: string | null;
  /** Newest first. */
  formerNames: readonly string[];
  /** Left out if no source gave any. */
  facts?: CompanyFacts;
  /** The former names with their days, newest first; a name may come again. Left out if no source gave any. */
  formerNamePeriods?: readonly FormerNamePeriod[];
}

/**
 * A row or file of upstream that was not understood or fetched, and the reason. Members that do not apply are
 * empty.
 */
export interface Refusal {
  cik: string;
  file: string;
  accessionNo: string;
  reason: string;
}

/** Describes a refusal in one line. */
export function describeRefusal({ cik, file, accessionNo, reason }: Refusal): string {
  return [file, file.includes(cik) ? '' : `CIK ${cik}`, accessionNo, reason]
    .filter((part) => part !== '')
    .join(' ');
}

/**
 * How rows of one kind are written as CSV and read again. `encode` and `decode` throw an `Error` for a row
 * that breaks the rules of the ledger.
 */
export interface RowCodec<Row> {
  readonly columns: readonly string[];
  /**
   * The number of columns of the oldest files: later columns were added at the end. All columns if left out.
   */
  readonly columnsMinimum?: number;
  encode(row: Row): string[];
  decode(fields: readonly string[]): Row;
}

/**
 * The greatest length of all texts of a row together, in UTF-16 code units; recorded rows stay below 600.
 * Every table row that is made from a row of this length, including words folded for search, fits into a
 * snapshot.
 */
export const rowTextMaximum = 16_384;

/** Returns the reason why the texts of a filing or company are too long; null if they are not. */
function whyTooLong(row: LedgerFiling | LedgerCompany): string | null {
  const texts =
    'name' in row
      ? [
          row.name,
          row.exchange,
          ...row.tickers,
          ...row.formerNames,
          ...(row.formerNamePeriods ?? []).map(({ name }) => name),
          ...factNames.map((name) => row.facts?.[name]),
        ]
      : freeTextsOf(row);
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return length <= rowTextMaximum
    ? null
    : `its texts have ${length} characters, the most is ${rowTextMaximum}`;
}

const orNull = (text: string) => (text === '' ? null : text);

/**
 * Returns a function that checks a row. It throws an `Error` that says which rule the row breaks. The schema
 * has the rules, and `columnOf` gives the column of a member; `isPlain` may say of a row that it breaks none, in a tenth of the time.
 */
function checkOf<Row extends LedgerFiling | LedgerCompany>(
  schema: z.ZodType,
  columnOf: (member: string) => string = (member) => member,
  isPlain: (row: Row) => boolean = () => false,
): (row: Row) => void {
  return (row) => {
    if (isPlain(row) && whyTooLong(row) === null) return;
    const issue = schema.safeParse(row).error?.issues[0];
    const [member] = issue?.path ?? [];
    const reason = issue
      ? [...(member === undefined ? [] : [columnOf(String(member))]), issue.message].join(': ')
      : whyTooLong(row);
    if (reason !== null) throw new Error(reason);
  };
}

// Rows are checked when they are written and again when they are read: the batch may be older than a rule, or
// written by another program.
const checkFiling = checkOf<LedgerFiling>(
  filingSchema,
  (name) => filingColumns[name as keyof LedgerFiling].csv ?? name,
  isPlainFiling,
);

/** Filings as CSV. Lists are separated by spaces; null is the empty text. */
export const filingCodec: RowCodec<LedgerFiling> = {
  columns: filingMembers.map(({ name, csv }) => csv ?? name),
  columnsMinimum: 13,
  encode(row) {
    checkFiling(row);
    return fieldsOfFiling(row);
  },
  decode(fields) {
    const row = filingOfFields(fields);
    checkFiling(row);
    // The row is returned, not the parsed copy of the schema, because its lists are shared with other rows.
    return row;
  },
};

const checkCompany = checkOf<LedgerCompany>(
  z.object({
    cik,
    name: z.string().min(1),
    tickers: z.array(z.string().refine(isSymbol, 'no symbol')),
    exchange: z.string().nullable(),
    formerNames: z.array(z.string()),
    facts: CompanyFacts.optional(),
    formerNamePeriods: z.array(FormerNamePeriod).optional(),
  }),
);

/**
 * Companies as CSV. Former names are JSON arrays, because names may contain any character: of names, and of arrays of
 * a name and its first and last day.
 */
export const companyCodec: RowCodec<LedgerCompany> = {
  columns: ['cik', 'name', 'tickers', 'exchange', 'formerNames', ...factNames, 'formerNamePeriods'],
  columnsMinimum: 5,
  encode(row) {
    checkCompany(row);
    return [
      row.cik,
      row.name,
      row.tickers.join(' '),
      row.exchange ?? '',
      row.formerNames.length === 0 ? '' : JSON.stringify(row.formerNames),
      ...factNames.map((name) => row.facts?.[name] ?? ''),
      (row.formerNamePeriods ?? []).length === 0
        ? ''
        : JSON.stringify(row.formerNamePeriods?.map(({ name, since, until }) => [name, since, until])),
    ];
  },
  decode([id = '', name = '', tickers = '', exchange = '', formerNames = '', ...more]) {
    const told = more.slice(0, factNames.length);
    const periods = more[factNames.length] ?? '';
    const facts = told.some((text) => text !== '')
      ? factsFrom((fact) => orNull(told[factNames.indexOf(fact)] ?? ''))
      : undefined;
    const row: LedgerCompany = {
      cik: id,
      name,
      tickers: wordsOf(tickers),
      exchange: orNull(exchange),
      formerNames: formerNames === '' ? [] : (JSON.parse(formerNames) as string[]),
      ...(facts ? { facts } : {}),
      ...(periods === '' ? {} : { formerNamePeriods: periodsIn(periods) }),
    };
    checkCompany(row);
    return row;
  },
};

function periodsIn(json: string): FormerNamePeriod[] {
  const rows = JSON.parse(json) as [string, string | null, string | null][];
  return rows.map(([name, since, until]) => ({ name, since, until }));
}

/** Refusals as CSV. */
export const refusalCodec: RowCodec<Refusal> = {
  columns: ['cik', 'file', 'accessionNo', 'reason'],
  encode: (row) => [row.cik, row.file, row.accessionNo, row.reason],
  decode: ([id = '', file = '', accession = '', reason = '']) => ({
    cik: id,
    file,
    accessionNo: accession,
    reason,
  }),
};

/** Writes the header line of a CSV file. */
export function encodeHeader<Row>({ columns }: RowCodec<Row>): string {
  return `${columns.join(',')}\n`;
}

/** Writes rows as a CSV text with a header line; the last line ends with a newline, too. */
export function encodeRows<Row>(codec: RowCodec<Row>, rows: readonly Row[]): string {
  return encodeHeader(codec) + csvLines(rows.map((row) => codec.encode(row)));
}

/**
 * A row that breaks the rules of the ledger: its number in the file, counted from 1 with the header, its
 * first field, and the reason.
 */
export interface Misfit {
  readonly row: number;
  readonly first: string;
  readonly reason: string;
}

/**
 * Reads the rows of a CSV text. Rows that break the rules of the ledger are returned as `misfits`, so that
 * the others can be read. Throws an `Error` if the text is not a table of these columns.
 */
export function decodeRows<Row>(codec: RowCodec<Row>, text: string): { rows: Row[]; misfits: Misfit[] } {
  const [part = { rows: [], misfits: [] }] = decodeParts(codec, text, Infinity);
  return part;
}

/** Like `decodeRows`, with at most `size` rows and misfits at a time. It yields once even if there are none. */
export function* decodeParts<Row>(
  codec: RowCodec<Row>,
  text: string,
  size: number,
): Generator<{ rows: Row[]; misfits: Misfit[] }> {
  const lines = csvRows(text);
  const header = lines.next();
  const columns = header.done === true ? [] : header.value;
  const width = columns.length;
  const isKnown =
    width >= (codec.columnsMinimum ?? codec.columns.length) &&
    columns.join(',') === codec.columns.slice(0, width).join(',');
  if (!isKnown) throw new Error(`the columns are ${columns.join(',')}, not ${codec.columns.join(',')}`);
  let [rows, misfits]: [Row[], Misfit[]] = [[], []];
  let number = 1;
  for (const fields of lines) {
    number++;
    if (fields.length !== width) throw new Error(`row ${number} has ${fields.length} fields`);
    try {
      rows.push(codec.decode(fields));
    } catch (error) {
      misfits.push({ row: number, first: (fields[0] ?? '').slice(0, 40), reason: (error as Error).message });
    }
    if (rows.length + misfits.length < size) continue;
    yield { rows, misfits };
    [rows, misfits] = [[], []];
  }
  if (number === 1 || rows.length + misfits.length > 0) yield { rows, misfits };
}
