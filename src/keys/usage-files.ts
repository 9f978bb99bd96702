import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { calendarDate, count } from '../domain/scalars.ts';
import { dayAt, dayMs, minuteMs } from '../time/units.ts';
import { makeFolder, replaceFile, whereMissing } from '../files/local.ts';
import type { LogLevel } from '../log/levels.ts';
import { addUse, type KeyUsage, type Used } from './usage.ts';

/** The totals of one process for one day (UTC), by caller. */
const UsageFile = z.object({
  format: z.literal(1),
  day: calendarDate,
  callers: z.record(z.string(), z.object({ requests: count, bytes: count, clientErrors: count })),
});

/** The file of earlier versions: the day on which each key was last used. */
const FormerUsageFile = z.object({ format: z.literal(1), usedOn: z.record(z.string(), calendarDate) });

const saveEveryMs = minuteMs;
/** A file that is being written has another name. */
const fileName = /^[\w-]+\.json$/;

/** The folder of usage beside a keys file: `keys.usage` beside `keys.json`. */
export function usagePathOf(keysPath: string): string {
  return `${keysPath.replace(/\.json$/, '')}.usage`;
}

/** What this process counted on one day, and the file for it. */
interface DayTotals {
  /** Days since 1970. */
  readonly number: number;
  readonly date: string;
  readonly name: string;
  readonly callers: Map<string, Used>;
}

/** Makes the counts of one process, which it writes into files `<folder>/<day>/<name>.json`. */
export function createKeyUsage(
  folder: string,
  log: (event: string, details: Record<string, unknown>, level?: LogLevel) => void,
): KeyUsage {
  /** The totals of today, and of earlier days that are not written yet. */
  const unsaved = new Set<DayTotals>();
  let today: DayTotals = { number: -1, date: '', name: '', callers: new Map() };
  let nextSaveMs = -Infinity;
  let lastReason = '';
  let saving: Promise<void> | null = null;

  function turnTo(nowMs: number): void {
    const number = Math.floor(nowMs / dayMs);
    if (today.number === number) return;
    // A day that comes again, because the clock was set back, gets another file: its totals start at zero.
    const name = `${process.pid}-${randomBytes(6).toString('hex')}.json`;
    today = { number, date: dayAt(nowMs), name, callers: new Map() };
  }

  async function write({ date, name, callers }: DayTotals): Promise<void> {
    const content = `${JSON.stringify({ format: 1, day: date, callers: Object.fromEntries(callers) })}\n`;
    await makeFolder(join(folder, date), 0o700);
    await replaceFile(join(folder, date, name), content, 0o600);
  }

  async function saveAll(): Promise<void> {
    const due = Array.from(unsaved);
    // What is counted while a file is written is written the next time.
    unsaved.clear();
    for (const totals of due) {
      try {
        await write(totals);
        lastReason = '';
      } catch (error) {
        unsaved.add(totals);
        const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
        // It is counted each time, so that an alert lasts as long as the reason.
        const level = reason === lastReason ? 'debug' : undefined;
        log('key_use_unsaved', { path: folder, reason: (error as Error).message }, level);
        lastReason = reason;
      }
    }
  }

  return {
    count(caller, nowMs, status, bytes, requests = 1) {
      turnTo(nowMs);
      addUse(today.callers, caller, status, bytes, requests);
      unsaved.add(today);
    },
    async save(elapsedMs, atOnce = false) {
      if (atOnce) await saving;
      if (unsaved.size === 0 || saving !== null || (elapsedMs < nextSaveMs && !atOnce)) return;
      nextSaveMs = elapsedMs + saveEveryMs;
      await (saving = saveAll().finally(() => (saving = null)));
    },
  };
}

/** What one caller used on one day, over all processes. */
export interface UsedOn extends Readonly<Used> {
  readonly day: string;
  readonly caller: string;
}

/**
 * Reads the usage of all processes from `since` to `until` (days `YYYY-MM-DD`, both inclusive), by day and
 * caller. Empty if there is none. Throws if a file cannot be read or is not as a service writes it: a bill
 * must not leave something out.
 */
export async function readKeyUsage(
  folder: string,
  since = '0000-01-01',
  until = '9999-12-31',
): Promise<UsedOn[]> {
  const days = (await readdir(folder).catch(whereMissing([] as string[])))
    .filter((name) => calendarDate.safeParse(name).success && name >= since && name <= until)
    .sort();
  const found: UsedOn[] = [];
  for (const day of days) {
    const totals = new Map<string, Used>();
    for (const name of (await readdir(join(folder, day))).filter((each) => fileName.test(each))) {
      for (const [caller, used] of Object.entries(await readUsageFile(join(folder, day, name)))) {
        const total = totals.get(caller) ?? { requests: 0, bytes: 0, clientErrors: 0 };
        total.requests += used.requests;
        total.bytes += used.bytes;
        total.clientErrors += used.clientErrors;
        totals.set(caller, total);
      }
    }
    const callers = [...totals].sort(([a], [b]) => (a < b ? -1 : 1));
    found.push(...callers.map(([caller, total]) => ({ day, caller, ...total })));
  }
  return found;
}

async function readUsageFile(path: string): Promise<z.infer<typeof UsageFile>['callers']> {
  try {
    return UsageFile.parse(JSON.parse(await readFile(path, 'utf8'))).callers;
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Reads on which day each caller was last used: from the usage, and for keys that were not used since, from
 * the file of earlier versions (`keys.used.json` beside `keys.json`), if there is one.
 */
export async function readLastUse(keysPath: string): Promise<ReadonlyMap<string, string>> {
  const former = await readFile(keysPath.replace(/(\.json)?$/, '.used$1'), 'utf8').catch(whereMissing(''));
  const last = new Map(Object.entries(formerDays(former)));
  for (const { caller, day } of await readKeyUsage(usagePathOf(keysPath))) last.set(caller, day);
  return last;
}

function formerDays(text: string): Readonly<Record<string, string>> {
  try {
    return FormerUsageFile.parse(JSON.parse(text)).usedOn;
  } catch {
    return {};
  }
}
