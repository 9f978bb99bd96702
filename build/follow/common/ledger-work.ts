import { appendFound, waitsForLedger, type Addition, type Appended } from '../../ingest/append.ts';
import { ingest } from '../../ingest/ingest.ts';
import { isFarBehind, openKnownLedger, type KnownLedger } from '../../ingest/known.ts';
import type { Universe } from '../../ingest/universe.ts';
import { quietProgress } from '../../work/progress.ts';
import type { PartOptions } from './shared.ts';

/**
 * What a follower asks of its ledger. Some of it takes long and stops the thread that does it, so
 * `npm run follow` runs it in another thread than the loop. Calls may overlap.
 */
export interface LedgerWork extends KnownLedger {
  /** Appends what is new as one batch, after the appends before it. */
  append(addition: Addition): Promise<Appended>;
  /** Whether much of the ledger is in no snapshot yet. */
  isFarBehind(): Promise<boolean>;
  /** Fills the ledger from the bulk archive. Throws like `ingest`. */
  fill(order: FillOrder): Promise<Filled>;
}

/** The names of these functions. */
export const ledgerWorkNames = [
  'filings',
  'contents',
  'companies',
  'symbols',
  'holders',
  'append',
  'isFarBehind',
  'fill',
  'close',
] as const satisfies readonly (keyof LedgerWork)[];

/** What a ledger is filled with. */
export interface FillOrder {
  readonly universe: Universe;
  /** How far the clock of this machine is ahead of EDGAR's, in milliseconds; 0 if it counts as right. */
  readonly clockAheadMs: number;
}

/** The batch that filled a ledger. */
export interface Filled {
  readonly batch: number;
  /** The number of its filings. */
  readonly added: number;
  /** What could not be had; null if everything could. */
  readonly message: string | null;
  /** When EDGAR made the archive, in milliseconds since 1970; null if none was read. */
  readonly archiveMs: number | null;
}

/** What `openLedgerWork` needs of the options of a follower. */
export type LedgerWorkOptions = Pick<
  PartOptions,
  'folders' | 'settings' | 'now' | 'log' | 'progress' | 'signal' | 'coolDownMs' | 'tickerRowsMinimum'
>;

/** Opens the ledger of a follower in this thread. Look-ups stay open from the first one on. */
export function openLedgerWork(options: LedgerWorkOptions): LedgerWork {
  const { folders, now, log } = options;
  let opening: Promise<KnownLedger> | null = null;
  let appends: Promise<unknown> = Promise.resolve();

  /** Opens the look-ups at the first call, and again after a failure. */
  function known(): Promise<KnownLedger> {
    opening ??= openKnownLedger(folders.ledgerDirectory, folders.snapshotsDirectory, quietProgress).catch(
      (error: Error) => {
        opening = null;
        throw error;
      },
    );
    return opening;
  }

  return {
    filings: async (accessionNos) => (await known()).filings(accessionNos),
    contents: async (accessionNos) => (await known()).contents(accessionNos),
    companies: async (ciks) => (await known()).companies(ciks),
    symbols: async (symbols) => (await known()).symbols(symbols),
    holders: async (symbols) => (await known()).holders(symbols),
    append(addition) {
      const appended = appends.then(async () =>
        appendFound({ ...folders, known: await known() }, addition, { onWait: () => log(waitsForLedger) }),
      );
      appends = appended.catch(() => undefined);
      return appended;
    },
    isFarBehind: () => isFarBehind(folders),
    async fill({ universe, clockAheadMs }) {
      const { batch, added, run, archiveMs } = await ingest({
        ...options,
        ...folders,
        universe,
        since: null,
        now: () => now() - clockAheadMs,
        isFirstFill: true,
      });
      return { batch, added, message: run.message, archiveMs };
    },
    async close() {
      await appends;
      await (await opening)?.close();
      opening = null;
    },
  };
}
