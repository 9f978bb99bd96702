import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCopies } from '../../src/remote/copies.ts';
import { openPartHost, type HostOptions, type PartHost } from '../../src/remote/host.ts';
import type { RetryPolicy } from '../../src/fetch/retries.ts';
import type { HostTimeouts } from '../../src/remote/host-wire.ts';
import { paths } from '../../src/format/snapshot.ts';
import { Unavailable, sha256Of } from '../../src/files/bytes.ts';
import { closing } from '../support/closing.ts';
import { useDirectories } from '../support/directories.ts';
import { startFileHost, type FileHost, type HostBehaviour, type HostFault } from '../support/file-host.ts';
import { filesBelow } from '../support/files-below.ts';
import { createRandom } from '../support/generate.ts';
import { startNginx } from '../support/nginx.ts';
import { needs } from '../support/needs.ts';

const directory = useDirectories('remote');
const table = 'segments/1-1-0123456789abcdef/changes.jsonl.gz';
const quick: RetryPolicy = { attempts: 4, firstMs: 5, longestMs: 20, untilMs: 5000, probeEveryMs: 300 };
const impatient: HostTimeouts = { connectMs: 300, silentMs: 150, wholeMs: 300 };
const windows = { windowBytes: 4096, memoryBytes: 64 * 1024 };
const usual: HostOptions = { now: Date.now, retries: quick, timeouts: impatient, windows };

/** Bytes that show their offset. */
const random = createRandom(7);
const bytes = Buffer.from(Array.from({ length: 50_000 }, () => Math.floor(random() * 256)));
/** A file that is read whole has its digest as its name. */
const document = paths.file(sha256Of(bytes));

/** A folder with one table, one other file and one pointer. */
function folder(): string {
  const made = directory();
  for (const part of [table, document]) {
    mkdirSync(join(made, part, '..'), { recursive: true });
    writeFileSync(join(made, part), bytes);
  }
  writeFileSync(join(made, 'current.json'), '"first"');
  return made;
}

async function serve(
  behaviour: HostBehaviour = {},
  options: Partial<HostOptions> = {},
  at = folder(),
): Promise<{ host: FileHost; parts: PartHost; at: string }> {
  const host = await startFileHost(at, behaviour);
  const parts = openPartHost(host.address, { ...usual, ...options });
  closing(() => parts.close());
  return { host, parts, at };
}

const block = (offset: number, length: number) => ({
  bytes: bytes.subarray(offset, offset + length),
  sha256: sha256Of(bytes.subarray(offset, offset + length)),
});

