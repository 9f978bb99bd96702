/**
 * Companies whose listing moved to a new CIK. EDGAR keeps the histories apart, so a ticker alone would lose the older one.
 * Asking for the ticker or for either CIK finds both; each filing keeps its own CIK.
 */
export const successors: readonly { readonly predecessorCik: string; readonly successorCik: string; readonly note: string }[] = [
  { predecessorCik: '0000034088', successorCik: '0002115436', note: 'Exxon Mobil Corp became a subsidiary of ExxonMobil Holdings Corp; the ticker XOM moved in July 2026.' },
];

const successorOf = new Map(successors.map(({ predecessorCik, successorCik }) => [predecessorCik, successorCik]));
const predecessorOf = new Map(successors.map(({ predecessorCik, successorCik }) => [successorCik, predecessorCik]));

/** The newest CIK of the chain that a CIK belongs to: the key under which its filings are listed. */
export function listCikOf(cik: string): string {
  let newest = cik;
  for (let next = successorOf.get(newest); next !== undefined; next = successorOf.get(newest)) newest = next;
  return newest;
}

/** Every CIK of the chain that a CIK belongs to, newest first. */
export function relatedCiks(cik: string): string[] {
  const chain: string[] = [];
  for (let next: string | undefined = listCikOf(cik); next !== undefined; next = predecessorOf.get(next)) chain.push(next);
  return chain;
}
