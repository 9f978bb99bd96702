import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { publish, snapshotNamed } from '../../build/snapshot/pointer.ts';
import { derivingAgain } from '../../build/verify/derived.ts';
import { verifyAgainstLedger, verifySnapshot } from '../../build/verify/verify.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { paths, Routes, type Manifest, type TableName } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { often } from '../support/often.ts';
import { useDirectories } from '../support/directories.ts';
import { histories } from '../support/histories.ts';
import { appendMadeUp } from '../support/ledgers.ts';
import {
  forgeBlocks,
  forgeSegment,
  makeSmallSnapshot,
  writeFile,
  writeManifest,
  type ForgedBlock,
  type ForgedLine,
  type Forgery,
  type SmallSnapshot,
} from '../support/segments.ts';
import { derivedFiles, makeSound, refusal, type Sound } from '../support/sound-snapshot.ts';
import { filesBelow } from '../support/files-below.ts';

const fresh = useDirectories('verify');
let made: Sound;
let sound: SmallSnapshot;
beforeAll(async () => {
  made = await makeSound(fresh);
  sound = made.snapshot;
});
const copy = () => made.copy();
const againstLedger = (...[snapshot, ...rest]: Parameters<Sound['againstLedger']>) =>
  made.againstLedger(snapshot, ...rest);

/** Names a file of a table in any segment, or a file of the log. */
const file = (table: TableName | 'log', what: string) =>
  table === 'log'
    ? new RegExp(`files/[0-9a-f]{2}/[0-9a-f]{64}.*${what}`, 's')
    : new RegExp(`segments/\\d+-\\d+-[0-9a-f]{16}/${table}\\.jsonl\\.gz.*${what}`, 's');

describe('a snapshot', () => {
  for (const { times, options } of often(60, 1000, 2000))
    it(`a snapshot of any of ${times} histories is sound`, options, async () =>
      fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const [directory, from] = [fresh(), fresh()];
          for (const { run, filings, companies } of history)
            await appendBatch(from, { run, filings, companies, refusals: [] });
          expect(await refusal(await makeSmallSnapshot(directory, from))).toBeNull();
          for (const made of [directory, from]) rmSync(made, { recursive: true });
        }),
        { numRuns: times },
      ),
    );
});

describe('a damaged file', () => {
  const damages: readonly ((bytes: Buffer) => Buffer | null)[] = [
    (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))),
    (bytes) => bytes.subarray(0, -1),
    (bytes) => Buffer.concat([bytes, Buffer.from('\n')]),
    () => null,
  ];
  it('verification names any file with a flipped bit, that is cut short, that goes on, or that is missing', {
    tags: ['slow'],
  }, async () => {
    const { directory, id } = copy();
    const files = filesBelow(directory);
    expect(files.length).toBeGreaterThan(50);
    // Each run damages a file in another way than the one before.
    const first = Math.floor(Date.now() / 1000);
    for (const [at, path] of files.entries()) {
      const whole = readFileSync(join(directory, path));
      const damaged = whole.length === 0 ? null : damages[(first + at) % damages.length]?.(whole);
      if (damaged) writeFileSync(join(directory, path), damaged);
      else rmSync(join(directory, path));
      const said = await refusal({ ...sound, directory, id });
      expect(said).toContain(path);
      expect(said).not.toContain('\n');
      writeFileSync(join(directory, path), whole);
    }
  });
  it('verification names a foreign file in the folder of a segment', async () => {
    const snapshot = copy();
    writeFileSync(
      join(snapshot.directory, paths.segments, snapshot.manifest.segments[0]?.name ?? '', 'latest.jsonl'),
      '',
    );
    expect(await refusal(snapshot)).toMatch(/latest\.jsonl is not a file of the segment/);
  });
});

it('a pointer that tells another SHA-256 of the current snapshot is refused', async () => {
  const { directory, id } = copy();
  const manifestSha256 = sha256Of(readFileSync(join(directory, paths.manifest(id))));
  await publish(directory, id, manifestSha256);
  const folder = openPartFolder(directory);
  try {
    expect((await snapshotNamed(folder)).id).toBe(id);
    await publish(directory, id, `${manifestSha256.slice(0, -1)}${manifestSha256.endsWith('0') ? '1' : '0'}`);
    await expect(snapshotNamed(folder)).rejects.toThrow(
      /manifests.* its SHA-256 is not the one in the pointer/,
    );
    expect((await snapshotNamed(folder, id)).id).toBe(id);
  } finally {
    await folder.close();
  }
});

