import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Ledger } from '../build/ledger/fold.ts';
import { readLedger } from '../build/ledger/read.ts';
import { deriveSnapshot } from '../build/snapshot/derive.ts';
import { verifyAgainstLedger, verifySnapshot } from '../build/snapshot/verify.ts';
import { paths, tableNames, type Manifest, type TableName } from '../src/contract/snapshot.ts';
import { verifyFile } from '../src/snapshot/open.ts';
import { CorruptSnapshot, sha256Of } from '../src/table/file.ts';
import { useDirectories } from './support/directories.ts';
import { forge, type ForgedRow, type Forgery } from './support/forge.ts';
import { generateLedger } from './support/generate.ts';
import { buildQuietly, filesBelow, plainSettings } from './support/snapshots.ts';

const fresh = useDirectories('verify');
const ledgerDirectory = fresh();
let good: string;
let id: string;
let manifest: Manifest;
beforeAll(async () => {
  await generateLedger(ledgerDirectory, { filings: 150, companies: 12, batches: 2 });
  const snapshots = fresh();
  id = await buildQuietly(ledgerDirectory, snapshots);
  good = join(snapshots, id);
  manifest = await verifySnapshot(good, id);
});

function copy(): string {
  const directory = join(fresh(), id);
  cpSync(good, directory, { recursive: true });
  return directory;
}
const ledger = async () => (await readLedger(ledgerDirectory)) as Ledger;
const caught = async (work: Promise<unknown>) => work.then(() => null, (error: unknown) => error as Error);

describe('a snapshot as it was built', () => {
  it('is good, and is what its ledger gives', async () => {
    expect(manifest).toMatchObject({ filingCount: 150, companyCount: 12 });
    await verifyAgainstLedger(good, manifest, id, await ledger());
  });
  it('is not what another ledger gives', async () => {
    const other = fresh();
    await generateLedger(other, { filings: 150, companies: 12, batches: 2, seed: 2 });
    const error = await caught(verifyAgainstLedger(good, manifest, id, (await readLedger(other)) as Ledger));
    expect(error).toBeInstanceOf(CorruptSnapshot);
    expect(error?.message).toContain('tables/latest.jsonl');
  });
  it('has no other name', async () => {
    const directory = join(fresh(), '20260102-0123456789abcdef');
    cpSync(good, directory, { recursive: true });
    await expect(verifySnapshot(directory, '20260102-0123456789abcdef')).rejects.toThrow(`manifest.json: it belongs to ${id}`);
  });
});

/** Every file of a snapshot that is one of a kind, and some of the many public ones, which are all read in one way. */
const someFiles = (directory: string) => filesBelow(directory).filter((path, at) => !path.startsWith('public/') || at % 29 === 0);

/** One file of each kind, in the order in which they are verified. */
const oneOfEach = ['manifest.json', 'documents/health.json', 'public/demo', 'public/demo.br', 'tables/latest.index.csv', 'tables/latest.jsonl'];

/** The whole snapshot is verified for every file that is damaged. */
const wholeLimit = { tags: ['slow'], timeout: 180_000 };

const inTheMidst = (length: number) => [Math.floor(length / 3)];
const fromEndToEnd = (length: number) => [0, ...inTheMidst(length), length - 1];

/** Flips a bit of a file, once at each of the places, and makes the file good again. */
async function flipEach(path: string, places: (length: number) => number[], check: (at: number) => Promise<void>): Promise<void> {
  const content = readFileSync(path);
  for (const at of new Set(places(content.length))) {
    const bad = Buffer.from(content);
    bad[at] = (bad[at] as number) ^ 0x04;
    writeFileSync(path, bad);
    await check(at);
  }
  writeFileSync(path, content);
}

/** Flips bits of some files, and expects of the verification of the whole snapshot that it names each of them. */
async function expectFlipsFound(paths: readonly string[], places: (length: number) => number[]): Promise<void> {
  const directory = copy();
  for (const path of paths) {
    await flipEach(join(directory, path), places, async (at) => {
      const error = await caught(verifySnapshot(directory, id));
      expect([path, at, error instanceof CorruptSnapshot, error?.message]).toEqual([path, at, true, expect.stringContaining(join(directory, path))]);
    });
  }
  await verifySnapshot(directory, id);
}

/** Damages some files, and expects of the verification of the whole snapshot that it names each of them. */
async function expectDamageFound(paths: readonly string[], damage: (path: string) => void): Promise<void> {
  const directory = copy();
  for (const path of paths) {
    damage(join(directory, path));
    const error = await caught(verifySnapshot(directory, id));
    expect([path, error instanceof CorruptSnapshot, error?.message]).toEqual([path, true, expect.stringContaining(join(directory, path))]);
    rmSync(join(directory, path), { recursive: true, force: true });
    cpSync(join(good, path), join(directory, path));
  }
  await verifySnapshot(directory, id);
}

