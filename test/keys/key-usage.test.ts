import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { addKey, describeUse, usageLines } from '../../build/keys.ts';
import { createKeyUsage, readKeyUsage, usagePathOf } from '../../src/keys/usage-files.ts';
import { useDirectories } from '../support/directories.ts';

const directory = useDirectories('key-usage');
const nowMs = Date.parse('2026-05-01T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The usage of one process in a folder that others share. */
function usageAt(folder = join(directory(), 'keys.usage')) {
  const events: Record<string, unknown>[] = [];
  const usage = createKeyUsage(folder, (event, details, level) =>
    events.push({ event, ...details, ...(level && { level }) }),
  );
  const held = async () =>
    (await readKeyUsage(folder)).map(
      ({ day, caller, requests, bytes, clientErrors }) =>
        `${day} ${caller} ${requests} ${bytes} ${clientErrors}`,
    );
  return { folder, events, held, ...usage };
}

describe('usage', () => {
  it('usage is written beside the keys file', () => {
    expect(['/a/keys.json', '/a.json/keys', 'keys.json.json'].map(usagePathOf)).toEqual([
      '/a/keys.usage',
      '/a.json/keys.usage',
      'keys.json.usage',
    ]);
  });

  it('usage counts requests, bytes and client errors of each caller by day, in UTC', async () => {
    const { count, save, held, folder } = usageAt();
    count('a', Date.parse('2026-05-01T23:59:59.999Z'), 200, 100);
    count('a', Date.parse('2026-05-02T00:00:00Z'), 304, 0);
    count('gateway:alice', nowMs + dayMs, 404, 7);
    count('gateway:alice', nowMs + dayMs, 429, 3, 2);
    count('gateway:alice', nowMs + dayMs, 503, 1);
    await save(0);
    expect(await held()).toEqual([
      '2026-05-01 a 1 100 0',
      '2026-05-02 a 1 0 0',
      '2026-05-02 gateway:alice 4 11 3',
    ]);
    expect((await readKeyUsage(folder, '2026-05-02')).length).toBe(2);
    expect((await readKeyUsage(folder, '2026-04-01', '2026-05-01')).length).toBe(1);
    const file = join(folder, '2026-05-01', readdirSync(join(folder, '2026-05-01'))[0] as string);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('usage is written once a minute at most, and when the service stops', async () => {
    const { count, save, held, folder } = usageAt();
    await save(0);
    expect(await held()).toEqual([]);
    count('a', nowMs, 200, 1);
    await save(0);
    count('a', nowMs, 200, 1);
    await save(minuteMs - 1);
    expect(await held()).toEqual(['2026-05-01 a 1 1 0']);
    await save(minuteMs);
    expect(await held()).toEqual(['2026-05-01 a 2 2 0']);
    count('a', nowMs, 200, 1);
    await save(minuteMs + 1, true);
    expect(await held()).toEqual(['2026-05-01 a 3 3 0']);
    const day = join(folder, '2026-05-01');
    const { ino } = statSync(join(day, readdirSync(day)[0] as string), { bigint: true });
    await save(9 * minuteMs);
    expect(statSync(join(day, readdirSync(day)[0] as string), { bigint: true }).ino).toBe(ino);
  });

  it('processes that share a folder lose nothing of each other, and a restart adds to what was there', async () => {
    const folder = join(directory(), 'shared.usage');
    for (let run = 0; run < 3; run++) {
      const processes = Array.from({ length: 4 }, () => usageAt(folder));
      for (const { count } of processes) for (let at = 0; at < 10; at++) count('a', nowMs, 200, 5);
      await Promise.all(processes.map(({ save }) => save(0)));
    }
    expect(await usageAt(folder).held()).toEqual(['2026-05-01 a 120 600 0']);
  });

  it('a clock that is set back over midnight overwrites nothing', async () => {
    const { count, save, held } = usageAt();
    for (const atMs of [nowMs, nowMs + dayMs, nowMs, nowMs + dayMs]) {
      count('a', atMs, 200, 1);
      await save(0, true);
    }
    expect(await held()).toEqual(['2026-05-01 a 2 2 0', '2026-05-02 a 2 2 0']);
  });

  it('usage that cannot be written is reported once, tried and counted each minute, and not lost', async () => {
    const { folder, count, save, held, events } = usageAt();
    writeFileSync(folder, '');
    for (let at = 0; at < 5; at++) {
      count('a', nowMs, 200, 1);
      await save(at * minuteMs);
    }
    // An alert that asks for the last hour goes on for as long.
    const unsaved = { event: 'key_use_unsaved', path: folder, reason: expect.any(String) as string };
    expect(events).toEqual([unsaved, ...Array.from({ length: 4 }, () => ({ ...unsaved, level: 'debug' }))]);
    rmSync(folder);
    await save(5 * minuteMs);
    expect(await held()).toEqual(['2026-05-01 a 5 5 0']);
  });

  it('a file that is not as a service writes it is an error that names it, not a smaller bill', async () => {
    const { folder, count, save } = usageAt();
    count('a', nowMs, 200, 1);
    await save(0);
    writeFileSync(join(folder, '2026-05-01', 'other.json'), '{"format":1,"day":"2026-05-01","callers":{"a":');
    await expect(readKeyUsage(folder)).rejects.toThrow('other.json');
  });

  it('a process that is killed loses only what it counted since it last wrote', {
    tags: ['slow'],
  }, async () => {
    const folder = join(directory(), 'killed.usage');
    let [reported, counted] = [0, 0];
    for (let run = 0; run < 2; run++) {
      const child = spawn(
        process.execPath,
        ['--import', 'tsx', fileURLToPath(new URL('../processes/usage.ts', import.meta.url)), folder],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.split('\n').length > 5 + run) child.kill('SIGKILL');
      });
      await once(child, 'close');
      // Each line has how many requests the process has counted, and how many of them are written.
      const lines = output
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(' ').map(Number));
      reported += Math.max(...lines.map(([, written = 0]) => written));
      counted += Math.max(...lines.map(([all = 0]) => all)) + 1000;
    }
    const [used, ...others] = await readKeyUsage(folder);
    expect([others.length, used?.caller]).toEqual([0, 'a']);
    expect(reported).toBeGreaterThan(2000);
    expect(used?.requests).toBeGreaterThanOrEqual(reported);
    expect(used?.requests).toBeLessThanOrEqual(counted);
    expect(used?.bytes).toBe(10 * (used?.requests as number));
  });
});

