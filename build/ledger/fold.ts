import type { IngestRun } from '../../src/contract/records.ts';
import { observe, type Observation, type Past } from './observation.ts';
import type { LedgerCompany, LedgerFiling, Refusal } from './rows.ts';

/** A company with the time of the last batch that carried it, and every symbol it ever had. */
export interface FoldedCompany extends LedgerCompany {
  updatedAt: string;
  everTickers: readonly string[];
}

/** A batch that was folded. */
export interface FoldedBatch {
  readonly number: number;
  readonly sha256: string;
  readonly createdAt: string;
  /** The last sequence that it or a batch before it gave out. */
  readonly lastSequence: number;
}

/** The ledger as one state. */
export interface Ledger {
  /** SHA-256 of the first batch: which ledger this is. */
  readonly id: string;
  readonly batches: readonly FoldedBatch[];
  readonly latestRun: IngestRun;
  /** Whether all of its batches come from recordings. */
  readonly isSample: boolean;
  /** The change feed: every observation, in the order of its sequence. */
  readonly observations: readonly Observation[];
  /** The newest observation of each filing, in the order in which the filings came. */
  readonly filings: readonly Observation[];
  /** By CIK. */
  readonly companies: ReadonlyMap<string, FoldedCompany>;
  /** Which company a folded symbol was last given to. */
  readonly symbols: ReadonlyMap<string, string>;
  /** Rows that do not fit, in the order of the ledger; nothing of them is in the other members. */
  readonly refusals: readonly Refusal[];
}

/** What the fold takes of one batch. */
export interface BatchRows {
  readonly number: number;
  readonly sha256: string;
  readonly run: IngestRun;
  /** Whether its rows come from recordings. */
  readonly isSample?: boolean;
  readonly filings: readonly LedgerFiling[];
  readonly companies: readonly LedgerCompany[];
  readonly refusals?: readonly Refusal[];
}

/**
 * A fold that is fed one batch after the other; `observation.ts` says what it observes. `foldSymbol` gives the spelling
 * under which symbols are found.
 */
export function createFold(foldSymbol: (text: string) => string): { add(batch: BatchRows): void; result(): Ledger | null } {
  const observations: Observation[] = [];
  const newest = new Map<string, Observation>();
  const companies = new Map<string, FoldedCompany>();
  const symbols = new Map<string, string>();
  const refusals: Refusal[] = [];
  const batches: FoldedBatch[] = [];
  let latestRun: IngestRun | null = null;
  let isSample = true;
  const past: Past = { observation: (accessionNo) => newest.get(accessionNo), company: (cik) => companies.get(cik) };

  function addFilings(batch: BatchRows): void {
    for (const observation of observe(batch, past, observations.length)) {
      observations.push(observation);
      newest.set(observation.accessionNo, observation);
    }
  }

  function addCompanies(batch: BatchRows): void {
    for (const company of batch.companies) {
      const everTickers = new Set([...company.tickers, ...(companies.get(company.cik)?.everTickers ?? [])]);
      companies.set(company.cik, { ...company, everTickers: [...everTickers], updatedAt: batch.run.createdAt });
      for (const ticker of company.tickers) symbols.set(foldSymbol(ticker), company.cik);
    }
  }

  return {
    add(batch) {
      addFilings(batch);
      addCompanies(batch);
      refusals.push(...(batch.refusals ?? []));
      latestRun = batch.run;
      isSample &&= batch.isSample === true;
      batches.push({ number: batch.number, sha256: batch.sha256, createdAt: batch.run.createdAt, lastSequence: observations.length });
    },
    result: () => (latestRun && batches[0] ? { id: batches[0].sha256, batches, latestRun, isSample, observations, filings: [...newest.values()], companies, symbols, refusals } : null),
  };
}