describe('damage', () => {
  it('of one flipped bit is found in every file that the manifest names', async () => {
    const directory = copy();
    for (const entry of manifest.files) {
      await flipEach(join(directory, entry.path), fromEndToEnd, async (at) => {
        const error = await caught(verifyFile(directory, entry));
        expect([entry.path, at, error instanceof CorruptSnapshot, error?.message]).toEqual([entry.path, at, true, expect.stringContaining(join(directory, entry.path))]);
      });
    }
  });
  it('of one flipped bit is found in the whole snapshot, in one file of each kind', () => expectFlipsFound(oneOfEach, fromEndToEnd));
  it('of one flipped bit is found in the whole snapshot, in every file', wholeLimit, async () => {
    expect([someFiles(good).length > 40, filesBelow(good).length > 400]).toEqual([true, true]);
    await expectFlipsFound(someFiles(good), fromEndToEnd);
    await expectFlipsFound(filesBelow(good), inTheMidst);
  });

  describe.each([
    ['missing', (path: string) => rmSync(path)], ['cut off', (path: string) => truncateSync(path, 10)], ['empty', (path: string) => truncateSync(path, 0)], ['longer', (path: string) => appendFileSync(path, '\n')],
    ['a directory', (path: string) => (rmSync(path), mkdirSync(path))],
  ])('of a file that is %s is found', (_, damage) => {
    it('in a document and in a table, which are named', () => expectDamageFound(['public/demo', 'tables/latest.jsonl'], damage));
    it('in every file, which is named', wholeLimit, () => {
      expect(someFiles(good).length).toBeGreaterThan(40);
      return expectDamageFound(someFiles(good), damage);
    });
  });

  it.each(['tables/extra.jsonl', 'public/secret', '.hidden', 'public/.well-known/x.br', 'current.json'])('of a file that nobody named is found: %s', async (path) => {
    const directory = copy();
    writeFileSync(join(directory, path), 'x');
    await expect(verifySnapshot(directory, id)).rejects.toThrow(`${join(directory, path)} is not in the manifest`);
  });
  it('of a link that nobody named is found', async () => {
    const directory = copy();
    symlinkSync('/etc', join(directory, 'public', 'etc'));
    await expect(verifySnapshot(directory, id)).rejects.toThrow('public/etc');
  });
  it('of a whole directory is found', async () => {
    const directory = copy();
    renameSync(join(directory, 'tables'), join(directory, 'tables.old'));
    await expect(verifySnapshot(directory, id)).rejects.toThrow(CorruptSnapshot);
    await expect(verifySnapshot(join(directory, 'nowhere'), id)).rejects.toThrow(join(directory, 'nowhere'));
  });
});

const edit = (at: number, change: (record: Record<string, never>) => unknown) => (rows: ForgedRow[]) => rows.map((row, place) => (place === at ? { ...row, json: JSON.stringify(change(JSON.parse(row.json) as Record<string, never>)) } : row));

/** Verifies a forged copy without and with the ledger. */
async function outcome(forgery: Forgery): Promise<{ alone: string | null; withLedger: string | null }> {
  const forged = await forge(copy(), manifest, forgery);
  const alone = await caught(verifySnapshot(forged.directory, forged.id));
  const withLedger = await caught(verifyAgainstLedger(forged.directory, forged.manifest, forged.id, await ledger()));
  for (const error of [alone, withLedger]) if (error) expect(error).toBeInstanceOf(CorruptSnapshot);
  return { alone: alone?.message ?? null, withLedger: withLedger?.message ?? null };
}

