import { countPartitions } from '../../src/contract/snapshot.ts';
import { rowBytes, type Table } from '../../src/table/table.ts';
import type { Filing } from '../../src/contract/records.ts';
import type { Observation } from '../ledger/observation.ts';
import { createFinder } from '../../src/table/finder.ts';
import type { Runs } from '../segments/runs.ts';

/**
 * How much the totals change in a range of batches. Forms, days and families are few, however many filings
 * there are.
 */
export interface Totals {
  add(observation: Pick<Observation, 'filing' | 'before'>): void;
  addCompany(): void;
  refuse(rows: number): void;
  /** Adds a row for each total that the range touched: what it is as of the end of the range. */
  write(runs: Runs, older: readonly Table[]): Promise<void>;
}

/** Makes totals of a range in which nothing happened yet. */
export function createTotals(): Totals {
  const changes = new Map<string, Map<string, number>>();

  function change(partition: string, sort: string, by: number): void {
    let counts = changes.get(partition);
    if (!counts) changes.set(partition, (counts = new Map()));
    counts.set(sort, (counts.get(sort) ?? 0) + by);
  }

  function changeFiling({ form, eventType, filedAt }: Filing, by: number): void {
    change(countPartitions.forms, form, by);
    change(countPartitions.days, `${filedAt} ${eventType}`, by);
  }

  return {
    add({ filing, before }) {
      changeFiling(filing, 1);
      if (before) changeFiling(before, -1);
    },
    addCompany: () => change(countPartitions.companies, '', 1),
    refuse(rows) {
      if (rows > 0) change(countPartitions.refusals, '', rows);
    },
    async write(runs, older) {
      const find = createFinder(older);
      for (const partition of [...changes.keys()].sort()) {
        for (const [sort, by] of [...(changes.get(partition) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))) {
          const before = await find(partition, sort);
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
