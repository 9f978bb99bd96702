import { foldSymbol } from '../../../src/domain/scalars.ts';
import { listedSymbols } from '../../ledger/symbols.ts';
import type { LedgerWork } from '../common/ledger-work.ts';
import type { Scope } from './scope.ts';

/**
 * Returns the CIKs of wanted companies with other symbols in the ticker files than in the ledger: they have a
 * symbol that the ledger gives to another company or to none, or they had one that the files give to another
 * company. A company that the ledger lacks is left out, unless it takes a symbol from another one.
 */
export async function movedCompanies(
  { tickers, isWanted, members }: Pick<Scope, 'tickers' | 'isWanted' | 'members'>,
  ledger: Pick<LedgerWork, 'holders' | 'companies'>,
): Promise<string[]> {
  const listed = listedSymbols(tickers);
  const wanted = tickers.filter(({ cik }) => isWanted(cik));
  const held = await ledger.holders(wanted.map(({ ticker }) => ticker));
  const others = wanted.filter(({ ticker }) => {
    const holder = held.get(foldSymbol(ticker));
    return !holder || !listed(foldSymbol(ticker)).includes(holder.cik);
  });
  const known = await ledger.companies(new Set([...others.map(({ cik }) => cik), ...(members ?? [])]));
  const taking = others.filter(({ ticker, cik }) => known.has(cik) || held.has(foldSymbol(ticker)));
  // Where everyone is wanted, whoever takes a symbol is.
  const losing = (members ?? []).filter((cik) =>
    known.get(cik)?.tickers.some((ticker) => {
      const ciks = listed(foldSymbol(ticker));
      return ciks.length > 0 && !ciks.includes(cik);
    }),
  );
  return [...new Set([...taking.map(({ cik }) => cik), ...losing])].sort();
}