describe('a forgery with every digest made right', () => {
  it('of nothing is no forgery', async () => expect(await outcome({ tables: Object.fromEntries(tableNames.map((name) => [name, (rows: ForgedRow[]) => rows])) })).toEqual({ alone: null, withLedger: null }));

  // The tables alone find a dropped row wherever another table counts it. Symbols begin with CIKs, which are counted.
  const foundAlone: Readonly<Record<TableName, readonly boolean[]>> = {
    latest: [true, true, true], 'company-filings': [true, true, true], 'company-events': [true, true, true], 'insider-trades': [true, true, true], 'issuer-insider-trades': [false, false, false],
    changes: [true, true, true], 'company-changes': [true, true, true], profiles: [true, true, true], summaries: [true, true, true], symbols: [true, false, false], companies: [true, true, true],
  };
  // Two tables stand for all of them, one in which the tables alone find it and one in which they do not.
  for (const name of tableNames) it(`that drops the first, the middle or the last row of ${name} is found`, { tags: ['latest', 'issuer-insider-trades'].includes(name) ? [] : ['slow'] }, async () => {
    const found: boolean[] = [];
    for (const at of [() => 0, (rows: readonly unknown[]) => Math.floor((rows.length * 3) / 4), (rows: readonly unknown[]) => rows.length - 1]) {
      const forged = await forge(copy(), manifest, { tables: { [name]: (rows: ForgedRow[]) => rows.filter((_, place) => place !== at(rows)) } });
      const alone = await caught(verifySnapshot(forged.directory, forged.id));
      found.push(alone instanceof CorruptSnapshot);
      if (found.length === 2) await expect(verifyAgainstLedger(forged.directory, forged.manifest, forged.id, await ledger())).rejects.toThrow(paths.table(name));
    }
    expect(found).toEqual(foundAlone[name]);
  });

  it('that drops a filing wherever it stands is found', async () => {
    const accessionNo = (await ledger()).filings[70]?.accessionNo as string;
    const without = (rows: ForgedRow[]) => rows.filter(({ json }) => !json.includes(`"accessionNo":"${accessionNo}"`));
    const tables = Object.fromEntries(tableNames.filter((name) => name !== 'profiles').map((name) => [name, without]));
    const counts = Object.fromEntries(['stats', 'health'].map((name) => [`documents/${name}.json`, (text: string) => text.replaceAll('"filingCount":150', '"filingCount":149')]));
    const { alone, withLedger } = await outcome({ tables, documents: counts, manifest: (forged) => ({ ...forged, filingCount: 149 }) });
    expect(alone).toContain('changes: sequence');
    expect(withLedger).toContain('tables/latest.jsonl');
  });

  it.each(['changes', 'company-changes'] as const)('that swaps two filings of %s is found', async (name) => {
    const swap = (rows: ForgedRow[]) => {
      const [first, second] = rows.slice(0, 2).map(({ json }) => JSON.parse(json) as Record<string, unknown>);
      return rows.map((row, at) => (at === 0 ? { ...row, json: JSON.stringify({ ...first, filing: second?.['filing'] }) } : at === 1 ? { ...row, json: JSON.stringify({ ...second, filing: first?.['filing'] }) } : row));
    };
    expect((await outcome({ tables: { [name]: swap } })).withLedger).toContain(paths.table(name));
  });
  it('that swaps two rows of companies is found', async () => {
    const swap = ([first, second, ...rest]: ForgedRow[]) => [second as ForgedRow, first as ForgedRow, ...rest];
    expect((await outcome({ tables: { companies: swap } })).withLedger).toContain('tables/companies.jsonl');
  });
  it.each(['latest', 'company-filings', 'changes', 'profiles', 'summaries'] as const)('cannot put two rows of %s in each other’s place', async (name) => {
    const swap = ([first, second, ...rest]: ForgedRow[]) => [second as ForgedRow, first as ForgedRow, ...rest];
    await expect(forge(copy(), manifest, { tables: { [name]: swap } })).rejects.toThrow('may not follow');
  });

  it.each(tableNames)('that changes a member in a row of %s is found', async (name) => {
    const change = (record: Record<string, unknown>): unknown => {
      if (record['filing']) return { ...record, filing: { ...(record['filing'] as object), companyName: 'Somebody Else' } };
      if (record['company']) return { ...record, company: { ...(record['company'] as object), name: 'Somebody Else' } };
      return { ...record, ...('companyName' in record ? { companyName: 'Somebody Else' } : { name: 'Somebody Else' }) };
    };
    const { alone, withLedger } = await outcome({ tables: { [name]: edit(3, change) } });
    if (['changes', 'company-changes'].includes(name)) expect(alone).toContain('is not one of changes');
    if (['latest', 'company-filings', 'insider-trades', 'issuer-insider-trades', 'summaries'].includes(name)) expect(alone).toContain('differs from its row in latest');
    expect(withLedger).toContain(paths.table(name));
  });

  it.each([
    ['a member of a wrong type', 'latest', (record: object) => ({ ...record, size: '5' }), 'size'],
    ['a form of insiders where there is none', 'profiles', (record: object) => ({ ...record, filingCount: 1 }), 'profiles'],
    ['a change without a place', 'changes', ({ sequence: _sequence, ...record }: Record<string, unknown>) => ({ sequence: 0, ...record }), 'sequence'],
    ['a symbol of a company that is not there', 'symbols', (record: object) => ({ ...record, cik: '0000000099' }), 'has no profile'],
    ['a list of a company that is not there', 'symbols', (record: object) => ({ ...record, listCik: '0000000099' }), 'has no profile'],
    ['a company that is not there', 'companies', (record: { company?: object }) => ({ ...record, company: { ...record.company, cik: '0000000099' } }), 'has no profile'],
    ['a summary that is advice', 'summaries', (record: object) => ({ ...record, notInvestmentAdvice: false }), 'notInvestmentAdvice'],
  ] as const)('with %s is found', async (_, name, change, message) => {
    expect((await outcome({ tables: { [name]: edit(0, change as (record: object) => unknown) } })).alone).toContain(message);
  });

  it('with a filing that is no insider’s among those of insiders is found', async () => {
    const foreign = { key: 'all', json: '' };
    await forge(copy(), manifest, { tables: { latest: (rows) => ((foreign.json = rows.find(({ json }) => json.includes('"form":"8-K"'))?.json as string), rows) } });
    const order = ({ json }: ForgedRow) => `${/"filedAt":"([^"]*)"/.exec(json)?.[1]} ${/"acceptanceDateTime":"([^"]*)"/.exec(json)?.[1]}`;
    const add = (rows: ForgedRow[]) => [...rows.slice(1), foreign].sort((a, b) => (order(a) < order(b) ? 1 : -1));
    expect((await outcome({ tables: { 'insider-trades': add } })).alone).toContain('is not a Form 3, 4 or 5');
  });

  it.each([
    ['filingCount', (forged: Manifest) => ({ ...forged, filingCount: 151 })],
    ['companyCount', (forged: Manifest) => ({ ...forged, companyCount: 11 })],
    ['lastSequence', (forged: Manifest) => ({ ...forged, lastSequence: 149 })],
    ['rows', (forged: Manifest) => ({ ...forged, files: forged.files.map((entry) => (entry.path === paths.table('latest') ? { ...entry, rows: 149 } : entry)) })],
    ['lines', (forged: Manifest) => ({ ...forged, files: forged.files.map((entry) => (entry.path === paths.index('latest') ? { ...entry, rows: 0 } : entry)) })],
    ['the newest day of a page', (forged: Manifest) => ({ ...forged, tables: { ...forged.tables, latest: (forged.tables['latest'] ?? []).map((page) => ({ ...page, filedAt: '1999-01-01' })) } })],
    ['the pages of a table', (forged: Manifest) => ({ ...forged, tables: { ...forged.tables, latest: [] } })],
  ])('with another %s in the manifest is found', async (_, change) => {
    const { alone, withLedger } = await outcome({ manifest: change });
    expect(alone).not.toBeNull();
    expect(withLedger).not.toBeNull();
  });

  it('with other addresses for subscribers is found with the ledger: it is another manifest', async () => {
    const { withLedger } = await outcome({ documents: { 'public/demo': (text) => text.replace('"subscribeUrl":"/subscribe"', '"subscribeUrl":"https://evil.example"') } });
    expect(withLedger).toContain('public/demo');
  });

  it('whose compressed twin says something else is found without the ledger', async () => {
    const forged = await forge(copy(), manifest, { documents: { 'public/demo': (text) => text.replace('"count"', '"Count"').replace('"data"', '"Data"') } });
    expect((await caught(verifySnapshot(forged.directory, forged.id)))?.message).toMatch(/public\/demo\.(br|gz) is not public\/demo compressed/);
  });

  it('that another compressor made is what its ledger gives', async () => {
    const directory = copy();
    const { 'public/demo.gz': gzip, 'public/demo': plain } = Object.fromEntries(manifest.files.map((entry) => [entry.path, entry]));
    const weaker = gzipSync(readFileSync(join(directory, plain?.path ?? '')), { level: 1 });
    expect(sha256Of(weaker)).not.toBe(gzip?.sha256);
    const files = manifest.files.map((entry) => (entry.path === gzip?.path ? { ...entry, bytes: weaker.length, sha256: sha256Of(weaker) } : entry));
    rmSync(join(directory, 'public/demo.gz'));
    writeFileSync(join(directory, 'public/demo.gz'), weaker);
    await verifyAgainstLedger(directory, { ...manifest, files }, id, await ledger());
  });

  it('made by the program itself from a ledger with one filing less is found with the ledger', async () => {
    const { observations, ...rest } = await ledger();
    const isKept = (_: unknown, at: number) => at !== 70;
    const batches = rest.batches.map((batch) => ({ ...batch, lastSequence: batch.lastSequence - Number(batch.lastSequence > 70) }));
    const placed = observations.filter(isKept).map((each, at) => ({ ...each, sequence: at + 1 }));
    const directory = fresh();
    const forged = await deriveSnapshot({ ...rest, batches, observations: placed, filings: placed }, plainSettings, directory);
    expect(await caught(verifySnapshot(directory, forged.id))).toBeNull();
    expect((await caught(verifyAgainstLedger(directory, forged.manifest, forged.id, await ledger())))?.message).toContain('tables/latest.jsonl');
  });
});
