/** What somebody did whose filing has a transaction code, with `…` for what; null where the code says no more than that. */
export interface TransactionVerbs {
  readonly acquired: string | null;
  readonly disposed: string | null;
}

/** What is said of owners, by the code of their transaction. Codes that say nothing of it are left out. */
export const transactionVerbs: ReadonlyMap<string, TransactionVerbs> = new Map([
  ['P', { acquired: 'bought …', disposed: null }],
  ['S', { acquired: null, disposed: 'sold …' }],
  ['A', { acquired: 'was granted …', disposed: null }],
  ['D', { acquired: null, disposed: 'returned … to the issuer' }],
  ['F', { acquired: null, disposed: 'delivered … for an exercise price or tax' }],
  ['M', { acquired: 'received … by an exercise or conversion', disposed: 'exercised or converted …' }],
  ['G', { acquired: 'received … as a gift', disposed: 'gave away … as a gift' }],
  ['C', { acquired: 'received … by a conversion', disposed: 'converted …' }],
  ['X', { acquired: 'received … by an exercise', disposed: 'exercised …' }],
  ['O', { acquired: 'received … by an exercise', disposed: 'exercised …' }],
  ['L', { acquired: 'bought … in a small acquisition', disposed: null }],
  ['U', { acquired: null, disposed: 'tendered …' }],
  ['W', { acquired: 'inherited …', disposed: 'passed on … by will or the laws of descent' }],
  ['Z', { acquired: 'withdrew … from a voting trust', disposed: 'deposited … in a voting trust' }],
]);
