import { join } from 'node:path';
import type { ContentsName } from '../../src/settings/settings.ts';
import { makeDirectory } from '../disk/directories.ts';
import { openCache } from '../edgar/cache.ts';
import type { AskingEdgar } from '../edgar/client.ts';
import { easternTime } from '../time/eastern-time.ts';
import { createClock, wrongClockText } from '../time/told-clock.ts';
import { appendFound, waitsForLedger } from '../ingest/append.ts';
import { isFarBehind, type LedgerFolders } from '../ingest/known.ts';
import { openUpstream } from '../ingest/upstream.ts';
import { readSurvey } from '../snapshot/published-survey.ts';
import { daysDue, filingDays, newestIndexDay } from './day.ts';
import { reconcile, type Reconciled } from './reconcile.ts';
import { reconciledSince } from './since.ts';

/** Which days of a ledger are reconciled, and with what. */
export interface ReconcileLedgerOptions extends AskingEdgar {
  readonly folders: LedgerFolders;
  /** What is asked for beside the metadata of filings; nothing if left out. */
  readonly contents?: readonly ContentsName[];
  /** The first and last day, `YYYY-MM-DD`; null for the days that are due. */
  readonly since: string | null;
  readonly until: string | null;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** The retry limit of one file. */
const attemptsMaximum = 5;

/**
 * Compares a ledger with EDGAR's daily indexes: the filings of the companies whose own files it has, or of
 * everyone if it was filled with everyone. Rejects if upstream does not accept this client, or if the ledger
 * is broken.
 */
export async function reconcileLedger(options: ReconcileLedgerOptions): Promise<Reconciled> {
  const { folders, since, until, now, elapsed, log, signal } = options;
  await makeDirectory(folders.ledgerDirectory);
  const survey = await readSurvey(folders.ledgerDirectory, folders.snapshotsDirectory);
  const before = survey?.days ?? [];
  const first = await reconciledSince(folders.ledgerDirectory, survey);
  const isEveryone = survey?.names.universes.includes('everyone') === true;
  if (await isFarBehind(folders))
    log('much of the ledger is in no snapshot yet, so each day takes minutes: run build first');
  const clock = createClock(elapsed, now);
  const upstream = openUpstream({
    ...options,
    cache: openCache(join(folders.ledgerDirectory, '.cache'), now),
    time: () => clock.now().nowMs,
    attemptsMaximum,
  });
  try {
    // The feed tells EDGAR's time. Without the feed the clock of this machine is used.
    const page = await upstream.feedPage(0);
    if (page.kind === 'ok') clock.tell(page.parsed.madeAtMs, elapsed());
    const { nowMs, wrongByMs } = clock.now();
    if (wrongByMs !== null) log(wrongClockText(wrongByMs), 'warn');
    const newest = until ?? newestIndexDay(easternTime(nowMs));
    const days = since === null ? daysDue(before, first ?? newest, newest, nowMs) : filingDays(since, newest);
    if (days.length > 1)
      log(`${days.length} days are compared with EDGAR's indexes, ${days[0]} to ${days.at(-1)}`);
    return await reconcile({
      upstream,
      folders,
      contents: options.contents,
      append: (addition) => appendFound(folders, addition, { onWait: () => log(waitsForLedger), signal }),
      days,
      readsQuarters: true,
      isWanted: isEveryone ? () => true : null,
      // A company's own file lags days behind these, and would take a symbol back.
      tickers: (await upstream.tickers()).rows,
      before,
      universe: isEveryone ? 'all' : 'companies of the ledger',
      instant: clock.instant,
      log,
      signal,
    });
  } finally {
    await upstream.close();
  }
}
