import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addKey, listKeys, revokeKey } from '../../build/keys.ts';
import { keysFileAt } from '../../src/keys/file.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';

const directory = useDirectories('keys');
const nowMs = Date.parse('2026-03-02T12:00:00.000Z');
const keysFile = () => join(directory(), 'inner', 'keys.json');

describe('programs that change keys at the same time', () => {
  it('no added key is lost, and no revoked key comes back', async () => {
    const path = keysFile();
    await addKey(path, 'leaked', null, nowMs);
    const labels = Array.from({ length: 12 }, (_, at) => `n${at}`);
    await Promise.all([
      ...labels.slice(0, 6).map((label) => addKey(path, label, null, nowMs)),
      revokeKey(path, 'leaked'),
      ...labels.slice(6).map((label) => addKey(path, label, null, nowMs)),
    ]);
    expect((await listKeys(path)).map(({ label }) => label).sort()).toEqual(labels.toSorted());
  });
});

describe('addKey', () => {
  it('gives a key that nobody can read from the file', async () => {
    const path = keysFile();
    const { key, entry } = await addKey(path, 'Ada "=cmd" Ünï', 30, nowMs);
    const text = readFileSync(path, 'utf8');
    expect(key).toMatch(/^fei_[\w-]{32}$/);
    expect(text).not.toContain(key.slice(4));
    expect(JSON.parse(text)).toEqual({ format: 1, keys: [entry] });
    const sha256 = sha256Of(key);
    expect(entry).toEqual({
      id: sha256.slice(0, 8),
      label: 'Ada "=cmd" Ünï',
      sha256,
      createdAt: '2026-03-02T12:00:00.000Z',
      expiresAt: '2026-04-01T12:00:00.000Z',
    });
  });

  it('lets the owner alone read the file, also one that others could read before', async () => {
    const path = keysFile();
    await addKey(path, 'one', null, nowMs);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    await addKey(path, 'two', null, nowMs);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path)).sort()).toEqual(['keys.json', 'keys.json.lock']);
  });

  it('does not write over a file that it does not understand', async () => {
    const path = join(directory(), 'keys.json');
    for (const text of ['', '{', '{"format":2,"keys":[]}', '{"format":1,"keys":[{"id":"x"}]}']) {
      writeFileSync(path, text);
      await expect(addKey(path, 'a', null, nowMs)).rejects.toThrow(path);
      await expect(listKeys(path)).rejects.toThrow(path);
      await expect(revokeKey(path, 'a')).rejects.toThrow(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });
});

describe('listKeys and revokeKey', () => {
  it('listKeys and revokeKey make no file where there is none', async () => {
    const path = keysFile();
    expect(await listKeys(path)).toEqual([]);
    await expect(revokeKey(path, 'a')).rejects.toThrow('0 keys are named "a"; the ids are none');
    expect(existsSync(path)).toBe(false);
  });

  it('revokeKey removes one key, by its id or label', async () => {
    const path = keysFile();
    const [a, b, c] = [
      await addKey(path, 'a', null, nowMs),
      await addKey(path, 'b', null, nowMs),
      await addKey(path, 'c', null, nowMs),
    ];
    expect(await revokeKey(path, a.entry.id)).toEqual(a.entry);
    expect(await revokeKey(path, 'c')).toEqual(c.entry);
    expect(await listKeys(path)).toEqual([b.entry]);
    const ring = createKeyRing([], keysFileAt(path), () => {});
    await ring.refresh();
    expect([a, b, c].map(({ key }) => ring.find(key, nowMs))).toEqual([null, b.entry.id, null]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('revokeKey removes none where the name is not clear', async () => {
    const path = keysFile();
    const [first, second] = [
      await addKey(path, 'same', null, nowMs),
      await addKey(path, 'same', null, nowMs),
    ];
    await expect(revokeKey(path, 'same')).rejects.toThrow(
      `2 keys are named "same"; the ids are ${first.entry.id}, ${second.entry.id}`,
    );
    await expect(revokeKey(path, first.entry.id.slice(0, 4))).rejects.toThrow('0 keys');
    expect((await listKeys(path)).length).toBe(2);
  });
});
