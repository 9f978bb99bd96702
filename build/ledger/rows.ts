import Papa from 'papaparse';
import { z } from 'zod';
import { accessionNo, calendarDate, cik, easternStamp, formShape, isSymbol, itemCode } from '../../src/contract/shapes.ts';

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
}

/** Something upstream listed that did not become a filing, and why. Members that do not apply are empty. */
export interface Refusal {
  cik: string;
  file: string;
  accessionNo: string;
  reason: string;
}

/** How one kind of row is written as CSV: a header, and a way there and back. Throws a `ZodError` for a wrong row. */
export interface RowCodec<Row> {
  readonly columns: readonly string[];
  encode(row: Row): string[];
  decode(fields: readonly string[]): Row;
}

const none: readonly string[] = Object.freeze([]);
const orNull = (text: string) => (text === '' ? null : text);

/** Values that many rows share are kept once: a million filings have some ten thousand days, forms and filers. */
function createShared<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      if (known.size >= sharedMaximum) known.clear();
      // Text cut out of a file would keep the whole file in memory: what is kept is a copy.
      known.set(Buffer.from(text).toString(), (value = make(text)));
    }
    return value;
  };
}

const sharedMaximum = 100_000;
const word = createShared((text) => Buffer.from(text).toString());
const wordOrNull = (text: string) => (text === '' ? null : word(text));
const words = createShared((text): readonly string[] => (text === '' ? none : text.split(' ').map(word)));
const flag = z.enum(['0', '1']);
const formText = z.string().max(40).regex(formShape);

// Schemas check before writing; after reading, the digests of the batch have already proved that the bytes are ours.
const checkFiling = z.object({
  accessionNo, form: formText, filedAt: calendarDate, reportDate: calendarDate.nullable(), acceptedAt: easternStamp.nullable(),
  items: z.array(itemCode), primaryDocument: z.string().nullable(), primaryDocDescription: z.string().nullable(),
  sizeBytes: z.int().min(0).nullable(), isXbrl: z.boolean(), isInlineXbrl: z.boolean(), subjectCik: cik.nullable(), filerCiks: z.array(cik),
}).refine((filing) => filing.subjectCik !== null || filing.filerCiks.length > 0, 'a filing names a company');

/** Filings as CSV; lists are words with spaces between, null is the empty text. */
export const filingCodec: RowCodec<LedgerFiling> = {
  columns: ['accessionNo', 'form', 'filedAt', 'reportDate', 'acceptedAt', 'items', 'primaryDocument', 'primaryDocDescription', 'sizeBytes', 'isXbrl', 'isInlineXbrl', 'subjectCik', 'filerCiks'],
  encode(row) {
    checkFiling.parse(row);
    return [
      row.accessionNo, row.form, row.filedAt, row.reportDate ?? '', row.acceptedAt ?? '', row.items.join(' '), row.primaryDocument ?? '',
      row.primaryDocDescription ?? '', row.sizeBytes === null ? '' : String(row.sizeBytes), row.isXbrl ? '1' : '0', row.isInlineXbrl ? '1' : '0',
      row.subjectCik ?? '', row.filerCiks.join(' '),
    ];
  },
  decode(fields) {
    const [accession = '', form = '', filedAt = '', reportDate = '', acceptedAt = '', items = '', document = '', description = '', size = '', xbrl = '', inline = '', subject = '', filers = ''] = fields;
    return {
      accessionNo: accession, form: word(form), filedAt: word(filedAt), reportDate: wordOrNull(reportDate), acceptedAt: orNull(acceptedAt), items: words(items), primaryDocument: orNull(document),
      primaryDocDescription: wordOrNull(description), sizeBytes: size === '' ? null : Number(size), isXbrl: flag.parse(xbrl) === '1', isInlineXbrl: flag.parse(inline) === '1',
      subjectCik: wordOrNull(subject), filerCiks: words(filers),
    };
  },
};

const checkCompany = z.object({ cik, name: z.string().min(1), tickers: z.array(z.string().refine(isSymbol)), exchange: z.string().nullable(), formerNames: z.array(z.string()) });

/** Companies as CSV; former names are a JSON array, because names hold every character. */
export const companyCodec: RowCodec<LedgerCompany> = {
  columns: ['cik', 'name', 'tickers', 'exchange', 'formerNames'],
  encode(row) {
    checkCompany.parse(row);
    return [row.cik, row.name, row.tickers.join(' '), row.exchange ?? '', row.formerNames.length === 0 ? '' : JSON.stringify(row.formerNames)];
  },
  decode([id = '', name = '', tickers = '', exchange = '', formerNames = '']) {
    return checkCompany.parse({ cik: id, name, tickers: [...words(tickers)], exchange: orNull(exchange), formerNames: formerNames === '' ? [] : JSON.parse(formerNames) });
  },
};

/** Refusals as CSV. */
export const refusalCodec: RowCodec<Refusal> = {
  columns: ['cik', 'file', 'accessionNo', 'reason'],
  encode: (row) => [row.cik, row.file, row.accessionNo, row.reason],
  decode: ([id = '', file = '', accession = '', reason = '']) => ({ cik: id, file, accessionNo: accession, reason }),
};

const csvShape = { delimiter: ',', newline: '\n' } as const;

/** Rows as CSV text with a header line and a newline at its end. */
export function encodeRows<Row>(codec: RowCodec<Row>, rows: readonly Row[]): string {
  return `${Papa.unparse([[...codec.columns], ...rows.map((row) => codec.encode(row))], csvShape)}\n`;
}

/** The rows of a CSV text. Throws an `Error` that names the line for a wrong header or a wrong row. */
export function decodeRows<Row>(codec: RowCodec<Row>, text: string): Row[] {
  const { data, errors } = Papa.parse<string[]>(text, { ...csvShape, skipEmptyLines: true });
  if (errors[0]) throw new Error(`row ${(errors[0].row ?? 0) + 1}: ${errors[0].message}`);
  const header = data[0]?.join(',');
  if (header !== codec.columns.join(',')) throw new Error(`the columns are ${header}, not ${codec.columns.join(',')}`);
  const rows: Row[] = [];
  for (let at = 1; at < data.length; at++) {
    const fields = data[at] as string[];
    if (fields.length !== codec.columns.length) throw new Error(`row ${at + 1} has ${fields.length} fields`);
    rows.push(codec.decode(fields));
  }
  return rows;
}
