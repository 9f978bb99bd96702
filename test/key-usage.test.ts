import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addKey, describeUse, revokeKey } from '../build/keys.ts';
import { createKeyUsage, readKeyUsage, usagePathOf } from '../src/keys/usage.ts';
import { keysFileAt } from '../src/keys/file.ts';
import { createKeyRing } from '../src/keys/ring.ts';
import { useDirectories } from './support/directories.ts';

const directory = useDirectories('key-usage');
const nowMs = Date.parse('2026-05-01T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** What one process remembers of the keys `a`, `b` and `c`, beside others that share its file. */
function usageAt(path = join(directory(), 'keys.used.json'), ids: readonly string[] = ['a', 'b', 'c']) {
  const events: Record<string, unknown>[] = [];
  const usage = createKeyUsage(path, (event, details) => void events.push({ event, ...details }));
  const save = (atMs: number, atOnce?: boolean) => usage.save(() => ids, atMs, atOnce);
  const held = async () => Object.fromEntries(await readKeyUsage(path));
  return { path, events, note: usage.note, save, held };
}

describe('usagePathOf', () => {
  it.each([
    ['/a/keys.json', '/a/keys.used.json'],
    ['/a.json/keys', '/a.json/keys.used'],
    ['keys.json.json', 'keys.json.used.json'],
  ])('usagePathOf of %s is %s', (path, expected) => expect(usagePathOf(path)).toBe(expected));
});

describe('the record of use', () => {
  it('the record of use holds the last day of each key, in UTC', async () => {
    const { note, save, held, path } = usageAt();
    note('a', Date.parse('2026-05-01T23:59:59.999Z'));
    note('b', Date.parse('2026-05-01T12:00:00Z'));
    note('b', Date.parse('2026-05-02T00:00:00Z'));
    await save(nowMs);
    expect(await held()).toEqual({ a: '2026-05-01', b: '2026-05-02' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(['keys.used.json']);
  });

  it('the record of use is written once a minute at most, and when the service stops', async () => {
    const { note, save, held, path } = usageAt();
    await save(nowMs);
    expect(readdirSync(dirname(path))).toEqual([]);
    note('a', nowMs);
    await save(nowMs);
    note('b', nowMs);
    await save(nowMs + minuteMs - 1);
    expect(await held()).toEqual({ a: '2026-05-01' });
    await save(nowMs + minuteMs);
    expect(await held()).toEqual({ a: '2026-05-01', b: '2026-05-01' });
    note('c', nowMs);
    await save(nowMs + minuteMs + 1, true);
    expect(await held()).toEqual({ a: '2026-05-01', b: '2026-05-01', c: '2026-05-01' });
    const { mtimeNs, ino } = statSync(path, { bigint: true });
    for (let at = 2; at < 10; at++) {
      for (const id of ['a', 'b', 'c']) note(id, nowMs + at * minuteMs);
      await save(nowMs + at * minuteMs);
    }
    expect(statSync(path, { bigint: true })).toMatchObject({ mtimeNs, ino });
  });

  it('the records of several processes are merged: the later day stays', async () => {
    const one = usageAt();
    const two = usageAt(one.path);
    one.note('a', nowMs + dayMs);
    one.note('b', nowMs);
    two.note('a', nowMs);
    two.note('c', nowMs);
    await one.save(nowMs);
    await two.save(nowMs);
    expect(await one.held()).toEqual({ a: '2026-05-02', b: '2026-05-01', c: '2026-05-01' });
  });

  it('records written at the same moment are complete a minute later', async () => {
    const path = join(directory(), 'keys.used.json');
    const ids = Array.from({ length: 6 }, (_, at) => `key${at}`);
    const processes = ids.map(() => usageAt(path, ids));
    processes.forEach(({ note }, at) => note(ids[at] as string, nowMs));
    // Each round can lose the writes of all but one.
    for (let round = 0; round <= ids.length; round++)
      await Promise.all(processes.map(({ save }) => save(nowMs + round * minuteMs)));
    expect(await readKeyUsage(path)).toEqual(new Map(ids.map((id) => [id, '2026-05-01'])));
    const { ino } = statSync(path, { bigint: true });
    for (let round = 20; round < 24; round++)
      await Promise.all(processes.map(({ save }) => save(nowMs + round * minuteMs)));
    expect(statSync(path, { bigint: true }).ino).toBe(ino);
  });

  it('the record of use leaves out keys that are gone', async () => {
    const { path, note, save } = usageAt();
    note('a', nowMs);
    note('b', nowMs);
    await save(nowMs);
    const later = usageAt(path, ['b', 'c']);
    for (const id of ['a', 'c']) later.note(id, nowMs);
    await later.save(nowMs);
    expect(await later.held()).toEqual({ b: '2026-05-01', c: '2026-05-01' });
  });

  it.each(['', '{"format":1,"usedOn":{"a":"20', '{"format":1,"usedOn":{"a":"yesterday"}}', '[]'])(
    'a record of use that is broken (%s) is made again',
    async (text) => {
      const { path, note, save, held, events } = usageAt();
      writeFileSync(path, text);
      expect(await held()).toEqual({});
      note('a', nowMs);
      await save(nowMs);
      expect([await held(), events]).toEqual([{ a: '2026-05-01' }, []]);
    },
  );

  it('a record of use that cannot be read or written is reported once, and tried each minute', async () => {
    const { path, note, save, held, events } = usageAt();
    mkdirSync(path);
    note('a', nowMs);
    for (let at = 0; at < 5; at++) await save(nowMs + at * minuteMs);
    expect(events).toEqual([{ event: 'key_use_unsaved', path, reason: expect.any(String) as string }]);
    rmSync(path, { recursive: true });
    await save(nowMs + 5 * minuteMs);
    expect(await held()).toEqual({ a: '2026-05-01' });
  });
});

describe('keys', () => {
  it('keys of the file have the day of their last use; others are not recorded', async () => {
    const path = join(directory(), 'keys.json');
    const [used, idle, expired] = [
      await addKey(path, 'used', null, nowMs),
      await addKey(path, 'idle', null, nowMs),
      await addKey(path, 'expired', 1, nowMs),
    ];
    const ring = createKeyRing(
      ['a-key-for-local-use'],
      keysFileAt(path, () => {}),
      () => {},
    );
    ring.admit('run_key');
    await ring.refresh();
    expect(
      ['a-key-for-local-use', 'run_key', used.key, expired.key, 'wrong'].map(
        (key) => ring.find(key, nowMs + 2 * dayMs) !== null,
      ),
    ).toEqual([true, true, true, false, false]);
    await ring.recordUse(nowMs + 2 * dayMs);
    const use = await describeUse(path);
    expect([used, idle, expired].map(({ entry }) => use(entry.id))).toEqual([
      'used 2026-05-03',
      'never used',
      'never used',
    ]);
    expect(
      Object.keys((JSON.parse(readFileSync(usagePathOf(path), 'utf8')) as { usedOn: object }).usedOn),
    ).toEqual([used.entry.id]);
    await revokeKey(path, 'used');
    rmSync(usagePathOf(path));
    mkdirSync(usagePathOf(path));
    expect((await describeUse(path))(idle.entry.id)).toBe('use unknown');
  });
});
