import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openCache } from '../../build/edgar/cache.ts';
import { createEdgarClient } from '../../build/edgar/client.ts';
import { createRateLimiter } from '../../build/edgar/rate-limiter.ts';
import { openShare, shareDirectories } from '../../build/edgar/share.ts';
import { json, startEdgarDouble } from './edgar-double.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';

const fresh = useDirectories('edgar-share');
const silent = () => {};

describe('programs that ask the same upstream', () => {
  it('programs share the limit, and get the part of one that has left', () => {
    const directory = join(fresh(), 'edgar');
    let nowMs = 0;
    const open = () => openShare([directory], () => nowMs, silent);
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
    const directory = join(fresh(), 'edgar');
    mkdirSync(directory, { mode: 0o700 });
    const path = join(directory, '0123456789abcdef01');
    const program = `
      const { openSync } = require('node:fs');
      if (!require('fs-native-extensions').tryLock(openSync(process.argv[1], 'a+'))) process.exit(1);
      process.stdout.write('locked');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const share = openShare([directory], () => 0, silent);
    expect(share.clients()).toBe(2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(openShare([directory], () => 0, silent).clients()).toBe(2);
    expect([existsSync(path), readdirSync(directory).length]).toEqual([false, 2]);
  });

  it('programs ask also where the shared folder is a file', () => {
    const directory = join(fresh(), 'file');
    writeFileSync(directory, '');
    const lines: string[] = [];
    const share = openShare(
      [directory],
      () => 0,
      (line) => void lines.push(line),
    );
    expect([share.clients(), share.clients(), lines.length]).toEqual([1, 1, 1]);
  });

  it('a program takes no folder that is open to others or a link, says so once, and takes the next one', () => {
    const [above, elsewhere] = [fresh(), fresh()];
    const names = ['open', 'link', 'good'].map((name) => join(above, name, 'edgar'));
    mkdirSync(join(above, 'open'));
    chmodSync(join(above, 'open'), 0o777);
    symlinkSync(elsewhere, join(above, 'link'));
    const lines: string[] = [];
    const open = () =>
      openShare(
        names,
        () => 0,
        (line) => void lines.push(line),
      );
    const first = open();
    expect([first.clients(), first.clients(), lines.length]).toEqual([1, 1, 2]);
    expect(lines.map((line) => /(open|link) (is .*)$/.exec(line)?.[2])).toEqual([
      'is open to other users',
      'is no folder',
    ]);
    expect([open().clients(), readdirSync(elsewhere), readdirSync(join(above, 'open'))]).toEqual([2, [], []]);
    // A program that finds no folder asks as if it were alone, and makes nothing.
    expect(openShare(names.slice(0, 2), () => 0, silent).clients()).toBe(1);
    expect([readdirSync(elsewhere), readdirSync(join(above, 'open'))]).toEqual([[], []]);
  });

  it('a program notices when its folder is exchanged for a link while it runs', () => {
    const [above, elsewhere] = [fresh(), fresh()];
    const directory = join(above, 'own', 'edgar');
    const share = openShare([directory], () => 0, silent);
    renameSync(join(above, 'own'), join(above, 'away'));
    symlinkSync(elsewhere, join(above, 'own'));
    expect([share.clients(), readdirSync(elsewhere)]).toEqual([1, []]);
  });

  it('a program follows no link in its folder, and counts no other file there', () => {
    const [directory, elsewhere] = [join(fresh(), 'edgar'), fresh()];
    const share = openShare([directory], () => 0, silent);
    const own = join(directory, readdirSync(directory)[0] ?? '');
    expect([lstatSync(own).mode & 0o777, lstatSync(directory).mode & 0o777]).toEqual([0o600, 0o700]);
    writeFileSync(join(directory, 'notes'), '');
    expect([share.clients(), readdirSync(directory).length]).toEqual([1, 2]);
    symlinkSync(join(elsewhere, 'made'), join(directory, '0123456789abcdef01'));
    expect([share.clients(), readdirSync(elsewhere)]).toEqual([1, []]);
  });

  it('a program takes no folder of another user', needs('root'), () => {
    const above = fresh();
    const names = ['theirs', 'good'].map((name) => join(above, name, 'edgar'));
    mkdirSync(names[0] ?? '', { recursive: true, mode: 0o700 });
    chownSync(join(above, 'theirs'), 65_534, 65_534);
    const lines: string[] = [];
    const share = openShare(
      names,
      () => 0,
      (line) => void lines.push(line),
    );
    expect([share.clients(), existsSync(names[1] ?? '')]).toEqual([1, true]);
    expect(lines).toEqual([expect.stringContaining('theirs belongs to another user')]);
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
          client.get(`${edgar.dataUrl}/submissions/a.json`, { maxBytes: 1000, parse: String }),
        ),
      ),
    );
    const times = edgar.requests.map(({ atMs }) => atMs);
    const most = Math.max(
      ...times.map((from) => times.filter((atMs) => atMs >= from && atMs < from + 1000).length),
    );
    await Promise.all(clients.map((client) => client.close()));
    expect([most <= 10, readdirSync(shareDirectories(settings)[0] ?? '')]).toEqual([true, []]);
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
