import {
  askedFilters,
  filterPartition,
  formPartition,
  isOfSomeForms,
  transactionFilterOf,
} from '../contract/filing-filters.ts';
import { transactionKeysFor, transactionPartition } from '../contract/transaction-filters.ts';
import { allPartition } from '../format/snapshot.ts';
import type { RowFilter } from './row-filter.ts';

/**
 * The partitions of all companies that hold the rows of a filter: those of what transactions have to meet, or of
 * another filter that the form does not decide, if one is asked for, otherwise those of the forms, or that of
 * everything. `formKeys` are those that the filter allows. `leastValue` is what their rows are tested for; `others`
 * are the filters that only the changes tell.
 */
export function partitionsFor(
  filter: RowFilter,
  formKeys: readonly string[] | undefined,
): {
  readonly partitions: readonly string[];
  readonly leastValue: number | null;
  readonly others: RowFilter;
} {
  const asked = askedFilters(filter);
  const own = asked.filter(({ filter: { ofForm } }) => ofForm === undefined);
  const ofTransactions = transactionFilterOf(filter);
  if (ofTransactions !== null || filter.hasTransactions === true) {
    const { keys, leastValue } = transactionKeysFor(ofTransactions ?? {}, filter.relationship);
    const left = own.filter((each) => each.filter.isOfTransactions === undefined);
    return {
      partitions: (formKeys ?? []).flatMap((formKey) =>
        keys.map((key) => transactionPartition(key, formKey)),
      ),
      leastValue,
      others: valuesOfFilters(left),
    };
  }
  const first = own.find((each) => isOfSomeForms(each.filter)) ?? own[0];
  if (!first)
    return { partitions: formKeys?.map(formPartition) ?? [allPartition], leastValue: null, others: {} };
  const hasForms = isOfSomeForms(first.filter);
  const partitions = first.values.flatMap((value) =>
    (hasForms ? (formKeys ?? []) : ['']).map((key) => filterPartition(first.filter, value, key)),
  );
  const left = (hasForms ? own : asked).filter(({ filter: { name } }) => name !== first.filter.name);
  return { partitions, leastValue: null, others: valuesOfFilters(left) };
}

/** The filters that are asked for as the values of each. */
const valuesOfFilters = (asked: ReturnType<typeof askedFilters>): RowFilter =>
  Object.fromEntries(asked.map(({ filter: { name }, values }) => [name, values]));
