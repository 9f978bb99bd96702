import { z } from 'zod';
import { ReconciledDay } from '../../src/contract/records.ts';
import type { Routes } from '../../src/format/snapshot.ts';
import type { PartReader } from '../../src/table/table.ts';
import { readChecked } from '../../src/snapshot/open.ts';
import { reconciliationPath } from '../../site/content/reconciliation.ts';

const Published = z.object({
  data: z.array(ReconciledDay),
  // Older snapshots have these days among the others.
  withoutIndex: z.array(ReconciledDay).default([]),
});

/**
 * Reads the reconciled days that a snapshot publishes, to which days of new batches are added. Null if it
 * publishes none. Throws `CorruptSnapshot`.
 */
export async function publishedDays(
  parts: PartReader,
  routes: Routes,
): Promise<readonly ReconciledDay[] | null> {
  const file = routes[reconciliationPath]?.file;
  if (!file) return null;
  const { data, withoutIndex } = Published.parse(JSON.parse((await readChecked(parts, file)).toString()));
  return [...data, ...withoutIndex];
}
