import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { dayAt, dayMs, minuteMs } from '../contract/time.ts';
import { calendarDate } from '../contract/scalars.ts';
import { replaceFile, whereMissing } from '../files/local.ts';

/** The day in UTC on which each key was last used, by the id of its entry. */
const KeyUsageFile = z.object({ format: z.literal(1), usedOn: z.record(z.string(), calendarDate) });

/** Records the day on which each key was last used, in a small file that several processes share. */
export interface KeyUsage {
  /**
   * Notes that a key opened the service at `nowMs`. Writes nothing, because it is called for each request.
   */
  note(id: string, nowMs: number): void;
  /**
   * Writes the days that the file lacks, at most once a minute, or now if `atOnce`. `currentIds` returns the
   * ids in the keys file: other ids are left out, so that the file does not grow for ever. `elapsedMs` is the
   * time of a clock that nobody sets. Never rejects; errors are logged.
   */
  save(currentIds: () => readonly string[], elapsedMs: number, atOnce?: boolean): Promise<void>;
}

const saveEveryMs = minuteMs;

/** The path of the usage file beside a keys file: `keys.used.json` beside `keys.json`. */
export function usagePathOf(keysPath: string): string {
  return keysPath.replace(/(\.json)?$/, '.used$1');
}

/**
 * Reads when keys were last used: days `YYYY-MM-DD` in UTC by the id of the key. Empty if there is no such
 * file, or if it cannot be parsed. Throws if it cannot be read.
 */
export async function readKeyUsage(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, 'utf8').catch(whereMissing(''));
  return new Map(Object.entries(parse(text)));
}

function parse(text: string): Readonly<Record<string, string>> {
  try {
    return KeyUsageFile.parse(JSON.parse(text)).usedOn;
  } catch {
    return {};
  }
}

/** Makes the record of usage in the file at a path. */
export function createKeyUsage(
  path: string,
  log: (event: string, details: Record<string, unknown>) => void,
): KeyUsage {
  const used = new Map<string, string>();
  let today = { number: -1, date: '' };
  /** Whether the file may lack something of `used`. */
  let isUnsaved = false;
  let nextSaveMs = -Infinity;
  let lastReason = '';
  let saving: Promise<void> | null = null;

  /**
   * Adds missing days to the file. Another process may replace the file at the same moment and lose them. So
   * a day counts as saved only when a later save finds it in the file.
   */
  async function save(currentIds: readonly string[]): Promise<void> {
    isUnsaved = false;
    const current = new Set(currentIds);
    for (const id of used.keys()) if (!current.has(id)) used.delete(id);
    try {
      const held = await readKeyUsage(path);
      const isLater = (id: string) => (used.get(id) ?? '') > (held.get(id) ?? '');
      if (currentIds.some(isLater)) {
        const days = currentIds.map((id) => [id, isLater(id) ? used.get(id) : held.get(id)] as const);
        const usedOn = Object.fromEntries(days.filter(([, day]) => day !== undefined));
        await replaceFile(path, `${JSON.stringify({ format: 1, usedOn })}\n`, 0o600);
        isUnsaved = true;
      }
      lastReason = '';
    } catch (error) {
      isUnsaved = true;
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      if (reason !== lastReason) log('key_use_unsaved', { path, reason: (error as Error).message });
      lastReason = reason;
    }
  }

  return {
    note(id, nowMs) {
      const number = Math.floor(nowMs / dayMs);
      if (today.number !== number) today = { number, date: dayAt(nowMs) };
      if (used.get(id) === today.date) return;
      used.set(id, today.date);
      isUnsaved = true;
    },
    async save(currentIds, elapsedMs, atOnce = false) {
      if (atOnce) await saving;
      if (!isUnsaved || saving !== null || (elapsedMs < nextSaveMs && !atOnce)) return;
      nextSaveMs = elapsedMs + saveEveryMs;
      await (saving = save(currentIds()).finally(() => (saving = null)));
    },
  };
}
