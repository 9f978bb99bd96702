import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { answerCalls } from '../../build/work/thread.ts';
import { BrokenLedger } from '../../build/ledger/batch.ts';

/** What the thread of `test/work/thread.test.ts` answers. */
export interface Answering {
  twice(number: number): Promise<number>;
  /** Rejects: with a class that the caller knows, or with a member that says of what kind it is. */
  fail(how: 'broken' | 'kind'): Promise<void>;
  /** Says a line, then waits until the caller's signal is aborted. */
  untilAborted(): Promise<string>;
  /** Ends the thread in the middle of the call. */
  exit(): Promise<void>;
  /** Never lets another call run. */
  spin(): Promise<void>;
  /** How often a thread was started. */
  starts(): Promise<number>;
}

if (parentPort)
  answerCalls<Answering>(parentPort as MessagePort, (log, signal) => ({
    twice: async (number) => 2 * number,
    async fail(how) {
      throw how === 'broken' ? new BrokenLedger('torn') : Object.assign(new Error('no'), { kind: 'refused' });
    },
    async untilAborted() {
      log('waiting', 'debug');
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
      });
      return 'aborted';
    },
    exit: async () => process.exit(1),
    async spin() {
      log('spinning');
      for (;;);
    },
    starts: async () => (workerData as { starts: number }).starts,
  }));