describe('keys usage', () => {
  it('keys usage shows and exports what each key and buyer used', async () => {
    const path = join(directory(), 'keys.json');
    const { entry } = await addKey(path, '=HYPERLINK("x"), Inc.', null, nowMs);
    const { count, save } = usageAt(usagePathOf(path));
    count(entry.id, nowMs, 200, 100);
    count('gateway:alice', nowMs + dayMs, 404, 7);
    await save(0);
    expect(await usageLines(path, { until: '2026-05-01' })).toEqual([
      `2026-05-01  ${entry.id}  1 requests  100 bytes  0 client errors  =HYPERLINK("x"), Inc.`,
    ]);
    const exported = await usageLines(path, { csv: true });
    // An identifier like 17058e95 is written as a text formula, for a spreadsheet reads it as a number.
    expect(exported.map((line) => line.replace(/"=""(\w+)"""/, '$1'))).toEqual([
      'day,caller,label,requests,bytes,clientErrors',
      `2026-05-01,${entry.id},"'=HYPERLINK(""x""), Inc.",1,100,0`,
      '2026-05-02,gateway:alice,,1,7,1',
    ]);
  });

  it('an export of nothing has the names of its columns', async () => {
    const path = join(directory(), 'none.json');
    expect(await usageLines(path, { csv: true })).toEqual(['day,caller,label,requests,bytes,clientErrors']);
    expect(await usageLines(path, {})).toEqual(['nothing was used']);
  });

  it('the list of keys has the day of their last use, also of one that only an earlier version recorded', async () => {
    const path = join(directory(), 'listed.json');
    const [used, former, idle] = [
      await addKey(path, 'used', null, nowMs),
      await addKey(path, 'former', null, nowMs),
      await addKey(path, 'idle', null, nowMs),
    ];
    const usedOn = { [former.entry.id]: '2026-04-03', [used.entry.id]: '2026-04-03' };
    writeFileSync(path.replace('.json', '.used.json'), JSON.stringify({ format: 1, usedOn }));
    const { count, save } = usageAt(usagePathOf(path));
    for (const at of [0, 1]) count(used.entry.id, nowMs + at * dayMs, 200, 1);
    await save(0);
    const use = await describeUse(path);
    expect([used, former, idle].map(({ entry }) => use(entry.id))).toEqual([
      'used 2026-05-02',
      'used 2026-04-03',
      'never used',
    ]);
    rmSync(usagePathOf(path), { recursive: true });
    writeFileSync(usagePathOf(path), '');
    expect((await describeUse(path))(idle.entry.id)).toBe('use unknown');
  });
});
