import type { ReconciledDay } from './records.ts';

/**
 * Whether a day was compared with an index of EDGAR: its own, or the rebuilt one of its quarter. A day of which
 * no index could be had is kept, too, so that it is looked at again, and never counts as reconciled.
 */
export function isReconciled({
  indexed,
  quarterReadAt,
}: Pick<ReconciledDay, 'indexed' | 'quarterReadAt'>): boolean {
  return indexed > 0 || quarterReadAt !== null;
}
