import { join } from 'node:path';
import { foldSymbol, isCik } from '../../src/domain/scalars.ts';
import { allPartition, batchSortKey, type BatchRow, type SymbolRow } from '../../src/format/snapshot.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import { groupsOf } from '../work/groups.ts';
import {
  arrivalKey,
  companiesNeeded,
  firstObservation,
  nextObservation,
  type CompanyOf,
  type KnownCompany,
  type KnownFiling,
  type Observation,
} from '../ledger/observation.ts';
import { readCompanies, readContents, readFilings, type BatchHead } from '../ledger/read.ts';
import {
  describeRefusal,
  type LedgerCompany,
  type LedgerFiling,
  type Refusal,
} from '../ledger/ledger-rows.ts';
import { filingOfTuple, tupleOf } from '../ledger/filing-columns.ts';
import type { Progress } from '../work/progress.ts';
import type { LogWriter } from '../segments/log-writer.ts';
import type { Runs } from '../segments/runs.ts';
import type { Totals } from './counted-totals.ts';
import type { HeldCompanies } from './held-companies.ts';
import type { History } from './history.ts';
import { knownCompanies, knownFilings, type PastTables } from './past.ts';
import type { Presence } from './presence.ts';
import { addObservation } from './observation-rows.ts';
import { createSpill } from './spill.ts';
import { contentsSources, ledgerCompanies, type LedgerCompanyRow } from './fold-tables.ts';

/**
 * How many rows are looked up and observed together. They stay alive meanwhile, and the garbage collector
 * copies what is alive.
 */
const groupRows = 2000;
/** How many companies stay in memory as objects, before those of the next group come. */
const companiesMaximum = 20_000;
/** Bytes of rows of a batch that are sorted in memory: some 400,000. Those of a longer batch are sorted on the disk. */
const spillBytes = 64 * 1024 * 1024;
/** The state of a fold: the rows that it has made, and the tables in which it looks up older batches. */
export interface Fold {
  readonly runs: Runs;
  /** The rows of the tables of companies. They are made while those of `runs` are read. */
  readonly companyRuns: Runs;
  readonly log: LogWriter;
  readonly past: PastTables;
  readonly totals: Totals;
  /** The folder in which rows are sorted that are too many for memory. */
  readonly scratch: string;
  /** Once the rows in memory have more bytes than this, they are written as a run. */
  readonly heldMaximum: number;
  /** What was published by older rules. */
  readonly history: History;
  /** The newest names and symbols of companies that were folded or looked up. */
  readonly companies: HeldCompanies;
  /** Tells which filings may be in the runs. */
  readonly presence: Presence;
  /** The sequence of the newest observation. The next observation gets this number plus 1. */
  lastSequence: number;
  /** Ledger rows that do not fit, of all batches folded so far. */
  readonly refused: Refused;
}

/** What of a fold is needed once all batches are folded. The rest takes a hundred megabytes for a large ledger. */
export type Folded = Pick<
  Fold,
  'runs' | 'companyRuns' | 'past' | 'totals' | 'heldMaximum' | 'lastSequence' | 'refused'
>;

/** Ledger rows that do not fit: how many, and one line for each of the first ones. */
export interface Refused {
  count: number;
  readonly first: string[];
}

/** The log names at most this many of the rows that do not fit. */
const refusalsShown = 20;

/**
 * Folds one batch: companies and symbols first, then filings. Each observation gets the next sequence: first
 * the new filings in the order of `arrivalKey`, then the corrections of known filings in the order of
 * accession numbers. A known filing that did not change gets none. Throws `BrokenLedger`.
 */