describe('a host of files', () => {
  it('a host of files gives any range of a table, and whole other files', async () => {
    const { parts } = await serve();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 20_000 }),
        fc.boolean(),
        async (offset, length, isProven) => {
          const { bytes: expected, sha256 } = block(offset, length);
          expect(
            (await parts.read(table, offset, length, isProven ? sha256 : undefined)).equals(expected),
          ).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
    expect((await parts.read(document, 0, bytes.length, sha256Of(bytes))).equals(bytes)).toBe(true);
    // A reader that does not know the length of a part asks for more.
    expect((await parts.read(document, 0, 64 * 1024 * 1024, sha256Of(bytes))).equals(bytes)).toBe(true);
    expect((await parts.read(document, 0, 0)).length).toBe(0);
  });

  it('neighbouring and shared ranges take one request of the host', async () => {
    const { host, parts } = await serve();
    await Promise.all([
      parts.read(table, 100, 200),
      parts.read(table, 3000, 400),
      parts.read(table, 150, 5000),
      parts.read(table, 100, 200),
    ]);
    expect(host.asked.map(({ range }) => range)).toEqual(['bytes=0-4095', 'bytes=4096-8191']);
    await parts.read(table, 9000, 12_000);
    await parts.read(table, 0, 20_000);
    expect(host.asked.map(({ range }) => range).slice(2)).toEqual(['bytes=8192-24575']);
    await Promise.all([1, 2, 3].map(() => parts.read(document, 0, bytes.length, sha256Of(bytes))));
    expect(host.asked.length).toBe(4);
    expect(parts.traffic()).toEqual({ requests: 4, bytes: 24_576 + bytes.length });
  });

  it('requests of the host stay within their bound', async () => {
    const { host, parts } = await serve({ delayMs: 10 }, { requestsMaximum: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, at) => parts.read(table, at * 4096, 10)));
    expect([host.asked.length, host.mostAtOnce()]).toEqual([12, 3]);
  });

  it.each<HostFault>(['reset', 'cut', 'slow', 'trickle', 'wrong', 'short', 500, 502, 503, 429, 404])(
    'a host that fails by %s is asked again',
    { tags: ['slow'] },
    async (fault) => {
      let left = 1;
      const { host, parts } = await serve({ fault: () => (left-- > 0 ? fault : null) });
      const { bytes: expected, sha256 } = block(5000, 3000);
      expect((await parts.read(table, 5000, 3000, sha256)).equals(expected)).toBe(true);
      expect(host.asked.length).toBe(2);
      left = 1;
      expect((await parts.read(document, 0, bytes.length, sha256Of(bytes))).equals(bytes)).toBe(true);
      expect(host.asked.length).toBe(4);
    },
  );

  it.each<[HostFault, RegExp, number]>([
    ['reset', /changes\.jsonl\.gz: other side closed|socket|ECONNRESET/, 4],
    ['cut', /changes\.jsonl\.gz/, 4],
    ['wrong', /the host sends bytes that do not have/, 3],
    [503, /changes\.jsonl\.gz: status 503/, 4],
    [404, /changes\.jsonl\.gz: status 404/, 2],
    [403, /changes\.jsonl\.gz: status 403/, 1],
    [418, /status 418/, 1],
  ])('a host that keeps failing by %s is given up in one line', async (fault, message, attempts) => {
    const { host, parts } = await serve({ fault: () => fault });
    const { sha256 } = block(0, 100);
    const error = await parts.read(table, 0, 100, sha256).then(
      () => null,
      (reason: unknown) => reason as Error,
    );
    expect(error).toBeInstanceOf(Unavailable);
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain('\n');
    expect(host.asked.length).toBe(attempts);
  });

  it('the circuit of a failing host opens, and closes as soon as it answers', async () => {
    const { host, parts } = await serve();
    await host.down();
    await expect(parts.read(table, 0, 10)).rejects.toThrow(Unavailable);
    const startedMs = performance.now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, at) => parts.read(table, at * 100, 10)),
    );
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(quick.probeEveryMs);
    expect(parts.traffic().requests).toBe(4);
    await host.up();
    await expect
      .poll(() =>
        parts.read(table, 0, 10).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  it('a host that answers with errors is still asked for other parts', async () => {
    const { parts } = await serve({ fault: ({ path }) => (path === document ? 503 : null) });
    await expect(parts.read(document, 0, bytes.length, sha256Of(bytes))).rejects.toThrow(Unavailable);
    expect((await parts.read(table, 0, 10)).length).toBe(10);
  });

  it('a host may ignore ranges, up to a bound', async () => {
    const { parts, at } = await serve({ isPlain: () => true });
    const { bytes: expected, sha256 } = block(40_000, 5000);
    expect((await parts.read(table, 40_000, 5000, sha256)).equals(expected)).toBe(true);
    expect((await parts.read(document, 0, bytes.length, sha256Of(bytes))).equals(bytes)).toBe(true);
    truncateSync(join(at, table), 6 * 1024 * 1024);
    await expect(parts.read(table, 5 * 1024 * 1024, 100)).rejects.toThrow(
      /does not answer requests of a range \(status 200\)/,
    );
  });

  it('a host may redirect within its origin, but not in a circle, and never elsewhere', async () => {
    let led = 0;
    const { parts } = await serve({
      redirect: ({ path }) => (path.startsWith('files/') && led++ > 0 ? null : `/${path}`),
    });
    expect((await parts.read(document, 0, bytes.length, sha256Of(bytes))).equals(bytes)).toBe(true);
    await expect(parts.read(table, 0, 10)).rejects.toThrow(/leads to another address more than 5 times/);
    const lost = await serve({ redirect: () => 'ftp://files.example/' });
    await expect(lost.parts.read(table, 0, 10)).rejects.toThrow(/leads to ftp/);
    // Another port, another name of the same machine, and another scheme.
    const far = await serve();
    const { port } = new URL(far.host.address);
    for (const origin of [far.host.address, `//localhost:${port}`, `https://127.0.0.1:${port}`]) {
      const sent = await serve({ redirect: ({ path }) => `${origin}/${path}` });
      await expect(sent.parts.read(document, 0, bytes.length, sha256Of(bytes))).rejects.toThrow(
        /leads to https?:.*, another origin/,
      );
    }
    expect(far.host.asked).toEqual([]);
  });

  it('a content encoding is accepted for gzip files alone', async () => {
    const { parts } = await serve({ fault: () => 'encoded' });
    const { bytes: expected, sha256 } = block(5000, 3000);
    expect((await parts.read(table, 5000, 3000, sha256)).equals(expected)).toBe(true);
    await expect(parts.read(document, 0, bytes.length, sha256Of(bytes))).rejects.toThrow(
      /comes in the encoding gzip/,
    );
  });

  it('an ETag of second and length hides no pointer of the same second', needs('nginx'), async () => {
    const at = folder();
    const nginx = await startNginx(at);
    const parts = openPartHost(nginx.address, usual);
    closing(() => parts.close());
    let state = '';
    for (let each = 10; each < 40; each++) {
      writeFileSync(join(at, 'current.json'), JSON.stringify(each));
      const read = await parts.readIfChanged('current.json', state);
      expect(read?.text).toBe(JSON.stringify(each));
      state = read?.state ?? '';
    }
  });

  it('polling the pointer costs little and finds every change', async () => {
    const { host, parts, at } = await serve();
    const first = await parts.readIfChanged('current.json', '');
    expect(first?.text).toBe('"first"');
    expect(await parts.readIfChanged('current.json', first?.state ?? '')).toBeNull();
    expect(host.asked.map(({ ifNoneMatch }) => ifNoneMatch !== null)).toEqual([false, true]);
    // A cache before the host may not answer for it.
    expect(host.asked.map(({ cacheControl }) => cacheControl)).toEqual(['no-cache', 'no-cache']);
    // A host whose pointer was not taken gives it once more.
    expect(await parts.readIfChanged('current.json', '')).toMatchObject({ text: '"first"' });
    writeFileSync(join(at, 'current.json'), 'other');
    expect(await parts.readIfChanged('current.json', first?.state ?? '')).toMatchObject({ text: 'other' });
    const { parts: none } = await serve({ fault: () => 404 });
    expect(await none.readIfChanged('current.json', '')).toEqual({ text: null, state: 'none' });
    expect(await none.readIfChanged('current.json', 'none')).toBeNull();
    let [now, fault] = [1000, 500 as HostFault | null];
    const { parts: failing } = await serve({ fault: () => fault }, { now: () => now++ });
    for (const since of [1000, 1000]) {
      await expect(failing.readIfChanged('current.json', '')).rejects.toThrow(Unavailable);
      expect(failing.unreachableSince?.()).toBe(since);
    }
    fault = null;
    await failing.readIfChanged('current.json', '');
    expect(failing.unreachableSince?.()).toBeNull();
  });
});

