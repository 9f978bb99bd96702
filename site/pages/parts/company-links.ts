/** The explorer's page of a company that needs no key. */
export function companyPage(symbol: string): string {
  return `/explore/${encodeURIComponent(symbol)}`;
}

/** The address at which the explorer shows any company, with a key. */
export function liveCompanyPage(symbol: string): string {
  return `/explore?company=${encodeURIComponent(symbol)}`;
}
