import { Filing } from '../src/contract/records.ts';
import { dataPath, newestDataPath } from './pages/parts/company-links.ts';
import { csvFileOf } from './content/csv-file.ts';
import { cellsOf, sheetCellsOf } from './content/sheet.ts';
import type { Overview, ShownCompany } from './content/overview.ts';
import { jsonFile, type PublicFile } from './content/public-file.ts';

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
    jsonFile(`${dataPath(symbol)}.json`, document),
    {
      path: `${dataPath(symbol)}.csv`,
      contentType: 'text/csv; charset=utf-8',
      bytes: Buffer.from(
        csvFileOf(
          dataColumns,
          filings.map((filing) => sheetCellsOf(filing, dataColumns)),
        ),
      ),
    },
  ];
}

/** Returns the newest filings of all companies as JSON in columns, and which companies have public data of their own. */
export function newestFile({ newestFilings, filingCount, shownCompanies }: Overview): PublicFile {
  const rows = newestFilings.map((filing) => cellsOf(filing, dataColumns));
  const companies = shownCompanies.map(({ symbol, company }) => ({
    symbol,
    tickers: company.tickers,
    ciks: [company.cik, ...company.relatedCiks],
  }));
  return jsonFile(newestDataPath, {
    data: { columns: dataColumns, rows, companies },
    meta: { count: rows.length, filingCount, sampleOnly: true, notInvestmentAdvice: true },
  });
}
