import type { Waiting } from '../disk/lock.ts';
import { appendFound, type Addition, type Appended } from '../ingest/append.ts';
import { withKnownLedger, type LedgerFolders } from '../ingest/known.ts';
import type { LedgerFiling } from '../ledger/rows.ts';

/**
 * Look-ups in a follower's ledger, and appending to it. Calls may overlap; batches are appended one after the
 * other.
 */
export interface Writer {
  filings(accessionNos: readonly string[]): Promise<ReadonlyMap<string, LedgerFiling>>;
  symbols(symbols: readonly string[]): Promise<ReadonlyMap<string, string>>;
  append(addition: Addition): Promise<Appended>;
}

/**
 * Opens the ledger of one follower. `onAppend` is called for every new batch. `waiting` tells how it waits
 * for other programs that append to the ledger.
 */
export function openWriter(
  folders: LedgerFolders,
  onAppend: (appended: Appended) => void,
  waiting: Waiting = {},
): Writer {
  let queue: Promise<unknown> = Promise.resolve();
  return {
    filings: (accessionNos) => withKnownLedger(folders, (known) => known.filings(accessionNos)),
    symbols: (symbols) => withKnownLedger(folders, (known) => known.symbols(symbols)),
    append(addition) {
      const result = queue.then(() => appendFound(folders, addition, waiting));
      queue = result.catch(() => undefined);
      return result.then((appended) => {
        if (appended.batch !== null) onAppend(appended);
        return appended;
      });
    },
  };
}
