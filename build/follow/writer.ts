import { appendFound, type Addition, type Appended, type LedgerFolders } from '../ingest/append.ts';
import { openKnownLedger } from '../ingest/known.ts';
import type { LedgerFiling } from '../ledger/rows.ts';
import { quietProgress } from '../progress.ts';

/** Everything that a follower does with its ledger and its snapshots, one thing after the other. */
export interface Writer {
  filings(accessionNos: readonly string[]): Promise<ReadonlyMap<string, LedgerFiling>>;
  symbols(symbols: readonly string[]): Promise<ReadonlyMap<string, string>>;
  append(addition: Addition): Promise<Appended>;
  /** Brings the snapshots up to the ledger, if it has a batch that they lack. Gives whether it did. */
  publish(): Promise<boolean>;
}

/** Opens a ledger for one follower. `publish` is only called where there is something new; `isBehind` tells whether there is at the start. */
export function openWriter(folders: LedgerFolders, isBehind: boolean, publish: () => Promise<void>): Writer {
  let queue: Promise<unknown> = Promise.resolve();
  let isDirty = isBehind;
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  }
  async function ask<Result>(question: (known: Awaited<ReturnType<typeof openKnownLedger>>) => Promise<Result>): Promise<Result> {
    const known = await openKnownLedger(folders.ledgerDirectory, folders.snapshotsDirectory, quietProgress);
    try {
      return await question(known);
    } finally {
      await known.close();
    }
  }
  return {
    filings: (accessionNos) => (accessionNos.length === 0 ? Promise.resolve(new Map()) : inTurn(() => ask((known) => known.filings(accessionNos)))),
    symbols: (symbols) => inTurn(() => ask((known) => known.symbols(symbols))),
    append: (addition) => inTurn(async () => {
      const appended = await appendFound(folders, addition);
      if (appended.batch !== null) isDirty = true;
      return appended;
    }),
    publish: () => inTurn(async () => {
      if (!isDirty) return false;
      await publish();
      isDirty = false;
      return true;
    }),
  };
}
