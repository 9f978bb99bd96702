import { ApiError } from '../contract/errors.ts';
import {
  AppliedTransactionFilters,
  insiderTransactionsOf,
  type InsiderTransaction,
} from '../contract/insider-transactions.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import type { Filing } from '../contract/records.ts';
import { hasRelationship, meets } from '../contract/transaction-filters.ts';
import { transactionFamilies } from '../domain/reported-ownership.ts';
import { transactionCodes } from '../domain/transaction-codes.ts';
import { unknownTransactionCodeMessage } from '../contract/unknown-values.ts';
import { decodeTransactionCursor, encodeTransactionCursor, type TransactionCursor } from '../query/cursor.ts';
import { listBody, pageOfRecords, type Page } from '../render/page.ts';
import { filingExtentOf } from '../rows/parts.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { both, once } from '../table/passes.ts';
import { areFar } from '../table/read-ahead.ts';
import { applied } from './applied.ts';
import { listNameOf, nameCompanies } from './company-answers.ts';
import { filterOf } from './lists.ts';
import { readHistory } from './read-history.ts';
import { rowsLeftOut, type ListRow } from './read-list.ts';
import type { RowFilter } from './row-filter.ts';

/**
 * In at most this many filings a request looks for transactions, where one that has none of those asked for counts as two,
 * and it leaves out at most `rowsLeftOut` rows whose filings cannot match. A page ends there, and its cursor goes on: so no
 * request takes long, whatever is asked for.
 */
const [filingsLookedAt, inVain] = [250, 2];
/** Where filters rarely match together, reads of single filings would follow each other. */
const filingsReadAtLeast = 20;

/** A transaction, with the sort key of its filing in lists. */
interface Placed {
  readonly order: string;
  readonly row: InsiderTransaction;
}

type Position = Pick<TransactionCursor, 'order' | 'number'>;

/**
 * Finds a page of insider transactions: the filings that match, in the order of their list, each as the rows of its
 * transactions. It ends when about `leftOutMost` rows of lists were left out. Throws `ApiError`.
 */
export function transactionsPage(snapshot: Snapshot, query: Query, leftOutMost = rowsLeftOut): Page {
  const { manifest } = snapshot;
  requireKnownCodes(query);
  const limit = query.limit ?? limitBounds.default;
  const seen =
    query.cursor === undefined ? undefined : decodeTransactionCursor(query.cursor, manifest.ledger.id);
  const bounds = filterOf({ since: query.since, until: query.until } as Query, seen);
  const issuers = issuersAsked(snapshot, query);
  const owner = query.owner === undefined ? null : nameCompanies(snapshot, 'owner', [query.owner]);
  const filter: RowFilter = {
    ...bounds,
    eventType: [...transactionFamilies],
    transactionCode: query.code,
    minValue: query.minValue === undefined ? undefined : [String(query.minValue)],
    ...(owner === null && issuers !== null ? { isIssuer: true } : {}),
    ...(owner === null && issuers === null
      ? { hasTransactions: true, relationship: query.relationship }
      : {}),
  };
  const [unknown, { rows, goesOnBehind }] = both(
    () => {
      owner?.unknown();
      return issuers?.unknown() ?? [];
    },
    () =>
      readTransactions(
        snapshot,
        { filter, company: owner?.chains ?? issuers?.chains ?? null },
        matching(snapshot, query, owner?.chains, issuers?.chains),
        { after: seen ?? null, limit, leftOutMost },
      ),
  );
  return {
    ...pageOfRecords(
      rows.map(({ row }) => row),
      (count) => {
        const last = rows[count - 1];
        const behind =
          count === rows.length || !last ? goesOnBehind : { order: last.order, number: last.row.number };
        const cursor =
          behind === null ? null : encodeTransactionCursor(manifest.ledger.id, { ...bounds, ...behind });
        const meta = {
          count,
          total: cursor === null && seen === undefined ? count : null,
          nextCursor: cursor,
          filters: applied(AppliedTransactionFilters, query, { since: bounds.since, until: bounds.until }),
          unknown,
          newestFiledAt: manifest.newestFiledAt,
          notInvestmentAdvice: true,
        };
        return listBody(count, meta, cursor);
      },
    ),
    unknown,
  };
}

function requireKnownCodes({ code = [] }: Query): void {
  const unknown = code.find((each) => !transactionCodes.has(each));
  if (unknown !== undefined)
    throw new ApiError('invalid_parameter', unknownTransactionCodeMessage('code', unknown));
}

