import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { digestOf } from '../src/keys/digest.ts';
import { readKeysFile } from '../src/keys/file.ts';
import type { KeyEntry } from '../src/keys/ring.ts';
import { readKeyUsage, usagePathOf } from '../src/keys/usage.ts';
import { replaceFile } from './disk/files.ts';
import { dayMs } from '../src/contract/time.ts';

/** Adds a key to a keys file and returns it: it is shown this once and only its digest is kept. */
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
  await writeKeys(path, [...(await listKeys(path)), entry]);
  return { key, entry };
}

/** The keys of a file; none if there is no file. */
export async function listKeys(path: string): Promise<KeyEntry[]> {
  return (await readKeysFile(path))?.keys ?? [];
}

/** Makes a function that says when a key of a keys file was last used, by its id. */
export async function describeUse(path: string): Promise<(id: string) => string> {
  const usage = await readKeyUsage(usagePathOf(path)).catch(() => null);
  return (id) => (usage === null ? 'use unknown' : usage.has(id) ? `used ${usage.get(id)}` : 'never used');
}

/** Removes a key by its id or label. Throws if that does not name exactly one. */
export async function revokeKey(path: string, name: string): Promise<KeyEntry> {
  const keys = await listKeys(path);
  const named = keys.filter(({ id, label }) => id === name || label === name);
  const [entry] = named;
  if (named.length !== 1 || !entry)
    throw new Error(
      `${named.length} keys are named ${JSON.stringify(name)}; the ids are ${keys.map(({ id }) => id).join(', ') || 'none'}`,
    );
  await writeKeys(
    path,
    keys.filter((each) => each !== entry),
  );
  return entry;
}

async function writeKeys(path: string, keys: readonly KeyEntry[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, `${JSON.stringify({ format: 1, keys }, null, 2)}\n`, 0o600);
}
