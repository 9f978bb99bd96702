import * as z from 'zod';
import { eventTypeOfForm, normalizeForm } from '../../src/domain/event-types.ts';
import { parseItems } from '../../src/domain/items.ts';
import { isSymbol } from '../../src/domain/scalars.ts';
import type { LedgerFiling, Refusal } from '../ledger/ledger-rows.ts';
import { easternAcceptance, type Clock } from './clock.ts';
import { factsOf, givenFacts } from './given-facts.ts';
import { roleOf, type Entity } from './roles.ts';
import { isDay, refusalReason } from './source-rows.ts';
import { clean, jsonOf } from './source-text.ts';

// Only the columns that are used are checked: upstream adds columns, and writes anything into others.
const text = z
  .string()
  .nullish()
  .transform((value) => clean(value ?? ''));
// Files have millions of values: checking them in a loop takes a fifth of the time of a zod array.
const arrayOf = <Value>(isValue: (value: unknown) => boolean, names: string) =>
  z.custom<Value[]>((list) => Array.isArray(list) && list.every(isValue), `it must be a list of ${names}`);
const texts = arrayOf<string | null>((value) => typeof value === 'string' || value === null, 'texts');
const numbers = arrayOf<number | string | boolean | null>(
  (value) => value === null || ['number', 'string', 'boolean'].includes(typeof value),
  'numbers',
);

const Columns = z.object({
  accessionNumber: arrayOf<string>((value) => typeof value === 'string', 'texts'),
  filingDate: texts,
  reportDate: texts,
  acceptanceDateTime: texts,
  form: texts,
  items: texts,
  size: numbers,
  isXBRL: numbers,
  isInlineXBRL: numbers,
  primaryDocument: texts,
  primaryDocDescription: texts,
  fileNumber: texts.optional(),
  act: texts.optional(),
});

/** The columns of filings as upstream gives them: arrays of the same length. */
export type Columns = z.infer<typeof Columns>;

const ExtraPage = z.object({
  name: z.string().regex(/^CIK\d{10}-submissions-\d{3,}\.json$/),
  filingCount: z.int().nullable().default(null),
  filingTo: z.string().nullable().default(null),
});

/** An extra page: a further file of a company's filings, older than those in the main file. */
export interface ExtraPage {
  readonly name: string;
  /**
   * The number of rows that it should have, which was right for 82 of 82 recorded pages: a page with fewer
   * rows is not complete.
   */
  readonly filingCount: number | null;
  /**
   * The newest filing date that it claims. It is only a hint: pages have rows up to a day newer (measured).
   */
  readonly filingTo: string | null;
}

const Main = z.object({
  cik: z.union([z.string().regex(/^\d{1,10}$/), z.number().int().min(0)]),
  name: z.string().transform(clean).pipe(z.string().min(1)),
  tickers: z.array(z.string().nullable()).nullish(),
  exchanges: z.array(z.string().nullable()).nullish(),
  insiderTransactionForIssuerExists: z.union([z.number(), z.boolean()]).nullish(),
  insiderTransactionForOwnerExists: z.union([z.number(), z.boolean()]).nullish(),
  formerNames: z
    .array(z.object({ name: text, from: z.unknown().optional(), to: z.unknown().optional() }))
    .nullish(),
  ...givenFacts,
  filings: z.object({ recent: z.unknown(), files: z.array(ExtraPage).nullish() }),
});

/** The main submissions file of an entity. */
export interface Submissions {
  readonly entity: Entity;
  readonly columns: Columns;
  readonly extraPages: readonly ExtraPage[];
}

/** Returns the name of an entity's main file. */
export function submissionsFile(cik: string): string {
  return `CIK${cik}.json`;
}

/** Parses the main file of an entity. Throws an `Error` that says what cannot be understood. */
export function parseSubmissions(body: Buffer, cik: string): Submissions {
  const main = understand(Main, jsonOf(body));
  const own = String(main.cik).padStart(10, '0');
  if (own !== cik) throw new Error(`it is about CIK ${own}`);
  const extraPages = main.filings.files ?? [];
  // An extra page does not name its company: without this check, filings of another company could be taken
  // for this one's.
  const foreign = extraPages.find(({ name }) => !name.startsWith(`CIK${cik}-`));
  if (foreign) throw new Error(`it names ${foreign.name}`);
  const pairs = (main.tickers ?? []).map((ticker, at) => ({
    ticker: ticker?.trim() ?? '',
    exchange: main.exchanges?.[at] || null,
  }));
  const named = pairs.filter(({ ticker }) => isSymbol(ticker));
  return {
    entity: {
      cik,
      alone: [cik],
      name: main.name,
      tickers: [...new Set(named.map(({ ticker }) => ticker))],
      exchange: named[0]?.exchange ?? null,
      formerNames: [
        ...new Set((main.formerNames ?? []).map(({ name }) => name).filter((name) => name !== '')),
      ],
      formerNamePeriods: (main.formerNames ?? [])
        .filter(({ name }) => name !== '')
        .map(({ name, from, to }) => ({ name, since: dayOf(from), until: dayOf(to) })),
      facts: factsOf(main),
      isIssuer: Boolean(main.insiderTransactionForIssuerExists),
      isOwner: Boolean(main.insiderTransactionForOwnerExists),
    },
    columns: toColumns(isEmpty(main.filings.recent) ? noColumns : main.filings.recent),
    extraPages,
  };
}

