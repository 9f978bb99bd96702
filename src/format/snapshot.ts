import * as z from 'zod';
import { FilteredCompany } from '../contract/company-filters.ts';
import { Plan } from '../contract/plan.ts';
import { Change, Company, FilingSummary } from '../contract/records.ts';
import { DocumentsRow, OwnershipRow } from './stored-contents.ts';
import { ProfileRow, SymbolRow } from './profile-rows.ts';
import { SearchRow } from './search-rows.ts';
import { dayAndAcceptance, ListedFiling } from './list-rows.ts';
import { calendarDate, cik, count, sha256, timestamp } from '../domain/scalars.ts';

/** The version of the snapshot format. `snapshots/README.md` specifies the format and has its changelog. */
export const snapshotFormat = 5;

/** The formats of pointers and segments that are read: what did not change since stays as it was written. */
export const readFormats = [2, 3, 4, snapshotFormat] as const;

/** A block ends before the line that would make it longer than this many bytes, before compression. */
export const blockBytes = 64 * 1024;

/**
 * The same bound for tables in which requests look up many single rows, often in different blocks: shorter
 * blocks mean less to inflate for each row.
 */
const shortBlockBytes = 16 * 1024;

/**
 * The same bound for documents about ownership, of which a request reads one: twice as many of them beside each other take a
 * tenth less.
 */
const longBlockBytes = 128 * 1024;

/**
 * The same bound for lists of documents, of which a request reads up to fifty, far from each other. Recorded lists take 165
 * bytes each in blocks of 128 KiB, 189 in these, which inflate in a third of the time, and 215 in short ones.
 */
const listBlockBytes = 32 * 1024;

/**
 * The summary of a filing: the sequence of its newest observation in the log, and the members that the summary
 * has behind those of the filing. Texts have placeholders for members of the filing: see `rows/placeholders.ts`.
 */
export const SummaryRow = z.object({
  sequence: z.int().min(1),
  ...FilingSummary.pick({ summary: true, itemTitles: true, links: true, notInvestmentAdvice: true }).shape,
});
export type SummaryRow = z.infer<typeof SummaryRow>;

/** Facts about a batch of the ledger. */
export const BatchRow = z.object({
  number: z.int().min(1),
  sha256,
  createdAt: timestamp,
  lastSequence: count.describe('The sequence of the newest entry of the log when it was appended.'),
  changes: count.describe('How many observations it yields.'),
  refused: count.describe('How many of its rows do not fit.'),
});
export type BatchRow = z.infer<typeof BatchRow>;

/** The order of the sort keys in a partition. */
export type Direction = 'ascending' | 'descending';

interface TableDefinition {
  readonly direction: Direction;
  /** Whether the index names dates, forms and items of each block, so that reads can leave out blocks. */
  readonly isFiltered: boolean;
  /**
   * A block of its rows ends before the line that would make it longer than this many bytes, before
   * compression.
   */
  readonly blockBytes: number;
  readonly row: z.ZodType;
  readonly description: string;
}

/** What most tables have. */
const usual = { direction: 'ascending', isFiltered: false, blockBytes } as const;

/** Every table of a segment, with what it has otherwise than most. The descriptions say what the partitions and the sort keys are. */
const tables = {
  latest: {
    direction: 'descending',
    row: z.union([z.int().min(1), z.tuple([z.int().min(1), z.number()])]),
    description:
      'The sequence of the newest observation of each filing, newest filing first: of all filings, by form, by item and form, by industry code, by some exchanges, by code and value of transactions and form (there with the largest value), and those with an odd acceptance.',
  },
  'change-dates': {
    isFiltered: true,
    blockBytes: shortBlockBytes,
    row: z.union([dayAndAcceptance, z.tuple([dayAndAcceptance, z.number()])]),
    description:
      'The filing date and the acceptance of every observation by form, by item and form, and by code and value of transactions and form (there with the largest value), by its sequence in the log.',
  },
  'company-filings': {
    direction: 'descending',
    isFiltered: true,
    row: ListedFiling,
    description:
      'The sequence of the newest observation of each filing by each company that it names, newest filing first.',
  },
  'company-changes': {
    isFiltered: true,
    row: Change,
    description: 'Every observation, by each company that it names or that the observation before it named.',
  },
  summaries: {
    blockBytes: shortBlockBytes,
    row: SummaryRow,
    description:
      'The sequence of the newest observation of each filing, and what its summary adds to it, with placeholders for members of the filing, by year and accession number.',
  },
  ownership: {
    blockBytes: longBlockBytes,
    row: OwnershipRow,
    description:
      'What the document of a filing about ownership says beside the `ownership` of the filing, by year and accession number.',
  },
  documents: {
    blockBytes: listBlockBytes,
    row: DocumentsRow,
    description: 'The documents of a filing, each an array of five values, by year and accession number.',
  },
  profiles: {
    blockBytes: shortBlockBytes,
    row: ProfileRow,
    description: 'One profile for each company, by CIK, with the sequence of its newest filing.',
  },
  companies: {
    blockBytes: shortBlockBytes,
    row: z.union([Company, FilteredCompany]),
    description:
      'Companies in the order of their rank; by each value of a filter, the values of all filters by CIK.',
  },
  symbols: {
    blockBytes: shortBlockBytes,
    row: SymbolRow,
    description: 'What each ticker symbol leads to, by folded symbol.',
  },
  search: {
    row: SearchRow,
    description: 'Companies by the beginnings of the words of their names, in the order of their rank.',
  },
  counts: {
    row: count,
    description: 'Totals as of the end of the segment.',
  },
  batches: {
    direction: 'descending',
    row: BatchRow,
    description: 'The batches of the ledger, newest first, by the sequence that each begins with.',
  },
  refusals: {
    row: z.string(),
    description: 'Rows of the ledger that do not fit, and why.',
  },
} as const satisfies Record<string, Pick<TableDefinition, 'row' | 'description'> & Partial<TableDefinition>>;

