import { foldFilterValue, isFilterValue } from '../../src/contract/company-filters.ts';
import { isKnownFilterValue } from '../../src/contract/unknown-values.ts';
import { formKeyOf } from '../../src/contract/filing-filters.ts';
import { itemTitle } from '../../src/domain/items.ts';
import { countPartitions, unknownMonth } from '../../src/format/snapshot.ts';
import { rowBytes, type Table } from '../../src/table/table.ts';
import type { Filing } from '../../src/contract/records.ts';
import type { Observation } from '../ledger/observation.ts';
import { createFinder } from '../../src/table/finder.ts';
import type { Runs } from '../segments/runs.ts';

/**
 * Counts by how much a range of batches changes each total: filings by form, by day and family, by month and form or
 * item, companies, refusals, entries that the rules do not expect. Forms, days and families are few, so the counts fit into memory at any number of
 * filings.
 */
export interface Totals {
  /** Counts a new filing, or moves a corrected one to its new form and day. */
  add(observation: Pick<Observation, 'filing' | 'before'>): void;
  /** Counts a company that older segments lack. */
  addCompany(): void;
  /** Counts ledger rows that do not fit. */
  refuse(rows: number): void;
  /** Adds a row with the new value of each total that the range changed. `older` has the values before. */
  write(runs: Pick<Runs, 'add'>, older: readonly Table[]): void;
}

/** Makes totals for a range without any observation so far. */
export function createTotals(): Totals {
  const changes = new Map<string, Map<string, number>>();

  function change(partition: string, sort: string, by: number): void {
    let counts = changes.get(partition);
    if (!counts) changes.set(partition, (counts = new Map()));
    counts.set(sort, (counts.get(sort) ?? 0) + by);
  }

  function changeFiling({ form, eventType, filedAt, items }: Filing, by: number): void {
    const month = filedAt?.slice(0, 7) ?? unknownMonth;
    change(countPartitions.forms, form, by);
    change(countPartitions.days, `${filedAt} ${eventType}`, by);
    change(countPartitions.months, month, by);
    change(countPartitions.monthsOfForms, `${form} ${month}`, by);
    change(countPartitions.formsOfMonths, `${month} ${form}`, by);
    for (const item of new Set(items)) {
      change(countPartitions.monthsOfItems, `${item} ${form} ${month}`, by);
      change(countPartitions.itemsOfMonths, `${month} ${item} ${form}`, by);
    }
  }

  /** Entries of the log stay, so these counts only grow. */
  function addUnexpected(filing: Filing): void {
    const key = formKeyOf(filing);
    if (key !== filing.form) change(countPartitions.formerKinds, key, 1);
    for (const item of filing.items)
      if (itemTitle(item) === undefined) change(countPartitions.unlistedItems, item, 1);
    for (const name of ['sic', 'exchange'] as const) {
      const value = foldFilterValue(filing[name] ?? '');
      if (isFilterValue(value) && !isKnownFilterValue(name, value))
        change(countPartitions.unlistedFacts, `${name} ${value}`, 1);
    }
  }

  return {
    add({ filing, before }) {
      changeFiling(filing, 1);
      addUnexpected(filing);
      if (before) changeFiling(before, -1);
    },
    addCompany: () => change(countPartitions.companies, '', 1),
    refuse(rows) {
      if (rows > 0) change(countPartitions.refusals, '', rows);
    },
    write(runs, older) {
      const find = createFinder(older);
      for (const partition of [...changes.keys()].sort()) {
        for (const [sort, by] of [...(changes.get(partition) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))) {
          const before = find(partition, sort);
          runs.add(
            'counts',
            partition,
            sort,
            String(by + (before ? Number(rowBytes(before).toString()) : 0)),
          );
        }
      }
    },
  };
}
