import type { MessagePort } from 'node:worker_threads';
import { CorruptSnapshot } from '../src/files/bytes.ts';
import type { LineLog } from '../src/log/levels.ts';
import { withPartFolder } from '../src/snapshot/folder.ts';
import { readManifest } from '../src/snapshot/open.ts';
import { BrokenLedger } from './ledger/batch.ts';
import { verifyBatches } from './verify/batches.ts';
import { derivingAgain } from './verify/derived.ts';
import { verifyAgainstLedger } from './verify/verify.ts';
import type { Progress } from './work/progress.ts';
import { answerCalls, openThread, startThread } from './work/thread.ts';

/** What a thread does that `verify --ledger` starts, while another one reads the snapshot. */
export interface LedgerCheck {
  /** Checks all batches of a ledger. Returns their number. Throws `BrokenLedger`. */
  batches(ledgerDirectory: string): Promise<number>;
  /**
   * Derives a snapshot again from the ledger and compares, once the check of the batches is done, if that was
   * called before. Throws `CorruptSnapshot` and `BrokenLedger`.
   */
  derive(snapshotsDirectory: string, id: string, ledgerDirectory: string): Promise<void>;
}

/** Opens such a thread, which runs the program at `entry` once more. It ends with this process. */
export function openLedgerCheck(entry: URL, log: LineLog): LedgerCheck & { end(): Promise<void> } {
  const { calls, end } = openThread<LedgerCheck>({
    does: 'derives the snapshot again',
    names: ['batches', 'derive'],
    start: startThread(entry, { name: 'ledger check' }),
    errors: [BrokenLedger, CorruptSnapshot],
    log,
  });
  return { ...calls, end };
}

/** Does what belongs to such a thread, at the call that comes through `port`. */
export function serveLedgerCheck(port: MessagePort, progress: Progress): void {
  answerCalls<LedgerCheck>(port, () => {
    let checked: Promise<unknown> = Promise.resolve();
    return {
      batches(ledgerDirectory) {
        const batches = verifyBatches(ledgerDirectory, progress);
        checked = batches;
        return batches;
      },
      async derive(directory, id, ledgerDirectory) {
        await checked;
        const { manifest } = await withPartFolder(directory, (folder) => readManifest(folder, id));
        const derive = derivingAgain(directory, manifest);
        await verifyAgainstLedger(directory, manifest, id, ledgerDirectory, derive, progress);
      },
    };
  });
}
