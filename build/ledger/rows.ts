import { z } from 'zod';
import { CompanyFacts, factNames, factsFrom } from '../../src/contract/facts.ts';
import { remembered } from '../../src/contract/remembered.ts';
import {
  accessionNo,
  calendarDate,
  cik,
  easternStamp,
  formPattern,
  isSymbol,
  itemCode,
} from '../../src/contract/scalars.ts';
import { csvLines, csvRows } from '../csv/csv.ts';

/** One filing as a batch records it: upstream's values, cleaned, before any rule of publication. */
export interface LedgerFiling {
  accessionNo: string;
  form: string;
  filedAt: string;
  reportDate: string | null;
  /** Eastern wall clock, 14 digits. */
  acceptedAt: string | null;
  items: readonly string[];
  primaryDocument: string | null;
  primaryDocDescription: string | null;
  sizeBytes: number | null;
  isXbrl: boolean;
  isInlineXbrl: boolean;
  /** The issuer or subject company, where upstream tells it. */
  subjectCik: string | null;
  /** Every other entity under which upstream lists the filing, sorted. */
  filerCiks: readonly string[];
}

/** One entity as a batch records it. */
export interface LedgerCompany {
  cik: string;
  name: string;
  /** Symbols in upstream's order, primary first; the last known ones where upstream dropped them. */
  tickers: readonly string[];
  /** Exchange of the primary symbol. */
  exchange: string | null;
  /** Newest first. */
  formerNames: readonly string[];
  /** Left out where no source told any of them. */
  facts?: CompanyFacts;
}

/** Something upstream listed that did not become a filing, and why. Members that do not apply are empty. */
export interface Refusal {
  cik: string;
  file: string;
  accessionNo: string;
  reason: string;
}

/** What was refused and why, in one line. */
export function describeRefusal({ cik, file, accessionNo, reason }: Refusal): string {
  return [file, file.includes(cik) ? '' : `CIK ${cik}`, accessionNo, reason]
    .filter((part) => part !== '')
    .join(' ');
}

/**
 * How one kind of row is written as CSV: a header, and a way there and back. Both throw an `Error` for a row
 * that does not fit.
 */
export interface RowCodec<Row> {
  readonly columns: readonly string[];
  /**
   * How many columns files had that were written before the later ones were added at the end; all of them if
   * left out.
   */
  readonly columnsMinimum?: number;
  encode(row: Row): string[];
  decode(fields: readonly string[]): Row;
}

/**
 * The texts of a row are together no longer than this, in UTF-16 code units; recorded ones stay below 600.
 * Whatever a table makes of such a row, words folded for search included, fits into a row of a snapshot.
 */
export const rowTextMaximum = 16_384;

/** Why the texts of a filing or company do not fit into a row; null if they do. */
function whyTooLong(row: LedgerFiling | LedgerCompany): string | null {
  const texts =
    'name' in row
      ? [
          row.name,
          row.exchange,
          ...row.tickers,
          ...row.formerNames,
          ...factNames.map((name) => row.facts?.[name]),
        ]
      : [row.primaryDocument, row.primaryDocDescription];
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return length <= rowTextMaximum
    ? null
    : `its texts have ${length} characters, the most is ${rowTextMaximum}`;
}

const none: readonly string[] = Object.freeze([]);
const orNull = (text: string) => (text === '' ? null : text);

/** Makes the check of a row. It throws an `Error` that says what does not fit. */
function checkOf<Row extends LedgerFiling | LedgerCompany>(schema: z.ZodType): (row: Row) => void {
  return (row) => {
    const issue = schema.safeParse(row).error?.issues[0];
    const reason = issue ? [...issue.path.slice(0, 1), issue.message].join(': ') : whyTooLong(row);
    if (reason !== null) throw new Error(reason);
  };
}

/**
 * Values that many rows share are kept once: a million filings have some ten thousand days, forms and filers.
 */
function createShared<Value>(make: (text: string) => Value): (text: string) => Value {
  return remembered(sharedMaximum, make, copyOf);
}