describe('blocks', () => {
  const broken = (change: (blocks: ForgedBlock[]) => ForgedBlock[], table: TableName = 'company-changes') =>
    forgeBlocks(copy(), 0, table, change).then(refusal);
  const first = (change: (block: ForgedBlock) => ForgedBlock) => (blocks: ForgedBlock[]) =>
    blocks.map((block, at) => (at === 0 ? change(block) : block));
  const zipped = (lines: readonly string[]) => gzipSync(lines.map((line) => `${line}\n`).join(''));
  /** The block with other bytes, which its entry describes. */
  const holding = ({ entry }: ForgedBlock, stored: Buffer): ForgedBlock => ({
    stored,
    entry: { ...entry, bytes: stored.length, sha256: sha256Of(stored) },
  });
  /** A block of these lines. */
  const blockOf = (lines: readonly string[], like: ForgedBlock): ForgedBlock => {
    const { stored, entry } = holding(like, zipped(lines));
    const { partition, sort } = JSON.parse(lines[0] ?? '') as ForgedLine;
    return { stored, entry: { ...entry, partition, sort, rows: lines.length } };
  };
  const inOrder = (blocks: ForgedBlock[]) => {
    let offset = 0;
    return blocks.map(({ entry, stored }) => ({
      stored,
      entry: { ...entry, offset: (offset += stored.length) - stored.length },
    }));
  };
  const linesOf = ({ stored }: ForgedBlock) => gunzipSync(stored).toString().split('\n').slice(0, -1);

  it('a segment of other rules than its manifest says is refused', async () => {
    const forged = await forgeSegment(copy(), 1, {}, (head) => ({ ...head, rules: 4 }));
    expect(await refusal(forged)).toMatch(/segment\.json follows rules 4, not \d+ as the manifest says/);
  });
  it('rows of other rules are checked by their schemas alone', async () => {
    const asOlder = async (forgery: Forgery) => {
      let forged = copy();
      for (const segment of forged.manifest.segments.keys())
        forged = await forgeSegment(
          forged,
          segment,
          segment === 0 ? forgery : {},
          (head) => ({ ...head, rules: 5 }),
          (manifest) => ({ ...manifest, rules: 5 }),
        );
      return refusal(forged);
    };
    const edited = (from: string, to: string) => (lines: ForgedLine[]) =>
      lines.map((line) => ({ ...line, row: line.row?.replace(from, to) ?? null }));
    expect(await asOlder({ latest: (lines) => lines.slice(0, -1) })).toBeNull();
    expect(await asOlder({ summaries: edited('"summary":', '"more":1,"summary":') })).toMatch(
      file('summaries', 'is not written as its schema requires'),
    );
    expect(await asOlder({ log: edited('"size":', '"size":-'), latest: (lines) => lines })).toMatch(
      file('log', 'does not fit'),
    );
  });
  it('blocks that are cut elsewhere are refused', async () => {
    const rule = file('company-changes', 'is not what the rule for blocks makes');
    const split = ([head, ...rest]: ForgedBlock[]) => {
      const whole = head as ForgedBlock;
      const [before, after] = [linesOf(whole).slice(0, 5), linesOf(whole).slice(5)];
      return inOrder([blockOf(before, whole), blockOf(after, whole), ...rest]);
    };
    expect(await broken(split)).toMatch(/company-changes\..*is not what the rule for blocks makes/);
    const joined = ([a, b, ...rest]: ForgedBlock[]) => {
      const lines = [a, b].flatMap((each) => linesOf(each as ForgedBlock));
      return inOrder([blockOf(lines, a as ForgedBlock), ...rest]);
    };
    expect(await broken(joined)).toMatch(rule);
  });
  it('a block whose gzip checksum or header is not that of its content is refused, though its digest is right', async () => {
    const changed = (at: number) =>
      first(({ entry, stored }) => {
        const bytes = Buffer.from(stored);
        const offset = at < 0 ? bytes.length + at : at;
        bytes[offset] = (bytes[offset] as number) ^ 1;
        return { stored: bytes, entry: { ...entry, sha256: sha256Of(bytes) } };
      });
    const checksum = -8;
    const inflatedLength = -4;
    for (const at of [checksum, inflatedLength, 0])
      expect(await broken(changed(at)), `byte ${at}`).toMatch(file('company-changes', 'cannot be inflated'));
  });
  it('bytes between or behind blocks, or that are no gzip, are refused', async () => {
    const longer = (block: ForgedBlock | undefined) => {
      const { stored, entry } = block as ForgedBlock;
      return { entry, stored: Buffer.concat([stored, Buffer.from('x')]) };
    };
    const between = ([a, ...rest]: ForgedBlock[]) => [
      longer(a),
      ...rest.map(({ entry, stored }) => ({ stored, entry: { ...entry, offset: entry.offset + 1 } })),
    ];
    const behind = (blocks: ForgedBlock[]) => [...blocks.slice(0, -1), longer(blocks.at(-1))];
    const plain = (blocks: ForgedBlock[]) =>
      inOrder(first((block) => holding(block, Buffer.from('no gzip')))(blocks));
    for (const [change, what] of [
      [between, 'does not begin where the one before ends'],
      [behind, 'bytes after its last block'],
      [plain, 'the block at 0'],
    ] as const)
      expect(await broken(change)).toMatch(file('company-changes', what));
  });
  it.each<[TableName, (line: string) => string, string]>([
    ['company-changes', (line) => line.replace('"sort"', '"sart"'), 'is not a line of a table'],
    ['company-changes', (line) => line.replace('{"partition"', ' {"partition"'), 'is not a line of a table'],
    ['company-changes', () => 'x', 'x is not a line of a table'],
    ['summaries', (line) => line.replace('"row":{', '"row":{"more":1,'), 'holds another row'],
    ['summaries', (line) => line.slice(0, -2), 'is not a line of a table'],
    ['profiles', (line) => line.replace('"row":{', '"raw":{'), 'is not a line of a table'],
  ])('a block of %s with a malformed line is refused: %s, %s', async (table, change, what) => {
    const spoilt = (block: ForgedBlock) =>
      holding(block, zipped(linesOf(block).map((line, at) => (at === 1 ? change(line) : line))));
    expect(await broken((blocks) => inOrder(first(spoilt)(blocks)), table)).toMatch(file(table, what));
  });
});

