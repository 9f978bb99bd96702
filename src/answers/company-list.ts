import {
  companyFilterNames,
  companyPartition,
  isFilterValue,
  type CompanyFilterName,
  type FilteredCompany,
} from '../contract/company-filters.ts';
import { isKnownFilterValue, unknownCompanyFilterMessage } from '../contract/unknown-values.ts';
import { AppliedCompanyFilters } from '../contract/envelopes.ts';
import { ApiError } from '../contract/errors.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import { decodeCompanyCursor, encodeCompanyCursor } from '../query/cursor.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { createFinder } from '../table/finder.ts';
import { readPage, type ReadRows } from '../table/merge.ts';
import { noteIndexes } from '../table/read-ahead.ts';
import { fewestBlocks } from '../table/partition.ts';
import { rowBytes, type Table, type TableRow } from '../table/table.ts';
import { listBody, pageOfRows, type Page } from '../render/page.ts';
import { companyExtentsOf } from '../rows/parts.ts';
import { applied } from './applied.ts';
import { allFound, readPageOf, requiredOf } from './read-list.ts';

/** The part of a snapshot that the list of companies is read from. */
type CompanySource = Pick<Snapshot, 'tables'> & {
  readonly manifest: { readonly ledger: { readonly id: string }; readonly companyCount: number };
};

/** The folded values of each filter of a request. */
type AskedValues = ReadonlyMap<CompanyFilterName, readonly string[]>;

/**
 * A page leaves out at most this many rows of one filter that lack a value of the others. It ends there, and its cursor
 * goes on: so no request takes long, whatever is asked for.
 */
const rowsLeftOut = 2000;
/** Blocks of the index of profiles that are read before it is known which profiles are wanted. */
const profileIndexBlocks = 2;
/** Blocks of a partition that are counted, at most, to find the filter with the fewest companies. */
const blocksCounted = 256;

/**
 * Finds a page of the list of companies, by CIK. Throws `invalid_parameter` for a value that EDGAR does not
 * have.
 */
export function companiesPage(snapshot: CompanySource, query: Query): Page {
  const { id } = snapshot.manifest.ledger;
  const after = query.cursor === undefined ? undefined : decodeCompanyCursor(query.cursor, id);
  const asked = askedValues(query);
  const tables = snapshot.tables('companies');
  const profiles = snapshot.tables('profiles');
  noteIndexes(profiles, after ?? '', '', profileIndexBlocks, false);
  requireKnownValues(tables, asked);
  const limit = query.limit ?? limitBounds.default;
  const { rows, goesOnAfter } = readCompanies(tables, asked, after, limit);
  const find = createFinder(profiles);
  const found = allFound(rows, ({ sort }) =>
    requiredOf(find(sort), () => `the list of companies names ${sort}, which has no profile`),
  );
  const total = asked.size === 0 ? snapshot.manifest.companyCount : null;
  return pageOfRows(found.map(companyExtentsOf), (count) => {
    const last = count < rows.length ? (rows[count - 1]?.sort ?? null) : goesOnAfter;
    const cursor = last === null ? null : encodeCompanyCursor(id, last);
    const meta = {
      count,
      total,
      nextCursor: cursor,
      filters: applied(AppliedCompanyFilters, query),
      notInvestmentAdvice: true,
    };
    return listBody(count, meta, cursor);
  });
}

function askedValues(query: Query): AskedValues {
  return new Map(
    companyFilterNames.flatMap((name) => {
      const value = query[name];
      return value === undefined ? [] : [[name, [value].flat().map(String)] as const];
    }),
  );
}

/** Refuses a value that EDGAR does not have. A value that a company has here is known, whatever the lists say. */
function requireKnownValues(tables: readonly Table[], asked: AskedValues): void {
  for (const [filter, values] of asked)
    for (const value of values) {
      if (filter === 'listed' || isKnownFilterValue(filter, value)) continue;
      const partitions = [companyPartition(filter, value)];
      if (!isFilterValue(value) || readPage(tables, { partitions, limit: 1 }).length === 0)
        throw new ApiError('invalid_parameter', unknownCompanyFilterMessage(filter, value));
    }
}

/**
 * Reads the companies of the filter that has the fewest, and tests each for the other filters. Gives rows of the table
 * `companies`, and the CIK behind which the next page begins; null if this is the last one.
 */
function readCompanies(
  tables: readonly Table[],
  asked: AskedValues,
  after: string | undefined,
  limit: number,
): ReadRows {
  const partitions = fewestPartitions(tables, asked);
  const tested = [...asked].filter(
    ([filter, values]) => !partitions.includes(companyPartition(filter, values[0] ?? '')),
  );
  const matches = (row: TableRow) => {
    const own = JSON.parse(rowBytes(row).toString()) as FilteredCompany;
    return tested.every(([filter, values]) => values.includes(own[filter] ?? ''));
  };
  const walk = { partitions, after, limit: limit + 1 };
  const page = readPageOf(
    tables,
    // Many rows may not match, so blocks are read ahead.
    tested.length === 0 ? walk : { ...walk, matches, wanted: () => true },
    rowsLeftOut,
  );
  const rows = page.rows.slice(0, limit);
  const goesOnAfter = page.rows.length > limit ? (rows.at(-1)?.sort ?? null) : page.goesOnAfter;
  return { ...page, rows, goesOnAfter };
}

/** The partitions of the filter with the fewest blocks; both partitions of `listed`, if there is no filter. */
function fewestPartitions(tables: readonly Table[], asked: AskedValues): readonly string[] {
  const choices = [...asked].map(([filter, values]) => ({
    partitions: values.map((value) => companyPartition(filter, value)),
  }));
  return (
    fewestBlocks(tables, choices, blocksCounted)?.partitions ?? [
      companyPartition('listed', 'false'),
      companyPartition('listed', 'true'),
    ]
  );
}