export async function foldBatch(
  fold: Fold,
  ledgerDirectory: string,
  { head, sha256 }: BatchHead,
  progress: Progress,
): Promise<void> {
  const { runs, scratch } = fold;
  const observedAt = head.run.createdAt;
  const firstSequence = fold.lastSequence + 1;
  await fold.history.begin(head.number, firstSequence, head.restates !== undefined);
  let refused = 0;
  for await (const { rows, refusals } of readCompanies(ledgerDirectory, head)) {
    refused += addRefusals(fold, head.number, refused, refusals);
    for (const company of rows) addCompany(fold, company, observedAt);
    progress.step(rows.length + refusals.length);
  }

  const spill = (name: string, keyOf: (row: LedgerFiling) => string) =>
    createSpill(
      join(scratch, `spill-${head.number}-${name}`),
      { keyOf, encode: tupleOf, decode: filingOfTuple },
      spillBytes,
    );
  const fresh = spill('new', arrivalKey);
  const carriedAgain = spill('known', ({ accessionNo }) => accessionNo);
  for await (const { rows, refusals } of readFilings(ledgerDirectory, head)) {
    refused += addRefusals(fold, head.number, refused, refusals);
    for (const group of groupsOf(rows, groupRows)) {
      const known = await lookUpFilings(fold, group);
      for (const row of group) (known.has(row.accessionNo) ? carriedAgain : fresh).add(row);
    }
    progress.step(rows.length + refusals.length);
  }

  // All companies of the batch are folded by now, so a company that is looked up from here on stays the same
  // until the end of the batch.
  const lookUpCompanies = companyLookUp(fold);
  for (const group of groupsOf(fresh.sorted(), groupRows)) {
    const companyOf = await lookUpCompanies(group);
    for (const row of group) add(row, firstObservation(row, companyOf, observedAt, fold.lastSequence + 1));
    await fold.log.settle();
    flushIfLarge(fold);
  }
  for (const group of groupsOf(carriedAgain.sorted(), groupRows)) {
    const known = await lookUpFilings(fold, group);
    const companyOf = await lookUpCompanies(group);
    for (const row of group)
      add(
        row,
        nextObservation(
          known.get(row.accessionNo) as KnownFiling,
          row,
          companyOf,
          observedAt,
          fold.lastSequence + 1,
        ),
      );
    await fold.log.settle();
    flushIfLarge(fold);
  }
  for await (const { rows, refusals } of readContents(ledgerDirectory, head)) {
    refused += addRefusals(fold, head.number, refused, refusals);
    for (const { accessionNo, source } of rows) runs.add(contentsSources, accessionNo, '', source);
    flushIfLarge(fold);
  }
  const batch: BatchRow = {
    number: head.number,
    sha256,
    createdAt: observedAt,
    lastSequence: fold.lastSequence,
    changes: fold.lastSequence - firstSequence + 1,
    refused,
  };
  runs.add('batches', allPartition, batchSortKey(firstSequence, head.number), JSON.stringify(batch));

  function add(row: LedgerFiling, derived: Observation): void {
    const observation = fold.history.settle(row, derived);
    if (!observation) return;
    const { filing, sequence } = observation;
    fold.lastSequence = sequence;
    fold.presence.add(filing.accessionNo);
    fold.totals.add(observation);
    addObservation(runs, fold.log, observation, observation === derived);
  }
}

/** Writes the rows in memory as a run if they are more than the fold may hold. */
export function flushIfLarge({ runs, heldMaximum }: Fold): void {
  if (runs.held() > heldMaximum) runs.flush();
}

function addCompany(fold: Fold, company: LedgerCompany, updatedAt: string): void {
  const row: LedgerCompanyRow = { ...company, updatedAt };
  fold.companies.set(company.cik, company);
  fold.runs.add(ledgerCompanies, newestCikOf(company.cik), company.cik, JSON.stringify(row));
  for (const ticker of company.tickers) {
    const symbol = foldSymbol(ticker);
    // A symbol of ten digits would look like a CIK, and a CIK has to lead to its own company or to none.
    if (!isCik(symbol))
      fold.runs.add(
        'symbols',
        symbol,
        '',
        JSON.stringify({ symbol, cik: company.cik, at: updatedAt } satisfies SymbolRow),
      );
  }
  flushIfLarge(fold);
}

/**
 * Adds rows that do not fit to the table of refusals. `count` is how many the batch had before. Returns how
 * many were added.
 */
function addRefusals(fold: Fold, batch: number, count: number, refusals: readonly Refusal[]): number {
  refusals.forEach((refusal, at) => {
    const text = describeRefusal(refusal);
    fold.runs.add(
      'refusals',
      allPartition,
      `${numberKey(batch)} ${numberKey(count + at)}`,
      JSON.stringify(text),
    );
    if (fold.refused.first.length < refusalsShown) fold.refused.first.push(text);
  });
  fold.refused.count += refusals.length;
  fold.totals.refuse(refusals.length);
  return refusals.length;
}

const numberKey = (number: number) => String(number).padStart(9, '0');

const lookUpFilings = ({ past, presence, log }: Fold, rows: readonly LedgerFiling[]) =>
  knownFilings(
    past,
    log,
    presence,
    rows.map(({ accessionNo }) => accessionNo),
  );

/**
 * Makes a look-up of the companies that rows name, for as long as none of them changes. What it gives for some
 * rows holds until it is asked for the next ones.
 */
function companyLookUp({
  past,
  companies: held,
}: Fold): (rows: readonly LedgerFiling[]) => Promise<CompanyOf> {
  const companies = new Map<string, KnownCompany | undefined>();
  return async (rows) => {
    if (companies.size > companiesMaximum) companies.clear();
    const missing: string[] = [];
    for (const row of rows)
      for (const cik of companiesNeeded(row)) {
        if (companies.has(cik)) continue;
        const company = held.get(cik);
        companies.set(cik, company);
        if (!company) missing.push(cik);
      }
    for (const [cik, { name, tickers }] of await knownCompanies(past, missing)) {
      const company = { name, tickers };
      companies.set(cik, company);
      held.set(cik, company);
    }
    return (cik) => companies.get(cik);
  };
}
