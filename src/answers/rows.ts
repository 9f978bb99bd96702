import { eventTypeOfForm, hasItems } from '../contract/event-types.ts';
import {
  allPartition,
  feedOrder,
  formPartition,
  itemPartition,
  type BatchRow,
  type ListedFiling,
} from '../contract/snapshot.ts';
import type { FeedLog } from '../query/cursor.ts';
import { createFinder, type Find } from '../table/finder.ts';
import { ahead, readPage, type MergedRow } from '../table/merge.ts';
import { rowBytes, type TableRow } from '../table/table.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import { filedAtOf } from './extents.ts';
import {
  both,
  dateFilter,
  dateOf,
  dateRange,
  dayFilter,
  labelFilter,
  memberFilter,
  type RowFilter,
} from './row-filter.ts';

/** A request for filings. */
export interface ListRequest extends RowFilter {
  /** The newest CIK of a company's chain; null for the list of all companies. */
  readonly company: string | null;
  /** Begin strictly behind this sort key. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The part of a snapshot that lists are read from. */
export type ListSource = Pick<Snapshot, 'segments' | 'tables' | 'forms'> & {
  readonly manifest: Pick<Snapshot['manifest'], 'segments'>;
};

/** A change that was found by a list, with its sort key in that list. */
export type ListRow = MergedRow;

/** Reads the newest observations of filings, newest filing first. Throws `CorruptSnapshot`. */
export async function readHistory(source: ListSource, request: ListRequest): Promise<ListRow[]> {
  const { company, limit, since, until } = request;
  const filter = narrowed(source, request);
  if (filter === null) return [];
  const [table, feed] =
    company === null ? (['latest', 'changes'] as const) : (['company-filings', 'company-changes'] as const);
  // The sort key of a history begins with the filing date, and the newest row comes first.
  const bound = until === undefined ? undefined : `${until}\uffff`;
  const after =
    bound !== undefined && (request.after === undefined || request.after > bound) ? bound : request.after;
  const endsAt = since === undefined ? undefined : (sort: string) => sort < since;
  const scope =
    company === null
      ? { partitions: partitionsOf(filter) }
      : { partitions: [company], wanted: labelFilter(filter), matches: memberFilter(filter) };
  const page = await readPage(source.tables(table), { ...scope, after, limit, endsAt });
  const find = changeFinder(source, feed, company ?? allPartition);
  return allFound(page, (row) => find(sequenceOf(row, company !== null)));
}

/**
 * Looks up the changes of the rows of a page, all at the same time: one after the other would take as many
 * round trips to a remote host.
 */
export async function allFound(
  page: readonly MergedRow[],
  find: (row: MergedRow) => Promise<TableRow> | TableRow,
): Promise<ListRow[]> {
  const found = page.map((row) => ahead(find(row)));
  const rows = found.some((each) => each instanceof Promise)
    ? await Promise.all(found)
    : (found as TableRow[]);
  return rows.map((row, at) => ({ ...row, sort: (page[at] as MergedRow).sort }));
}

/** A request for changes. */
export interface FeedRequest extends RowFilter {
  /**
   * The newest CIKs of the chains of companies, each with the sequence behind which its changes begin; null for the
   * feed of all companies.
   */
  readonly companies: ReadonlyMap<string, number> | null;
  /** The sequence behind which the feed of all companies begins. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Reads changes by sequence, oldest first. A change that concerns several of the companies is one row. Throws
 * `CorruptSnapshot`.
 */
export async function readFeed(source: ListSource, request: FeedRequest): Promise<ListRow[]> {
  const { companies, limit } = request;
  const after = feedOrder(leastAfter(request));
  const afterIn =
    companies === null
      ? undefined
      : new Map([...companies].map(([cik, sequence]) => [cik, feedOrder(sequence)]));
  const filter = narrowed(source, request);
  if (filter === null) return [];
  const rows: ListRow[] = [];
  const { segments } = source.manifest;
  const partitions = companies === null ? partitionsOf(filter) : [...companies.keys()];
  // The rows of a form's or item's partition are filing dates; the changes themselves are in the same
  // segment.
  const hasDatesOnly = companies === null && partitions[0] !== allPartition;
  const matches = hasDatesOnly
    ? dateFilter(filter, dateOf)
    : both(memberFilter(filter), dateFilter(filter, filedAtOf));
  const wanted = hasDatesOnly
    ? dateRange(filter)
    : companies === null
      ? dayFilter(filter)
      : both(labelFilter(filter), dateRange(filter));
  // Segments hold ascending ranges of sequences, so they are read one after the other.
  for (let at = 0; at < segments.length && rows.length < limit; at++) {
    const segment = source.segments[at];
    if (!segment || feedOrder(segments[at]?.lastSequence ?? 0) <= after) continue;
    const table = segment.tables[companies === null ? 'changes' : 'company-changes'];
    const page = await readPage([table], {
      partitions,
      wanted,
      matches,
      after,
      afterIn,
      limit: limit - rows.length,
    });
    if (!hasDatesOnly) {
      rows.push(...page);
      continue;
    }
    const find = createFinder([table]);
    rows.push(...(await allFound(page, ({ sort }) => requiredOf(find(allPartition, sort), noChange(sort)))));
  }
  return rows;
}

/** The least sequence behind which a request for changes begins. */
export function leastAfter({ companies, after }: Pick<FeedRequest, 'companies' | 'after'>): number {
  return companies === null ? after : Math.min(...companies.values());
}

/** Makes a lookup of changes by their sequence, each in the segment that has it. */
function changeFinder(
  { manifest, segments }: ListSource,
  table: 'changes' | 'company-changes',
  partition: string,
): (sequence: number) => Promise<TableRow> | TableRow {
  const finders = segments.map((segment) => createFinder([segment.tables[table]]));
  return (sequence) => {
    const at = manifest.segments.findIndex(({ lastSequence }) => lastSequence >= sequence);
    const sort = feedOrder(sequence);
    return requiredOf(finders[at]?.(partition, sort) ?? null, noChange(sort));
  };
}

/** The row that a list leads to. `missing` says what is wrong if there is none. Throws `CorruptSnapshot`. */
export function requiredOf(found: ReturnType<Find>, missing: () => string): Promise<TableRow> | TableRow {
  return found instanceof Promise ? found.then((row) => required(row, missing)) : required(found, missing);
}

function required(row: TableRow | null, missing: () => string): TableRow {
  if (!row) throw new CorruptSnapshot(missing());
  return row;
}

const noChange = (sort: string) => () => `a list names the change ${sort}, which does not exist`;

/** The sequence of the change that a row of a list names. */
function sequenceOf(row: TableRow, isListed: boolean): number {
  const text = rowBytes(row).toString('latin1');
  return isListed ? (JSON.parse(text) as ListedFiling).sequence : Number(text);
}

/**
 * The filter with the forms of this snapshot, present or former, that its forms, event types and items allow.
 * Null if there are none.
 */
function narrowed(source: ListSource, filter: RowFilter): RowFilter | null {
  const { forms, eventTypes, items } = filter;
  if (!forms && !eventTypes && !items) return filter;
  const found = source.forms.filter(
    (form) =>
      (!forms || forms.includes(form)) &&
      (!eventTypes || eventTypes.includes(eventTypeOfForm(form))) &&
      (!items || hasItems(form)),
  );
  return found.length === 0 ? null : { ...filter, forms: found };
}

/**
 * The partitions of all companies that hold exactly the matching rows: one for each item and form, one for
 * each form, or the partition of everything.
 */
function partitionsOf({ forms, items }: RowFilter): readonly string[] {
  if (!forms) return [allPartition];
  return items
    ? items.flatMap((item) => forms.map((form) => itemPartition(item, form)))
    : forms.map(formPartition);
}

/**
 * The facts of a snapshot that cursors are checked against. Each batch is looked up once: the buckets of a
 * watchlist mostly end in the same one.
 */
export function feedLogOf({ manifest, tables }: Pick<Snapshot, 'manifest' | 'tables'>): FeedLog {
  const batches = new Map<number, Promise<string | null>>();

  async function findBatch(sequence: number): Promise<string | null> {
    // The newest batch that begins at or before the sequence.
    const [row] = await readPage(tables('batches'), {
      partitions: [allPartition],
      after: `${feedOrder(sequence)} \uffff`,
      limit: 1,
    });
    return row ? (JSON.parse(rowBytes(row).toString()) as BatchRow).sha256 : null;
  }

  return {
    ledgerId: manifest.ledger.id,
    async batchOf(sequence) {
      if (sequence > manifest.lastSequence) return null;
      const known = batches.get(sequence) ?? findBatch(sequence);
      batches.set(sequence, known);
      return known;
    },
  };
}
