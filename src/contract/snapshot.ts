import { z } from 'zod';
import { Change, Company, CompanyProfile, Event, Filing, FilingSummary } from './records.ts';
import { calendarDate, cik, count, sha256, timestamp } from './shapes.ts';

/** Version of the snapshot format; `snapshots/README.md` specifies it and keeps its changelog. */
export const snapshotFormat = 1;

/** A block ends before the row that would make it longer than this many bytes, and an index page likewise. */
export const blockBytes = 64 * 1024;

/** No row is longer than this many bytes. */
export const rowBytesMaximum = 1024 * 1024;

/** The one key of a list that holds all rows. */
export const allKey = 'all';

/** What a symbol or a CIK leads to. */
export const SymbolRow = z.object({
  symbol: z.string().min(1).describe('Folded ticker symbol, or a 10-digit CIK.'),
  cik: cik.describe('The company it names.'),
  listCik: cik.describe('The key under which its filings are listed: the newest CIK of predecessor and successor that the ledger holds.'),
  name: z.string(),
});
/** See the schema of the same name. */
export type SymbolRow = z.infer<typeof SymbolRow>;

/** A company with the words by which it is found. */
export const SearchRow = z.object({
  company: Company,
  symbols: z.string().describe('Folded symbols and CIK, a space before and after each.'),
  name: z.string().describe('Folded words of the name, a space before and after each.'),
  formerNames: z.string().describe('Folded words of the former names, names divided by `|`.'),
});
/** See the schema of the same name. */
export type SearchRow = z.infer<typeof SearchRow>;

/**
 * How the rows of a table lie.
 * `history`: by key, then newest first. `feed`: by key, then by sequence. `record`: one row for each key, sorted by key.
 * `ranked`: in the order of their rank.
 */
export type TableShape = 'history' | 'feed' | 'record' | 'ranked';

interface TableDefinition {
  readonly shape: TableShape;
  readonly record: z.ZodType;
  readonly description: string;
  /** The member that is the key of a `record` table. It stands first in each row. */
  readonly keyMember?: 'cik' | 'accessionNo' | 'symbol';
  /** Whether the index names the forms and event families of each block, so that filters skip blocks. */
  readonly tagged?: true;
}

/** Every table of a snapshot. */
export const tables = {
  latest: { shape: 'history', record: Filing, tagged: true, description: 'Every filing once, newest first.' },
  'company-filings': { shape: 'history', record: Filing, description: 'Filings by company (key: CIK), newest first.' },
  'company-events': { shape: 'history', record: Event, description: 'Events by company (key: CIK), newest first.' },
  'insider-trades': { shape: 'history', record: Filing, description: 'Forms 3, 4 and 5, newest first.' },
  'issuer-insider-trades': { shape: 'history', record: Filing, description: 'Forms 3, 4 and 5 by issuer (key: CIK), newest first.' },
  changes: { shape: 'feed', record: Change, tagged: true, description: 'Every observation of a filing, in the order of the ledger.' },
  'company-changes': { shape: 'feed', record: Change, tagged: true, description: 'Changes by company (key: CIK), in the order of the ledger.' },
  profiles: { shape: 'record', record: CompanyProfile, keyMember: 'cik', description: 'One profile for each company.' },
  summaries: { shape: 'record', record: FilingSummary, keyMember: 'accessionNo', description: 'One summary for each filing.' },
  symbols: { shape: 'record', record: SymbolRow, keyMember: 'symbol', description: 'What each ticker symbol and CIK leads to.' },
  companies: { shape: 'ranked', record: SearchRow, description: 'Companies with the words by which they are found, listed ones first.' },
} as const satisfies Record<string, TableDefinition>;

/** The name of a table. */
export type TableName = keyof typeof tables;
type TableOfShape<Shape extends TableShape> = { [Name in TableName]: (typeof tables)[Name]['shape'] extends Shape ? Name : never }[TableName];
/** The name of a table that serves pages. */
export type ListTable = TableOfShape<'history' | 'feed'>;
/** The name of a table that serves one row for a key. */
export type RecordTable = TableOfShape<'record'>;
/** The record of a table. */
export type RecordOf<Name extends TableName> = z.infer<(typeof tables)[Name]['record']>;

/** Names of all tables, in the order in which they are written. */
export const tableNames = Object.keys(tables) as TableName[];

/** The definition of a table, without the knowledge of which one it is. */
export function tableDefinition(name: TableName): TableDefinition {
  return tables[name];
}

/** Documents that the runtime completes or serves to keyed requests only; they lie in `documents/`. */
export const documentNames = ['root', 'health', 'stats', 'subscription', 'catalog', 'intents', 'validation-stats-1', 'validation-stats-7', 'validation-stats-30', 'validation-stats-90'] as const;
/** The name of a keyed document. */
export type DocumentName = (typeof documentNames)[number];

/** Paths inside a snapshot, and of the pointer beside it. */
export const paths = {
  manifest: 'manifest.json',
  pointer: 'current.json',
  table: (name: TableName) => `tables/${name}.jsonl`,
  index: (name: TableName) => `tables/${name}.index.csv`,
  document: (name: DocumentName) => `documents/${name}.json`,
  /** Pages lie in folders of their own: `/docs` and `/docs/polling` could not both be files on a static host. */
  public: (urlPath: string, isPage = false) => (isPage && !urlPath.endsWith('.html') ? `public${urlPath}/index.html` : `public${urlPath}`),
} as const;

