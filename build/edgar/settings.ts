import { edgarRpsMaximum } from '../../src/settings/settings.ts';

/** Where EDGAR is and how it is to be asked. */
export interface EdgarSettings {
  /** Must pass `validateUserAgent`. */
  readonly userAgent: string;
  /** Instead of `https://data.sec.gov`. */
  readonly dataUrl: string;
  /** Instead of `https://www.sec.gov`. */
  readonly wwwUrl: string;
  /** Above 0, at most 10. */
  readonly requestsPerSecond: number;
}

const userAgentLengthMaximum = 200;

function below(address: string, path: string): string {
  return `${address.replace(/\/+$/, '')}/${path}`;
}

/** The address of a file of the submissions API. */
export function submissionsUrl(settings: EdgarSettings, fileName: string): string {
  return below(settings.dataUrl, `submissions/${fileName}`);
}

/** The address of a ticker file. */
export function tickersUrl(settings: EdgarSettings, fileName: string): string {
  return below(settings.wwwUrl, `files/${fileName}`);
}

/** The address of a page of the list of current filings. */
export function currentFeedUrl(settings: EdgarSettings, fileName: string): string {
  return below(settings.wwwUrl, `cgi-bin/${fileName}`);
}

/**
 * The address of a file of the archives, such as an index or the header of a filing, by its path below
 * `/Archives/edgar/`.
 */
export function archivesUrl(settings: EdgarSettings, path: string): string {
  return below(settings.wwwUrl, `Archives/edgar/${path}`);
}

/**
 * Returns a User-Agent without surrounding spaces if it says who asks, as the SEC demands of automated tools:
 * a name and a mailbox. Throws an `Error` that says what is missing.
 */
export function validateUserAgent(text: string): string {
  const userAgent = text.trim();
  const refuse = (reason: string) =>
    new Error(
      `EDGAR_USER_AGENT: ${reason}; the SEC asks for a name and a mailbox: "Jane Doe jane@example.com"`,
    );
  if (userAgent.length > userAgentLengthMaximum)
    throw refuse(`must have at most ${userAgentLengthMaximum} characters`);
  if (/[^\x20-\x7e]/.test(userAgent))
    throw refuse('must have plain ASCII letters, digits and signs alone, as every HTTP header');
  const words = userAgent.split(/[\s<>(),;]+/);
  if (!words.some((word) => /^[\w.!#$%&'*+/=?^`{|}~-]+@([a-z\d-]+\.)+[a-z]{2,}$/i.test(word)))
    throw refuse('has no mailbox');
  if (!words.some((word) => !word.includes('@') && /[a-z]/i.test(word))) throw refuse('has no name');
  return userAgent;
}

/** Returns a rate of requests that is acceptable. Throws an `Error` otherwise. */
export function validateRequestsPerSecond(rate: number): number {
  if (rate > 0 && rate <= edgarRpsMaximum) return rate;
  throw new Error(`EDGAR_RPS: must be above 0 and at most ${edgarRpsMaximum}, not ${rate}`);
}
