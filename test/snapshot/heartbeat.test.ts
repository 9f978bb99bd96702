import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rollback } from '../../build/snapshot/pointer.ts';
import { writeHeartbeat } from '../../build/snapshot/write-heartbeat.ts';
import type { Heartbeat } from '../../src/format/heartbeat-file.ts';
import { paths } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { keyName } from '../../src/snapshot/trust.ts';
import { hourMs, minuteMs } from '../../src/time/units.ts';
import { createHeartbeats } from '../../src/snapshot/accepted-heartbeat.ts';
import { afterAcceptanceTime } from '../../src/time/calendar.ts';
import { currentFeedFile } from '../../build/sources/current-feed.ts';
import { start } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { followHere } from '../support/following.ts';
import { startIndexedEdgar } from '../support/indexed-edgar.ts';
import { appendNumbered, filing } from '../support/ledgers.ts';
import { serviceOver } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { until } from '../support/wait.ts';

const fresh = useDirectories('heartbeat');
const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of running.splice(0).reverse()) await end();
});

/** A Wednesday, 12:00 in New York. */
const noon = '2026-03-04T17:00:00.000Z';
const noonMs = Date.parse(noon);
const at = (ms: number) => new Date(ms).toISOString();
const beatAt = (readMs: number, writtenMs = readMs): Heartbeat => ({
  format: 1,
  writtenAt: at(writtenMs),
  readAt: at(readMs),
  acceptedThrough: at(readMs - 1000),
});

describe("EDGAR's hours", () => {
  it.each([
    ['in the middle of a day', '2026-03-04T17:00:00Z', 5, '2026-03-04T17:05:00Z'],
    ['over the evening of a day', '2026-03-05T02:58:00Z', 5, '2026-03-05T11:03:00Z'],
    ['at night', '2026-03-05T06:00:00Z', 5, '2026-03-05T11:05:00Z'],
    ['over a weekend', '2026-02-28T02:59:00Z', 5, '2026-03-02T11:04:00Z'],
    ['on a Sunday', '2026-03-01T17:00:00Z', 5, '2026-03-02T11:05:00Z'],
    ['over the night in which clocks change', '2026-03-07T03:00:00Z', 5, '2026-03-09T10:05:00Z'],
    ['over a holiday and a weekend', '2026-07-03T02:00:00Z', 60, '2026-07-06T11:00:00Z'],
    ['longer than a day', '2026-03-04T17:00:00Z', 17 * 60, '2026-03-05T18:00:00Z'],
  ])('time counts %s', (_, from, minutes, to) =>
    expect(at(afterAcceptanceTime(Date.parse(from), minutes * minuteMs))).toBe(at(Date.parse(to))),
  );
});

describe('heartbeats that a service takes', () => {
  const take = (keys: Parameters<typeof createHeartbeats>[1] = null) => createHeartbeats(5 * minuteMs, keys);
  const text = (heartbeat: Heartbeat) => JSON.stringify(heartbeat);

  it('a heartbeat that says that it was written in the future keeps out no later one', () => {
    const heartbeats = take();
    expect(() => heartbeats.take(text(beatAt(noonMs, noonMs + hourMs)), noonMs)).toThrow(
      'it was written at 2026-03-04T18:00:00.000Z, which is in the future',
    );
    heartbeats.take(text(beatAt(noonMs)), noonMs);
    expect(heartbeats.newest()?.heartbeat.writtenAt).toBe(noon);
  });
  it('the newest heartbeat counts, and an older one changes nothing', () => {
    const heartbeats = take();
    heartbeats.take(text(beatAt(noonMs)), noonMs);
    heartbeats.take(text(beatAt(noonMs - hourMs)), noonMs);
    expect(heartbeats.newest()).toMatchObject({
      heartbeat: { readAt: noon },
      staleFromMs: noonMs + 5 * minuteMs,
    });
  });

  it('a heartbeat of the future is refused until its time has come', () => {
    const heartbeats = take();
    const ahead = text(beatAt(noonMs + hourMs));
    expect(() => heartbeats.take(ahead, noonMs)).toThrow('in the future');
    expect(heartbeats.newest()).toBeNull();
    heartbeats.take(ahead, noonMs + hourMs);
    expect(heartbeats.newest()).not.toBeNull();
  });

  it.each(['', '{', '[]', '{"format":2}', text({ ...beatAt(noonMs), readAt: 'yesterday' })])(
    'what is no heartbeat is refused: %s',
    (broken) => expect(() => take().take(broken, noonMs)).toThrow('it is no heartbeat of format 1'),
  );

  it('a signed heartbeat is taken if a trusted key signed it, and every changed byte of it is noticed', async () => {
    const directory = fresh();
    const [ours, theirs] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
    const written = async (key: typeof ours | null) => {
      await writeHeartbeat(directory, beatAt(noonMs), key?.privateKey ?? null);
      return readFileSync(join(directory, paths.heartbeat), 'utf8');
    };
    const refusal = 'it is not signed by TRUSTED_KEY';
    const heartbeats = take([ours.publicKey]);
    heartbeats.take(await written(ours), noonMs);
    expect(heartbeats.newest()?.heartbeat.readAt).toBe(noon);
    // Whoever can remove the file cannot make late data look fresh.
    heartbeats.take(null, noonMs);
    expect(heartbeats.newest()).not.toBeNull();
    for (const key of [theirs, null]) {
      const other = await written(key);
      expect(() => take([ours.publicKey]).take(other, noonMs)).toThrow(refusal);
    }
    const signed = JSON.parse(await written(ours)) as Heartbeat;
    for (const member of ['writtenAt', 'readAt', 'acceptedThrough'] as const) {
      const changed = text({ ...signed, [member]: at(noonMs + 1000) });
      expect(() => take([ours.publicKey]).take(changed, noonMs)).toThrow(refusal);
    }
  });
});

