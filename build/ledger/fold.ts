import type { IngestRun } from '../../src/contract/records.ts';
import type { LedgerCompany, LedgerFiling, Refusal } from './rows.ts';

/** A filing with what its first batch fixed for ever. */
export interface FoldedFiling extends LedgerFiling {
  /** Place in the change feed, counted from 1. */
  sequence: number;
  ingestedAt: string;
  /**
   * Companies that a later batch found the filing to name, each with a place of its own: whoever follows such a company
   * by cursor is past the filing's first place already, and would never see it there.
   */
  laterSequences?: Map<string, number>;
}

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
  /** In the order of the change feed. */
  readonly filings: readonly FoldedFiling[];
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

/** Order of new filings within a batch: by filing date, acceptance, accession number; an unknown acceptance first. */
export function compareArrival(a: LedgerFiling, b: LedgerFiling): number {
  return compareText(a.filedAt, b.filedAt) || compareText(a.acceptedAt ?? '', b.acceptedAt ?? '') || compareText(a.accessionNo, b.accessionNo);
}

/** Every company that a filing names. */
export function ciksOf(filing: Pick<LedgerFiling, 'subjectCik' | 'filerCiks'>): readonly string[] {
  return filing.subjectCik === null ? filing.filerCiks : [filing.subjectCik, ...filing.filerCiks];
}

/** Order by UTF-16 code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * A fold that is fed one batch after the other. The first batch that carries an accession number fixes its sequence and
 * its `ingestedAt`; later ones replace the other members. `foldSymbol` gives the spelling under which symbols are found.
 */
export function createFold(foldSymbol: (text: string) => string): { add(batch: BatchRows): void; result(): Ledger | null } {
  const filings: FoldedFiling[] = [];
  const places = new Map<string, number>();
  const companies = new Map<string, FoldedCompany>();
  const symbols = new Map<string, string>();
  const refusals: Refusal[] = [];
  const batches: FoldedBatch[] = [];
  let latestRun: IngestRun | null = null;
  let isSample = true;
  let lastSequence = 0;

  function addFilings(batch: BatchRows): void {
    const fresh: LedgerFiling[] = [];
    const late: { filing: FoldedFiling; cik: string }[] = [];
    const corrected = new Set<FoldedFiling>();
    const twice = (accessionNo: string) => new Error(`batch ${batch.number} carries ${accessionNo} twice`);
    for (const filing of batch.filings) {
      const place = places.get(filing.accessionNo);
      if (place === undefined) fresh.push(filing);
      else {
        const known = filings[place] as FoldedFiling;
        if (corrected.has(known)) throw twice(filing.accessionNo);
        corrected.add(known);
        const named = ciksOf(known);
        for (const cik of ciksOf(filing)) if (!named.includes(cik)) late.push({ filing: known, cik });
        Object.assign(known, filing);
      }
    }
    for (const filing of fresh.sort(compareArrival)) {
      if (places.has(filing.accessionNo)) throw twice(filing.accessionNo);
      places.set(filing.accessionNo, filings.length);
      filings.push(Object.assign(filing, { sequence: ++lastSequence, ingestedAt: batch.run.createdAt }));
    }
    late.sort((a, b) => compareText(a.filing.accessionNo, b.filing.accessionNo) || compareText(a.cik, b.cik));
    for (const { filing, cik } of late) (filing.laterSequences ??= new Map()).set(cik, ++lastSequence);
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
      batches.push({ number: batch.number, sha256: batch.sha256, createdAt: batch.run.createdAt, lastSequence });
    },
    result: () => (latestRun && batches[0] ? { id: batches[0].sha256, batches, latestRun, isSample, filings, companies, symbols, refusals } : null),
  };
}