describe('documents and variants', () => {
  const documents: readonly (readonly ['stats' | 'health', string, string, RegExp])[] = [
    ['stats', '"filingCount":', '"filingCount":1', /\(stats\): filingCount is/],
    ['stats', '"companyCount":', '"companyCount":1', /\(stats\): companyCount is/],
    ['stats', '"form":"10-Q"', '"form":"10-KT"', /\(stats\): latestFiling|\(stats\): forms/],
    [
      'stats',
      '"eventType":"current_report","count":',
      '"eventType":"current_report","count":1',
      /\(stats\): eventTypes/,
    ],
    ['health', '"filingCount":', '"filingCount":1', /\(health\): filingCount is/],
    ['health', '"companyCount":', '"companyCount":1', /\(health\): companyCount is/],
    ['health', '{', '[', /is not JSON/],
  ];
  it.each(documents)(
    'a forged document is refused: %s, %s → %s',
    { tags: ['slow'] },
    async (name, from, to, message) => {
      const { directory, manifest } = copy();
      const text = readFileSync(join(directory, paths.file(manifest.documents[name]?.sha256 ?? '')), 'utf8');
      expect(text).toContain(from);
      expect(
        await refusal(
          writeManifest(directory, {
            ...manifest,
            documents: {
              ...manifest.documents,
              [name]: writeFile(directory, Buffer.from(text.replace(from, to))),
            },
          }),
        ),
      ).toMatch(message);
    },
  );

  it('a forged encoded variant is refused', async () => {
    const { directory, manifest } = copy();
    const withRoutes = (change: (routes: Routes) => unknown) => {
      const { routes } = derivedFiles({ ...sound, directory });
      return refusal(
        writeManifest(directory, {
          ...manifest,
          routes: writeFile(directory, Buffer.from(JSON.stringify(change(routes)))),
        }),
      );
    };
    const root = derivedFiles(sound).routes['/'] as Routes[string];
    expect(await withRoutes((routes) => routes)).toBeNull();
    expect(
      await withRoutes(() => ({ '/': { ...root, gzip: writeFile(directory, gzipSync('Another page.')) } })),
    ).toMatch(/is not the file of \/ encoded/);
    expect(await withRoutes(() => ({ '/': { ...root, br: root.gzip } }))).toMatch(
      /is not the file of \/ encoded/,
    );
    expect(await withRoutes(() => ({ '/': { ...root, file: null } }))).toMatch(/\(routes\): \/\.file/);
    expect(
      await withRoutes(() => ({ '/': { ...root, file: { sha256: '0'.repeat(64), bytes: 1 } } })),
    ).toMatch(/files\/00\/0000/);
  });
});

