/** The explorer's page of a company, by a ticker symbol or CIK. */
export const companyPage = (symbol: string): string => `/explore/${encodeURIComponent(symbol)}`;

/** The page of a filing. */
export const filingPage = (accessionNo: string): string => `/filing/${accessionNo}`;

/** The list of filings of all companies with some filters. */
export const filingsPage = (query: Readonly<Record<string, string>>): string =>
  `/filings?${new URLSearchParams(query)}`;

/** The path of the public data of a company, without `.json` or `.csv`. */
export const dataPath = (symbol: string): string => `/explore/data/${encodeURIComponent(symbol)}`;

/** The path of the public data of the newest filings of all companies. */
export const newestDataPath = '/filings/newest.json';
