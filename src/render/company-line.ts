import { plainText, quoted } from './filer-text.ts';
import { counted, firstWords, said } from './words.ts';
import type { AppliedCompanyFilters } from '../contract/envelopes.ts';
import type { CompanyEntry } from '../contract/records.ts';

/** The most ticker symbols of a company that a text names. */
const tickersMaximum = 5;

/**
 * The line of a company in the list: name, symbols and exchange, CIK, industry, where it is incorporated,
 * filings.
 */
export function companyLine(company: CompanyEntry): string {
  const { name, cik, sic, sicDescription, stateOfIncorporation, filingCount } = company;
  const facts = [
    `CIK ${cik}`,
    ...(sic === null ? [] : [`SIC ${sic}${sicDescription === null ? '' : ` ${plainText(sicDescription)}`}`]),
    ...(stateOfIncorporation === null ? [] : [`incorporated in ${plainText(stateOfIncorporation)}`]),
    counted(filingCount, 'filing', 'filings'),
  ];
  return `- ${quoted(name)}${symbolsText(company)}, ${facts.join(', ')}`;
}

/** The symbols of a company, with the exchange of the first: " (GOOGL on Nasdaq, GOOG)". Empty if it has none. */
function symbolsText({ ticker, tickers, exchange }: CompanyEntry): string {
  if (ticker === null) return '';
  const others = tickers.filter((each) => each !== ticker);
  const first = `${ticker}${exchange === null ? '' : ` on ${plainText(exchange)}`}`;
  return ` (${firstWords([first, ...others], tickersMaximum).join(', ')})`;
}

/** The filters of the list of companies in words: " of industry 3571 or 3674, on NYSE, with a ticker symbol". */
export function companiesNarrowedText({ sic, state, exchange, listed }: AppliedCompanyFilters): string {
  const filters = [
    ...said('of industry', sic),
    ...said('incorporated in', state),
    ...said('on', exchange),
    ...(listed === null ? [] : [`${listed ? 'with' : 'without'} a ticker symbol`]),
  ];
  return filters.length === 0 ? '' : ` ${filters.join(', ')}`;
}
