import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import { fileSighting, partiesTold, seenBy, type Sighting, type Source } from '../ledger/merge-filing.ts';
import type { FeedFiling } from '../sources/current-feed.ts';
import type { Header } from '../sources/header.ts';

/** A filing, and what sources say of it: at least one. */
export interface FoundFiling {
  readonly accessionNo: string;
  readonly sightings: readonly Sighting[];
}

/**
 * What sources have told about one filing so far, one sighting of each. A submissions file names its own company alone:
 * `file` is the first that told the filing, and those of other companies stand beside it, each under `file <CIK>`. The
 * follower saves it so; older releases take every member for a sighting.
 */
export type Told = { readonly [Name in Source]?: Sighting } & { readonly [file: `file ${string}`]: Sighting };

/** How what each source gives becomes a sighting. */
export const sightingOf = {
  file: (row: LedgerFiling): Sighting => fileSighting(row),
  feed: ({ accessionNo, form, filedAt, accepted, items, parties }: FeedFiling): Sighting => ({
    source: 'feed',
    row: { accessionNo, form, filedAt, acceptedEastern: accepted?.eastern ?? null, items },
    parties,
  }),
  header: ({ items, parties, ...row }: Header): Sighting => ({
    source: 'header',
    row: { ...row, ...(items === null ? {} : { items }) },
    parties,
  }),
} as const;

/** Returns the sightings of a filing. */
export const sightingsOf = (told: Told): Sighting[] => Object.values(told);

/** Adds the row of a submissions file. Returns what was told before if the file of the same company told it. */
export function withFile(told: Told, row: LedgerFiling): Told {
  const sighting = sightingOf.file(row);
  if (told.file === undefined) return { ...told, file: sighting };
  const cik = seenBy(row);
  const isTold = sightingsOf(told).some(
    (each) => each.source === 'file' && seenBy(each.row as LedgerFiling) === cik,
  );
  return isTold ? told : { ...told, [`file ${cik}`]: sighting };
}

/**
 * Whether all facts that are published are known: the documents from a submissions file, and the parties,
 * their roles and the acceptance time from the header or the feed.
 */
export function isWhole(told: Told): boolean {
  return (
    told.file !== undefined &&
    partiesTold(sightingsOf(told)).length > 0 &&
    (told.header !== undefined || told.feed?.row.acceptedEastern != null)
  );
}