describe('copies on disk', () => {
  const events: string[] = [];
  const disk = (at: string, maximumBytes = 1024 * 1024, now: () => number = Date.now) =>
    openCopies(at, maximumBytes, (event) => void events.push(event), now);

  it('copies on disk spare the host, and serve while it is down', async () => {
    const at = directory();
    const { host, parts } = await serve({}, { copies: disk(at) });
    await parts.read(table, 0, 9000, block(0, 9000).sha256);
    await parts.read(document, 0, bytes.length, sha256Of(bytes));
    parts.keepPointer?.('first', []);
    await parts.close();
    const asked = host.asked.length;
    await host.down();
    const next = openPartHost(host.address, { ...usual, copies: disk(at) });
    closing(() => next.close());
    expect(
      (await next.read(table, 5000, 4000, block(5000, 4000).sha256)).equals(block(5000, 4000).bytes),
    ).toBe(true);
    expect((await next.read(document, 0, 64 * 1024 * 1024, sha256Of(bytes))).equals(bytes)).toBe(true);
    expect(await next.keptPointer?.()).toBe('first');
    await expect(next.read(table, 20_000, 10)).rejects.toThrow(Unavailable);
    expect(host.asked.length).toBe(asked);
    // The pointer of one host is not used for another.
    const other = openPartHost('http://127.0.0.1:1', { ...usual, copies: disk(at) });
    expect(await other.keptPointer?.()).toBeNull();
    await other.close();
  });

  it('with a pointer the tables that it needs are copied, although nobody read them from the host', async () => {
    const at = directory();
    const { host, parts } = await serve({}, { copies: disk(at) });
    await parts.read(table, 8192, 100);
    const needed = { part: table, bytes: bytes.length, sha256: sha256Of(bytes) };
    parts.keepPointer?.('first', [needed]);
    await expect.poll(() => parts.keptPointer?.()).toBe('first');
    const asked = host.asked.length;
    parts.keepPointer?.('second', [needed]);
    await expect.poll(() => parts.keptPointer?.()).toBe('second');
    expect(host.asked.length).toBe(asked);
    await host.down();
    // What cannot be copied does not take the place of what is there as a whole.
    parts.keepPointer?.('third', [{ ...needed, part: table.replace('changes', 'counts') }]);
    await parts.close();
    const next = openPartHost(host.address, { ...usual, copies: disk(at) });
    closing(() => next.close());
    expect(await next.keptPointer?.()).toBe('second');
    expect((await next.read(table, 0, bytes.length, sha256Of(bytes))).equals(bytes)).toBe(true);
  });

  it('rotten copies on disk are not used, and wrong ones are dropped', async () => {
    const at = directory();
    const { host, parts, at: served } = await serve({}, { copies: disk(at) });
    await parts.read(table, 0, 4096);
    await parts.close();
    expect(filesBelow(at)).not.toEqual([]);
    for (const path of filesBelow(at)) {
      const content = readFileSync(join(at, path));
      content[content.length - 1] = (content.at(-1) as number) ^ 1;
      writeFileSync(join(at, path), content);
    }
    const again = openPartHost(host.address, { ...usual, copies: disk(at) });
    closing(() => again.close());
    expect((await again.read(table, 0, 4096, block(0, 4096).sha256)).equals(block(0, 4096).bytes)).toBe(true);
    expect(host.asked.length).toBe(2);
    // A host that was wrong for a while: what it sent then is forgotten as soon as a digest shows it.
    writeFileSync(
      join(served, table),
      bytes.map((byte) => byte ^ 1),
    );
    await expect(again.read(table, 8192, 4096, block(8192, 4096).sha256)).rejects.toThrow(
      /do not have the expected SHA-256/,
    );
    writeFileSync(join(served, table), bytes);
    expect(
      (await again.read(table, 8192, 4096, block(8192, 4096).sha256)).equals(block(8192, 4096).bytes),
    ).toBe(true);
  });

  it('copies on disk stay within their bound, and the oldest go first', { tags: ['slow'] }, async () => {
    const at = directory();
    const kept = disk(at, 64 * 1024);
    const content = (each: number) => Buffer.alloc(2000, each);
    for (let each = 0; each < 100; each++) {
      kept.put(`part ${each}`, content(each));
      await kept.close();
      // Files of one millisecond have no order.
      for (const path of filesBelow(at))
        if (statSync(join(at, path)).mtimeMs > 1e12) utimesSync(join(at, path), each, each);
      const held = filesBelow(at).reduce((sum, path) => sum + statSync(join(at, path)).size, 0);
      expect(held).toBeLessThanOrEqual(64 * 1024);
    }
    expect(await kept.get('part 0')).toBeNull();
    expect(await kept.get('part 99')).toEqual(content(99));
    const left = await Promise.all(
      Array.from({ length: 100 }, async (_, each) => (await kept.get(`part ${each}`)) !== null),
    );
    expect(left.lastIndexOf(false)).toBe(left.indexOf(true) - 1);
    expect(left.filter(Boolean).length).toBeGreaterThan(20);
  });

  it('copies on disk that opening a snapshot needs stay, however old', { tags: ['slow'] }, async () => {
    const at = directory();
    const kept = disk(at, 64 * 1024);
    const names = ['a head', 'a document'];
    for (const name of names) kept.put(name, Buffer.from(name));
    kept.pin(names);
    for (let each = 0; each < 100; each++) kept.put(`part ${each}`, Buffer.alloc(2000, each));
    await kept.close();
    expect(await Promise.all(names.map((name) => kept.get(name)))).toEqual(
      names.map((name) => Buffer.from(name)),
    );
    kept.pin([]);
    for (let each = 100; each < 200; each++) kept.put(`part ${each}`, Buffer.alloc(2000, each));
    await kept.close();
    expect(await Promise.all(names.map((name) => kept.get(name)))).toEqual([null, null]);
  });

  it('several processes can share copies on disk within one bound', async () => {
    const at = directory();
    const both = [disk(at, 64 * 1024), disk(at, 64 * 1024)];
    for (let each = 0; each < 200; each++)
      both[each % 2]?.put(`part ${each % 150}`, Buffer.alloc(2000, each % 150));
    await Promise.all(both.map((kept) => kept.close()));
    const held = filesBelow(at).reduce((sum, path) => sum + statSync(join(at, path)).size, 0);
    expect(held).toBeLessThanOrEqual(64 * 1024 * 1.25);
    for (let each = 0; each < 150; each++) {
      for (const kept of both) expect([null, each]).toContain((await kept.get(`part ${each}`))?.[0] ?? null);
    }
    expect(filesBelow(at).filter((path) => path.endsWith('.tmp'))).toEqual([]);
  });

  it('copies of version 3 are still read', async () => {
    const at = directory();
    const digest = sha256Of('a part');
    mkdirSync(join(at, digest.slice(0, 2)));
    const older = Buffer.concat([Buffer.from(sha256Of(bytes), 'hex'), bytes]);
    writeFileSync(join(at, digest.slice(0, 2), digest), older);
    expect(await disk(at).get('a part')).toEqual(bytes);
    writeFileSync(join(at, digest.slice(0, 2), digest), older.subarray(0, -1));
    expect(await disk(at).get('a part')).toBeNull();
  });

  it('a disk that takes no copies is reported once', async () => {
    const at = join(directory(), 'a file');
    writeFileSync(at, 'in the way');
    events.length = 0;
    const { parts } = await serve({}, { copies: disk(at) });
    for (let each = 0; each < 5; each++) expect((await parts.read(table, each * 4096, 10)).length).toBe(10);
    await parts.close();
    expect(events).toEqual(['cache_unwritable']);
  });

  it('half-written copies on disk are removed after a while', async () => {
    const at = directory();
    mkdirSync(join(at, 'ab'));
    const half = join(at, 'ab', `${'ab'.repeat(32)}.1-2.tmp`);
    writeFileSync(half, 'half');
    const hoursAgo = Date.now() / 1000 - 2 * 3600;
    utimesSync(half, hoursAgo, hoursAgo);
    const kept = disk(at, 16 * bytes.length);
    kept.put('a part', bytes);
    await kept.close();
    expect(readdirSync(join(at, 'ab')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
