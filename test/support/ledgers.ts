import type { Addition } from '../../build/ingest/append.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Entity } from '../../build/sources/roles.ts';
import { appendBatch, type BatchContent } from '../../build/ledger/batch.ts';
import type { BatchRows } from './ledger-model.ts';
import { batchAt, company, filing } from './made-up.ts';

export * from './made-up.ts';

/** What one made-up batch brings. */
export interface MadeUpBatch {
  readonly filings?: readonly LedgerFiling[];
  readonly companies?: readonly LedgerCompany[];
}

/** Made-up batches, as a ledger has them. */
export function madeUp(...batches: readonly MadeUpBatch[]): BatchRows[] {
  return batches.map(({ filings = [], companies = [] }, at) => {
    const run = { target: 'made up', status: 'success', message: null, createdAt: batchAt(at + 1) };
    return {
      number: at + 1,
      sha256: String(at + 1).padStart(64, '0'),
      run,
      filings: structuredClone(filings),
      companies,
    };
  });
}

/** Appends made-up batch `number` to a ledger, with what is given; it has nothing else. Returns its number. */
export const appendMadeUp = (ledger: string, number: number, content: Partial<BatchContent>) =>
  appendBatch(ledger, {
    run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(number) },
    filings: [],
    companies: [],
    refusals: [],
    ...content,
  });

/** Appends made-up batch `number` to a ledger, with filings of company 1. The first one brings the company. */
export const appendNumbered = (
  ledger: string,
  number: number,
  filings: readonly LedgerFiling[] = [filing(number)],
) => appendMadeUp(ledger, number, { filings, companies: number === 1 ? [company(1)] : [] });

/** A made-up entity, as its submissions file tells of it; it has the symbols that are given. */
export const entityOf = (
  cik: string,
  tickers: readonly string[] = [],
  members: Partial<Entity> = {},
): Entity => ({
  cik,
  alone: [cik],
  name: `Company ${Number(cik)}`,
  tickers,
  exchange: tickers.length > 0 ? 'NYSE' : null,
  formerNames: [],
  isIssuer: true,
  isOwner: false,
  ...members,
});

/** What ticker files tell: symbols, each with the CIK of its company. */
export const tickerRowsOf = (symbols: Readonly<Record<string, string>>) =>
  Object.entries(symbols).map(([ticker, cik]) => ({ ticker, cik, name: '', exchange: null }));

/** What is added to a ledger: what is given, and nothing else. */
export const additionOf = (members: Partial<Addition>): Addition => ({
  target: 't',
  createdAt: batchAt(1),
  filings: [],
  entities: [],
  tickers: [],
  refusals: [],
  days: [],
  ...members,
});
