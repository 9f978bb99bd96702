import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BatchHead } from '../../build/ledger/read.ts';
import type { Filing } from '../../src/contract/records.ts';
import {
  allPartition,
  documentNames,
  Manifest,
  paths,
  Routes,
  snapshotId,
  type FileReference,
  type SnapshotSettings,
} from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { partitionOf } from '../support/published-rows.ts';
import { generateLedger } from '../support/generate.ts';
import { appendMadeUp, company } from '../support/ledgers.ts';
import { buildQuietly, contentBelow, plainSettings } from '../support/snapshots.ts';
import { manifestOf, wholeSnapshot } from '../support/whole.ts';
import { headsOf } from '../support/heads.ts';

const fresh = useDirectories('derive');
const ledgerDirectory = fresh();
const directory = fresh();
let id: string;
let manifest: Manifest;
let routes: Routes;
beforeAll(async () => {
  await generateLedger(ledgerDirectory, { filings: 1200, companies: 40, batches: 3 });
  id = await buildQuietly(ledgerDirectory, directory);
  manifest = await wholeSnapshot(directory, id);
  routes = routesOf(directory, manifest);
});

const bytesOf = (where: string, { sha256 }: FileReference) => readFileSync(join(where, paths.file(sha256)));
const routesOf = (where: string, { routes: file }: Manifest) =>
  Routes.parse(JSON.parse(bytesOf(where, file).toString()));

describe('deriving a snapshot', () => {
  it('a snapshot has the same bytes for the same ledger in any time zone', { tags: ['slow'] }, async () => {
    const again = fresh();
    vi.stubEnv('TZ', 'Pacific/Kiritimati');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await buildQuietly(ledgerDirectory, again)).toBe(id);
    expect(contentBelow(again)).toEqual(contentBelow(directory));
  });

  it('the documents of a snapshot name no snapshot', () => {
    const texts = [
      ...Object.values(manifest.documents),
      ...Object.values(routes)
        .filter(({ contentType }) => !contentType.startsWith('image/'))
        .map(({ file }) => file),
    ];
    expect(texts.length).toBeGreaterThan(100);
    for (const file of texts)
      expect(bytesOf(directory, file).toString()).not.toMatch(/\b\d{8}-[0-9a-f]{16}\b/);
  });

  it('other addresses change the public documents and the one about subscriptions alone', {
    tags: ['slow'],
  }, async () => {
    const settings: SnapshotSettings = {
      baseUrl: 'https://example.com',
      marketplaceUrl: 'https://market.example',
    };
    const target = fresh();
    const other = await buildQuietly(ledgerDirectory, target, { settings });
    const elsewhere = await manifestOf(target, other);
    const otherRoutes = routesOf(target, elsewhere);
    expect(
      Object.keys(routes).filter((path) => otherRoutes[path]?.file.sha256 !== routes[path]?.file.sha256),
    ).toContain('/demo');
    expect(Object.keys(otherRoutes)).toEqual(Object.keys(routes));
    expect(
      documentNames.filter((name) => elsewhere.documents[name]?.sha256 !== manifest.documents[name]?.sha256),
    ).toEqual(['subscription']);
    expect(other).not.toBe(id);
    const { settings: _settings, documents: _documents, routes: _routes, ...rest } = elsewhere;
    expect(manifest).toMatchObject(rest);
  });

  it.each([
    ['no filings', [company(1, null)]],
    ['nothing at all', []],
  ])('a ledger with %s gives a snapshot', async (_, companies) => {
    const [ledger, target] = [fresh(), fresh()];
    await appendMadeUp(ledger, 1, {
      companies,
    });
    await buildQuietly(ledger, target);
    const made = await wholeSnapshot(target);
    expect(made).toMatchObject({
      filingCount: 0,
      companyCount: companies.length,
      newestFiledAt: null,
      lastSequence: 0,
    });
    expect(Manifest.parse(made)).toEqual(made);
  });
});

describe('a manifest', () => {
  it('a manifest names its snapshot, its ledger, and its counts', async () => {
    const heads = await headsOf(ledgerDirectory);
    const bytes = readFileSync(join(directory, paths.manifest(id)));
    expect(Manifest.parse(JSON.parse(bytes.toString()))).toEqual(manifest);
    expect(id).toBe(snapshotId('2026-01-03T00:00:00.000Z', sha256Of(bytes)));
    const filings = await partitionOf<Filing>(directory, manifest, 'latest', allPartition);
    expect(filings.length).toBe(1200);
    expect(manifest).toMatchObject({
      generatedAt: '2026-01-03T00:00:00.000Z',
      filingCount: 1200,
      companyCount: 40,
      lastSequence: 1200,
      newestFiledAt: filings
        .map(({ filedAt }) => filedAt)
        .sort()
        .at(-1),
      ledger: { id: heads[0]?.sha256, batches: 3, sha256: (heads.at(-1) as BatchHead).sha256 },
      settings: plainSettings,
    });
    expect(manifest.sample).toBeUndefined();
  });

  it('public files that can be shorter have encoded variants, and no others', () => {
    expect(Object.keys(routes).length).toBeGreaterThan(100);
    for (const [urlPath, { file, br, gzip, contentType }] of Object.entries(routes)) {
      const content = bytesOf(directory, file);
      const isPlain = content.length < 512 || contentType === 'image/png' || /\.(tgz|whl)$/.test(urlPath);
      expect([urlPath, br === null, gzip === null]).toEqual([urlPath, isPlain, isPlain]);
    }
  });
});
