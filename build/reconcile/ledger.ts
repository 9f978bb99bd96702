import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dayFrom } from '../../src/contract/time.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { openCache } from '../edgar/cache.ts';
import type { EdgarSettings } from '../edgar/client.ts';
import { easternTime } from '../time/days.ts';
import { spanText, timeOf, type ToldTime } from '../time/told-time.ts';
import { appendFound } from '../ingest/append.ts';
import { isFarBehind, type LedgerFolders } from '../ingest/known.ts';
import { isOfEveryone } from '../ingest/universe.ts';
import { openUpstream } from '../ingest/upstream.ts';
import { daysOf } from '../ledger/days.ts';
import { readHeads } from '../ledger/read.ts';
import { daysDue, filingDays, newestIndexDay } from './day.ts';
import { reconcile, type Reconciled } from './reconcile.ts';

/** Which days of a ledger are reconciled, and with what. */
export interface ReconcileLedgerOptions {
  readonly folders: LedgerFolders;
  readonly settings: EdgarSettings;
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

/** The number of days that are reconciled if none was before. */
const firstDays = 7;

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
  since,
  until,
  now,
  elapsed,
  log,
  signal,
  coolDownMs,
}: ReconcileLedgerOptions): Promise<Reconciled> {
  await mkdir(folders.ledgerDirectory, { recursive: true });
  const heads = await readHeads(folders.ledgerDirectory);
  const before = daysOf(heads);
  const isEveryone = heads.some(({ head }) => isOfEveryone(head.run.target));
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
    const days =
      since === null
        ? daysDue(before, dayFrom(newest, 1 - firstDays), newest, nowMs)
        : filingDays(since, newest);
    return await reconcile({
      upstream,
      folders,
      append: (addition) => appendFound(folders, addition),
      days,
      isWanted: isEveryone ? () => true : null,
      tickers: [],
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