/** The name of a table. */
export type TableName = keyof typeof tables;
/** The row of a table. */
export type RowOf<Name extends TableName> = z.infer<(typeof tables)[Name]['row']>;

/** The names of all tables, in the order in which they are written. */
export const tableNames = Object.keys(tables) as TableName[];

const definitions = Object.fromEntries(
  tableNames.map((name): [string, TableDefinition] => [name, { ...usual, ...tables[name] }]),
) as Readonly<Record<TableName, TableDefinition>>;

/** The definition of a table, with the general type. A verification asks for it with each row. */
export function tableDefinition(name: TableName): TableDefinition {
  return definitions[name];
}

/** The only partition of some tables; in other tables, the partition with all rows. */
export const allPartition = 'all';

/**
 * The label of a block with filings whose issuer is the company of the list. No form or item has this
 * spelling.
 */
export const issuerLabel = 'issuer';

/**
 * Partitions of `counts`: filings by form (sort key: form), filings by day and family (sort key: `<day>
 * <family>`), by month, by form and month and by item, form and month (both in either order), companies, refused rows. Three partitions count entries of the log that the rules do not expect,
 * and mostly have no rows: those of former kinds (sort key: `<form> <family>`), those with items that the
 * list of Form 8-K lacks (sort key: item), and those with facts of companies that EDGAR's lists lack (sort key:
 * `<filter> <value>`).
 */
export const countPartitions = {
  forms: 'forms',
  days: 'days',
  months: 'months',
  monthsOfForms: 'months of forms',
  formsOfMonths: 'forms of months',
  monthsOfItems: 'months of items',
  itemsOfMonths: 'items of months',
  companies: 'companies',
  refusals: 'refusals',
  formerKinds: 'former kinds',
  unlistedItems: 'unlisted items',
  unlistedFacts: 'unlisted facts',
} as const;

/** The month, in counts, of filings without a filing date. */
export const unknownMonth = '0000-00';

/** Documents that the runtime completes, or sends only to keyed requests. The manifest names their files. */
export const documentNames = [
  'root',
  'health',
  'stats',
  'subscription',
  'catalog',
  'bulk',
  'intents',
  'validation-stats-1',
  'validation-stats-7',
  'validation-stats-30',
  'validation-stats-90',
] as const;
/** The name of a keyed document. */
export type DocumentName = (typeof documentNames)[number];

/** Paths in a snapshots folder. Everything but the pointer is named by its content and never changes. */
export const paths = {
  pointer: 'current.json',
  heartbeat: 'heartbeat.json',
  manifest: (snapshotId: string) => `manifests/${snapshotId}.json`,
  segments: 'segments',
  file: (sha256OfFile: string) => `files/${sha256OfFile.slice(0, 2)}/${sha256OfFile}`,
} as const;

/** A small file that is stored under its SHA-256. */
export const FileReference = z.object({ sha256, bytes: count });
export type FileReference = Readonly<z.infer<typeof FileReference>>;

/** A public path with its file and its encoded variants. */
export const PublicRoute = z.object({
  contentType: z.string(),
  file: FileReference,
  br: FileReference.nullable(),
  gzip: FileReference.nullable(),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Headers that its answers have beside the usual ones, or instead of them.'),
});
export type PublicRoute = z.infer<typeof PublicRoute>;

/** Public documents by URL path. */
export const Routes = z.record(z.string(), PublicRoute);
export type Routes = Readonly<z.infer<typeof Routes>>;

/** Settings that the documents of a snapshot depend on. */
export const SnapshotSettings = z.object({
  baseUrl: z.string().nullable().describe('What links in the documents begin with; null for paths alone.'),
  marketplaceUrl: z.string().nullable().describe('Where a subscription is bought; null if nowhere.'),
  marketplaceName: z.string().optional().describe('Its name in headers; `marketplace` if left out.'),
  contactEmail: z.string().optional().describe('Mailbox of the operator, for documents that name one.'),
  staleAfterHours: z
    .int()
    .min(1)
    .optional()
    .describe("Hours of EDGAR's business days after which data counts as stale; 36 if left out."),
  plans: z.array(Plan).optional().describe('Plans that the page of subscriptions offers.'),
});
export type SnapshotSettings = z.infer<typeof SnapshotSettings>;

