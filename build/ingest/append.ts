import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import type { Waiting } from '../disk/lock.ts';
import { openBatch, withLedgerEnd, type LedgerEnd } from '../ledger/batch.ts';
import { joinContents, type LedgerContents } from '../ledger/contents.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import { compareRefusals, runRecord } from '../ledger/refusals.ts';
import { addClaims, type Claim } from '../ledger/symbols.ts';
import type { Entity } from '../sources/roles.ts';
import type { TickerRow } from '../sources/tickers.ts';
import { groupBy } from '../work/groups.ts';
import { quietProgress } from '../work/progress.ts';
import { fillContents } from './fill-contents.ts';
import { fillBatch, type Findings } from './fill-batch.ts';
import { withKnownLedger, type LedgerToKnow } from './known.ts';
import type { FoundFiling } from './sightings.ts';

/** What is added to a ledger. */
export interface Addition {
  /** The target of the run in its record. */
  readonly target: string;
  /** The time of the run in its record, in UTC. */
  readonly createdAt: string;
  /** The sightings of a filing that is named several times count together. */
  readonly filings: readonly FoundFiling[];
  /** Entities whose own files were read. */
  readonly entities: readonly Entity[];
  readonly tickers: readonly TickerRow[];
  /** What documents of filings say; nothing if left out. */
  readonly contents?: readonly LedgerContents[];
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
  readonly added: readonly string[];
  readonly corrected: readonly string[];
  /** Of how many filings the batch has contents. */
  readonly contents: number;
  /** The number of refusals in the batch. */
  readonly refused: number;
}

/**
 * Appends the new and changed rows as one batch; no batch if there are none. Nobody else appends between the
 * comparison with the ledger and the append: programs wait for one another.
 */
export function appendFound(
  folders: LedgerToKnow,
  addition: Addition,
  waiting: Waiting = {},
): Promise<Appended> {
  return withLedgerEnd(folders.ledgerDirectory, (end) => appendAt(end, folders, addition), waiting);
}

async function appendAt(end: LedgerEnd, folders: LedgerToKnow, addition: Addition): Promise<Appended> {
  const batch = await openBatch(end.ledgerDirectory);
  try {
    const refusals = [...addition.refusals];
    const refuse = (refusal: Refusal) => void refusals.push(refusal);
    const filings = { added: [] as string[], corrected: [] as string[] };
    const { companies, contents } = await withKnownLedger(folders, async (known) => {
      const filled = await fillBatch({
        findings: findingsOf(addition),
        known,
        batch,
        refuse,
        onFiling: (accessionNo, isNew) => void filings[isNew ? 'added' : 'corrected'].push(accessionNo),
        progress: quietProgress,
      });
      const contents = joinContents(addition.contents ?? []);
      return { ...filled, contents: await fillContents(contents, known, batch, refuse) };
    });
    const rows = filings.added.length + filings.corrected.length + companies + contents + refusals.length;
    if (rows + addition.days.length === 0)
      return { batch: null, added: [], corrected: [], contents: 0, refused: 0 };
    refusals.sort(compareRefusals);
    const number = await batch.finish(end, {
      run: runRecord(addition.target, addition.createdAt, refusals),
      refusals,
      days: addition.days,
      isSample: addition.isSample === true,
    });
    return { batch: number, ...filings, contents, refused: refusals.length };
  } finally {
    await batch.discard();
  }
}

/** What is in memory, sorted, each filing once. */
function findingsOf({ filings, entities, tickers }: Addition): Findings {
  const claims = new Map<string, Claim>();
  for (const entity of entities) addClaims(claims, entity);
  const byAccession = [...groupBy(filings, ({ accessionNo }) => accessionNo)]
    .map(([accessionNo, found]) => ({
      accessionNo,
      sightings: found.flatMap(({ sightings }) => sightings),
    }))
    .sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));
  const byCik = [...new Map(entities.map((entity) => [entity.cik, entity])).values()].sort((a, b) =>
    a.cik < b.cik ? -1 : 1,
  );
  return {
    entities: () => byCik,
    entityCount: byCik.length,
    filings: () => byAccession,
    tickers,
    claimOf: (symbol) => claims.get(symbol),
    isSorted: true,
  };
}
