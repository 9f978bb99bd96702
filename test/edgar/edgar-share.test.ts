import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openCache } from '../../build/edgar/cache.ts';
import { createEdgarClient } from '../../build/edgar/client.ts';
import { createRateLimiter } from '../../build/edgar/rate-limiter.ts';
import { openShare, shareDirectory } from '../../build/edgar/share.ts';
import { json, startEdgarDouble } from './edgar-double.ts';
import { useDirectories } from '../support/directories.ts';

const fresh = useDirectories('edgar-share');
const silent = () => {};

describe('programs that ask the same upstream', () => {
  it('programs share the limit, and get the part of one that has left', () => {
    const directory = fresh();
    let nowMs = 0;
    const open = () => openShare(directory, () => nowMs, silent);
    const first = open();
    expect(first.clients()).toBe(1);
    const second = open();
    expect([first.clients(), second.clients()]).toEqual([2, 2]);
    second.leave();
    expect(first.clients()).toBe(2);
    nowMs = 1010;
    expect(first.clients()).toBe(1);
  });

  it('programs do not wait for killed ones', async () => {
    const directory = fresh();
    const path = join(directory, 'other');
    const program = `
      const { openSync } = require('node:fs');
      if (!require('fs-native-extensions').tryLock(openSync(process.argv[1], 'a+'))) process.exit(1);
      process.stdout.write('locked');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const share = openShare(directory, () => 0, silent);
    expect(share.clients()).toBe(2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(openShare(directory, () => 0, silent).clients()).toBe(2);
    expect([existsSync(path), readdirSync(directory).length]).toEqual([false, 2]);
  });

  it('programs ask also where the shared folder is a file', () => {
    const directory = join(fresh(), 'file');
    writeFileSync(directory, '');
    const lines: string[] = [];
    const share = openShare(
      directory,
      () => 0,
      (line) => void lines.push(line),
    );
    expect([share.clients(), share.clients(), lines.length]).toEqual([1, 1, 1]);
  });

  it('programs together keep to the limit', { tags: ['slow'] }, async () => {
    const edgar = await startEdgarDouble();
    edgar.route('/data.sec.gov/submissions/a.json', json({}));
    const settings = {
      userAgent: 'Jane Doe jane@example.com',
      dataUrl: edgar.dataUrl,
      wwwUrl: edgar.wwwUrl,
      requestsPerSecond: 10,
    };
    const clients = [0, 1].map(() =>
      createEdgarClient({ settings, cache: openCache(fresh(), Date.now), now: Date.now }),
    );
    await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 9 }, () =>
          client.get(`${edgar.dataUrl}/submissions/a.json`, { maxBytes: 1000 }),
        ),
      ),
    );
    const times = edgar.requests.map(({ atMs }) => atMs);
    const most = Math.max(
      ...times.map((from) => times.filter((atMs) => atMs >= from && atMs < from + 1000).length),
    );
    await Promise.all(clients.map((client) => client.close()));
    expect([most <= 10, readdirSync(shareDirectory(settings))]).toEqual([true, []]);
    await edgar.close();
  });

  it('a program keeps to its new part from the next request on', async () => {
    let [nowMs, limit] = [0, 10];
    const limiter = createRateLimiter({
      requestsPerSecond: () => limit,
      now: () => nowMs,
      sleep: async (pauseMs) => void (nowMs += pauseMs),
    });
    const starts: number[] = [];
    for (let at = 0; at < 20; at++) {
      if (at === 10) limit = 2;
      (await limiter.start())();
      starts.push(nowMs);
    }
    const gaps = starts.slice(1).map((start, at) => Math.round(start - (starts[at] as number)));
    expect([gaps.slice(0, 8).every((gap) => gap <= 110), gaps.slice(9).every((gap) => gap >= 500)]).toEqual([
      true,
      true,
    ]);
  });
});