/** The issuers that a request names; null if it names none. Throws `company_not_found` if there is none of them. */
function issuersAsked(snapshot: Snapshot, { ticker, tickers }: Query) {
  if (ticker !== undefined) return nameCompanies(snapshot, 'ticker', [ticker]);
  return tickers === undefined ? null : nameCompanies(snapshot, 'tickers', tickers);
}

/**
 * The rows of a filing that match all filters. `owners` and `issuers` are the chains of those asked for; undefined if
 * none are.
 */
function matching(
  snapshot: Snapshot,
  { code: codes, minValue, direction, relationship, isDerivative, isPlanned }: Query,
  owners: readonly string[] | undefined,
  issuers: readonly string[] | undefined,
): (filing: Filing) => InsiderTransaction[] {
  const isOf = (chains: readonly string[], cik: string | null) =>
    cik !== null && chains.includes(listNameOf(snapshot, cik));
  return (filing) => {
    const rows = insiderTransactionsOf(filing);
    const [first] = rows;
    if (
      first === undefined ||
      (isPlanned !== undefined && first.isPlanned !== isPlanned) ||
      (relationship !== undefined && !first.owners.some((owner) => hasRelationship(owner, relationship))) ||
      (owners !== undefined && !first.owners.some(({ cik }) => isOf(owners, cik))) ||
      (issuers !== undefined &&
        !filing.parties.some(({ cik, role }) => role === 'issuer' && isOf(issuers, cik)))
    )
      return [];
    return rows.filter(
      (row) =>
        meets(row, { codes, minValue }) &&
        (direction === undefined || row.direction === direction) &&
        (isDerivative === undefined || row.isDerivative === isDerivative),
    );
  };
}

/**
 * Reads the transactions behind a position, at most `limit`, and where the next page begins; null if there are no more.
 * Throws `CorruptSnapshot`.
 */
function readTransactions(
  snapshot: Snapshot,
  { filter, company }: { readonly filter: RowFilter; readonly company: readonly string[] | null },
  rowsOf: (filing: Filing) => InsiderTransaction[],
  {
    after,
    limit,
    leftOutMost,
  }: { readonly after: Position | null; readonly limit: number; readonly leftOutMost: number },
): { readonly rows: readonly Placed[]; readonly goesOnBehind: Position | null } {
  const rows: Placed[] = [];
  const isFar = areFar(snapshot.tables('latest'));
  let [position, leftOut] = [after, 0];
  for (let looked = 0; ; ) {
    const missing = limit + 1 - rows.length;
    // Most filings have two or three rows that match, so half of them suffice. Over a host each read is a round trip.
    const count = isFar
      ? Math.max(missing, filingsReadAtLeast)
      : Math.min(
          Math.max(Math.ceil(missing / 2), filingsReadAtLeast),
          Math.ceil((filingsLookedAt - looked) / inVain),
        );
    const behind = position === null ? undefined : sortKeyBefore(position);
    const request = { ...filter, company, after: behind, limit: count };
    const {
      rows: filings,
      goesOnAfter,
      ...page
    } = once(`filings behind ${behind}`, () => readHistory(snapshot, request, leftOutMost - leftOut));
    leftOut += page.leftOut;
    for (const filing of filings) {
      const given = position?.order === filing.sort ? position.number : null;
      const matching = rowsOf(filingOf(filing)).filter(({ number }) => given === null || number > given);
      looked += matching.length > 0 ? 1 : inVain;
      for (const row of matching) {
        const last = rows.at(-1);
        if (last && rows.length === limit)
          return { rows, goesOnBehind: { order: last.order, number: last.row.number } };
        rows.push({ order: filing.sort, row });
      }
      // However many were read together, the page ends at the same filing.
      if (looked >= filingsLookedAt) return { rows, goesOnBehind: { order: filing.sort, number: null } };
    }
    if (goesOnAfter !== null) return { rows, goesOnBehind: { order: goesOnAfter, number: null } };
    const last = filings.at(-1);
    if (!last || filings.length < count) return { rows, goesOnBehind: null };
    position = { order: last.sort, number: null };
  }
}

const filingOf = (row: ListRow): Filing => {
  const { bytes, from, to } = filingExtentOf(row);
  return JSON.parse(bytes.toString('utf8', from, to)) as Filing;
};

/**
 * The sort key behind which a list goes on, newest first. Where a filing may have more transactions, it comes again: a
 * space behind its sort key makes that greater, and still less than any other.
 */
const sortKeyBefore = ({ order, number }: Position): string => (number === null ? order : `${order} `);
