import type { OpenBatch } from '../ledger/batch.ts';
import { sameFiling } from '../ledger/filing-columns.ts';
import type { LedgerCompany, LedgerFiling, Refusal } from '../ledger/ledger-rows.ts';
import { mergeCompany, mergeFiling, partiesTold, sameCompany } from '../ledger/merge-filing.ts';
import {
  holderOf,
  listedSymbols,
  losersTo,
  withoutLost,
  type Claim,
  type Holder,
} from '../ledger/symbols.ts';
import type { Entity } from '../sources/roles.ts';
import { submissionsFile } from '../sources/submissions.ts';
import type { TickerRow } from '../sources/tickers.ts';
import { groupBy, groupsOf } from '../work/groups.ts';
import type { Progress } from '../work/progress.ts';
import { easternTime } from '../time/eastern-time.ts';
import type { KnownLedger } from './known.ts';
import type { LedgerCompanyRow } from '../fold/fold-tables.ts';
import type { FoundFiling } from './sightings.ts';

/** What was found for a batch, three filings or 20 million. Both lists can be gone through any number of times. */
export interface Findings {
  /** Entities whose own files were read, by CIK. */
  entities(): Iterable<Entity>;
  readonly entityCount: number;
  /** Filings by accession number, each once. */
  filings(): Iterable<FoundFiling>;
  readonly tickers: readonly TickerRow[];
  /** The entity whose file names a folded symbol; of several, the one with the greatest CIK. */
  claimOf(symbol: string): Claim | undefined;
  /**
   * Whether all companies are sorted by CIK together. Otherwise those without a file of their own come last, because
   * what was found does not fit into memory.
   */
  readonly isSorted: boolean;
}

