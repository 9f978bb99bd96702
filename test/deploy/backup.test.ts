// @module-tag slow
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Filing } from '../../src/contract/records.ts';
import { command } from '../support/command.ts';
import { commandsOf, follow } from '../support/deploy-readme.ts';
import { useDirectories } from '../support/directories.ts';
import { sampleLedger } from '../support/sample.ts';
import { startService } from '../support/service-process.ts';
import { manifestOf } from '../support/whole.ts';

const fresh = useDirectories('backup');
interface Page {
  readonly data: readonly Filing[];
  readonly meta: { readonly nextCursor: string };
}

describe('the backup of deploy/README.md', () => {
  it('what was backed up is restored in an empty folder: filings, cursors, keys, usage and intents', {
    timeout: 900_000,
  }, async () => {
    const [back, restore] = commandsOf('Back up and restore') as [string, string];
    const [old, made] = [fresh(), join(fresh(), 'restored')];
    const backup = join(fresh(), 'backup.tar');
    cpSync(sampleLedger, join(old, 'ledger'), { recursive: true });
    expect((await command(['build', '--ledger', join(old, 'ledger')], { SNAPSHOTS_DIR: old })).code).toBe(0);
    const added = await command(['keys', 'add', '--label', 'a client'], { SNAPSHOTS_DIR: old });
    const key = added.stdout.split('\n')[0] as string;
    const get = async (address: string, path: string): Promise<Page> => {
      const response = await fetch(`${address}${path}`, { headers: { 'x-api-key': key } });
      expect([path, response.status]).toEqual([path, 200]);
      return (await response.json()) as Page;
    };
    const before = await startService({ API_KEYS: '', SNAPSHOTS_DIR: old });
    const latest = await get(before.address, '/v1/sec/latest?limit=200');
    const feed = await get(before.address, '/v1/sec/changes?since=2026-08-10&limit=50');
    const rest = await get(before.address, `/v1/sec/changes?cursor=${feed.meta.nextCursor}&limit=50`);
    const { markets } = (await (await fetch(`${before.address}/markets.json`)).json()) as {
      markets: { slug: string }[];
    };
    const intent = `/validate/${markets[0]?.slug}/view`;
    expect((await fetch(`${before.address}${intent}`, { method: 'POST' })).ok).toBe(true);
    await before.stop();

    await follow(back, { SNAPSHOTS_DIR: old, BACKUP: backup });
    const { stdout } = await follow(restore, { SNAPSHOTS_DIR: made, BACKUP: backup });
    expect(stdout).toContain('gives the same bytes');

    const [was, is] = [await manifestOf(old), await manifestOf(made)];
    expect(is.segments).toEqual(was.segments);
    const after = await startService({ API_KEYS: '', SNAPSHOTS_DIR: made });
    expect((await get(after.address, '/v1/sec/latest?limit=200')).data).toEqual(latest.data);
    // A client goes on with its cursor and its key.
    expect(
      (await get(after.address, `/v1/sec/changes?cursor=${feed.meta.nextCursor}&limit=50`)).data,
    ).toEqual(rest.data);
    const counted = await get(after.address, '/v1/validation/stats?days=7');
    expect(JSON.stringify(counted.data)).toContain(String(markets[0]?.slug));
    await after.stop();
    const usage = await command(['keys', 'usage'], { SNAPSHOTS_DIR: made });
    expect([usage.code, usage.stdout]).toEqual([0, expect.stringContaining('a client')]);
  });
});
