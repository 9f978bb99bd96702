import { join } from 'node:path';
import type { ContentsName } from '../../src/settings/settings.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { makeDirectory } from '../disk/directories.ts';
import { openCache } from '../edgar/cache.ts';
import type { EdgarSettings } from '../edgar/client.ts';
import { easternTime } from '../time/eastern-time.ts';
import { spanText, timeOf, type ToldTime } from '../time/told-time.ts';
import { appendFound, waitsForLedger } from '../ingest/append.ts';
import { isFarBehind, type LedgerFolders } from '../ingest/known.ts';
import { openUpstream } from '../ingest/upstream.ts';
import { readSurvey } from '../snapshot/published-survey.ts';
import { daysDue, filingDays, newestIndexDay } from './day.ts';
import { reconcile, type Reconciled } from './reconcile.ts';
import { reconciledSince } from './since.ts';

/** Which days of a ledger are reconciled, and with what. */
export interface ReconcileLedgerOptions {
  readonly folders: LedgerFolders;
  readonly settings: EdgarSettings;
  /** What is asked for beside the metadata of filings; nothing if left out. */
  readonly contents?: readonly ContentsName[];
  /** The first and last day, `YYYY-MM-DD`; null for the days that are due. */
  readonly since: string | null;
  readonly until: string | null;
  /** The clock of this machine, in milliseconds since 1970. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  readonly log: LineLog;
  readonly signal?: AbortSignal;
  readonly coolDownMs?: number;
}

/** The retry limit of one file. */
const attemptsMaximum = 5;

/**
 * Compares a ledger with EDGAR's daily indexes: the filings of the companies whose own files it has, or of
 * everyone if it was filled with everyone. Rejects if upstream does not accept this client, or if the ledger
 * is broken.
 */
export async function reconcileLedger({
  folders,
  settings,
  contents = [],
  since,
  until,
  now,
  elapsed,
  log,
  signal,
  coolDownMs,
}: ReconcileLedgerOptions): Promise<Reconciled> {
  await makeDirectory(folders.ledgerDirectory);
  const survey = await readSurvey(folders.ledgerDirectory, folders.snapshotsDirectory);
  const before = survey?.days ?? [];
  const first = await reconciledSince(folders.ledgerDirectory, survey);
  const isEveryone = survey?.names.universes.includes('everyone') === true;
  if (await isFarBehind(folders))
    log('much of the ledger is in no snapshot yet, so each day takes minutes: run build first');
  let told: ToldTime | null = null;
  const time = () => timeOf(told, now(), elapsed());
  const upstream = openUpstream({
    settings,
    cache: openCache(join(folders.ledgerDirectory, '.cache'), now),
    now,
    time: () => time().nowMs,
    log,
    attemptsMaximum,
    ...(signal ? { signal } : {}),
    ...(coolDownMs === undefined ? {} : { coolDownMs }),
  });
  try {
    // The feed tells EDGAR's time. Without the feed the clock of this machine is used.
    const page = await upstream.feedPage(0);
    if (page.kind === 'ok') told = { toldMs: page.parsed.madeAtMs, atMs: elapsed() };
    const { nowMs, wrongByMs } = time();
    if (wrongByMs !== null)
      log(
        `the clock of this machine is ${spanText(wrongByMs)} ${wrongByMs > 0 ? 'ahead of' : 'behind'} EDGAR's: EDGAR's clock is used instead`,
        'warn',
      );
    const newest = until ?? newestIndexDay(easternTime(nowMs));
    const days = since === null ? daysDue(before, first ?? newest, newest, nowMs) : filingDays(since, newest);
    if (days.length > 1)
      log(`${days.length} days are compared with EDGAR's indexes, ${days[0]} to ${days.at(-1)}`);
    return await reconcile({
      upstream,
      folders,
      contents,
      append: (addition) =>
        appendFound(folders, addition, {
          onWait: () => log(waitsForLedger),
          ...(signal ? { signal } : {}),
        }),
      days,
      readsQuarters: true,
      isWanted: isEveryone ? () => true : null,
      // A company's own file lags days behind these, and would take a symbol back.
      tickers: (await upstream.tickers()).rows,
      before,
      universe: isEveryone ? 'all' : 'companies of the ledger',
      instant: () => new Date(time().nowMs).toISOString(),
      log,
      ...(signal ? { signal } : {}),
    });
  } finally {
    await upstream.close();
  }
}
