/** The page of a company in the explorer that everybody may see. */
export function companyPage(symbol: string): string {
  return `/explore/${encodeURIComponent(symbol)}`;
}

/** The address at which the explorer shows any company to whoever has a key. */
export function liveCompanyPage(symbol: string): string {
  return `/explore?company=${encodeURIComponent(symbol)}`;
}
