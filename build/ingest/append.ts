import type { IngestRun, ReconciledDay } from '../../src/contract/records.ts';
import type { Waiting } from '../disk/lock.ts';
import { appendBatchAt, withLedgerEnd, type LedgerEnd } from '../ledger/batch.ts';
import { whyUnfit, type LedgerCompany, type LedgerFiling, type Refusal } from '../ledger/ledger-rows.ts';
import type { Entity } from '../sources/roles.ts';
import type { TickerRow } from '../sources/tickers.ts';
import { compareRefusals, describeLosses } from '../ledger/refusals.ts';
import { mergeCompany, sameCompany, sameFiling } from '../ledger/merge-filing.ts';
import {
  addClaims,
  holderOf,
  listedSymbols,
  losersTo,
  withoutLost,
  type Claim,
  type Holder,
} from '../ledger/symbols.ts';
import { groupBy } from '../work/groups.ts';
import { assembleFiling, partiesTold, type Told } from './assemble.ts';
import { withKnownLedger, type LedgerFolders } from './known.ts';

/** A filing, and what sources have told about it. */
export interface FoundFiling {
  readonly accessionNo: string;
  readonly told: Told;
}

/** What is added to a ledger. */
export interface Addition {
  /** The target of the run in its record. */
  readonly target: string;
  /** The time of the run in its record, in UTC. */
  readonly createdAt: string;
  readonly filings: readonly FoundFiling[];
  /** Entities whose own files were read. */
  readonly entities: readonly Entity[];
  readonly tickers: readonly TickerRow[];
  readonly refusals: readonly Refusal[];
  readonly days: readonly ReconciledDay[];
  /** Whether the rows come from recordings. */
  readonly isSample?: boolean;
}

/** What a command logs while it waits for another program that appends to the same ledger. */
export const waitsForLedger = 'another program appends to this ledger: waiting until it has finished';

/** The result of an append. */
export interface Appended {
  /** The number of the new batch; null if nothing was new. */
  readonly batch: number | null;
  readonly run: IngestRun | null;
  readonly added: readonly string[];
  readonly corrected: readonly string[];
  /** The number of refusals in the batch. */
  readonly refused: number;
}

/** The rows that a ledger lacks. */
interface NewRows {
  readonly filings: readonly LedgerFiling[];
  readonly companies: readonly LedgerCompany[];
  readonly refusals: readonly Refusal[];
  readonly added: readonly string[];
}

/**
 * Appends the new and changed rows as one batch; no batch if there are none. Nobody else appends between the
 * comparison with the ledger and the append: programs wait for one another.
 */
export function appendFound(
  folders: LedgerFolders,
  addition: Addition,
  waiting: Waiting = {},
): Promise<Appended> {
  return withLedgerEnd(folders.ledgerDirectory, (end) => appendAt(end, folders, addition), waiting);
}

async function appendAt(end: LedgerEnd, folders: LedgerFolders, addition: Addition): Promise<Appended> {
  const rows = await withKnownLedger(folders, async (known) => {
    const before = await known.filings(addition.filings.map(({ accessionNo }) => accessionNo));
    const own = await known.companies(ciksOf(addition));
    const held = await known.holders(symbolsOf(addition, own.values()));
    const holders = await known.companies([...held.values()].map(({ cik }) => cik));
    return newRows(addition, before, new Map([...holders, ...own]), held);
  });
  const refusals = [...addition.refusals, ...rows.refusals].sort(compareRefusals);
  if (rows.filings.length + rows.companies.length + refusals.length + addition.days.length === 0)
    return { batch: null, run: null, added: [], corrected: [], refused: 0 };
  const run: IngestRun = {
    target: addition.target,
    status: refusals.length === 0 ? 'success' : 'partial',
    message: refusals.length === 0 ? null : describeLosses(refusals),
    createdAt: addition.createdAt,
  };
  const batch = await appendBatchAt(end, {
    run,
    filings: rows.filings,
    companies: rows.companies,
    refusals,
    days: addition.days,
    ...(addition.isSample ? { isSample: true } : {}),
  });
  const isNew = new Set(rows.added);
  return {
    batch,
    run,
    added: rows.added,
    corrected: rows.filings
      .map(({ accessionNo }) => accessionNo)
      .filter((accessionNo) => !isNew.has(accessionNo)),
    refused: refusals.length,
  };
}

