import type { KeyObject } from 'node:crypto';
import { withPartFolder } from '../src/snapshot/folder.ts';
import type { LedgerCheck } from './ledger-check.ts';
import { batchCount } from './ledger/batch.ts';
import { describeDifference, diffSnapshots } from './snapshot/diff.ts';
import { readPointer, snapshotNamed, snapshotPair } from './snapshot/pointer.ts';
import { verifyPointer } from './verify/verify-pointer.ts';
import { verifyAndReport } from './verify/report.ts';
import type { TablesWork } from './verify/table-sums.ts';
import type { Progress } from './work/progress.ts';

/** What the command `verify` checks, and with what. */
export interface Checked {
  readonly directory: string;
  /** The name of the snapshot; undefined for the current one and those before it. */
  readonly name: string | undefined;
  readonly ledgerDirectory: string | undefined;
  readonly trustedKeys: readonly KeyObject[] | null;
  /** The time in milliseconds since 1970. */
  readonly nowMs: number;
}

/** What the bytes of a snapshot alone cannot prove. */
const notCheckedAlone =
  'not checked without --ledger: that rows are what the batches of the ledger give, and that documents and pages follow from these rows';

/**
 * The command `verify`: checks snapshots, and a ledger if one is named, which `ledgerCheck` reads at the same
 * time. Without a ledger `tablesWork` reads tables at the same time. Prints a line for each result, and what was not checked. Throws `CorruptSnapshot` and `BrokenLedger`.
 */
export async function verify(
  { directory, name, ledgerDirectory, trustedKeys, nowMs }: Checked,
  ledgerCheck: LedgerCheck,
  tablesWork: TablesWork,
  print: (line: string) => void,
  progress: Progress,
): Promise<void> {
  const signature = name === undefined ? await verifyPointer(directory, trustedKeys, nowMs) : null;
  const { id } = await withPartFolder(directory, (folder) => snapshotNamed(folder, name));
  if (ledgerDirectory !== undefined && (await batchCount(ledgerDirectory)) === 0)
    throw new Error(`${ledgerDirectory} holds no batch`);
  const previous = name === undefined ? ((await readPointer(directory))?.previous ?? []) : [];
  if (ledgerDirectory === undefined) {
    await verifyAndReport(directory, id, previous, print, progress, tablesWork);
    if (signature !== null) print(signature);
    return print(notCheckedAlone);
  }
  const batches = ledgerCheck.batches(ledgerDirectory);
  const derived = ledgerCheck.derive(directory, id, ledgerDirectory);
  // What is wrong with the snapshot itself is told first.
  for (const checking of [batches, derived]) checking.catch(() => undefined);
  await verifyAndReport(directory, id, previous, print, progress);
  if (signature !== null) print(signature);
  print(`${ledgerDirectory}: all files of ${await batches} batches match their heads`);
  await derived;
  print(`${id}: ${ledgerDirectory} gives the same bytes`);
}

/** The command `diff`: prints what changed between two snapshots, the last two if none is named. */
export async function diff(
  directory: string,
  before: string | undefined,
  after: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  const counts = { '+': 0, '-': 0, '~': 0 };
  await withPartFolder(directory, async (folder) => {
    const [older, newer] = await snapshotPair(folder, before, after);
    for await (const difference of diffSnapshots(folder, older.manifest, newer.manifest)) {
      counts[difference.sign]++;
      print(describeDifference(difference));
    }
  });
  print(`${counts['+']} added, ${counts['-']} removed, ${counts['~']} changed`);
}
