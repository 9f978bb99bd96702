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

/** What of a ledger is to be held against EDGAR's daily indexes. */
export interface ReconcileLedgerOptions {
  readonly folders: LedgerFolders;
  readonly settings: EdgarSettings;
  /** First and last day, `YYYY-MM-DD`; null for what is due. */
  readonly since: string | null;
  readonly until: string | null;
  /** The clock of this machine, in milliseconds since 1970. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly elapsed: () => number;
  readonly log: LineLog;
  readonly signal?: AbortSignal;
  readonly coolDownMs?: number;
}

/** Days that are held against their indexes where nothing is known of any. */
const firstDays = 7;

/** How often a file is asked for before it is given up. */
const attemptsMaximum = 5;

/**
 * Holds a ledger against EDGAR's daily indexes: the companies whose own files it has, or everyone if that is
 * what it was filled with. Rejects if upstream does not accept this client, and for a ledger that is broken.
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
    log(
      'much of the ledger is in no snapshot yet, and looking it up takes minutes for each day: build first',
    );
  let told: ToldTime | null = null;
  const time = () => timeOf(told, now(), elapsed());
  const upstream = openUpstream({
    settings,
    cache: openCache(join(folders.ledgerDirectory, '.cache')),
    now,
    time: () => time().nowMs,
    log,
    attemptsMaximum,
    ...(signal ? { signal } : {}),
    ...(coolDownMs === undefined ? {} : { coolDownMs }),
  });
  try {
    // The feed says what time it is for EDGAR; without it the clock of this machine has to do.
    const page = await upstream.feedPage(0);
    if (page.kind === 'ok') told = { toldMs: page.parsed.madeAtMs, atMs: elapsed() };
    const { nowMs, wrongByMs } = time();
    if (wrongByMs !== null)
      log(
        `the clock of this machine is ${spanText(wrongByMs)} ${wrongByMs > 0 ? 'ahead of' : 'behind'} EDGAR's: nothing is derived from it, times are EDGAR's`,
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
