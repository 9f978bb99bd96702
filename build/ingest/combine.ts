import { clockOfVotes, easternAcceptance, voteOfSharedFiling, type Clock } from '../sources/clock.ts';
import { groupBy, groupsOf } from '../work/groups.ts';
import type { OpenBatch } from '../ledger/batch.ts';
import type { LedgerCompany, LedgerFiling, Refusal } from '../ledger/ledger-rows.ts';
import type { Progress } from '../work/progress.ts';
import type { Entity } from '../sources/roles.ts';
import { submissionsFile } from '../sources/submissions.ts';
import type { TickerRow } from '../sources/tickers.ts';
import { holderOf, listedSymbols, losersTo, withoutLost, type Holder } from '../ledger/symbols.ts';
import { mergeCompany, mergeFiling, sameCompany, sameFiling } from '../ledger/merge-filing.ts';
import type { Gathering, SeenFiling, Sighting } from './gather.ts';
import type { KnownLedger } from './known.ts';

/** What `combine` needs. */
export interface CombineOptions {
  readonly gathering: Gathering;
  readonly tickers: readonly TickerRow[];
  readonly known: KnownLedger;
  readonly batch: OpenBatch;
  readonly refuse: (refusal: Refusal) => void;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/** Number of rows that are looked up and merged together. */
const groupRows = 2000;

/**
 * Merges what was gathered with the ledger and adds new and changed rows to a batch. Only a few thousand rows
 * are in memory at a time. A row that no batch can hold is refused. Returns the numbers of new and of changed
 * filings.
 */
export async function combine(options: CombineOptions): Promise<{ added: number; corrected: number }> {
  const { gathering, known, batch, refuse, progress, signal } = options;
  const clocks = await decideBySharedFilings(gathering, known, signal);
  const listed = await combineCompanies(options);
  const done = { added: 0, corrected: 0 };
  progress.begin('merging', 'filings');
  for (const group of groupsOf(gathering.filings(), groupRows)) {
    signal?.throwIfAborted();
    const seen = group.map((each) => ({ ...each, rows: settled(each, clocks, gathering.undecided) }));
    const before = await known.filings(seen.map(({ accessionNo }) => accessionNo));
    const companies = await known.companies(
      filersOf(
        seen.map(({ rows }) => rows),
        before,
      ),
    );
    const isListed = (cik: string) => listed.has(cik) || (companies.get(cik)?.tickers.length ?? 0) > 0;
    const changed: LedgerFiling[] = [];
    for (const { accessionNo, rows } of seen) {
      const held = before.get(accessionNo);
      const merged = mergeFiling(held, rows, isListed);
      if (!held || !sameFiling(held, merged)) changed.push(merged);
    }
    const count = (row: LedgerFiling, by: number) =>
      void (done[before.has(row.accessionNo) ? 'corrected' : 'added'] += by);
    for (const row of changed) count(row, 1);
    await batch.addFilings(changed, (row, reason) => {
      count(row, -1);
      refuse({ cik: '', file: '', accessionNo: row.accessionNo, reason });
    });
    progress.step(group.length);
  }
  return done;
}

/**
 * Returns the rows of a filing, with acceptance times also for files whose clock was decided by shared
 * filings.
 */
function settled(
  { sightings }: SeenFiling,
  clocks: readonly (Clock | null)[],
  unsettledFrom: readonly string[],
): LedgerFiling[] {
  return sightings().map(({ filing, undecided }) =>
    undecided === null
      ? filing
      : {
          ...filing,
          acceptedAt: easternAcceptance(
            undecided.raw,
            clocks[undecided.file] ?? null,
            unsettledFrom[undecided.file],
          ),
        },
  );
}

/** Returns the filers whose symbols may decide to which of several filers a filing belongs. */
function filersOf(
  seen: readonly (readonly LedgerFiling[])[],
  known: ReadonlyMap<string, LedgerFiling>,
): Set<string> {
  const ciks = new Set<string>();
  for (const rows of seen)
    if (rows.length > 1) for (const { filerCiks } of rows) for (const cik of filerCiks) ciks.add(cik);
  for (const { filerCiks } of known.values()) for (const cik of filerCiks) ciks.add(cik);
  return ciks;
}

/**
 * Decides the clocks of files whose own rows do not tell them. A filing that such a file shares with a file
 * whose clock is known, or with the ledger, counts as a vote. All decisions use only what was known before
 * the first one, so that the order of the files does not matter.
 */
async function decideBySharedFilings(
  gathering: Gathering,
  known: KnownLedger,
  signal: AbortSignal | undefined,
): Promise<(Clock | null)[]> {
  const files = gathering.undecided.length;
  if (files === 0) return [];
  const votes = { eastern: new Uint32Array(files), utc: new Uint32Array(files) };
  // Decoded here, because a filing that waits in a group would keep a whole block in memory.
  function* undecidedOnes(): Generator<{ accessionNo: string; rows: Sighting[]; decided: string | null }> {
    for (const { accessionNo, hasUndecided, sightings } of gathering.filings()) {
      if (!hasUndecided) continue;
      const rows = sightings();
      yield {
        accessionNo,
        rows,
        decided: rows.find(({ filing }) => filing.acceptedAt !== null)?.filing.acceptedAt ?? null,
      };
    }
  }
  for (const group of groupsOf(undecidedOnes(), groupRows)) {
    signal?.throwIfAborted();
    const before = await known.filings(
      group.filter(({ decided }) => decided === null).map(({ accessionNo }) => accessionNo),
    );
    for (const { accessionNo, rows, decided } of group) {
      const acceptedAt = decided ?? before.get(accessionNo)?.acceptedAt ?? null;
      if (acceptedAt === null) continue;
      for (const { undecided } of rows) {
        const vote = undecided && voteOfSharedFiling(undecided.raw, acceptedAt);
        if (undecided && vote) votes[vote][undecided.file] = (votes[vote][undecided.file] as number) + 1;
      }
    }
  }
  return Array.from(votes.eastern, (eastern, file) => clockOfVotes(eastern, votes.utc[file] as number));
}

/**
 * Adds the new and changed companies to the batch. Returns the CIKs of the companies that have symbols, now
 * or in the ledger.
 */
async function combineCompanies({
  gathering,
  tickers,
  known,
  batch,
  refuse,
  progress,
  signal,
}: CombineOptions): Promise<ReadonlySet<string>> {
  const listedBy = groupBy(tickers, ({ cik }) => cik);
  const byFiles = listedSymbols(tickers);
  const listed = new Set<string>();
  const losers = new Set<string>();
  progress.begin('merging', 'companies', gathering.counts.entities);
  for (const group of groupsOf(gathering.entities(), groupRows)) {
    signal?.throwIfAborted();
    const before = await known.companies(group.map(({ cik }) => cik));
    const held = await known.holders([
      ...group.flatMap(({ cik, tickers: own }) => [
        ...own,
        ...(listedBy.get(cik) ?? []).map(({ ticker }) => ticker),
      ]),
      ...[...before.values()].flatMap((company) => company.tickers),
    ]);
    await add(
      group.flatMap((entity) => {
        const company = merged(entity, before.get(entity.cik), held);
        return company === null ? [] : [company];
      }),
    );
    progress.step(group.length);
  }
  // Of the companies that lose a symbol, those that were read have new rows already.
  if (losers.size > 0) for (const { cik } of gathering.entities()) losers.delete(cik);
  const left = await known.companies(losers);
  const held = await known.holders([...left.values()].flatMap((company) => company.tickers));
  await add([...left.values()].flatMap((company) => withoutLost(company, holderWith(held)) ?? []));
  return listed;

  function holderWith(held: ReadonlyMap<string, Holder>) {
    const sources = {
      listed: byFiles,
      claimed: gathering.claimOf,
      held: (symbol: string) => held.get(symbol),
    };
    return (symbol: string) => holderOf(symbol, sources);
  }

  function merged(
    entity: Entity,
    before: LedgerCompany | undefined,
    held: ReadonlyMap<string, Holder>,
  ): LedgerCompany | null {
    const company = mergeCompany(entity, listedBy.get(entity.cik) ?? [], before, holderWith(held));
    if (company.tickers.length > 0 || (before?.tickers.length ?? 0) > 0) listed.add(company.cik);
    const takes = losersTo(company, held);
    for (const cik of takes) losers.add(cik);
    return before && takes.length === 0 && sameCompany(before, company) ? null : company;
  }

  function add(rows: readonly LedgerCompany[]): Promise<void> {
    return batch.addCompanies(rows, ({ cik }, reason) =>
      refuse({ cik, file: submissionsFile(cik), accessionNo: '', reason }),
    );
  }
}
