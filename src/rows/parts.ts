import type { Ownership } from '../contract/ownership.ts';
import { largestValuesOf, type LargestValues } from '../contract/transaction-filters.ts';
import { filingDocument, type Exhibit, type FilingDocument } from '../contract/filing-documents.ts';
import { documentsOfRow, type DocumentsRow } from '../format/stored-contents.ts';
import type { FilingFilter } from '../contract/filing-filters.ts';
import type { Filing } from '../contract/records.ts';
import { remembered } from '../domain/remembered.ts';
import { lineEnd } from '../table/block.ts';
import { rowExtent } from '../table/line.ts';
import { rowBytes, rowText, type TableRow } from '../table/table.ts';
import { needleOf, offsetBehind, textOf, valuesAt, type Extent, type Needle } from './members.ts';
import { filled } from './placeholders.ts';

// Rows are served as they lie in tables, so some answers are parts of rows. What is a part follows from the
// order of members, which the schemas of the rows say; `test/table/row-order.test.ts` holds every row to it,
// and to these needs:
//
// - in a change, the filing is the last member, and the cause stands before it;
// - in a filing, the members of an event come first, and then `cik`;
// - in a filing, `ownership` is the last member;
// - in a document about ownership, the source comes first, and the document last;
// - in a summary, the sequence is the first member, and what is added to the filing begins with `summary`;
// - in a profile, the name of the company comes before other names;
// - in a profile, what a list of companies leaves out begins with `forms` and ends before `tickers`;
// - in a profile, `latestFiling` comes after the counts and before `latestIngestedAt`.

const [comma, closingBracket] = [0x2c, 0x5d];
const needles = {
  form: needleOf('form'),
  filedAt: needleOf('filedAt'),
  detailUrl: needleOf('detailUrl'),
  filing: needleOf('filing'),
  cause: needleOf('cause'),
  issuer: needleOf('issuer'),
  cik: needleOf('cik'),
  name: needleOf('name'),
  forms: needleOf('forms'),
  latestFiling: needleOf('latestFiling'),
  latestIngestedAt: needleOf('latestIngestedAt'),
  tickers: needleOf('tickers'),
  sequence: needleOf('sequence'),
  summary: needleOf('summary'),
  ownership: needleOf('ownership'),
  largestValues: needleOf('largestValues'),
  source: needleOf('source'),
  document: needleOf('document'),
} as const;

/** The bytes of a row. */
export function extentOf({ block, line }: TableRow): Extent {
  const { from, to } = rowExtent(block, line);
  return { bytes: block.bytes, from, to };
}

/** The offset of the quote before the name of a member, which the row must have. */
function beginOf(extent: Extent, needle: Needle): number {
  return offsetBehind(extent, needle) - needle.bytes.length;
}

/** The bytes of the filing in a change. */
export function filingExtentOf(row: TableRow): Extent {
  const extent = extentOf(row);
  return { ...extent, from: offsetBehind(extent, needles.filing), to: extent.to - 1 };
}

/** The bytes of the event in a change, without its closing brace. */
export function eventExtentOf(row: TableRow): Extent {
  const filing = filingExtentOf(row);
  return { ...filing, to: beginOf(filing, needles.cik) - 1 };
}

/** The sequence of the change that has the filing of a summary. */
export function sequenceOfSummary(summary: Extent): number {
  return Number(textOf(summary, needles.sequence));
}

/**
 * The bytes of a summary: those of the filing in its change, what the row of the summary adds, with the values of its
 * placeholders, and its documents, if it has a row of them. Commas join the parts to one object. Throws
 * `CorruptSnapshot` as `filled` does.
 */
export function summaryExtentsOf(
  change: TableRow,
  row: TableRow,
  documents: TableRow | null,
): [Extent, Extent, Extent] {
  const filing = filingExtentOf(change);
  const summary = extentOf(row);
  const stored = summary.bytes.toString('utf8', beginOf(summary, needles.summary), summary.to);
  const added = Buffer.from(filled(stored, filing));
  const listed = documents && filingDocumentsIn(documents, textOf(filing, needles.detailUrl));
  const last = Buffer.from(`"documents":${JSON.stringify(listed)}}`);
  return [
    { ...filing, to: filing.to - 1 },
    { bytes: added, from: 0, to: added.length - 1 },
    { bytes: last, from: 0, to: last.length },
  ];
}

/** The documents in a row of them, with their addresses in the folder of `detailUrl`. */
export function filingDocumentsIn(row: TableRow, detailUrl: string): FilingDocument[] {
  const listed = documentsOfRow(JSON.parse(rowBytes(row).toString()) as DocumentsRow);
  return listed.map((each) => filingDocument(each, detailUrl));
}

/**
 * The bytes of a document about ownership: `ownership` of the filing in a change, and what the row of the document has
 * beside it. A comma joins the two parts to one object.
 */
export function ownershipExtentsOf(change: TableRow, row: TableRow): [Extent, Extent] {
  const filing = filingExtentOf(change);
  const document = extentOf(row);
  const own = Buffer.concat([
    Buffer.from('{'),
    filing.bytes.subarray(beginOf(filing, needles.ownership), filing.to - 1),
  ]);
  return [
    { bytes: own, from: 0, to: own.length },
    { ...document, from: offsetBehind(document, needles.document) + 1, to: document.to - 1 },
  ];
}

/** The source of a document about ownership. */
export function sourceOfOwnership(row: TableRow): string {
  return textOf(extentOf(row), needles.source);
}

/** The name of the company in a profile. A watchlist asks for 25 of them, so the profile is not parsed. */
export function nameInProfile(row: TableRow): string {
  return textOf(extentOf(row), needles.name);
}

