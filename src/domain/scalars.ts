import * as z from 'zod';

/** The first day that a date can name. */
export const firstCalendarDate = '0001-01-01';

/** Whether a `YYYY-MM-DD` text names a day that exists, e.g. not `2026-02-30`. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (lengths[month - 1] ?? 0);
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Order by UTF-16 code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A calendar day, `YYYY-MM-DD`. */
export const calendarDate = z.string().refine(isCalendarDate, 'a date YYYY-MM-DD').meta({ format: 'date' });

/** An instant in UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/)
  .meta({ format: 'date-time' });

const cikPattern = /^\d{10}$/;

/** A Central Index Key, EDGAR's number for an entity: ten digits, zero-padded, never recycled. */
export const cik = z.string().regex(cikPattern);

/** Whether a text is written as a CIK. */
export function isCik(text: string): boolean {
  return cikPattern.test(text);
}

const accessionNoPattern = /^\d{10}-\d{2}-\d{6}$/;

/** An accession number, EDGAR's number for one submission: `<10 digits>-<2 digits>-<6 digits>`. */
export const accessionNo = z.string().regex(accessionNoPattern);

/** Whether a text is written as an accession number. */
export function isAccessionNo(text: string): boolean {
  return accessionNoPattern.test(text);
}

/** An 8-K item code, `<d.dd>`. */
export const itemCode = z.string().regex(/^\d{1,2}\.\d{2}$/);

/** An acceptance time: Eastern wall clock, 14 digits `yyyymmddhhmmss`. */
export const easternStamp = z.string().regex(/^\d{14}$/);

/** An instant on the Eastern clock with its offset, `YYYY-MM-DDTHH:MM:SS-04:00` or `-05:00`. */
export const easternInstant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}-0[45]:00$/)
  .meta({ format: 'date-time' });

/** A Standard Industrial Classification code: four digits. */
export const sicCode = z.string().regex(/^\d{4}$/);

/** A day of every year, `mmdd`. */
export const monthDay = z.string().regex(/^(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/);

const sha256Pattern = /^[0-9a-f]{64}$/;

/** A SHA-256 digest in lower-case hexadecimal. */
export const sha256 = z.string().regex(sha256Pattern);

/** Whether a text is written as a SHA-256 digest. */
export function isSha256(text: string): boolean {
  return sha256Pattern.test(text);
}

/** A count: an integer of zero or more. */
export const count = z.int().min(0);

/**
 * Forms as EDGAR writes them: capitals, digits, and `/`, `-`, `.`, `&`, `(`, `)` or single spaces between.
 * Forms are at most 40 characters long. Every form in the recorded indexes fits.
 */
export const formPattern = /^[A-Z0-9][A-Z0-9./&()-]*(?: [A-Z0-9./&()-]+)*$/;

/** Whether a text is written as a form. */
export function isForm(text: string): boolean {
  return text.length <= 40 && formPattern.test(text);
}

/** Ticker symbols as upstream or a client may write them; a space may replace EDGAR's hyphen. */
export const tickerPattern = /^[A-Za-z0-9](?:[A-Za-z0-9./ -]{0,18}[A-Za-z0-9])?$/;

/** Whether a text is a ticker symbol without spaces, as in upstream's files. */
export function isSymbol(text: string): boolean {
  return tickerPattern.test(text) && !text.includes(' ');
}

/**
 * The spelling in which a ticker symbol is looked up: upper case, with the hyphen that EDGAR writes between a
 * symbol and its share class instead of `.`, `/` or space (`brk.b` becomes `BRK-B`). One to ten digits are a
 * CIK and are padded.
 */
export function foldSymbol(text: string): string {
  const folded = text.trim().toUpperCase().replace(/[./ ]/g, '-');
  return /^\d{1,10}$/.test(folded) ? folded.padStart(10, '0') : folded;
}
