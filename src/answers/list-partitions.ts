import {
  askedFilters,
  filterPartition,
  formPartition,
  isOfMember,
  isOfSomeForms,
  transactionFilterOf,
} from '../contract/filing-filters.ts';
import { transactionKeysFor, transactionPartition } from '../contract/transaction-filters.ts';
import { allPartition } from '../format/snapshot.ts';
import { fewestBlocks } from '../table/partition.ts';
import type { Table } from '../table/table.ts';
import { acceptanceBounds } from './acceptance.ts';
import type { RowFilter } from './row-filter.ts';

/** Blocks of partitions that are counted, at most, to find those with the fewest. */
const blocksCounted = 64;

/** Partitions of all companies whose filings together include all that match. */
export interface Partitions {
  readonly partitions: readonly string[];
  /** Whether no note has to be tested, because all filings in them match. */
  readonly isTold: boolean;
  /** The value that rows of partitions of transactions have to have at least; null if they need not be tested. */
  readonly leastValue: number | null;
  /** The filters that notes do not tell either: of partitions, and those of all filings with an odd acceptance. */
  readonly others: RowFilter;
}

/**
 * The partitions of all companies for a filter: those of what transactions have to meet, if it asks for that; else of the
 * filters that only partitions tell, else of the filters that have some, and of the forms, those with the fewest blocks;
 * else that of everything. `formKeys` are those
 * that the filter allows.
 */
export function partitionsFor(
  tables: readonly Table[],
  filter: RowFilter,
  formKeys: readonly string[] | undefined,
): Partitions {
  const own = askedFilters(filter).filter(
    (asked) => asked.filter.ofForm === undefined && isOfMember(asked.filter),
  );
  const ofTransactions = transactionFilterOf(filter);
  if (ofTransactions !== null || filter.hasTransactions === true) {
    const { keys, leastValue } = transactionKeysFor(ofTransactions ?? {}, filter.relationship);
    const { transactionCode, minValue } = filter;
    const untold = valuesOfFilters(own.filter((each) => each.filter.isByPartition === true));
    return {
      partitions: (formKeys ?? []).flatMap((formKey) =>
        keys.map((key) => transactionPartition(key, formKey)),
      ),
      isTold: own.length === 0,
      leastValue,
      // Filings with an odd acceptance come from another partition, whose rows tell no transactions.
      others: acceptanceBounds(filter) === null ? untold : { ...untold, transactionCode, minValue },
    };
  }
  const byPartition = own.filter((each) => each.filter.isByPartition === true);
  const choices = (byPartition.length > 0 ? byPartition : own)
    .filter(({ filter: { hasPartition }, values }) =>
      values.every((value) => hasPartition?.(value) !== false),
    )
    .map(({ filter: each, values }) => ({
      tellsForms: isOfSomeForms(each),
      partitions: values.flatMap((value) =>
        (isOfSomeForms(each) ? (formKeys ?? []) : ['']).map((key) => filterPartition(each, value, key)),
      ),
      tells: 1,
    }));
  const others = valuesOfFilters(byPartition);
  if (byPartition.length === 0 && formKeys !== undefined && !choices.some(({ tellsForms }) => tellsForms))
    choices.push({ tellsForms: true, partitions: formKeys.map(formPartition), tells: 0 });
  const chosen = fewestBlocks(tables, choices, blocksCounted);
  if (!chosen) return { partitions: [allPartition], isTold: own.length === 0, leastValue: null, others };
  const { partitions, tells, tellsForms } = chosen;
  return {
    partitions,
    isTold: own.length === tells && (formKeys === undefined || tellsForms),
    leastValue: null,
    others,
  };
}

/** The filters that are asked for as the values of each. */
const valuesOfFilters = (asked: ReturnType<typeof askedFilters>): RowFilter =>
  Object.fromEntries(asked.map(({ filter: { name }, values }) => [name, values]));
