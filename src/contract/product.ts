/** The product's name in every document that introduces the service. */
export const productName = 'Filing Event Intelligence';

/**
 * The version that `GET /` and `GET /health` report: three numbers with dots, equal to the version in
 * package.json.
 */
export const productVersion = '0.3.0';

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

/**
 * The default address of the service. The build writes it into documents that need whole URLs if BASE_URL is
 * not set; the service puts its own address in its place.
 */
export const defaultAddress = 'http://127.0.0.1:8787';

/** The operator's mailbox if none is configured: `contact@` the host of the service. */
export function contactAt(address: string): string {
  return `contact@${new URL(address).hostname}`;
}

/** The name of the service in registries of tools: its host reversed, then the product. */
export function registryName(address: string): string {
  const { hostname } = new URL(address);
  const labels =
    /^[\d.]+$/.test(hostname) || hostname.startsWith('[') ? ['localhost'] : hostname.split('.').reverse();
  return `${labels.join('.')}/filing-event-intelligence`;
}

/** What the identifiers of the service in catalogs of agents begin with. */
export function agentNamespace(address: string): string {
  return `urn:air:${new URL(address).hostname}`;
}
