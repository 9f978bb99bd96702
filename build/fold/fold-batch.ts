import { join } from 'node:path';
import { foldSymbol, isCik } from '../../src/domain/scalars.ts';
import type { SymbolRow } from '../../src/format/profile-rows.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { allPartition, batchSortKey, type BatchRow } from '../../src/format/snapshot.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import { groupsOf } from '../work/groups.ts';
import {
  arrivalKey,
  companiesNeeded,
  firstObservation,
  nextObservation,
  rowOfFiling,
  type CompanyOf,
  type KnownCompany,
  type KnownFiling,
  type Observation,
} from '../ledger/observation.ts';
import { readCompanies, type BatchHead } from '../ledger/read.ts';
import type { LedgerContents } from '../ledger/contents.ts';
import { personsOf } from '../ledger/parties.ts';
import {
  describeRefusal,
  rowTextMaximum,
  type LedgerCompany,
  type LedgerFiling,
  type Refusal,
} from '../ledger/ledger-rows.ts';
import type { Progress } from '../work/progress.ts';
import type { LogWriter } from '../segments/log-writer.ts';
import type { Runs } from '../segments/runs.ts';
import { arrivalCodec, readArrivals, type Arrival, type ArrivedFiling } from './arrivals.ts';
import type { Totals } from './counted-totals.ts';
import type { HeldCompanies } from './held-companies.ts';
import type { History } from './history.ts';
import { knownCompanies, knownContents, knownFilings, type PastTables } from './past.ts';
import type { Presence } from './presence.ts';
import { addObservation } from './observation-rows.ts';
import { countingOf, heldRows, waitingContents } from './contents-rows.ts';
import { createSpill } from './spill.ts';
import { ledgerCompanies, type LedgerCompanyRow } from './fold-tables.ts';

/**
 * How many rows are looked up and observed together. They stay alive meanwhile, and the garbage collector
 * copies what is alive.
 */
const groupRows = 2000;
/** How many companies stay in memory as objects, before those of the next group come. */
const companiesMaximum = 20_000;
/** Bytes of rows of a batch that are sorted in memory: some 100,000. Those of a longer batch are sorted on the disk. */
const spillBytes = 32 * 1024 * 1024;
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
  /** What observations need of companies that were folded or looked up. */
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
  fold.history.begin(head.number, firstSequence, head.restates !== undefined);
  let refused = 0;
  for await (const { rows, refusals } of readCompanies(ledgerDirectory, head)) {
    refused += addRefusals(fold, head.number, refused, refusals);
    for (const company of rows) addCompany(fold, company, observedAt);
    progress.step(rows.length + refusals.length);
  }

  const spill = <Arrived extends Arrival>(name: string, keyOf: (arrival: Arrived) => string) =>
    createSpill<Arrived>(
      join(scratch, `spill-${head.number}-${name}`),
      { keyOf, encode: arrivalCodec.encode, decode: (text) => arrivalCodec.decode(text) as Arrived },
      spillBytes,
    );
  const fresh = spill<ArrivedFiling>('new', ({ row }) => arrivalKey(row));
  const carriedAgain = spill<Arrival>('known', ({ accessionNo }) => accessionNo);
  for await (const { arrivals, refusals } of readArrivals(ledgerDirectory, head)) {
    refused += addRefusals(fold, head.number, refused, refusals);
    addPersons(fold, arrivals, observedAt);
    const known = lookUpFilings(fold, arrivals);
    const stored = lookUpContents(
      fold,
      arrivals.filter(({ accessionNo, contents }) => contents !== null || !known.has(accessionNo)),
    );
    for (const { accessionNo, row, contents: said } of arrivals) {
      const before = stored.get(accessionNo);
      const own = countingOf(said, before);
      if (known.has(accessionNo)) {
        if (row || own) carriedAgain.add({ accessionNo, row, contents: own });
      } else if (row) {
        const all = before ? { accessionNo, ...waitingContents(before), ...own } : own;
        fresh.add({ accessionNo, row, contents: all });
      } else if (own) addContents(fold, own, true);
    }
    flushIfLarge(fold);
    progress.step(arrivals.length + refusals.length);
  }

  // All companies of the batch are folded by now, so a company that is looked up from here on stays the same
  // until the end of the batch.
  const lookUpCompanies = companyLookUp(fold);
  for (const group of groupsOf(fresh.sorted(), groupRows)) {
    const companyOf = lookUpCompanies(
      group.map(({ row, contents }) => companiesNeeded(row, contents?.ownership?.ownership)),
    );
    for (const { row, contents } of group) {
      const sequence = fold.lastSequence + 1;
      const isThere = add(row, firstObservation(row, companyOf, observedAt, sequence, contents));
      if (contents) addContents(fold, contents, !isThere);
    }
    await fold.log.settle();
    flushIfLarge(fold);
  }
  for (const group of groupsOf(carriedAgain.sorted(), groupRows)) {
    const known = lookUpFilings(fold, group);
    const arrived = group.map(({ accessionNo, row, contents }) => {
      const before = known.get(accessionNo) as KnownFiling;
      return { before, row: row ?? rowOfFiling(before), contents };
    });
    const companyOf = lookUpCompanies(
      arrived.map(({ before, row, contents }) =>
        companiesNeeded(row, contents?.ownership?.ownership ?? before.filing.ownership),
      ),
    );
    for (const { before, row, contents } of arrived) {
      const brought = { contents, isRestated: head.restates !== undefined };
      add(row, nextObservation(before, row, companyOf, observedAt, fold.lastSequence + 1, brought));
      if (contents) addContents(fold, contents, false);
    }
    await fold.log.settle();
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

  /** Adds what the log has of a row. Returns whether it has an observation of the row. */
  function add(row: LedgerFiling, derived: Observation): boolean {
    const observation = fold.history.settle(row, derived);
    if (!observation) return false;
    const { filing, sequence } = observation;
    fold.lastSequence = sequence;
    fold.presence.add(filing.accessionNo);
    fold.totals.add(observation);
    addObservation(runs, fold.log, observation, observation === derived);
    return true;
  }
}

