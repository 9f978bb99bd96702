import {
  clockOfVotes,
  easternAcceptance,
  inferClock,
  voteOfSharedFiling,
} from '../../build/sources/clock.ts';
import { fileSighting, mergeFiling } from '../../build/ledger/merge-filing.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import {
  parseExtraPage,
  parseSubmissions,
  toFilings,
  type Columns,
} from '../../build/sources/submissions.ts';
import type { Member } from './zip.ts';

/**
 * The rows that submissions files make, all in memory, to compare with those that are sorted on the disk.
 * `known` is what the ledger has, and `listed` are its entities with symbols, to which those of the files
 * are added.
 */
export function combinedInMemory(
  members: readonly Member[],
  since: string | null,
  unsettledFrom: string,
  known: ReadonlyMap<string, LedgerFiling>,
  listed: Set<string>,
): LedgerFiling[] {
  const sightings = new Map<string, LedgerFiling[]>();
  const undecided: { columns: Columns; filings: LedgerFiling[] }[] = [];
  for (const cik of [...new Set(members.map(({ name }) => name.slice(3, 13)))].sort()) {
    const bodyOf = (name: string) => members.find((member) => member.name === name)?.body;
    const main = parseSubmissions(bodyOf(`CIK${cik}.json`) as Buffer, cik);
    const { entity } = main;
    if (entity.tickers.length > 0) listed.add(cik);
    const seen = new Set<string>();
    for (const columns of [
      main.columns,
      ...main.extraPages.map(({ name }) => parseExtraPage(bodyOf(name) as Buffer)),
    ]) {
      const { clock } = inferClock(columns, unsettledFrom);
      const own = toFilings(columns, entity, '', { clock, unsettledFrom }).filings.filter(
        ({ accessionNo, filedAt }) =>
          (since === null || filedAt >= since) && !seen.has(accessionNo) && seen.add(accessionNo),
      );
      for (const filing of own)
        sightings.set(filing.accessionNo, [...(sightings.get(filing.accessionNo) ?? []), filing]);
      if (clock === null) undecided.push({ columns, filings: own });
    }
  }
  const truths = new Map(
    [...sightings].map(([accessionNo, seen]) => [
      accessionNo,
      seen.find(({ acceptedEastern }) => acceptedEastern !== null)?.acceptedEastern ??
        known.get(accessionNo)?.acceptedEastern ??
        null,
    ]),
  );
  for (const { columns, filings } of undecided) {
    const rawOf = ({ accessionNo }: LedgerFiling) =>
      columns.acceptanceDateTime[columns.accessionNumber.indexOf(accessionNo)];
    const votes = filings.map((filing) =>
      voteOfSharedFiling(rawOf(filing), truths.get(filing.accessionNo) ?? '', unsettledFrom),
    );
    const clock = clockOfVotes(
      votes.filter((vote) => vote === 'eastern').length,
      votes.filter((vote) => vote === 'utc').length,
    );
    for (const filing of filings)
      filing.acceptedEastern = easternAcceptance(rawOf(filing), clock, unsettledFrom);
  }
  return [...sightings]
    .map(([accessionNo, seen]) =>
      mergeFiling(known.get(accessionNo), seen.map(fileSighting), (cik) => listed.has(cik)),
    )
    .sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));
}
