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
 * What sources have told about one filing so far, at most one sighting of each. The submissions file of each company
 * names its own company alone, so the first file has others beside it.
 */
export type Told = { readonly [Name in Source]?: Sighting } & { readonly otherFiles?: readonly Sighting[] };

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
export const sightingsOf = ({ otherFiles = [], ...told }: Told): Sighting[] => [
  ...Object.values(told),
  ...otherFiles,
];

/** Adds the row of a submissions file. Returns what was told before if the file of the same company told it. */
export function withFile(told: Told, row: LedgerFiling): Told {
  const { file, otherFiles = [] } = told;
  const sighting = sightingOf.file(row);
  if (file === undefined) return { ...told, file: sighting };
  const isTold = [file, ...otherFiles].some((each) => seenBy(each.row as LedgerFiling) === seenBy(row));
  return isTold ? told : { ...told, otherFiles: [...otherFiles, sighting] };
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