/**
 * The bytes of a company in a profile, without its counts and filings: two parts, which a comma joins to one
 * object. The first one, with a brace behind it, is the company as search gives it.
 */
export function companyExtentsOf(row: TableRow): [Extent, Extent] {
  const profile = extentOf(row);
  const cutFrom = beginOf(profile, needles.forms) - 1;
  return [
    { ...profile, to: cutFrom },
    { ...profile, from: beginOf({ ...profile, from: cutFrom }, needles.tickers) },
  ];
}

/** The sequence of the change that has the newest filing of a profile; null if it has no filings. */
export function latestSequenceIn(row: TableRow): number | null {
  const profile = extentOf(row);
  const sequence = textOf(
    { ...profile, from: offsetBehind(profile, needles.latestFiling) },
    needles.sequence,
  );
  return sequence === '' ? null : Number(sequence);
}

/** The bytes of a profile, with its newest filing, which is in a change: three parts, which commas join to one object. */
export function profileExtentsOf(change: TableRow, row: TableRow): [Extent, Extent, Extent] {
  const profile = extentOf(row);
  const filing = filingExtentOf(change);
  const latest = Buffer.concat([needles.latestFiling.bytes, filing.bytes.subarray(filing.from, filing.to)]);
  return [
    { ...profile, to: beginOf(profile, needles.latestFiling) - 1 },
    { bytes: latest, from: 0, to: latest.length },
    { ...profile, from: beginOf(profile, needles.latestIngestedAt) },
  ];
}

/** The filing date of a change; empty if it has none. */
export function filedAtOf(row: TableRow): string {
  return textOf(extentOf(row), needles.filedAt);
}

/** The cause of a change; undefined if it is the first entry of its filing. */
export function causeOf(row: TableRow): string | undefined {
  const extent = extentOf(row);
  const before = { ...extent, to: beginOf(extent, needles.filing) };
  const at = offsetBehind(before, needles.cause);
  return at === -1 ? undefined : valuesAt(before.bytes, at)[0];
}

/**
 * What filters of transactions ask of a change, or of a filing in the list of a company, which has just that; null if it
 * has no transactions.
 */
export function largestValuesIn(extent: Extent): LargestValues | null {
  const { bytes } = extent;
  const ownershipAt = offsetBehind(extent, needles.ownership);
  if (ownershipAt !== -1) {
    // It is the last member of the filing, which is the last of the change.
    const ownership = JSON.parse(bytes.toString('utf8', ownershipAt, extent.to - 2)) as Ownership | null;
    return largestValuesOf({ form: textOf(extent, needles.form), ownership });
  }
  const at = offsetBehind(extent, needles.largestValues);
  if (at === -1) return null;
  return JSON.parse(bytes.toString('utf8', at, bytes.indexOf('}', at) + 1)) as LargestValues;
}

/** The sequence in a row of `latest`, which may have a value behind it. */
export function sequenceIn(row: TableRow): number {
  const text = rowText(row);
  return Number(text.startsWith('[') ? text.slice(1, text.indexOf(',')) : text);
}

/** The largest value of transactions in a row of one of their partitions; null if none of them has one. */
export function largestValueBeside({ block, line }: TableRow): number | null {
  // A request asks ten thousand rows. The value is found from the end of the line, where it stands before `]}`.
  const { bytes } = block;
  const to = lineEnd(block, line) - 2;
  if (bytes[to] !== closingBracket) return null;
  let from = to;
  while (bytes[from - 1] !== comma) from--;
  return Number(bytes.toString('latin1', from, to));
}

/**
 * The values of a filter in a change or in a filing in the list of a company; null if the row does not have them. The
 * list has the values of the filter itself, and a change those of a member that may have another name.
 */
export function filterValuesIn(
  extent: Extent,
  { name, member = name as keyof Filing, valuesOf }: FilingFilter,
): readonly string[] | null {
  const ofMember = offsetBehind(extent, filterNeedleOf(member));
  if (ofMember !== -1) {
    const values = member === 'exhibits' ? exhibitsAt(extent, ofMember) : valuesAt(extent.bytes, ofMember);
    return valuesOf ? valuesOf(values) : values.map(String);
  }
  const own = member === name ? -1 : offsetBehind(extent, filterNeedleOf(name));
  return own === -1 ? null : valuesAt(extent.bytes, own);
}

/** The exhibits of a filing whose value is at an offset: `ownership` stands behind them. */
function exhibitsAt(extent: Extent, at: number): readonly Exhibit[] {
  const end = beginOf({ ...extent, from: at }, needles.ownership) - 1;
  return (JSON.parse(extent.bytes.toString('utf8', at, end)) as Exhibit[] | null) ?? [];
}

/** Needles of the members that filters ask for: as many as there are filters. */
const filterNeedleOf = remembered(1000, (name: string) => needleOf(name));

/** Whether a filing in the list of a company, or a part of that row, says that the company is its issuer. */
export function isOfIssuer(extent: Extent): boolean {
  return offsetBehind(extent, needles.issuer) !== -1;
}

/** The greatest filing date of changes; null if there are none. */
export function newestFiledAt(rows: readonly TableRow[]): string | null {
  let newest = '';
  // Starts at the end, where the newest dates usually are. Rows whose block has no newer date are skipped.
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at] as TableRow;
    if (row.block.filedTo !== undefined && row.block.filedTo <= newest) continue;
    const filedAt = filedAtOf(row);
    if (filedAt > newest) newest = filedAt;
  }
  return newest || null;
}
