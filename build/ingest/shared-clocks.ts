import { clockOfVotes, easternAcceptance, voteOfSharedFiling, type Clock } from '../sources/clock.ts';
import { groupsOf } from '../work/groups.ts';
import { groupRows } from './fill-batch.ts';
import type { FileRow, Gathering } from './gather.ts';
import type { KnownLedger } from './known.ts';
import { sightingOf, type FoundFiling } from './sightings.ts';

/**
 * Decides the clocks of files whose own rows do not tell them. A filing that such a file shares with a file
 * whose clock is known, or with the ledger, counts as a vote. All decisions use only what was known before
 * the first one, so that the order of the files does not matter.
 */
export async function decideClocks(
  gathering: Gathering,
  known: KnownLedger,
  signal: AbortSignal | undefined,
): Promise<(Clock | null)[]> {
  const files = gathering.undecided.length;
  if (files === 0) return [];
  const votes = { eastern: new Uint32Array(files), utc: new Uint32Array(files) };
  // Decoded here, because a filing that waits in a group would keep a whole block in memory.
  function* undecidedOnes(): Generator<{ accessionNo: string; rows: FileRow[]; decided: string | null }> {
    for (const { accessionNo, hasUndecided, rowsOfFiles } of gathering.filings()) {
      if (!hasUndecided) continue;
      const rows = rowsOfFiles();
      yield {
        accessionNo,
        rows,
        decided: rows.find(({ filing }) => filing.acceptedEastern !== null)?.filing.acceptedEastern ?? null,
      };
    }
  }
  for (const group of groupsOf(undecidedOnes(), groupRows)) {
    signal?.throwIfAborted();
    const before = await known.filings(
      group.filter(({ decided }) => decided === null).map(({ accessionNo }) => accessionNo),
    );
    for (const { accessionNo, rows, decided } of group) {
      const acceptedEastern = decided ?? before.get(accessionNo)?.acceptedEastern ?? null;
      if (acceptedEastern === null) continue;
      for (const { undecided } of rows) {
        const vote =
          undecided &&
          voteOfSharedFiling(undecided.raw, acceptedEastern, gathering.undecided[undecided.file]);
        if (undecided && vote) votes[vote][undecided.file] = (votes[vote][undecided.file] as number) + 1;
      }
    }
  }
  return Array.from(votes.eastern, (eastern, file) => clockOfVotes(eastern, votes.utc[file] as number));
}

/**
 * Returns the filings that were gathered, with acceptance times also for files whose clock was decided by shared
 * filings.
 */
export function* settledFilings(
  { filings, undecided: unsettledFrom }: Gathering,
  clocks: readonly (Clock | null)[],
): Generator<FoundFiling> {
  const settled = ({ filing, undecided }: FileRow) =>
    undecided === null
      ? filing
      : {
          ...filing,
          acceptedEastern: easternAcceptance(
            undecided.raw,
            clocks[undecided.file] ?? null,
            unsettledFrom[undecided.file],
          ),
        };
  for (const { accessionNo, rowsOfFiles } of filings())
    yield { accessionNo, sightings: rowsOfFiles().map((row) => sightingOf.file(settled(row))) };
}
