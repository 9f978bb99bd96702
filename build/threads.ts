import type { MessagePort } from 'node:worker_threads';
import { serveFollowThread, type FollowThread, type Serving } from './follow-threads.ts';
import { serveLedgerCheck } from './ledger-check.ts';
import { serveTableThread } from './table-thread.ts';
import { ownRole } from './work/thread.ts';

/** A thread that a command starts for a part of its work. */
type HelperThread = { readonly name: 'tables' } | { readonly name: 'ledger check' };

/** Which thread of this program this is; null in the main thread. */
export const thread = ownRole<FollowThread | HelperThread>();

/**
 * Does what belongs to this thread of the program, at the calls that come through `port`. Returns false if it
 * is none of ours. `begin` is called first in a thread of `verify`.
 */
export function serveThread(port: MessagePort, serving: Serving, begin: () => void): boolean {
  if (thread === null) return false;
  if (thread.name === 'tables') serveTableThread(port);
  else if (thread.name === 'ledger check') {
    begin();
    serveLedgerCheck(port, serving.progress);
  } else serveFollowThread(thread, port, serving);
  return true;
}
