import { z } from 'zod';
import { CompanyFacts, factNames, factsFrom } from '../../src/domain/company-facts.ts';
import { remembered } from '../../src/domain/remembered.ts';
import {
  accessionNo,
  calendarDate,
  cik,
  easternStamp,
  formPattern,
  isSymbol,
  itemCode,
} from '../../src/domain/scalars.ts';
import { csvLines, csvRows } from '../csv/csv.ts';
import { copyOf } from '../work/copy-of.ts';
import { isPlainFiling } from './plain-filing.ts';

/** One filing as a batch records it: upstream's values, cleaned, and without the rules of publication. */
export interface LedgerFiling {
  accessionNo: string;
  form: string;
  filedAt: string;
  reportDate: string | null;
  /** Eastern wall-clock time, 14 digits `yyyymmddhhmmss`. */
  acceptedAt: string | null;
  items: readonly string[];
  primaryDocument: string | null;
  primaryDocDescription: string | null;
  sizeBytes: number | null;
  isXbrl: boolean;
  isInlineXbrl: boolean;
  /** The issuer or subject company, if upstream names one. */
  subjectCik: string | null;
  /** Every other entity under which upstream lists the filing, sorted. */
  filerCiks: readonly string[];
  /**
   * The roles that the feed or the header told, each `<CIK>:<role>`, by CIK. Left out where neither told any:
   * a rule gives the role of a party that is not in it.
   */
  roles?: readonly string[];
}

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

/**
 * Returns a function that checks a row. It throws an `Error` that says which rule the row breaks. The schema
 * has the rules; `isPlain` may say of a row that it breaks none, in a tenth of the time.
 */
function checkOf<Row extends LedgerFiling | LedgerCompany>(
  schema: z.ZodType,
  isPlain: (row: Row) => boolean = () => false,
): (row: Row) => void {
  return (row) => {
    if (isPlain(row) && whyTooLong(row) === null) return;
    const issue = schema.safeParse(row).error?.issues[0];
    const reason = issue ? [...issue.path.slice(0, 1), issue.message].join(': ') : whyTooLong(row);
    if (reason !== null) throw new Error(reason);
  };
}

/** Forms are looked up again and again. One that is cut out of a file would keep the whole file in memory. */
const formOf = remembered(1000, copyOf, copyOf);

const wordsOf = (text: string): readonly string[] => (text === '' ? none : text.split(' '));

function flag(name: string, text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error(`${name}: neither 0 nor 1`);
  return text === '1';
}

const formText = z.string().max(40).regex(formPattern);
const toldRole = z.string().regex(/^\d{10}:(filer|issuer|reporting_owner|subject|filed_by)$/);

// Rows are checked when they are written and again when they are read: the batch may be older than a rule, or
// written by another program.
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
      roles: z.array(toldRole).min(1).optional(),
    })
    .refine((filing) => filing.subjectCik !== null || filing.filerCiks.length > 0, 'it names no company'),
  isPlainFiling,
);

/** Filings as CSV. Lists are separated by spaces; null is the empty text. */
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
    'roles',
  ],
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

/** The fields of a filing that was checked, as a line of CSV has them. */
export const fieldsOfFiling = (row: LedgerFiling): string[] => [
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
  row.roles?.join(' ') ?? '',
];

/** Reads the fields of a filing, and does not check them. */
export function filingOfFields(fields: readonly string[]): LedgerFiling {
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
    roles = '',
  ] = fields;
  return {
    accessionNo: accession,
    form: formOf(form),
    filedAt,
    reportDate: orNull(reportDate),
    acceptedAt: orNull(acceptedAt),
    items: wordsOf(items),
    primaryDocument: orNull(document),
    primaryDocDescription: orNull(description),
    sizeBytes: size === '' ? null : Number(size),
    isXbrl: flag('isXbrl', xbrl),
    isInlineXbrl: flag('isInlineXbrl', inline),
    subjectCik: orNull(subject),
    filerCiks: wordsOf(filers),
    ...(roles === '' ? {} : { roles: wordsOf(roles) }),
  };
}

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

/** Companies as CSV. Former names are a JSON array, because names may contain any character. */
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
      ? factsFrom((fact) => orNull(told[factNames.indexOf(fact)] ?? ''))
      : undefined;
    const row: LedgerCompany = {
      cik: id,
      name,
      tickers: wordsOf(tickers),
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

/** Writes the header line of a CSV file. */
export function encodeHeader<Row>({ columns }: RowCodec<Row>): string {
  return `${columns.join(',')}\n`;
}

/** Writes rows as a CSV text with a header line; the last line ends with a newline, too. */
export function encodeRows<Row>(codec: RowCodec<Row>, rows: readonly Row[]): string {
  return encodeHeader(codec) + csvLines(rows.map((row) => codec.encode(row)));
}

/**
 * Returns the reason why a row cannot be written; null if it can. Such a row is left out, so that the others
 * can be written.
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
