import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isCalendarDate } from '../../src/domain/scalars.ts';
import { Intent, IntentCount, type RecordedIntents } from '../../src/contract/intents.ts';
import { whereMissing } from '../../src/files/local.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { replaceFileSynced } from '../disk/directories.ts';
import { withLock } from '../disk/lock.ts';
import { dayMs } from '../../src/time/units.ts';
import { countDay, merge, newest } from './count.ts';

/** Journals older than this many days are rolled into counts. Every window of the statistics is shorter. */
const keptDays = 100;
/** If all journals together are longer than this, the oldest are rolled, whatever their day. */
const bytesMaximum = 1024 * 1024 * 1024;
/** How often the journals are read again because another build has removed one meanwhile. */
const readsMaximum = 5;

const Rolled = z.object({ format: z.literal(1), date: z.string(), counts: z.array(IntentCount) });

interface Days {
  /** Days that have a journal, ascending. */
  readonly journals: readonly string[];
  /** Days that were rolled. */
  readonly rolled: ReadonlySet<string>;
}

const journalOf = (directory: string, date: string) => join(directory, `${date}.jsonl`);
const countsOf = (directory: string, date: string) => join(directory, `${date}.counts.json`);

async function daysIn(directory: string): Promise<Days> {
  const names = await readdir(directory).catch(whereMissing([]));
  const daysWith = (ending: string) =>
    names
      .filter((name) => name.endsWith(ending) && isCalendarDate(name.slice(0, -ending.length)))
      .map((name) => name.slice(0, -ending.length))
      .sort();
  return { journals: daysWith('.jsonl'), rolled: new Set(daysWith('.counts.json')) };
}

interface JournalCounts extends RecordedIntents {
  /** Lines that are not intents: cut off by a crash, or written by another program. */
  readonly torn: number;
}

/** Intents that are held before they are counted, because a journal may be too long for memory. */
const countedAtOnce = 20_000;

/**
 * Counts a day's journal, line by line. An intent of another day counts as torn: the service never writes one
 * there.
 */
async function readJournal(directory: string, date: string): Promise<JournalCounts> {
  let counts: IntentCount[] = [];
  let recent: Intent[] = [];
  let held: Intent[] = [];
  let torn = 0;
  const count = () => {
    counts = merge([...counts, ...countDay(date, held)]);
    recent = newest([...recent, ...held]);
    held = [];
  };
  for await (const line of linesOf(journalOf(directory, date))) {
    if (line === '') continue;
    const intent = parseIntent(line);
    if (intent?.createdAt.startsWith(date)) held.push(intent);
    else torn++;
    if (held.length === countedAtOnce) count();
  }
  count();
  return { counts, recent, torn };
}

/**
 * Reads the lines of a file. Only a newline ends a line: `node:readline` also splits at U+2028 and U+2029
 * since Node 24, and texts of clients may contain these.
 */
async function* linesOf(path: string): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      pieces.push(chunk.subarray(from, end));
      yield Buffer.concat(pieces).toString();
      pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces).toString();
}

function parseIntent(line: string): Intent | null {
  try {
    return Intent.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Rolls old journals into daily counts, so that the directory stays small. The journals of `today` and of the
 * day before are never rolled, because a process may still write to them. The counts of a day are written
 * completely before its journal is removed. If both exist, the run was killed in between, and the counts are
 * complete. `today` is `YYYY-MM-DD` in UTC.
 */
export async function rollJournals(
  directory: string,
  today: string,
  log: LineLog,
  bounds: { keptDays: number; bytes: number } = { keptDays, bytes: bytesMaximum },
): Promise<void> {
  const due = () => dueJournals(directory, today, bounds);
  // Most builds have nothing to roll. Those that have take turns: one must not read a journal that another
  // one removes.
  if ((await due()).length === 0) return;
  await withLock(join(directory, '.lock'), async () => {
    for (const date of await due()) {
      if (!(await daysIn(directory)).rolled.has(date)) {
        const { counts, torn } = await readJournal(directory, date);
        await replaceFileSynced(
          countsOf(directory, date),
          `${JSON.stringify({ format: 1, date, counts })}\n`,
        );
        log(`intents of ${date} rolled into counts${torn > 0 ? `; ${torn} lines were not intents` : ''}`);
      }
      await rm(journalOf(directory, date), { force: true });
    }
  });
}

/** The days whose journals are to be rolled, or were rolled and are only to be removed; oldest first. */
async function dueJournals(
  directory: string,
  today: string,
  bounds: { readonly keptDays: number; readonly bytes: number },
): Promise<string[]> {
  const { journals, rolled } = await daysIn(directory);
  const sizes = await Promise.all(
    journals.map((date) => stat(journalOf(directory, date)).then(({ size }) => size, whereMissing(0))),
  );
  let bytes = sizes.reduce((sum, size) => sum + size, 0);
  const due: string[] = [];
  for (const [at, date] of journals.entries()) {
    if (Date.parse(date) >= Date.parse(today) - dayMs) break;
    const isOld = Date.parse(date) < Date.parse(today) - bounds.keptDays * dayMs;
    if (!rolled.has(date) && !isOld && bytes <= bounds.bytes) continue;
    due.push(date);
    bytes -= sizes[at] ?? 0;
  }
  return due;
}

/**
 * Reads all intents of a directory as counts, and the newest ones in full. If the directory does not exist,
 * there are none. Days after `lastDay` (`YYYY-MM-DD`) come from a clock that was wrong and are left out;
 * otherwise they would move the windows of the statistics into the future.
 */
export async function readIntents(
  directory: string,
  log: LineLog,
  lastDay = '9999-12-31',
): Promise<RecordedIntents> {
  for (let reads = 1; ; reads++) {
    try {
      return await readAll(directory, log, lastDay);
    } catch (error) {
      // Another build may have rolled a journal meanwhile: then its counts are there.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || reads === readsMaximum) throw error;
    }
  }
}

async function readAll(directory: string, log: LineLog, lastDay: string): Promise<RecordedIntents> {
  const all = await daysIn(directory);
  const later = all.journals.filter((date) => date > lastDay);
  if (later.length > 0)
    log(`intents of ${later.join(', ')} are not counted: these days are in the future`, 'warn');
  const { rolled } = all;
  const journals = all.journals.filter((date) => date <= lastDay);
  const counts: IntentCount[] = [];
  let recent: Intent[] = [];
  for (const date of rolled) {
    const path = countsOf(directory, date);
    try {
      counts.push(...Rolled.parse(JSON.parse(await readFile(path, 'utf8'))).counts);
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`);
    }
  }
  for (const date of journals.filter((each) => !rolled.has(each))) {
    const journal = await readJournal(directory, date);
    if (journal.torn > 0)
      log(`intents of ${date}: ${journal.torn} lines are not intents and are not counted`, 'warn');
    counts.push(...journal.counts);
    recent = newest([...recent, ...journal.recent]);
  }
  return { counts: merge(counts), recent };
}
