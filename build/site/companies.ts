/** The page of a company in the explorer. */
export function companyPage(symbol: string): string {
  return `/explore/${encodeURIComponent(symbol)}`;
}