describe('a snapshot and its ledger', () => {
  it('a snapshot agrees with its ledger though another compressor made the segment', async () => {
    let offset = 0;
    const again = (blocks: ForgedBlock[]) =>
      blocks.map(({ entry, stored }) => {
        const other = gzipSync(gunzipSync(stored), { level: 9 });
        return {
          stored: other,
          entry: {
            ...entry,
            offset: (offset += other.length) - other.length,
            bytes: other.length,
            sha256: sha256Of(other),
          },
        };
      });
    const forged = await forgeBlocks(copy(), 0, 'latest', again);
    expect(forged.manifest.segments[0]?.name).not.toBe(sound.manifest.segments[0]?.name);
    expect(await refusal(forged)).toBeNull();
    await againstLedger(forged);
  });
  it('a snapshot agrees with its ledger though the ledger has grown', async () => {
    const longer = fresh();
    cpSync(made.ledger, longer, { recursive: true });
    await appendMadeUp(longer, 30, {});
    await againstLedger(sound, derivedFiles(sound), longer);
  });

  it('verification against the ledger finds other documents and pages', async () => {
    const { documents, routes } = derivedFiles(sound);
    const other = { sha256: '0'.repeat(64), bytes: 1 };
    const root = routes['/'] as Routes[string];
    await expect(againstLedger(sound, { documents: { ...documents, root: other }, routes })).rejects.toThrow(
      /manifests.*document root$/,
    );
    await expect(
      againstLedger(sound, { documents, routes: { '/': { ...root, file: other } } }),
    ).rejects.toThrow(/manifests.*path \/$/);
    await expect(againstLedger(sound, { documents, routes: { ...routes, '/more': root } })).rejects.toThrow(
      /manifests.*path \/more$/,
    );
    await againstLedger(sound, { documents, routes: { '/': { ...root, gzip: other } } });
  });
  it('verification makes documents and pages again, and finds one that differs', {
    tags: ['slow'],
  }, async () => {
    const directory = fresh();
    const id = await buildSnapshot({
      ledgerDirectory: made.ledger,
      snapshotsDirectory: directory,
      settings: { baseUrl: 'https://example.com', marketplaceUrl: null },
      replace: false,
      log: () => {},
    });
    const manifest = await verifySnapshot(directory, id);
    const again = (snapshot: SmallSnapshot) =>
      verifyAgainstLedger(
        directory,
        snapshot.manifest,
        snapshot.id,
        made.ledger,
        derivingAgain(directory, snapshot.manifest),
      );
    await again({ directory, id, manifest });
    const { routes } = derivedFiles({ directory, id, manifest });
    const root = writeFile(directory, Buffer.from('{}'));
    await expect(
      again(writeManifest(directory, { ...manifest, documents: { ...manifest.documents, root } })),
    ).rejects.toThrow(/manifests.*document root$/);
    const page = { ...(routes['/docs/verify'] as Routes[string]), file: root };
    await expect(
      again(
        writeManifest(directory, {
          ...manifest,
          routes: writeFile(directory, Buffer.from(JSON.stringify({ ...routes, '/docs/verify': page }))),
        }),
      ),
    ).rejects.toThrow(/manifests.*path \/docs\/verify$/);
    await expect(
      again(writeManifest(directory, { ...manifest, settings: { ...manifest.settings, baseUrl: null } })),
    ).rejects.toThrow(/manifests.* is not what the ledger gives: document subscription$/);
    await expect(
      again(writeManifest(directory, { ...manifest, documents: { ...manifest.documents, intents: root } })),
    ).rejects.toThrow(/\(intents\): counts/);
    await expect(again(writeManifest(directory, { ...manifest, productVersion: '0.0.0' }))).rejects.toThrow(
      /made by version 0\.0\.0, and only that version can check them/,
    );
  });
  it('a snapshot differs from an empty ledger', async () => {
    const nothing = fresh();
    await expect(againstLedger(sound, derivedFiles(sound), nothing)).rejects.toThrow(
      `${nothing} holds no batch`,
    );
  });
  it('verification against the ledger finds a manifest that differs', async () => {
    const { directory, manifest } = copy();
    const changed = (members: Partial<Manifest>) =>
      againstLedger(writeManifest(directory, { ...manifest, ...members }));
    await expect(changed({ ledger: { ...manifest.ledger, id: '0'.repeat(64) } })).rejects.toThrow(
      /is of another ledger/,
    );
    await expect(changed({ ledger: { ...manifest.ledger, batches: 7 } })).rejects.toThrow(
      /is of another ledger/,
    );
    await expect(changed({ sample: true })).rejects.toThrow(/sample/);
    await expect(
      changed({ segments: manifest.segments.map((each) => ({ ...each, rows: 1 })) }),
    ).rejects.toThrow(/the ledger gives 1-2 with \d+ rows/);
  });
});