describe('followers that write the heartbeat of one folder at the same time', () => {
  it('none fails, and the file is whole at every moment', async () => {
    const directory = fresh();
    await writeHeartbeat(directory, beatAt(noonMs), null);
    const beats = Array.from({ length: 40 }, (_, at) =>
      writeHeartbeat(directory, beatAt(noonMs + at * 1000), null),
    );
    const reads = beats.map(async (beat) => {
      const heartbeats = createHeartbeats(5 * minuteMs, null);
      heartbeats.take(readFileSync(join(directory, paths.heartbeat), 'utf8'), noonMs + 60_000);
      await beat;
      heartbeats.take(readFileSync(join(directory, paths.heartbeat), 'utf8'), noonMs + 60_000);
    });
    await Promise.all(reads);
    expect(readdirSync(directory)).toEqual([paths.heartbeat]);
  });
});

describe('a service beside a follower', () => {
  async function served() {
    const [ledger, snapshots] = [fresh(), fresh()];
    await appendNumbered(ledger, 1);
    await buildQuietly(ledger, snapshots);
    let nowMs = noonMs;
    const service = await serviceOver(snapshots, undefined, () => nowMs);
    const headersAt = async (path: string, ms: number, etag?: string) => {
      nowMs = ms;
      await service.look();
      const answer = await service.get(path, etag === undefined ? {} : { 'if-none-match': etag });
      return {
        status: answer.status,
        etag: answer.headers.get('etag') ?? '',
        fetchedAt: answer.headers.get('data-fetched-at'),
        stale: answer.headers.get('data-stale'),
      };
    };
    return { ledger, snapshots, service, headersAt, look: () => service.look() };
  }

  it('every answer with data says when EDGAR was last read, and a 304 stays one', async () => {
    const { snapshots, headersAt } = await served();
    await writeHeartbeat(snapshots, beatAt(noonMs), null);
    const path = '/v1/sec/latest?limit=5';
    const first = await headersAt(path, noonMs + 1000);
    expect(first).toMatchObject({ status: 200, fetchedAt: noon, stale: 'false' });
    await writeHeartbeat(snapshots, beatAt(noonMs + 60_000), null);
    expect(await headersAt(path, noonMs + 61_000, first.etag)).toEqual({
      status: 304,
      etag: first.etag,
      fetchedAt: at(noonMs + 60_000),
      stale: 'false',
    });
    for (const other of ['/demo', '/health', '/v1/sec/changes?since=2020-01-01', '/v1/sec/stats'])
      expect(await headersAt(other, noonMs + 61_000), other).toMatchObject({ status: 200, stale: 'false' });
    for (const other of ['/livez', '/openapi.json', '/v1/sec/latest?limit=0'])
      expect(await headersAt(other, noonMs + 61_000), other).toMatchObject({ fetchedAt: null, stale: null });
  });

  it('five minutes after the follower died the data is stale, within a minute of a new heartbeat it is not', {
    tags: ['slow'],
  }, async () => {
    const { snapshots, service, headersAt } = await served();
    await writeHeartbeat(snapshots, beatAt(noonMs), null);
    const path = '/v1/sec/latest';
    expect(await headersAt(path, noonMs + 5 * minuteMs - 1)).toMatchObject({ stale: 'false' });
    expect(await headersAt(path, noonMs + 5 * minuteMs)).toMatchObject({ stale: 'true', fetchedAt: noon });
    const health = await service.json<Record<string, unknown>>('/health');
    expect(health).toMatchObject({
      status: 'stale',
      stale: true,
      dataFetchedAt: noon,
      staleAfter: at(noonMs + 5 * minuteMs),
      heartbeat: { readAt: noon, writtenAt: noon, behindSeconds: 300 },
    });
    const stats = await service.json<{ meta: object }>('/v1/sec/stats');
    expect(stats.meta).toMatchObject({ stale: true, dataFetchedAt: noon });
    await writeHeartbeat(snapshots, beatAt(noonMs + hourMs), null);
    expect(await headersAt(path, noonMs + hourMs + 1)).toMatchObject({ stale: 'false' });
  });

  it('without a heartbeat, or with one that a later rebuild has left behind, the business days count', {
    tags: ['slow'],
  }, async () => {
    const { snapshots, headersAt, service } = await served();
    const batchMs = Date.parse('2026-03-01T12:00:00.000Z');
    expect(await headersAt('/demo', noonMs)).toMatchObject({ fetchedAt: at(batchMs) });
    expect(await (await service.get('/health')).json()).toMatchObject({ heartbeat: null });
    await writeHeartbeat(snapshots, beatAt(batchMs - 7 * 24 * hourMs), null);
    expect(await headersAt('/demo', batchMs + hourMs)).toMatchObject({
      fetchedAt: at(batchMs),
      stale: 'false',
    });
  });

  it('while a service refuses the pointer, heartbeats say nothing of what it serves, and count again afterwards', async () => {
    const { snapshots, headersAt } = await served();
    await writeHeartbeat(snapshots, beatAt(noonMs), null);
    const path = '/v1/sec/latest';
    expect(await headersAt(path, noonMs + 1000)).toMatchObject({ fetchedAt: noon, stale: 'false' });
    const pointer = readFileSync(join(snapshots, paths.pointer), 'utf8');
    writeFileSync(join(snapshots, paths.pointer), pointer.replace(/("snapshotId": "\d{8}-)..../, '$1beef'));
    await writeHeartbeat(snapshots, beatAt(noonMs + hourMs), null);
    expect(await headersAt(path, noonMs + hourMs + 1)).toMatchObject({
      status: 200,
      fetchedAt: noon,
      stale: 'true',
    });
    writeFileSync(join(snapshots, paths.pointer), pointer);
    expect(await headersAt(path, noonMs + hourMs + 2)).toMatchObject({
      fetchedAt: at(noonMs + hourMs),
      stale: 'false',
    });
  });

  it('while a rollback lasts, the heartbeat stays the one before it, and the next batch lets it go on', async () => {
    const { ledger, snapshots, headersAt } = await served();
    await appendNumbered(ledger, 2);
    await buildQuietly(ledger, snapshots);
    await writeHeartbeat(snapshots, beatAt(noonMs), null);
    await withPartFolder(snapshots, (folder) => rollback(folder));
    const path = '/v1/sec/latest';
    for (const ms of [noonMs + minuteMs, noonMs + hourMs]) await writeHeartbeat(snapshots, beatAt(ms), null);
    expect(await headersAt(path, noonMs + hourMs)).toMatchObject({ fetchedAt: noon, stale: 'true' });
    await appendNumbered(ledger, 3);
    await buildQuietly(ledger, snapshots);
    await writeHeartbeat(snapshots, beatAt(noonMs + hourMs), null);
    expect(await headersAt(path, noonMs + hourMs)).toMatchObject({
      fetchedAt: at(noonMs + hourMs),
      stale: 'false',
    });
  });

  it('a heartbeat that is refused disturbs nothing', async () => {
    const { snapshots, headersAt } = await served();
    await writeHeartbeat(snapshots, beatAt(noonMs), null);
    expect(await headersAt('/demo', noonMs)).toMatchObject({ fetchedAt: noon });
    writeFileSync(join(snapshots, paths.heartbeat), '{"format":1');
    expect(await headersAt('/demo', noonMs + 1000)).toMatchObject({ status: 200, fetchedAt: noon });
  });
});

describe('the heartbeat of a follower', () => {
  it('readAt stands still while a follower cannot publish, goes on afterwards, and ends with the follower', {
    tags: ['slow'],
  }, async () => {
    const world = await startIndexedEdgar(fresh(), [filing(1)], noon);
    running.push(() => world.edgar.close());
    world.setTime(new Date().toISOString());
    const snapshots = fresh();
    const heard = () => {
      const path = join(snapshots, paths.heartbeat);
      return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Heartbeat) : null;
    };
    const state = { canPublish: false };
    const startedAt = at(Date.now());
    const { end, lines } = followHere(running, world.edgar, '1', world.ledger, {
      tickerRowsMinimum: 1,
      heartbeatMs: 20,
      beat: (heartbeat) => writeHeartbeat(snapshots, heartbeat, null),
      publish: async () => {
        if (!state.canPublish) throw new Error('no room');
        return null;
      },
    });
    const readings = () =>
      world.edgar.requests.filter(({ path }) => path.includes(currentFeedFile(0))).length;
    await until(() => heard() !== null && lines.some((line) => line.includes('no room')));
    const { readAt, writtenAt } = heard() as Heartbeat;
    const before = readings();
    await until(() => readings() > before + 2);
    // Two clocks tell it, so that it may differ by a millisecond.
    expect(Math.abs(Date.parse(heard()?.readAt ?? '') - Date.parse(readAt))).toBeLessThan(10);
    expect((heard()?.writtenAt ?? '') > writtenAt).toBe(true);
    expect(readAt >= startedAt).toBe(true);
    state.canPublish = true;
    await until(() => (heard()?.readAt ?? '') > at(Date.parse(readAt) + 500));
    await end();
    const last = heard();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard()).toEqual(last);
  });

  it('a key that is replaced while a follower runs signs its next heartbeat', {
    tags: ['slow'],
    timeout: 120_000,
  }, async () => {
    const world = await startIndexedEdgar(fresh(), [filing(1)], noon);
    running.push(() => world.edgar.close());
    world.setTime(new Date().toISOString());
    const snapshots = fresh();
    const key = join(snapshots, 'key.pem');
    const put = () => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
      return keyName(publicKey);
    };
    const signedBy = () => {
      const path = join(snapshots, paths.heartbeat);
      return existsSync(path) && (JSON.parse(readFileSync(path, 'utf8')) as Heartbeat).signature?.key;
    };
    const first = put();
    const words = ['--universe', '1', '--interval', '1', '--ledger', world.ledger, '--snapshots', snapshots];
    const { child, ended } = start(['follow', ...words], {
      EDGAR_USER_AGENT: 'Heartbeat Test test@example.com',
      EDGAR_DATA_URL: world.edgar.dataUrl,
      EDGAR_WWW_URL: world.edgar.wwwUrl,
      SIGNING_KEY_FILE: key,
    });
    await until(() => signedBy() === first, 60_000);
    const second = put();
    await until(() => signedBy() === second, 30_000);
    child.kill('SIGTERM');
    await ended;
  });

  it('a heartbeat that cannot be written is logged once, and stops nothing', { tags: ['slow'] }, async () => {
    const world = await startIndexedEdgar(fresh(), [filing(1)], noon);
    running.push(() => world.edgar.close());
    world.setTime(new Date().toISOString());
    let beats = 0;
    const { end, lines, published } = followHere(running, world.edgar, '1', world.ledger, {
      tickerRowsMinimum: 1,
      heartbeatMs: 20,
      beat: () => (beats++, Promise.reject(new Error('ENOSPC: no space left'))),
    });
    await until(() => beats > 5 && published() > 0);
    await end();
    expect(lines.filter((line) => line.startsWith('no heartbeat'))).toEqual([
      'no heartbeat: ENOSPC: no space left',
    ]);
  });
});
