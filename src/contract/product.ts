/** The product's name in every document that introduces the service. */
export const productName = 'Filing Event Intelligence';

/**
 * The version that `GET /` and `GET /health` report: three numbers with dots, equal to the version in
 * package.json.
 */
export const productVersion = '0.1.0';

/** One sentence for every document that introduces the service. */
export const productDescription =
  'Normalised metadata about public securities filings (SEC EDGAR): a change feed, watchlists, company profiles, filing histories, events and per-filing summaries, as JSON. Data only: no investment advice.';

/** What dates and times mean, for assistants and language models. */
export const datesNote =
  'Dates and clocks: `filedAt` is a day, the filing date of EDGAR (a filing accepted after 17:30 Eastern usually carries the next business day), and `since` and `until` bound it, both inclusive; `acceptanceDateTime` is US Eastern wall-clock time, yyyymmddhhmmss, and `acceptedAt` the same with its offset; `reportDate` is the end of the period or the date of the event; `observedAt`, `ingestedAt` and times that end in Z are UTC.';

/**
 * Data is reported as stale after this many hours of EDGAR's business days, unless the operator sets another
 * number. With 36 hours, one failed daily rebuild is reported before the next one.
 */
export const staleAfterHoursDefault = 36;

/** The default address of the service. Documents that need whole URLs use it if BASE_URL is not set. */
export const defaultAddress = 'http://127.0.0.1:8787';