/** Parses an extra page, which has only the columns. Throws like `parseSubmissions`. */
export function parseExtraPage(body: Buffer): Columns {
  return toColumns(jsonOf(body));
}

/** The day of an instant that upstream gives as `2007-01-10T05:00:00.000Z`, midnight of that day; null if it is none. */
function dayOf(instant: unknown): string | null {
  const day = typeof instant === 'string' ? instant.slice(0, 10) : '';
  return isDay(day) ? day : null;
}

/** An entity without filings may have an object without columns. An extra page always has rows. */
const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const noColumns = Object.fromEntries(Object.keys(Columns.shape).map((name) => [name, []]));

function toColumns(value: unknown): Columns {
  const columns = understand(Columns, value);
  const rows = columns.accessionNumber.length;
  for (const [name, column] of Object.entries(columns))
    if (column && column.length !== rows)
      throw new Error(`column ${name} has ${column.length} rows, accessionNumber has ${rows}`);
  return columns;
}

function understand<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new Error(`${issue?.path.join('.') || 'it'}: ${issue?.message}`);
}

/** The filings that one file lists for one entity, and refusals for the rows that could not be understood. */
export interface FileRows {
  readonly filings: LedgerFiling[];
  readonly refusals: Refusal[];
}

/** The clock of a file's acceptance times, and the first day whose rows do not follow it yet. */
export interface FileClock {
  readonly clock: Clock | null;
  readonly unsettledFrom: string;
}

/**
 * Turns columns into filings. Acceptance times become null if the clock of the file does not decide them. A
 * row whose accession number, form or filing date cannot be understood is refused.
 */
export function toFilings(
  columns: Columns,
  entity: Entity,
  file: string,
  { clock, unsettledFrom }: FileClock,
): FileRows {
  const filings: LedgerFiling[] = [];
  const refusals: Refusal[] = [];
  for (let row = 0; row < columns.accessionNumber.length; row++) {
    const accessionNo = columns.accessionNumber[row] ?? '';
    const form = normalizeForm(columns.form[row] ?? '');
    const filedAt = columns.filingDate[row] ?? '';
    const reason = refusalReason(accessionNo, form, filedAt, columns.acceptanceDateTime[row]);
    if (reason !== null) {
      refusals.push({ cik: entity.cik, file, accessionNo: accessionNo.slice(0, 40), reason });
      continue;
    }
    const eventType = eventTypeOfForm(form);
    const isSubject =
      roleOf(eventType, entity, columns.fileNumber?.[row] ?? '', columns.act?.[row] ?? '') === 'subject';
    filings.push({
      accessionNo,
      form,
      filedAt,
      reportDate: toDate(columns.reportDate[row]),
      acceptedEastern: easternAcceptance(columns.acceptanceDateTime[row], clock, unsettledFrom),
      items: parseItems(eventType, columns.items[row] ?? ''),
      primaryDocument: toText(columns.primaryDocument[row]),
      primaryDocDescription: toText(columns.primaryDocDescription[row]),
      sizeBytes: toSize(columns.size[row]),
      isXbrl: toFlag(columns.isXBRL[row]),
      isInlineXbrl: toFlag(columns.isInlineXBRL[row]),
      subjectCik: isSubject ? entity.cik : null,
      filerCiks: isSubject ? none : entity.alone,
    });
  }
  return { filings, refusals };
}

const none: readonly string[] = Object.freeze([]);

function toDate(value: string | null | undefined): string | null {
  return value && isDay(value) ? value : null;
}

/** Upstream writes null as the empty text, and in some rows of 2025 as the word `null`. */
function toText(value: string | null | undefined): string | null {
  return !value || value === 'null' ? null : value;
}

function toSize(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function toFlag(value: unknown): boolean {
  return value === 1 || value === true || value === '1';
}
