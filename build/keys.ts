import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { digestOf } from '../src/keys/digest.ts';
import { readKeysFile } from '../src/keys/file.ts';
import { parseKeysFile, type KeyEntry } from '../src/keys/ring.ts';
import { readKeyUsage, readLastUse, usagePathOf } from '../src/keys/usage-files.ts';
import { csvOf } from '../site/content/csv-file.ts';
import { cellsOf } from '../site/content/sheet.ts';
import { changeFile } from './disk/change-file.ts';
import { explainFullDisk } from './disk/full.ts';
import { dayMs } from '../src/time/units.ts';

/**
 * Adds a key to a keys file and returns the key. The file keeps only the SHA-256 of the key, so the key
 * cannot be shown again.
 */
export async function addKey(
  path: string,
  label: string,
  expiresInDays: number | null,
  nowMs: number,
  perMinute: number | null = null,
): Promise<{ key: string; entry: KeyEntry }> {
  const key = `fei_${randomBytes(24).toString('base64url')}`;
  const sha256 = digestOf(key);
  const entry: KeyEntry = {
    id: sha256.slice(0, 8),
    label,
    sha256,
    createdAt: new Date(nowMs).toISOString(),
    expiresAt: expiresInDays === null ? null : new Date(nowMs + expiresInDays * dayMs).toISOString(),
    ...(perMinute === null ? {} : { perMinute }),
  };
  await changeKeys(path, (keys) => ({ keys: [...keys, entry], result: entry }));
  return { key, entry };
}

/** Reads the keys of a file. Returns an empty list if there is no file. */
export async function listKeys(path: string): Promise<KeyEntry[]> {
  return (await readKeysFile(path))?.keys ?? [];
}

/** Returns a function that tells, for the id of a key, when that key was last used. */
export async function describeUse(path: string): Promise<(id: string) => string> {
  const last = await readLastUse(path).catch(() => null);
  return (id) => (last === null ? 'use unknown' : last.has(id) ? `used ${last.get(id)}` : 'never used');
}

/** What one key or buyer used on one day. */
const usageColumns = ['day', 'caller', 'label', 'requests', 'bytes', 'clientErrors'] as const;

/**
 * The lines that show what keys and buyers used from `since` to `until` (days `YYYY-MM-DD`, both inclusive;
 * null for no bound), by day and caller. As CSV (RFC 4180) they begin with the names of the columns, and a
 * label that a spreadsheet would take for a formula gets an apostrophe. `path` is that of the keys file.
 */
export async function usageLines(
  path: string,
  { since, until, csv }: { since?: string; until?: string; csv?: true },
): Promise<string[]> {
  const labels = new Map((await listKeys(path)).map(({ id, label }) => [id, label]));
  const rows = (await readKeyUsage(usagePathOf(path), since, until)).map((used) => ({
    ...used,
    label: labels.get(used.caller) ?? '',
  }));
  if (csv === true)
    return csvOf(
      usageColumns,
      rows.map((row) => cellsOf(row, usageColumns)),
    )
      .split('\r\n')
      .slice(0, -1);
  if (rows.length === 0) return ['nothing was used'];
  return rows.map(
    ({ day, caller, label, requests, bytes, clientErrors }) =>
      `${day}  ${caller}  ${requests} requests  ${bytes} bytes  ${clientErrors} client errors${label === '' ? '' : `  ${label}`}`,
  );
}

/**
 * Removes the key with this id or label, and returns its entry. Throws if no key, or more than one, has it.
 */
export function revokeKey(path: string, name: string): Promise<KeyEntry> {
  return changeKeys(path, (keys) => {
    const named = keys.filter(({ id, label }) => id === name || label === name);
    const [entry] = named;
    if (named.length !== 1 || !entry)
      throw new Error(
        `${named.length} keys are named ${JSON.stringify(name)}; the ids are ${keys.map(({ id }) => id).join(', ') || 'none'}`,
      );
    return { keys: keys.filter((each) => each !== entry), result: entry };
  });
}

/** Changes the keys of a file. Programs that do so at the same time take turns. */
function changeKeys(
  path: string,
  change: (keys: readonly KeyEntry[]) => { readonly keys: readonly KeyEntry[]; readonly result: KeyEntry },
): Promise<KeyEntry> {
  return changeFile(
    path,
    (text) => {
      const { keys, result } = change(text === null ? [] : parseKeysFile(path, text).keys);
      return { text: `${JSON.stringify({ format: 1, keys }, null, 2)}\n`, result };
    },
    0o600,
  ).catch(async (error: unknown) => {
    throw await explainFullDisk(error, dirname(path), null);
  });
}
