import { eventTypeOfForm } from '../contract/event-types.ts';
import { allPartition, feedOrder, formPartition, itemPartition, type BatchRow, type ListTable } from '../contract/snapshot.ts';
import type { FeedLog } from '../cursor.ts';
import { readPage, type MergedRow } from '../segments/merge.ts';
import { rowExtent } from '../segments/line.ts';
import { rowBytes, type BlockEntry, type TablePlace } from '../segments/table.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Extent } from './body.ts';

/** Which rows of a list are wanted. What is left out does not restrict. */
export interface RowFilter {
  /** Any of these forms. */
  readonly forms?: readonly string[] | undefined;
  /** Any of these event families. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Any of these items. */
  readonly items?: readonly string[] | undefined;
  /** Inclusive bounds of the filing date. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Filings whose issuer is one of these companies. */
  readonly issuers?: readonly string[] | undefined;
}

/** What is asked of a list. */
export interface ListRequest extends RowFilter {
  readonly table: ListTable;
  /** The newest CIK of a company's chain; null for the list of all companies. */
  readonly company: string | null;
  /** Go on strictly behind this sort key. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** What lists are read from. */
export type ListSource = Pick<Snapshot, 'segments' | 'tables' | 'forms'> & { readonly manifest: Pick<Snapshot['manifest'], 'segments'> };

/** A row of a list, with its place in the list. */
export type ListRow = MergedRow;

const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const filedAtNeedle = Buffer.from('"filedAt":"');
const companyNeedle = Buffer.from(',"cik":"');
const issuerNeedle = Buffer.from('"role":"issuer"');
const quote = 0x22;
const bracket = 0x5d;

/** The bytes of a row. */
export function extentOf({ chunk, line }: TablePlace): Extent {
  return { bytes: chunk.bytes, ...rowExtent(chunk, line) };
}

/** The bytes of a filing's row up to where its event ends: the members of an event stand first in a filing. */
export function eventExtentOf(row: TablePlace): Extent {
  const { bytes, from } = extentOf(row);
  return { bytes, from, to: bytes.indexOf(companyNeedle, from) };
}

/** The text behind a needle in a row, up to the next such byte; empty if the row has none. No string of JSON holds a quote that is not escaped. */
function textBehind({ bytes, from, to }: Extent, needle: Buffer, until = quote): string {
  const at = bytes.indexOf(needle, from);
  if (at === -1 || at >= to) return '';
  const start = at + needle.length;
  return bytes.toString('latin1', start, bytes.indexOf(until, start));
}

/** The greatest filing date of rows; null if there are none. */
export function newestFiledAt(rows: readonly TablePlace[]): string | null {
  let newest = '';
  for (const row of rows) {
    const filedAt = textBehind(extentOf(row), filedAtNeedle);
    if (filedAt > newest) newest = filedAt;
  }
  return newest || null;
}

/** Rows of a list in its order: histories newest first, feeds by sequence. Throws `CorruptSnapshot`. */
export async function readList(snapshot: ListSource, request: ListRequest): Promise<ListRow[]> {
  const { table, company, limit, since, until } = request;
  const filter = narrowed(snapshot, request);
  if (filter === null) return [];
  const partitions = company === null ? partitionsOf(filter) : [company];
  const walk = { partitions, wanted: blockFilter(filter), matches: rowFilter(filter) };
  if (table === 'changes' || table === 'company-changes') return readFeed(snapshot, table, { ...walk, after: request.after, limit });
  // The sort key of a history begins with the filing date, and the newest stands first.
  const bound = until === undefined ? undefined : `${until}\uffff`;
  const after = bound !== undefined && (request.after === undefined || request.after > bound) ? bound : request.after;
  const endsAt = since === undefined ? undefined : (sort: string) => sort < since;
  return readPage(snapshot.tables(table), { ...walk, after, limit, endsAt });
}

/** Sequences only grow: what follows one of them in the feed lies in the segments that reach further, one after the other. */
async function readFeed(snapshot: ListSource, table: 'changes' | 'company-changes', { after, limit, ...walk }: Parameters<typeof readPage>[1]): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  const { segments } = snapshot.manifest;
  for (let at = 0; at < segments.length && rows.length < limit; at++) {
    if (feedOrder(segments[at]?.lastSequence ?? 0) <= (after ?? '')) continue;
    const segment = snapshot.segments[at];
    if (segment) rows.push(...(await readPage([segment.tables[table]], { ...walk, after, limit: limit - rows.length })));
  }
  return rows;
}

/** The filter with the forms that this snapshot has of those asked for. Null if it has none of them. */
function narrowed(snapshot: ListSource, filter: RowFilter): RowFilter | null {
  const { forms, eventTypes } = filter;
  if (!forms && !eventTypes) return filter;
  const found = snapshot.forms.filter((form) => (!forms || forms.includes(form)) && (!eventTypes || eventTypes.includes(eventTypeOfForm(form))));
  return found.length === 0 ? null : { ...filter, forms: found };
}

/** The partitions of all companies that hold the least of what does not match. */
function partitionsOf({ forms, items }: RowFilter): string[] {
  if (items) return items.map(itemPartition);
  return forms ? forms.map(formPartition) : [allPartition];
}

function blockFilter({ forms, items, since, until }: RowFilter): ((entry: BlockEntry) => boolean) | undefined {
  if (!forms && !items && since === undefined && until === undefined) return undefined;
  return ({ labels, filedFrom, filedTo }) => {
    // A row that hides or replaces another one is looked at, whatever that one is.
    if (labels.includes('*')) return true;
    if ((since !== undefined && filedTo < since) || (until !== undefined && filedFrom > until)) return false;
    return (!forms || forms.some((form) => labels.includes(form))) && (!items || items.some((item) => labels.includes(item)));
  };
}

function rowFilter({ forms, items, since, until, issuers }: RowFilter): ((row: TablePlace) => boolean) | undefined {
  if (!forms && !items && !issuers && since === undefined && until === undefined) return undefined;
  return (row) => {
    const extent = extentOf(row);
    if (forms && !forms.includes(textBehind(extent, formNeedle))) return false;
    if (items) {
      const own = textBehind(extent, itemsNeedle, bracket);
      if (!items.some((item) => own.includes(`"${item}"`))) return false;
    }
    if (since !== undefined || until !== undefined) {
      const filedAt = textBehind(extent, filedAtNeedle);
      if ((since !== undefined && filedAt < since) || (until !== undefined && filedAt > until)) return false;
    }
    // The company that a filing belongs to is its issuer where it has one.
    return !issuers || (extentHas(extent, issuerNeedle) && issuers.includes(textBehind(extent, companyNeedle)));
  };
}

function extentHas({ bytes, from, to }: Extent, needle: Buffer): boolean {
  const at = bytes.indexOf(needle, from);
  return at !== -1 && at < to;
}

/** What cursors of a snapshot are checked with. */
export function feedLogOf({ manifest, tables }: Pick<Snapshot, 'manifest' | 'tables'>): FeedLog {
  return {
    ledgerId: manifest.ledger.id,
    async batchOf(sequence) {
      if (sequence > manifest.lastSequence) return null;
      // The newest of the batches that do not begin behind the sequence.
      const [row] = await readPage(tables('batches'), { partitions: [allPartition], after: `${feedOrder(sequence)} \uffff`, limit: 1 });
      return row ? (JSON.parse(rowBytes(row).toString()) as BatchRow).sha256 : null;
    },
  };
}
