import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import { fileSighting, partiesTold, type Sighting, type Source } from '../ledger/merge-filing.ts';
import type { FeedFiling } from '../sources/current-feed.ts';
import type { Header } from '../sources/header.ts';

/** A filing, and what sources say of it: at least one. */
export interface FoundFiling {
  readonly accessionNo: string;
  readonly sightings: readonly Sighting[];
}

/** What sources have told about one filing so far, at most one sighting of each. */
export type Told = { readonly [Name in Source]?: Sighting };

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
