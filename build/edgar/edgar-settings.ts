import { edgarRpsMaximum } from '../../src/settings/settings.ts';

/** The addresses of EDGAR, and how fast and under which name to send requests there. */
export interface EdgarSettings {
  /** Must pass `validateUserAgent`. */
  readonly userAgent: string;
  /** The host of submissions files: `https://data.sec.gov`, or a double in tests. */
  readonly dataUrl: string;
  /** The host of all other files: `https://www.sec.gov`, or a double in tests. */
  readonly wwwUrl: string;
  /** Above 0, at most 10. */
  readonly requestsPerSecond: number;
}

const userAgentLengthMaximum = 200;

function below(address: string, path: string): string {
  return `${address.replace(/\/+$/, '')}/${path}`;
}

/** Returns the address of a file of the submissions API. */
export function submissionsUrl(settings: EdgarSettings, fileName: string): string {
  return below(settings.dataUrl, `submissions/${fileName}`);
}

/** Returns the address of a ticker file. */
export function tickersUrl(settings: EdgarSettings, fileName: string): string {
  return below(settings.wwwUrl, `files/${fileName}`);
}

/** Returns the address of a page of the current-filings feed. */
export function currentFeedUrl(settings: EdgarSettings, fileName: string): string {
  return below(settings.wwwUrl, `cgi-bin/${fileName}`);
}

/**
 * Returns the address of a file of the archives, such as an index or the header of a filing, from its path
 * below `/Archives/edgar/`.
 */
export function archivesUrl(settings: EdgarSettings, path: string): string {
  return below(settings.wwwUrl, `Archives/edgar/${path}`);
}

/** Returns the address of a file of www.sec.gov from its path. */
export function wwwUrl(settings: EdgarSettings, path: string): string {
  return below(settings.wwwUrl, path);
}

/**
 * Returns the User-Agent without surrounding spaces. It must have a name and a mailbox, as the SEC demands of
 * automated tools. Throws an `Error` that says what is missing.
 */
export function validateUserAgent(text: string): string {
  const userAgent = text.trim();
  const invalid = (reason: string) =>
    new Error(
      `EDGAR_USER_AGENT: ${reason}; the SEC asks for a name and a mailbox: "Jane Doe jane@example.com"`,
    );
  if (userAgent.length > userAgentLengthMaximum)
    throw invalid(`must have at most ${userAgentLengthMaximum} characters`);
  if (/[^\x20-\x7e]/.test(userAgent))
    throw invalid('must have printable ASCII characters only, as every HTTP header');
  const words = userAgent.split(/[\s<>(),;]+/);
  if (!words.some((word) => /^[\w.!#$%&'*+/=?^`{|}~-]+@([a-z\d-]+\.)+[a-z]{2,}$/i.test(word)))
    throw invalid('has no mailbox');
  if (!words.some((word) => !word.includes('@') && /[a-z]/i.test(word))) throw invalid('has no name');
  return userAgent;
}

/** Returns the rate, in requests per second, if it is allowed. Throws an `Error` otherwise. */
export function validateRequestsPerSecond(rate: number): number {
  if (rate > 0 && rate <= edgarRpsMaximum) return rate;
  throw new Error(`EDGAR_RPS: must be above 0 and at most ${edgarRpsMaximum}, not ${rate}`);
}
