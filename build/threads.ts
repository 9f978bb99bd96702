import type { MessagePort } from 'node:worker_threads';
import { serveFollowThread, threadOf, type Serving } from './follow-threads.ts';
import { isLedgerCheck, serveLedgerCheck } from './ledger-check.ts';
import { isTableThread, serveTableThread } from './table-thread.ts';

/**
 * Does what belongs to this thread of the program, at the calls that come through `port`. Returns false if it
 * is none of ours. `begin` is called first in a thread of `verify`.
 */
export function serveThread(port: MessagePort, serving: Serving, begin: () => void): boolean {
  const followThread = threadOf();
  if (followThread) serveFollowThread(followThread, port, serving);
  else if (isTableThread()) serveTableThread(port);
  else if (isLedgerCheck()) {
    begin();
    serveLedgerCheck(port, serving.progress);
  } else return false;
  return true;
}