/** Columns of an index, which has one line for each block. */
export const indexColumns = ['key', 'first', 'offset', 'bytes', 'rows', 'filedAt', 'sha256', 'tags'] as const;

/** One file of a snapshot. */
export const FileEntry = z.object({
  path: z.string().min(1),
  bytes: count,
  sha256,
  rows: count.nullable().describe('Rows of a table, lines of an index without its header; null for other files.'),
});
/** See the schema of the same name. */
export type FileEntry = z.infer<typeof FileEntry>;

/** One page of an index: whole lines, at most `blockBytes` long. */
export const IndexPage = z.object({
  key: z.string(),
  first: z.string(),
  offset: count,
  bytes: count,
  filedAt: z.string().describe('Greatest `filedAt` of its blocks; empty if they have none.'),
  sha256,
});
/** See the schema of the same name. */
export type IndexPage = z.infer<typeof IndexPage>;

/** One public path with its file and its compressed twins. */
export const PublicRoute = z.object({
  contentType: z.string(),
  file: z.string(),
  br: z.string().nullable(),
  gzip: z.string().nullable(),
  headers: z.record(z.string(), z.string()).optional().describe('Headers that its answers have beside the usual ones, or instead of them.'),
});
/** See the schema of the same name. */
export type PublicRoute = z.infer<typeof PublicRoute>;

/** A plan that the page of subscriptions offers. */
export const Plan = z.object({
  name: z.string().min(1).max(60),
  price: z.string().min(1).max(60).describe('As people read it, e.g. `$29 a month`.'),
  requests: z.string().min(1).max(120).describe('How much it gives, e.g. `10,000 requests a month`.'),
  includes: z.array(z.string().min(1).max(120)).max(12).default([]),
  url: z.url({ protocol: /^https?$/ }).optional().describe('Where it is bought; the marketplace if left out.'),
});
/** See the schema of the same name. */
export type Plan = z.infer<typeof Plan>;

/** Settings that the documents of a snapshot depend on. */
export const SnapshotSettings = z.object({
  baseUrl: z.string().nullable().describe('Address that links in the documents begin with; null for paths alone.'),
  marketplaceUrl: z.string().nullable().describe('Where a subscription is bought; null if nowhere.'),
  contactEmail: z.string().optional().describe('Mailbox of the operator, for documents that name one.'),
  staleAfterHours: z.int().min(1).optional().describe("Hours of EDGAR's business days after which data counts as stale; 36 if left out."),
  plans: z.array(Plan).optional().describe('Plans that the page of subscriptions offers.'),
});
/** See the schema of the same name. */
export type SnapshotSettings = z.infer<typeof SnapshotSettings>;

/** What a snapshot is made of. Its own SHA-256 stands in the pointer, and its beginning in the snapshot's name. */
export const Manifest = z.object({
  format: z.literal(snapshotFormat),
  productVersion: z.string(),
  settings: SnapshotSettings,
  sample: z.literal(true).optional().describe('Made of recordings, for trying out: it is no live data.'),
  generatedAt: timestamp.describe('When the newest batch of the ledger was recorded, UTC.'),
  newestFiledAt: calendarDate.nullable(),
  companyCount: count,
  filingCount: count,
  lastSequence: count,
  ledger: z.object({
    id: sha256.describe('SHA-256 of the first batch.'),
    batches: z.array(z.object({ number: z.int().min(1), sha256, createdAt: timestamp, lastSequence: count })).min(1),
  }),
  tables: z.record(z.string(), z.array(IndexPage)).describe('The pages of the index of each table.'),
  routes: z.record(z.string(), PublicRoute).describe('Public documents by URL path.'),
  files: z.array(FileEntry).describe('Every file but the manifest itself, sorted by path.'),
});
/** See the schema of the same name. */
export type Manifest = z.infer<typeof Manifest>;

/** The one mutable file: which snapshot is current, and which were before it, newest first. */
export const Pointer = z.object({
  format: z.literal(snapshotFormat),
  snapshotId: z.string().regex(/^[0-9]{8}-[0-9a-f]{16}$/),
  manifestSha256: sha256,
  previous: z.array(z.string().regex(/^[0-9]{8}-[0-9a-f]{16}$/)).max(10),
});
/** See the schema of the same name. */
export type Pointer = z.infer<typeof Pointer>;

/** The name of a snapshot: the day of its data and the beginning of its manifest's SHA-256. */
export function snapshotId(generatedAt: string, manifestSha256: string): string {
  return `${generatedAt.slice(0, 10).replaceAll('-', '')}-${manifestSha256.slice(0, 16)}`;
}

/** The order value of a history row: greater is newer. */
export function historyOrder(row: { filedAt: string | null; acceptanceDateTime: string | null; accessionNo: string }): string {
  return `${row.filedAt ?? ''} ${row.acceptanceDateTime ?? ''} ${row.accessionNo}`;
}

/** The order value of a feed row: its sequence in 12 digits. */
export function feedOrder(sequence: number): string {
  return String(sequence).padStart(12, '0');
}

/** The tags of a row: its form and its event family, each between `|`. */
export function tagsOf(row: { form: string; eventType: string }): readonly [string, string] {
  return [row.form, row.eventType];
}
