import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { batchCount } from '../../build/ledger/batch.ts';
import { daysOf } from '../../build/ledger/days.ts';
import type { Refusal } from '../../build/ledger/ledger-rows.ts';
import { readHeads, readRefusals, type BatchHead } from '../../build/ledger/read.ts';

/** The heads of the batches after number `after`, oldest first. */
export async function headsOf(ledger: string, after = 0): Promise<BatchHead[]> {
  const heads: BatchHead[] = [];
  for await (const head of readHeads(ledger, after)) heads.push(head);
  return heads;
}

/** The numbers of the batches of a ledger, ascending. */
export async function batchNumbers(ledger: string): Promise<number[]> {
  return Array.from({ length: await batchCount(ledger) }, (_, at) => at + 1);
}

/** The newest result of each reconciled day of a ledger, oldest first. */
export async function daysIn(ledger: string): Promise<ReconciledDay[]> {
  return daysOf((await headsOf(ledger)).flatMap(({ head }) => head.days ?? []));
}

/** The refusals of all batches, oldest first. */
export async function refusalsOf(ledger: string): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (const { head } of await headsOf(ledger)) refusals.push(...(await readRefusals(ledger, head)));
  return refusals;
}