/** What `fillBatch` needs. */
export interface FillOptions {
  readonly findings: Findings;
  readonly known: KnownLedger;
  readonly batch: OpenBatch;
  readonly refuse: (refusal: Refusal) => void;
  /** Called for each filing that is in the batch. `isNew` says whether the ledger lacked it. */
  readonly onFiling?: (accessionNo: string, isNew: boolean) => void;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/** What a batch got: new filings, changed ones, and companies. */
export interface FilledRows {
  readonly added: number;
  readonly corrected: number;
  readonly companies: number;
}

/** Number of rows that are looked up together. */
export const groupRows = 2000;

/**
 * Merges what was found with the ledger and adds new and changed rows to a batch. Only a few thousand rows are in
 * memory at a time. A row that no batch can hold is refused. The batch gets the companies whose own files say
 * something new, those that lose a symbol to one of these, and those that the ledger lacks although a filing
 * names them. Of the last kind only the name is known, from the header or the feed; a later filing may tell a new one.
 */
export async function fillBatch(options: FillOptions): Promise<FilledRows> {
  const { findings, known, batch, refuse, progress, signal } = options;
  const done = { added: 0, corrected: 0, companies: 0 };
  const symbols = createSymbols(findings);
  const listed = new Set<string>();
  const losers = new Set<string>();
  /** Companies of which only the name is known, which the newest filing that names them tells. */
  const named = new Map<string, { readonly filedAt: string; readonly company: LedgerCompany }>();

  async function addCompanies(rows: readonly LedgerCompany[]): Promise<void> {
    done.companies += rows.length;
    await batch.addCompanies(rows, ({ cik }, reason) => {
      done.companies--;
      refuse({ cik, file: named.has(cik) ? '' : submissionsFile(cik), accessionNo: '', reason });
    });
  }

  progress.begin('merging', 'companies', findings.entityCount);
  const waiting: LedgerCompany[] = [];
  for (const group of groupsOf(findings.entities(), groupRows)) {
    signal?.throwIfAborted();
    const before = await known.companies(group.map(({ cik }) => cik));
    const held = await known.holders(symbols.of(group, before.values()));
    const companies = companiesFor(group, before, held, symbols);
    if (findings.isSorted) waiting.push(...companies.changed);
    else await addCompanies(companies.changed);
    for (const cik of companies.listed) listed.add(cik);
    for (const cik of companies.losers) losers.add(cik);
    progress.step(group.length);
  }

  progress.begin('merging', 'filings');
  for (const group of groupsOf(findings.filings(), groupRows)) {
    signal?.throwIfAborted();
    const before = await known.filings(group.map(({ accessionNo }) => accessionNo));
    const companies = await known.companies(companiesNamed(group, before));
    const isListed = (cik: string) => listed.has(cik) || (companies.get(cik)?.tickers.length ?? 0) > 0;
    const rows = group.map(({ accessionNo, sightings }) =>
      mergeFiling(before.get(accessionNo), sightings, isListed),
    );
    for (const [at, { sightings }] of group.entries()) {
      const { filedAt } = rows[at] as LedgerFiling;
      for (const { cik, name } of partiesTold(sightings)) {
        const company = name && companyNamed(cik, name, filedAt, companies.get(cik));
        if (company && filedAt > (named.get(cik)?.filedAt ?? '')) named.set(cik, { filedAt, company });
      }
    }
    const changed = rows.filter((row) => {
      const held = before.get(row.accessionNo);
      return !held || !sameFiling(held, row);
    });
    const unfit = new Set<string>();
    await batch.addFilings(changed, ({ accessionNo }, reason) => {
      unfit.add(accessionNo);
      refuse({ cik: '', file: '', accessionNo, reason });
    });
    for (const { accessionNo } of changed) {
      if (unfit.has(accessionNo)) continue;
      const isNew = !before.has(accessionNo);
      done[isNew ? 'added' : 'corrected']++;
      options.onFiling?.(accessionNo, isNew);
    }
    progress.step(group.length);
  }

  // Those that were read have new rows already.
  if (losers.size + named.size > 0)
    for (const { cik } of findings.entities()) {
      losers.delete(cik);
      named.delete(cik);
    }
  const left = await known.companies(losers);
  const held = await known.holders(symbols.of([], left.values()));
  const others = [
    ...[...left.values()].flatMap((company) => withoutLost(company, symbols.holderWith(held)) ?? []),
    ...[...named.values()].map(({ company }) => company),
  ];
  await addCompanies([...waiting, ...others].sort((a, b) => (a.cik < b.cik ? -1 : 1)));
  return done;
}

/**
 * Returns the row of a company that a filing names, if it says something new: the ledger lacks the company, or has only
 * another name of it, which is older than the filing.
 */
function companyNamed(
  cik: string,
  name: string,
  filedAt: string,
  known: LedgerCompanyRow | undefined,
): LedgerCompany | null {
  if (!known) return { cik, name, tickers: [], exchange: null, formerNames: [] };
  const { facts, tickers, updatedAt } = known;
  if (known.name === name || facts !== undefined || tickers.length > 0) return null;
  return filedAt > easternTime(Date.parse(updatedAt)).day ? { ...known, name } : null;
}

/** What ticker files and submissions files say about symbols. */
interface Symbols {
  /** The rows of ticker files about a company. */
  rowsOf(cik: string): readonly TickerRow[];
  /** Every symbol that entities have by any source, and those of their rows in the ledger. */
  of(entities: readonly Entity[], known: Iterable<LedgerCompany>): string[];
  /** Who has a symbol now. `held` is what the ledger says. */
  holderWith(held: ReadonlyMap<string, Holder>): (symbol: string) => string | undefined;
}

function createSymbols({ tickers, claimOf }: Findings): Symbols {
  const rows = groupBy(tickers, ({ cik }) => cik);
  const listed = listedSymbols(tickers);
  const rowsOf = (cik: string) => rows.get(cik) ?? [];
  return {
    rowsOf,
    of: (entities, known) => [
      ...entities.flatMap(({ cik, tickers: own }) => [...own, ...rowsOf(cik).map(({ ticker }) => ticker)]),
      ...[...known].flatMap((company) => company.tickers),
    ],
    holderWith: (held) => (symbol) =>
      holderOf(symbol, { listed, claimed: claimOf, held: (each) => held.get(each) }),
  };
}

/**
 * Returns the rows of entities that differ from the ledger's, or take a symbol from another company; the CIKs of
 * those companies; and the CIKs of the entities that have symbols, now or in the ledger.
 */
function companiesFor(
  entities: readonly Entity[],
  known: ReadonlyMap<string, LedgerCompany>,
  held: ReadonlyMap<string, Holder>,
  symbols: Symbols,
): { changed: LedgerCompany[]; losers: string[]; listed: string[] } {
  const found = { changed: [] as LedgerCompany[], losers: [] as string[], listed: [] as string[] };
  const holder = symbols.holderWith(held);
  for (const entity of entities) {
    const before = known.get(entity.cik);
    const company = mergeCompany(entity, symbols.rowsOf(entity.cik), before, holder);
    const losers = losersTo(company, held);
    if (!before || losers.length > 0 || !sameCompany(before, company)) found.changed.push(company);
    found.losers.push(...losers);
    if (company.tickers.length > 0 || (before?.tickers.length ?? 0) > 0) found.listed.push(company.cik);
  }
  return found;
}

/**
 * Returns the companies of filings whose names or symbols count: not those of a filing that one file alone lists.
 */
function companiesNamed(
  filings: readonly FoundFiling[],
  known: ReadonlyMap<string, LedgerFiling>,
): Set<string> {
  const ciks = new Set<string>();
  for (const { accessionNo, sightings } of filings) {
    const before = known.get(accessionNo);
    if (!before && sightings.length === 1 && sightings[0]?.source === 'file') continue;
    for (const { cik } of partiesTold(sightings)) ciks.add(cik);
    for (const { filerCiks = [] } of [...sightings.map(({ row }) => row), ...(before ? [before] : [])])
      for (const cik of filerCiks) ciks.add(cik);
  }
  return ciks;
}
