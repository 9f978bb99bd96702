import * as z from 'zod';
import { isSymbol } from '../../src/domain/scalars.ts';
import { jsonOf } from './source-text.ts';

/** One row of a ticker file: a symbol and the company that has it now. */
export interface TickerRow {
  readonly cik: string;
  readonly ticker: string;
  readonly name: string;
  readonly exchange: string | null;
}

/**
 * The fewest companies of a complete ticker file. Upstream lists about 10,000; a file with fewer than this is
 * cut off or not a ticker file.
 */
export const tickerRowsMinimum = 1000;

const cikNumber = z
  .union([z.number(), z.string()])
  .transform((value) => String(value).padStart(10, '0'))
  .pipe(z.string().regex(/^(?!0{10})\d{10}$/));
const symbol = z.string().trim().refine(isSymbol);

const PlainRow = z.object({ cik_str: cikNumber, ticker: symbol, title: z.string() });
const Table = z.object({
  fields: z.array(z.string()),
  data: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});
const NamedRow = z.object({
  cik: cikNumber,
  name: z.string(),
  ticker: symbol,
  exchange: z.string().nullish(),
});

/** The names of the ticker files, in the order in which their rows are joined. */
export const tickerFiles = ['company_tickers_exchange.json', 'company_tickers.json'] as const;

/**
 * Parses one of the ticker files. Rows that cannot be understood, such as one with an empty symbol, are left
 * out. Throws an `Error` if the file is not JSON, has another structure, or is too short to be
 * complete.
 */
export function parseTickerFile(body: Buffer, rowsMinimum = tickerRowsMinimum): TickerRow[] {
  const value = jsonOf(body);
  const table = Table.safeParse(value);
  const rows = (table.success ? tableRows(table.data) : plainRows(value)).filter((row) => row !== null);
  if (rows.length < rowsMinimum)
    throw new Error(`it has ${rows.length} companies, a complete one has at least ${rowsMinimum}`);
  return rows;
}

function tableRows({ fields, data }: z.infer<typeof Table>): (TickerRow | null)[] {
  return data.map((values) => {
    const row = NamedRow.safeParse(
      Object.fromEntries(fields.map((field, at) => [field, values[at] ?? null])),
    );
    return row.success ? { ...row.data, exchange: row.data.exchange || null } : null;
  });
}

function plainRows(value: unknown): (TickerRow | null)[] {
  if (typeof value !== 'object' || value === null)
    throw new Error('it is neither a table nor a list of companies');
  return Object.values(value).map((each: unknown) => {
    const row = PlainRow.safeParse(each);
    return row.success
      ? { cik: row.data.cik_str, ticker: row.data.ticker, name: row.data.title, exchange: null }
      : null;
  });
}