function ciksOf({ filings, entities }: Addition): Set<string> {
  return new Set([
    ...entities.map(({ cik }) => cik),
    ...filings.flatMap(({ told }) => partiesTold(told).map(({ cik }) => cik)),
  ]);
}

/** Every symbol that an entity of the addition has or had, by any source. */
function symbolsOf({ entities, tickers }: Addition, known: Iterable<LedgerCompany>): string[] {
  const read = new Set(entities.map(({ cik }) => cik));
  return [
    ...entities.flatMap((entity) => entity.tickers),
    ...tickers.filter(({ cik }) => read.has(cik)).map(({ ticker }) => ticker),
    ...[...known].flatMap((company) => company.tickers),
  ];
}

/**
 * Makes the new and changed rows from what sources told, sorted. A row that no batch can hold is refused.
 * `held` is what the ledger says about the symbols of the entities.
 */
export function newRows(
  addition: Addition,
  known: ReadonlyMap<string, LedgerFiling>,
  knownCompanies: ReadonlyMap<string, LedgerCompany>,
  held: ReadonlyMap<string, Holder> = new Map(),
): NewRows {
  const refusals: Refusal[] = [];
  const fits = (row: LedgerFiling | LedgerCompany): boolean => {
    const reason = whyUnfit(row);
    if (reason !== null)
      refusals.push({
        cik: 'cik' in row ? row.cik : '',
        file: '',
        accessionNo: 'accessionNo' in row ? row.accessionNo : '',
        reason,
      });
    return reason === null;
  };
  // A batch has each filing once: a later row of the same filing is merged into the earlier one.
  const changed = new Map<string, LedgerFiling>();
  for (const { accessionNo, told } of addition.filings) {
    const before = changed.get(accessionNo) ?? known.get(accessionNo);
    const row = assembleFiling(accessionNo, before, told);
    if (row !== null && !(before && sameFiling(before, row)) && fits(row)) changed.set(accessionNo, row);
  }
  const filings = [...changed.values()].sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));
  const companies = newCompanies(addition, knownCompanies, held).filter(fits);
  return {
    filings,
    companies,
    refusals,
    added: filings.map(({ accessionNo }) => accessionNo).filter((accessionNo) => !known.has(accessionNo)),
  };
}

/**
 * Returns the companies that the batch gets: those whose own files say something new, those that lose a
 * symbol to one of these, and those that the ledger lacks although a filing names them. Of the last kind only
 * the name is known, from the header or the feed.
 */
function newCompanies(
  { entities, tickers, filings }: Addition,
  known: ReadonlyMap<string, LedgerCompany>,
  held: ReadonlyMap<string, Holder>,
): LedgerCompany[] {
  const listedBy = groupBy(tickers, ({ cik }) => cik);
  const listed = listedSymbols(tickers);
  const claims = new Map<string, Claim>();
  for (const entity of entities) addClaims(claims, entity);
  const holder = (symbol: string) =>
    holderOf(symbol, {
      listed,
      claimed: (each) => claims.get(each),
      held: (each) => held.get(each),
    });
  const companies = new Map<string, LedgerCompany>();
  const read = new Set(entities.map(({ cik }) => cik));
  for (const entity of entities) {
    const before = known.get(entity.cik);
    const company = mergeCompany(entity, listedBy.get(entity.cik) ?? [], before, holder);
    const takes = losersTo(company, held);
    if (before === undefined || takes.length > 0 || !sameCompany(before, company))
      companies.set(entity.cik, company);
    for (const cik of takes) {
      const loser = known.get(cik);
      const left = loser && !read.has(cik) ? withoutLost(loser, holder) : null;
      if (left) companies.set(cik, left);
    }
  }
  for (const { cik, name } of filings.flatMap(({ told }) => partiesTold(told))) {
    if (!known.has(cik) && !read.has(cik) && !companies.has(cik) && name !== '')
      companies.set(cik, { cik, name, tickers: [], exchange: null, formerNames: [] });
  }
  return [...companies.values()].sort((a, b) => (a.cik < b.cik ? -1 : 1));
}