/** Adds contents. Those that wait for their filing are found by it when it comes. */
function addContents({ runs, presence }: Fold, contents: LedgerContents, isWaiting: boolean): void {
  const { accessionNo } = contents;
  for (const [table, row] of Object.entries(heldRows(contents, isWaiting)))
    runs.add(table, filingPartition(accessionNo), '', row);
  presence.add(accessionNo);
}

/**
 * Adds a row of each person whom only a document names, so that it has a profile and is found by its name. Of several
 * spellings the first one counts, until EDGAR tells the name.
 */
function addPersons(fold: Fold, arrivals: readonly Arrival[], observedAt: string): void {
  const names = new Map<string, string>();
  for (const { contents } of arrivals)
    for (const { cik, name } of contents?.ownership ? personsOf(contents.ownership.ownership) : [])
      if (name && name.length <= rowTextMaximum && !names.has(cik) && !fold.companies.get(cik))
        names.set(cik, name);
  const known = knownCompanies(fold.past, names.keys());
  for (const [cik, name] of names)
    if (!known.has(cik))
      addCompany(fold, { cik, name, tickers: [], exchange: null, formerNames: [] }, observedAt);
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

/** Something of a filing. */
type OfFiling = Pick<Arrival, 'accessionNo'>;

const accessionsOf = (rows: readonly OfFiling[]) => rows.map(({ accessionNo }) => accessionNo);

const lookUpFilings = ({ past, presence, log }: Fold, rows: readonly OfFiling[]) =>
  knownFilings(past, log, presence, accessionsOf(rows));

const lookUpContents = ({ past, presence }: Fold, rows: readonly OfFiling[]) =>
  knownContents(past, presence, accessionsOf(rows));

/**
 * Makes a look-up of companies, for as long as none of them changes. It is told the CIKs that some rows need, and what
 * it gives holds until it is told the next ones.
 */
function companyLookUp({
  past,
  companies: held,
}: Fold): (needed: readonly (readonly string[])[]) => CompanyOf {
  const companies = new Map<string, KnownCompany | undefined>();
  return (needed) => {
    if (companies.size > companiesMaximum) companies.clear();
    const missing: string[] = [];
    for (const ciks of needed)
      for (const cik of ciks) {
        if (companies.has(cik)) continue;
        const company = held.get(cik);
        companies.set(cik, company);
        if (!company) missing.push(cik);
      }
    for (const [cik, { name, tickers, exchange, facts }] of knownCompanies(past, missing)) {
      const company = { name, tickers, exchange, facts: { sic: facts?.sic ?? null } };
      companies.set(cik, company);
      held.set(cik, company);
    }
    return (cik) => companies.get(cik);
  };
}
