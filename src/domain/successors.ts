/**
 * Companies whose listing moved to a new CIK. EDGAR keeps the histories apart, so a ticker alone would lose
 * the older one. A request for the ticker or for either CIK finds both histories; each filing keeps its own
 * CIK.
 */
export const successors: readonly {
  readonly predecessorCik: string;
  readonly successorCik: string;
  readonly note: string;
}[] = [
  {
    predecessorCik: '0000034088',
    successorCik: '0002115436',
    note: 'Exxon Mobil Corp became a subsidiary of ExxonMobil Holdings Corp; the ticker XOM moved in July 2026.',
  },
];

const successorOf = new Map(
  successors.map(({ predecessorCik, successorCik }) => [predecessorCik, successorCik]),
);
const predecessorOf = new Map(
  successors.map(({ predecessorCik, successorCik }) => [successorCik, predecessorCik]),
);

/**
 * The newest CIK of the chain that a CIK belongs to. It names the chain and never changes, because it does
 * not depend on which of the companies a ledger has.
 */
export function newestCikOf(cik: string): string {
  let newest = cik;
  for (let next = successorOf.get(newest); next !== undefined; next = successorOf.get(newest)) newest = next;
  return newest;
}

/** Whether a company has a predecessor or a successor. */
export const isInChain = (cik: string): boolean => successorOf.has(cik) || predecessorOf.has(cik);

/** Every CIK of the chain that a CIK belongs to, newest first. */
export function relatedCiks(cik: string): string[] {
  if (!isInChain(cik)) return [cik];
  const chain: string[] = [];
  for (let next: string | undefined = newestCikOf(cik); next !== undefined; next = predecessorOf.get(next))
    chain.push(next);
  return chain;
}

/**
 * The CIK under which the filings of a company are listed: the newest CIK of its chain that the ledger has,
 * so that every company with a list also has a profile. The CIK itself if the ledger has none of the chain.
 */
export function listCikOf(cik: string, isHeld: (cik: string) => boolean): string {
  if (!isInChain(cik)) return cik;
  return relatedCiks(cik).find(isHeld) ?? cik;
}
