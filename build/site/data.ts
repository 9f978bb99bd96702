import type { PublicFile } from '../public/file.ts';
import type { DemoCompany } from './companies.ts';

/** Columns of the public data of a company, by the names that filings have in the interface. */
export const dataColumns = ['accessionNo', 'form', 'eventType', 'items', 'filedAt', 'reportDate', 'acceptanceDateTime', 'detailUrl'] as const;

/** Where the public data of a company is, without its extension. */
export function dataPath(symbol: string): string {
  return `/explore/data/${encodeURIComponent(symbol)}`;
}

/** The newest filings of a company as JSON in columns, and as CSV. */
export function dataFiles({ symbol, company, filings, total }: DemoCompany): PublicFile[] {
  const rows = filings.map((filing) => dataColumns.map((name) => (name === 'items' ? filing.items.join(' ') : filing[name])));
  const document = {
    data: { cik: company.cik, ticker: company.tickers[0] ?? null, name: company.name, columns: dataColumns, rows },
    meta: { count: rows.length, filingCount: total, sampleOnly: true, notInvestmentAdvice: true },
  };
  const csv = [dataColumns, ...rows].map((row) => row.map(csvField).join(',')).join('\n');
  return [
    { path: `${dataPath(symbol)}.json`, contentType: 'application/json', bytes: Buffer.from(JSON.stringify(document)) },
    { path: `${dataPath(symbol)}.csv`, contentType: 'text/csv; charset=utf-8', bytes: Buffer.from(`${csv}\n`) },
  ];
}

/** A field of RFC 4180. */
function csvField(value: string | null): string {
  if (value === null) return '';
  return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
