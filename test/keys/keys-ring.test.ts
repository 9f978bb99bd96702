import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, keyCharactersMaximum } from '../../src/keys/digest.ts';
import { keysFileAt } from '../../src/keys/file.ts';
import { createKeyRing, type KeyEntry } from '../../src/keys/ring.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import type { LogLevel } from '../../src/log/levels.ts';
import { useDirectories } from '../support/directories.ts';

const directory = useDirectories('keys');
const now = Date.parse('2026-05-01T00:00:00Z');
const entryOf = (key: string, more: Partial<KeyEntry> = {}): KeyEntry => ({
  id: sha256Of(key).slice(0, 8),
  label: 'test',
  sha256: sha256Of(key),
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  ...more,
});
const fileOf = (...entries: readonly KeyEntry[]) => JSON.stringify({ format: 1, keys: entries });

/** A ring over a file, and what it logs. */
function ringOver(path: string | null, given: readonly string[] = []) {
  const events: { event: string; details: Record<string, unknown>; level: LogLevel | undefined }[] = [];
  const log = (event: string, details: Record<string, unknown>, level?: LogLevel) =>
    void events.push({ event, details, level });
  return { ring: createKeyRing(given, path === null ? null : keysFileAt(path), log), events };
}

describe('a ring of given keys', () => {
  it('a ring accepts each of its keys, and no other text', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), { maxLength: 8 }),
        fc.string({ unit: 'binary' }),
        (keys, other) => {
          const { ring } = ringOver(null, keys);
          expect(ring.size()).toBe(keys.length);
          for (const key of keys) expect(ring.find(key, now)).toBe(digestOf(key).slice(0, 8));
          if (!keys.includes(other)) expect(ring.find(other, now)).toBeNull();
          for (const key of keys)
            for (const near of [`${key} `, ` ${key}`, key.slice(0, -1), key + key])
              if (!keys.includes(near)) expect(ring.find(near, now)).toBeNull();
        },
      ),
    ));

  it('a ring refuses longer texts than keys before it looks', () => {
    const longest = 'k'.repeat(keyCharactersMaximum);
    const { ring } = ringOver(null, [longest, `${longest}k`]);
    expect(ring.find(longest, now)).not.toBeNull();
    expect(ring.find(`${longest}k`, now)).toBeNull();
    for (const text of ['', '\0', 'x'.repeat(1_000_000), '__proto__', 'ü'.repeat(keyCharactersMaximum)])
      expect(ring.find(text, now)).toBeNull();
  });

  it('a ring without keys accepts nobody', () => {
    const { ring } = ringOver(null);
    for (const text of ['', 'null', 'undefined', '\0'.repeat(32)]) expect(ring.find(text, now)).toBeNull();
  });

  it('a ring does not accept the digest of a key', () =>
    expect(ringOver(null, ['good']).ring.find(sha256Of('good'), now)).toBeNull());
});

describe('a keys file', () => {
  it('keys of the file are accepted beside the given ones, until the file is removed', async () => {
    const path = join(directory(), 'keys.json');
    const { ring } = ringOver(path, ['given']);
    await ring.refresh();
    expect(ring.size()).toBe(1);
    writeFileSync(path, fileOf(entryOf('filed')));
    expect(ring.find('filed', now)).toBeNull();
    await ring.refresh();
    expect([ring.find('given', now), ring.find('filed', now)]).toEqual([
      sha256Of('given').slice(0, 8),
      sha256Of('filed').slice(0, 8),
    ]);
    rmSync(path);
    await ring.refresh();
    expect([ring.find('given', now), ring.find('filed', now)]).toEqual([sha256Of('given').slice(0, 8), null]);
  });

  it('a key of the file ends at the moment it expires', async () => {
    const path = join(directory(), 'keys.json');
    writeFileSync(
      path,
      fileOf(
        entryOf('short', { expiresAt: '2026-05-01T00:00:00.000Z' }),
        entryOf('past', { expiresAt: '2025-05-01T00:00:00Z' }),
        entryOf('lasting'),
      ),
    );
    const { ring } = ringOver(path);
    await ring.refresh();
    expect(['short', 'past', 'lasting'].map((key) => ring.find(key, now - 1) !== null)).toEqual([
      true,
      false,
      true,
    ]);
    expect(ring.find('short', now)).toBeNull();
  });

  it('a keys file that changed is read again, also with the same size and date', async () => {
    const path = join(directory(), 'keys.json');
    writeFileSync(path, fileOf(entryOf('first')));
    const { ring } = ringOver(path);
    await ring.refresh();
    const { mtime, size } = statSync(path);
    // As the command line writes it: to a temporary file that it renames.
    writeFileSync(`${path}.tmp`, fileOf(entryOf('other')));
    utimesSync(`${path}.tmp`, mtime, mtime);
    renameSync(`${path}.tmp`, path);
    expect(statSync(path).size).toBe(size);
    await ring.refresh();
    expect([ring.find('first', now), ring.find('other', now) !== null]).toEqual([null, true]);
  });

  it.each<[string, string | null]>([
    ['nothing that can be read', null],
    ['no JSON', '{"format":1,"keys":['],
    ['nothing', ''],
    ['another format', JSON.stringify({ format: 2, keys: [] })],
    ['no list', JSON.stringify({ format: 1 })],
    ['a key as it is', JSON.stringify({ format: 1, keys: [{ ...entryOf('plain'), sha256: 'plain' }] })],
    ['a date that is none', fileOf(entryOf('plain', { expiresAt: 'soon' }))],
    ['a label that is missing', fileOf({ ...entryOf('plain'), label: '' })],
  ])(
    'a keys file that holds %s leaves the last good keys in force, and is told once and counted at each look',
    async (_, content) => {
      const path = join(directory(), 'keys.json');
      writeFileSync(path, fileOf(entryOf('good')));
      const { ring, events } = ringOver(path);
      await ring.refresh();
      rmSync(path);
      if (content === null) mkdirSync(path);
      else writeFileSync(path, content);
      for (let look = 0; look < 3; look++) await ring.refresh();
      expect(ring.find('good', now)).not.toBeNull();
      expect(ring.find('plain', now)).toBeNull();
      expect(events.map(({ event, level }) => [event, level])).toEqual([
        ['keys', undefined],
        ['keys_refused', undefined],
        ['keys_refused', 'debug'],
        ['keys_refused', 'debug'],
      ]);
      expect(events[1]?.details['reason']).toContain(path);
      rmSync(path, { recursive: true });
      writeFileSync(path, fileOf(entryOf('mended')));
      await ring.refresh();
      expect([ring.find('good', now), ring.find('mended', now) !== null]).toEqual([null, true]);
    },
  );

  it('a keys file that is broken at the start lets nobody in', async () => {
    const path = join(directory(), 'keys.json');
    writeFileSync(path, 'nonsense');
    const { ring } = ringOver(path, ['given']);
    await ring.refresh();
    expect([ring.size(), ring.find('given', now) !== null]).toEqual([1, true]);
  });

  it('a keys file is not read again while nothing changes, and its digests are never logged', async () => {
    const path = join(directory(), 'keys.json');
    writeFileSync(path, fileOf(entryOf('good')));
    const { ring, events } = ringOver(path);
    await Promise.all([ring.refresh(), ring.refresh()]);
    for (let look = 0; look < 3; look++) await ring.refresh();
    expect(events.length).toBe(1);
    writeFileSync(path, `${readFileSync(path, 'utf8')} trailing`);
    await ring.refresh();
    expect(JSON.stringify(events)).not.toContain(sha256Of('good').slice(0, 12));
  });
});