/** Text cut out of a file would keep the whole file in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

function flag(name: string, text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error(`${name}: neither 0 nor 1`);
  return text === '1';
}

const sharedMaximum = 100_000;
const word = createShared(copyOf);
const wordOrNull = (text: string) => (text === '' ? null : word(text));
const words = createShared((text): readonly string[] => (text === '' ? none : text.split(' ').map(word)));
const formText = z.string().max(40).regex(formPattern);

// What is written was checked, and so is what is read: a batch may be older than a rule, or somebody else's.
const checkFiling = checkOf<LedgerFiling>(
  z
    .object({
      accessionNo,
      form: formText,
      filedAt: calendarDate,
      reportDate: calendarDate.nullable(),
      acceptedAt: easternStamp.nullable(),
      items: z.array(itemCode),
      primaryDocument: z.string().nullable(),
      primaryDocDescription: z.string().nullable(),
      sizeBytes: z.int().min(0).nullable(),
      isXbrl: z.boolean(),
      isInlineXbrl: z.boolean(),
      subjectCik: cik.nullable(),
      filerCiks: z.array(cik),
    })
    .refine((filing) => filing.subjectCik !== null || filing.filerCiks.length > 0, 'it names no company'),
);

/** Filings as CSV; lists are words with spaces between, null is the empty text. */
export const filingCodec: RowCodec<LedgerFiling> = {
  columns: [
    'accessionNo',
    'form',
    'filedAt',
    'reportDate',
    'acceptedAt',
    'items',
    'primaryDocument',
    'primaryDocDescription',
    'sizeBytes',
    'isXbrl',
    'isInlineXbrl',
    'subjectCik',
    'filerCiks',
  ],
  encode(row) {
    checkFiling(row);
    return [
      row.accessionNo,
      row.form,
      row.filedAt,
      row.reportDate ?? '',
      row.acceptedAt ?? '',
      row.items.join(' '),
      row.primaryDocument ?? '',
      row.primaryDocDescription ?? '',
      row.sizeBytes === null ? '' : String(row.sizeBytes),
      row.isXbrl ? '1' : '0',
      row.isInlineXbrl ? '1' : '0',
      row.subjectCik ?? '',
      row.filerCiks.join(' '),
    ];
  },
  decode(fields) {
    const [
      accession = '',
      form = '',
      filedAt = '',
      reportDate = '',
      acceptedAt = '',
      items = '',
      document = '',
      description = '',
      size = '',
      xbrl = '',
      inline = '',
      subject = '',
      filers = '',
    ] = fields;
    const row: LedgerFiling = {
      accessionNo: accession,
      form: word(form),
      filedAt: word(filedAt),
      reportDate: wordOrNull(reportDate),
      acceptedAt: orNull(acceptedAt),
      items: words(items),
      primaryDocument: orNull(document),
      primaryDocDescription: wordOrNull(description),
      sizeBytes: size === '' ? null : Number(size),
      isXbrl: flag('isXbrl', xbrl),
      isInlineXbrl: flag('isInlineXbrl', inline),
      subjectCik: wordOrNull(subject),
      filerCiks: words(filers),
    };
    checkFiling(row);
    // The row itself, not what the schema gives: its lists are shared with other rows.
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
  }),
);

/** Companies as CSV; former names are a JSON array, because names hold every character. */
export const companyCodec: RowCodec<LedgerCompany> = {
  columns: ['cik', 'name', 'tickers', 'exchange', 'formerNames', ...factNames],
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
    ];
  },
  decode([id = '', name = '', tickers = '', exchange = '', formerNames = '', ...told]) {
    const facts = told.some((text) => text !== '')
      ? factsFrom((fact) => wordOrNull(told[factNames.indexOf(fact)] ?? ''))
      : undefined;
    const row: LedgerCompany = {
      cik: id,
      name,
      tickers: words(tickers),
      exchange: orNull(exchange),
      formerNames: formerNames === '' ? [] : (JSON.parse(formerNames) as string[]),
      ...(facts ? { facts } : {}),
    };
    checkCompany(row);
    return row;
  },
};

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

/** The header line of a CSV text. */
export function encodeHeader<Row>({ columns }: RowCodec<Row>): string {
  return `${columns.join(',')}\n`;
}

/** Rows as CSV text with a header line and a newline at its end. */
export function encodeRows<Row>(codec: RowCodec<Row>, rows: readonly Row[]): string {
  return encodeHeader(codec) + csvLines(rows.map((row) => codec.encode(row)));
}

/**
 * Why a row cannot be written; null if it can. One that cannot must not keep the others from being written.
 */
export function whyUnfit(row: LedgerFiling | LedgerCompany): string | null {
  try {
    if ('accessionNo' in row) filingCodec.encode(row);
    else companyCodec.encode(row);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * A row that does not fit: its number in the file, counted from 1 with the header, its first field, and why.
 */
export interface Misfit {
  readonly row: number;
  readonly first: string;
  readonly reason: string;
}

/**
 * The rows of a CSV text, and those that do not fit: one bad row does not keep the others from being read.
 * Throws an `Error` for a text that is not a table of these columns.
 */
export function decodeRows<Row>(codec: RowCodec<Row>, text: string): { rows: Row[]; misfits: Misfit[] } {
  const data = csvRows(text);
  const width = data[0]?.length ?? 0;
  const isKnown =
    width >= (codec.columnsMinimum ?? codec.columns.length) &&
    data[0]?.join(',') === codec.columns.slice(0, width).join(',');
  if (!isKnown) throw new Error(`the columns are ${data[0]?.join(',')}, not ${codec.columns.join(',')}`);
  const rows: Row[] = [];
  const misfits: Misfit[] = [];
  for (let at = 1; at < data.length; at++) {
    const fields = data[at] as string[];
    if (fields.length !== width) throw new Error(`row ${at + 1} has ${fields.length} fields`);
    try {
      rows.push(codec.decode(fields));
    } catch (error) {
      misfits.push({ row: at + 1, first: (fields[0] ?? '').slice(0, 40), reason: (error as Error).message });
    }
  }
  return { rows, misfits };
}