/** A segment in a manifest. */
export const SegmentEntry = z.object({
  // It becomes a path, and a manifest may come from a host.
  name: z.string().regex(/^[1-9]\d*-[1-9]\d*-[0-9a-f]{16}$/),
  headSha256: sha256,
  headBytes: count.optional().describe('Length of its head; left out by older versions.'),
  from: z.int().min(1).describe('Number of its first batch.'),
  to: z.int().min(1).describe('Number of its last batch.'),
  rows: count.describe(
    'Rows of its batches in the ledger, which the layout goes by: filings, companies and contents.',
  ),
  lastSequence: count.describe('The last sequence that its batches or earlier ones gave out.'),
  bytes: count.describe('Bytes of its files together.'),
});
export type SegmentEntry = Readonly<z.infer<typeof SegmentEntry>>;

/**
 * What the runs of a ledger covered as a whole: `all` companies or all `listed` ones were read with all their
 * filings; of `everyone` new filings are taken, by `ingest`, `follow` or `reconcile`.
 */
export const LedgerUniverse = z.enum(['all', 'listed', 'everyone']);
export type LedgerUniverse = z.infer<typeof LedgerUniverse>;

/**
 * The parts of a snapshot, by name. A manifest is small at any size of the ledger. The pointer has its
 * SHA-256, and the snapshot's id has the first digits of it. `successors` are the chains by which lists are
 * kept.
 */
export const Manifest = z.object({
  format: z.literal(snapshotFormat),
  productVersion: z.string(),
  rules: z.int().min(1).optional().describe('The number of the rules that made its segments; 1 if left out.'),
  successors: z.array(z.tuple([cik, cik])).optional(),
  settings: SnapshotSettings,
  sample: z.literal(true).optional().describe('Made of recordings, for trying out: it is no live data.'),
  generatedAt: timestamp.describe('When the newest batch of the ledger was recorded, UTC.'),
  newestFiledAt: calendarDate.nullable(),
  companyCount: count,
  filingCount: count,
  lastSequence: count,
  ledger: z.object({
    id: sha256.describe('SHA-256 of the first batch.'),
    batches: z.int().min(1).describe('How many batches it has.'),
    sha256: sha256.describe('SHA-256 of the last batch.'),
    universes: z
      .array(LedgerUniverse)
      .optional()
      .describe('What runs covered; absent in manifests of older versions.'),
  }),
  segments: z.array(SegmentEntry).min(1).describe('Oldest first; together they hold every batch once.'),
  log: FileReference.describe('The file that lists the files of the log.'),
  documents: z.record(z.string(), FileReference).describe('Keyed documents by name.'),
  routes: FileReference.describe('The file with the public documents by URL path.'),
});
export type Manifest = Readonly<z.infer<typeof Manifest>>;

/** The id of a snapshot. */
export const SnapshotId = z.string().regex(/^[0-9]{8}-[0-9a-f]{16}$/);

/** The signature of a pointer, and how long it is valid. */
export const PointerSignature = z.object({
  key: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe('The beginning of the SHA-256 of the public key in DER: which key it was.'),
  number: z.int().min(1).describe('Greater than that of every pointer before it.'),
  madeAt: timestamp,
  expiresAt: timestamp.describe('From then on no service takes it.'),
  signature: z.base64().describe('Ed25519, over the lines that the specification names.'),
});
export type PointerSignature = z.infer<typeof PointerSignature>;

/** The one mutable file: which snapshot is current, and which were before it, newest first. */
export const Pointer = z.object({
  format: z.literal(readFormats),
  snapshotId: SnapshotId,
  manifestSha256: sha256,
  previous: z.array(SnapshotId).max(10),
  signature: PointerSignature.optional(),
});
export type Pointer = z.infer<typeof Pointer>;

/** Makes the id of a snapshot from the day of its data and the first digits of its manifest's SHA-256. */
export function snapshotId(generatedAt: string, manifestSha256: string): string {
  return `${generatedAt.slice(0, 10).replaceAll('-', '')}-${manifestSha256.slice(0, 16)}`;
}

/** The sort key of a row of a history: greater is newer. */
export function historySortKey(row: {
  filedAt: string | null;
  acceptanceDateTime: string | null;
  accessionNo: string;
}): string {
  return `${row.filedAt ?? ''} ${row.acceptanceDateTime ?? ''} ${row.accessionNo}`;
}

/** Whether a text is written as the sort key of a row of a history. */
export function isHistorySortKey(text: string): boolean {
  return /^(\d{4}-\d{2}-\d{2})? (\d{14})? \d{10}-\d{2}-\d{6}$/.test(text);
}

/** Whether a sort key begins with a filing date: that of a row of a history with a known date, and no other. */
export const beginsWithDay = (sort: string): boolean => sort[4] === '-';

/** The sort key of a row of a feed: its sequence in 12 digits. */
export function feedSortKey(sequence: number): string {
  return String(sequence).padStart(12, '0');
}

/** The sort key of a batch: the sequence of its first observation (the next one if it has none), and its number. */
export function batchSortKey(firstSequence: number, number: number): string {
  return `${feedSortKey(firstSequence)} ${String(number).padStart(9, '0')}`;
}
