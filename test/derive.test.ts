import { join } from 'node:path';
import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Ledger } from '../build/ledger/fold.ts';
import { readLedger } from '../build/ledger/read.ts';
import { deriveSnapshot, type Derived } from '../build/snapshot/derive.ts';
import { walkLines } from '../build/snapshot/walk.ts';
import { Manifest, paths, snapshotId, tableDefinition, tableNames } from '../src/contract/snapshot.ts';
import { sha256Of } from '../src/table/file.ts';
import { useDirectories } from './support/directories.ts';
import { generateLedger } from './support/generate.ts';
import { foldedLedger } from './support/ledgers.ts';
import { contentBelow, filesBelow, plainSettings } from './support/snapshots.ts';

const fresh = useDirectories('derive');
const ledgerDirectory = fresh();
let directory: string;
let derived: Derived;
const read = async () => (await readLedger(ledgerDirectory)) as Ledger;
beforeAll(async () => {
  await generateLedger(ledgerDirectory, { filings: 1200, companies: 40, batches: 3 });
  directory = fresh();
  derived = await deriveSnapshot(await read(), plainSettings, directory);
});

describe('deriving a snapshot', () => {
  it('gives the same bytes for the same ledger, whatever the time zone', async () => {
    const zone = process.env['TZ'];
    for (const other of ['Pacific/Kiritimati', 'America/St_Johns']) {
      const again = fresh();
      process.env['TZ'] = other;
      try {
        expect(await deriveSnapshot(await read(), plainSettings, again)).toEqual(derived);
      } finally {
        if (zone === undefined) delete process.env['TZ'];
        else process.env['TZ'] = zone;
      }
      expect(contentBelow(again)).toEqual(contentBelow(directory));
    }
  });

  it('names no snapshot in its documents: its own name follows from them, and there is no other', () => {
    const texts = derived.manifest.files.filter(({ path }) => /^(documents|public)\//.test(path) && !/\.(br|gz|png)$/.test(path));
    expect(texts.length).toBeGreaterThan(100);
    for (const { path } of texts) expect(readFileSync(join(directory, path), 'utf8'), path).not.toMatch(/\b\d{8}-[0-9a-f]{16}\b/);
  });

  it('gives other public documents for other addresses, another one about subscriptions, and nothing else', async () => {
    const elsewhere = await deriveSnapshot(await read(), { baseUrl: 'https://example.com', marketplaceUrl: 'https://market.example' }, fresh());
    const known = new Map(derived.manifest.files.map(({ path, sha256 }) => [path, sha256]));
    const different = elsewhere.manifest.files.filter(({ path, sha256 }) => known.get(path) !== sha256).map(({ path }) => path);
    expect(different).toContain('public/demo');
    expect(different.filter((path) => !path.startsWith('public/'))).toEqual([paths.document('subscription')]);
    expect(elsewhere.id).not.toBe(derived.id);
    const { settings: _, files: __, ...rest } = elsewhere.manifest;
    expect(derived.manifest).toMatchObject(rest);
  });

  it('gives another name for another ledger', async () => {
    const other = fresh();
    await generateLedger(other, { filings: 1200, companies: 40, batches: 3, seed: 2 });
    expect((await deriveSnapshot((await readLedger(other)) as Ledger, plainSettings, fresh())).id).not.toBe(derived.id);
  });

  it('writes into an empty directory alone', async () => {
    await expect(deriveSnapshot(await read(), plainSettings, directory)).rejects.toThrow('EEXIST');
  });

  it.each([['no filings', foldedLedger({ companies: [{ cik: '0000000001', name: 'N', tickers: [], exchange: null, formerNames: [] }] })], ['nothing at all', foldedLedger({})]])('works for a ledger with %s', async (_, ledger) => {
    const { manifest } = await deriveSnapshot(ledger, plainSettings, fresh());
    expect(manifest).toMatchObject({ filingCount: 0, newestFiledAt: null, lastSequence: 0 });
    expect(Manifest.parse(manifest)).toEqual(manifest);
  });
});

describe('a manifest', () => {
  it('names itself, the ledger, and what there is', async () => {
    const ledger = await read();
    const bytes = readFileSync(join(directory, paths.manifest));
    expect(Manifest.parse(JSON.parse(bytes.toString()))).toEqual(derived.manifest);
    expect(derived.manifestSha256).toBe(sha256Of(bytes));
    expect(derived.id).toBe(snapshotId('2026-01-03T00:00:00.000Z', derived.manifestSha256));
    expect(derived.manifest).toMatchObject({
      generatedAt: '2026-01-03T00:00:00.000Z', filingCount: 1200, companyCount: 40, lastSequence: 1200, newestFiledAt: ledger.filings.map(({ filedAt }) => filedAt).sort().at(-1),
      ledger: { id: ledger.id, batches: ledger.batches }, settings: plainSettings,
    });
  });

  it('names every file with its size, digest and rows, sorted', () => {
    const { files } = derived.manifest;
    expect([paths.manifest, ...files.map(({ path }) => path)].sort()).toEqual(filesBelow(directory));
    expect(files.map(({ path }) => path)).toEqual(files.map(({ path }) => path).sort());
    for (const { path, bytes, sha256, rows } of files) {
      const content = readFileSync(join(directory, path));
      expect([path, content.length, sha256Of(content)]).toEqual([path, bytes, sha256]);
      const lines = content.toString().split('\n').length - 1;
      expect(rows).toBe(path.endsWith('.jsonl') ? lines : path.endsWith('.index.csv') ? lines - 1 : null);
    }
  });

  it('has a route for every public file, with twins that hold the same', () => {
    const { routes, files } = derived.manifest;
    const routed = Object.values(routes).flatMap(({ file, br, gzip }) => [file, br, gzip]).filter((file) => file !== null);
    expect(routed.sort()).toEqual(files.map(({ path }) => path).filter((path) => path.startsWith('public/')).sort());
    for (const [urlPath, { file, br, gzip, contentType }] of Object.entries(routes)) {
      expect(file).toBe(paths.public(urlPath, contentType.startsWith('text/html')));
      const content = readFileSync(join(directory, file));
      if (br !== null) expect(brotliDecompressSync(readFileSync(join(directory, br))).equals(content)).toBe(true);
      if (gzip !== null) expect(gunzipSync(readFileSync(join(directory, gzip))).equals(content)).toBe(true);
      const isPlain = content.length < 512 || contentType === 'image/png';
      expect([urlPath, br === null, gzip === null]).toEqual([urlPath, isPlain, isPlain]);
    }
  });
});

describe('a table', () => {
  it.each(tableNames)('%s has rows that its schema knows, without white space or unknown members', async (name) => {
    let rows = 0;
    for await (const line of walkLines(directory, derived.manifest, name)) {
      expect(JSON.stringify(tableDefinition(name).record.parse(JSON.parse(line)))).toBe(line);
      rows++;
    }
    expect(rows).toBeGreaterThan(10);
  });
});
