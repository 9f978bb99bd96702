import { Filing } from '../src/contract/records.ts';
import { dataPath } from './pages/explore.ts';
import { cellsOf, csvOf, sheetCellsOf } from './content/sheet.ts';
import type { ShownCompany } from './content/overview.ts';
import type { PublicFile } from './content/public-file.ts';

/** The columns of the public data of a company: all members of a filing. */
const dataColumns = Object.keys(Filing.shape);

/** Returns the newest filings of a company as JSON in columns, and as CSV. */
export function dataFiles({ symbol, company, filings }: ShownCompany): PublicFile[] {
  const rows = filings.map((filing) => cellsOf(filing, dataColumns));
  const document = {
    data: { cik: company.cik, ticker: company.ticker, name: company.name, columns: dataColumns, rows },
    meta: {
      count: rows.length,
      filingCount: company.filingCount,
      sampleOnly: true,
      notInvestmentAdvice: true,
    },
  };
  return [
    {
      path: `${dataPath(symbol)}.json`,
      contentType: 'application/json',
      bytes: Buffer.from(JSON.stringify(document)),
    },
    {
      path: `${dataPath(symbol)}.csv`,
      contentType: 'text/csv; charset=utf-8',
      bytes: Buffer.from(
        csvOf(
          dataColumns,
          filings.map((filing) => sheetCellsOf(filing, dataColumns)),
        ),
      ),
    },
  ];
}
