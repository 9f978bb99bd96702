import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openSubmissionsArchive, type ArchivedEntity } from '../../build/sources/archive.ts';
import { sources } from '../../build/sources/registry.ts';
import { toFilings } from '../../build/sources/submissions.ts';
import { archiveMembers } from '../support/archive.ts';
import { useDirectories } from '../support/directories.ts';
import { columnsOf, extraPage, submissionsOf, upstreamRow } from '../support/submissions.ts';
import { zipOf as bytesOf, type Member } from '../support/zip.ts';

const directory = useDirectories('archive');
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const [one, two, three] = ['0000000001', '0000000002', '0000000003'];
const rows = [1, 2].map((number) => upstreamRow(number));
const page = extraPage(one, 1, rows);
const mainOf = (cik: string, files: readonly unknown[] = []): Member => ({
  name: `CIK${cik}.json`,
  body: json(submissionsOf(cik, [upstreamRow(9)], {}, files)),
});
const pageOf = (name: string, rowsOfPage = rows): Member => ({ name, body: json(columnsOf(rowsOfPage)) });
/** Pages stand before the main file, as in upstream's order of names, and entities in no order. */
const members: Member[] = [
  mainOf(three),
  pageOf(page.name),
  mainOf(one, [page]),
  { ...mainOf(two), compress: false },
];

function zipOf(list: Iterable<Member>, change: (zip: Buffer) => Buffer = (zip) => zip, long = false): string {
  const path = join(directory(), 'submissions.zip');
  writeFileSync(path, change(bytesOf(list, long)));
  return path;
}

async function readAll(
  path: string,
  isWanted?: (cik: string) => boolean,
): Promise<{ entities: ArchivedEntity[]; refused: string[] }> {
  const archive = await sources.submissionsArchive.open(path);
  const entities: ArchivedEntity[] = [];
  for await (const entity of archive.read(isWanted)) entities.push(entity);
  await archive.close();
  return {
    entities,
    refused: [...archive.refusals, ...entities.flatMap(({ refusals }) => refusals)].map(
      ({ file, reason }) => `${file}: ${reason}`,
    ),
  };
}
const summary = (entities: readonly ArchivedEntity[]) =>
  entities.map(({ cik, main, pages }) => [
    cik,
    main?.columns.accessionNumber.length ?? null,
    ...pages.map(({ columns }) => columns.accessionNumber.length),
  ]);

/** The offset of a member, and its compressed length. */
function locate(zip: Buffer, name: string): { head: number; data: number; length: number; entry: number } {
  const entry = zip.lastIndexOf(name) - 46;
  const head = zip.readUInt32LE(entry + 42);
  return {
    head,
    data: head + 30 + zip.readUInt16LE(head + 26) + zip.readUInt16LE(head + 28),
    length: zip.readUInt32LE(entry + 20),
    entry,
  };
}
/** Changes a copy of a zip file. */
const edit = (change: (zip: Buffer) => unknown) => (zip: Buffer) => {
  const copy = Buffer.from(zip);
  change(copy);
  return copy;
};

describe('an archive', () => {
  it('gives each entity with its older pages, by ascending CIK, whatever the order of its members', async () => {
    const { entities, refused } = await readAll(zipOf(members));
    expect(summary(entities)).toEqual([
      [one, 1, 2],
      [two, 1],
      [three, 1],
    ]);
    expect(refused).toEqual([]);
    expect(entities[0]?.main?.entity).toMatchObject({ cik: one, name: 'Company 1' });
    expect(entities[0]?.pages[0]?.file).toBe(page.name);
  });
  it('an archive in the ZIP64 format is read alike', async () => {
    expect(summary((await readAll(zipOf(members, undefined, true))).entities)).toEqual([
      [one, 1, 2],
      [two, 1],
      [three, 1],
    ]);
  });
  it('an archive gives only the entities that are wanted', async () => {
    expect(summary((await readAll(zipOf(members), (cik) => cik === three)).entities)).toEqual([[three, 1]]);
  });
  it('a reader can leave an archive before its end', async () => {
    const archive = await openSubmissionsArchive(zipOf(members), 1e6);
    for await (const { cik } of archive.read()) {
      expect(cik).toBe(one);
      break;
    }
    await archive.close();
  });
  it('a generated archive holds what was asked for', { tags: ['slow'] }, async () => {
    const { entities, refused } = await readAll(
      zipOf(archiveMembers({ entities: 300, filings: 5000, rowsOfMain: 10, rowsOfPage: 12 })),
    );
    expect(refused).toEqual([]);
    expect(entities.length).toBe(300);
    const accessions = entities.flatMap(({ cik, main, pages }) =>
      [main?.columns, ...pages.map(({ columns }) => columns)].flatMap((columns) => {
        expect(main).not.toBeNull();
        if (!main || !columns) return [];
        const { filings, refusals } = toFilings(columns, main.entity, `CIK${cik}.json`, {
          clock: 'utc',
          unsettledFrom: '9999',
        });
        expect(refusals).toEqual([]);
        return filings.map(({ accessionNo }) => accessionNo);
      }),
    );
    expect(new Set(accessions).size).toBe(5000);
    expect(Math.max(...entities.map(({ pages }) => pages.length))).toBeGreaterThan(3);
  });
});

describe('a member that is broken', () => {
  const name = `CIK${three}.json`;
  const entryOf = (zip: Buffer) => locate(zip, name).entry;
  const cases: readonly (readonly [string, (zip: Buffer) => unknown, string])[] = [
    [
      'in its packed bytes',
      (zip) => zip.fill(0xff, locate(zip, name).data + 20, locate(zip, name).data + 60),
      '',
    ],
    ['in its head', (zip) => zip.write('XX', locate(zip, name).head), 'it is not where the directory says'],
    [
      'in its name',
      (zip) => zip.write('4', locate(zip, name).head + 42),
      'it is not where the directory says',
    ],
    ['by a size that is too small', (zip) => zip.writeUInt32LE(5, entryOf(zip) + 24), ''],
    [
      'by a size that is too large',
      (zip) => zip.writeUInt32LE(2e7, entryOf(zip) + 24),
      'it has 679 bytes, not the',
    ],
    [
      'by a size beyond any bound',
      (zip) => zip.writeUInt32LE(0xf0000000, entryOf(zip) + 24),
      'it has 4026531840',
    ],
    [
      'by a method that is not known',
      (zip) => zip.writeUInt16LE(12, entryOf(zip) + 10),
      'it is encrypted, or packed',
    ],
    ['by encryption', (zip) => zip.writeUInt16LE(1, entryOf(zip) + 8), 'it is encrypted'],
  ];
  it.each(cases)(
    'a member that is broken (%s) is refused and named, and the rest is taken',
    async (_, change, reason) => {
      const { entities, refused } = await readAll(zipOf(members, edit(change)));
      expect(refused).toEqual([expect.stringContaining(`${name}: ${reason}`)]);
      expect(summary(entities)).toEqual([
        [one, 1, 2],
        [two, 1],
        [three, null],
      ]);
    },
  );
  it('a byte that is stored as it is, and was changed, is found by the checksum', async () => {
    const change = (zip: Buffer) => zip.write('9', locate(zip, `CIK${two}.json`).data + 60);
    const { entities, refused } = await readAll(zipOf(members, edit(change)));
    expect([refused, summary(entities)[1]]).toEqual([[`CIK${two}.json: its checksum is wrong`], [two, null]]);
  });
  it.each<[string, Member, string]>([
    ['is about another entity', { ...mainOf(two), name: `CIK${one}.json` }, `it is about CIK ${two}`],
    ['is no JSON', { name: `CIK${one}.json`, body: Buffer.from('<html>') }, 'it is not JSON'],
    ['is empty', { name: `CIK${one}.json`, body: Buffer.alloc(0) }, 'it is not JSON'],
    [
      'has another name',
      { name: 'README.txt', body: Buffer.from('x') },
      'it is not named like a submissions file',
    ],
    [
      'has a name that nearly fits',
      { name: `CIK${one}-submissions-0001.json`, body: json(1) },
      'it is not named',
    ],
    ['lies in a folder', { name: `a/CIK${one}.json`, body: Buffer.from('x') }, 'it is not named'],
  ])('a member that %s is refused and named', async (_, member, reason) => {
    const { entities, refused } = await readAll(zipOf([member, mainOf(three)]));
    expect(refused).toEqual([expect.stringContaining(`${member.name}: ${reason}`)]);
    expect(summary(entities)).toContainEqual([three, 1]);
  });

  it('a broken main file takes its older pages with it: nothing else says whose they are', async () => {
    const { entities, refused } = await readAll(
      zipOf([pageOf(page.name), { name: `CIK${one}.json`, body: Buffer.from('{') }, mainOf(three)]),
    );
    expect(refused).toEqual([
      expect.stringContaining(`CIK${one}.json: it is not JSON`),
      `${page.name}: CIK${one}.json was refused`,
    ]);
    expect(summary(entities)).toEqual([
      [one, null],
      [three, 1],
    ]);
  });
  it.each([
    [
      'a main file that is not there',
      [pageOf(page.name), mainOf(three)],
      [`CIK${one}.json: it is not in the archive`, `${page.name}: CIK${one}.json was refused`],
    ],
    ['a page that is not there', [mainOf(one, [page])], [`${page.name}: it is not in the archive`]],
    [
      'a page that is not whole',
      [mainOf(one, [page]), pageOf(page.name, rows.slice(1))],
      [`${page.name}: it has 1 filings, not the 2 that CIK${one}.json says`],
    ],
    [
      'a page that is broken',
      [mainOf(one, [page]), { name: page.name, body: Buffer.from('{}') }],
      [expect.stringContaining(`${page.name}: accessionNumber`)],
    ],
  ] as readonly [string, Member[], unknown[]][])(
    'a refusal names the member in which an entity has %s',
    async (_, list, expected) => expect((await readAll(zipOf(list))).refused).toEqual(expected),
  );
});

describe('an archive is refused as a whole', () => {
  const entryOf = (zip: Buffer, cik: string) => locate(zip, `CIK${cik}.json`).entry;
  /** Where the record at the end has the number of entries and the offset of the directory. */
  const [countAt, offsetAt] = [-22 + 10, -22 + 16];
  const directoryOf = (zip: Buffer) => zip.readUInt32LE(zip.length + offsetAt);
  const withCount = (count: number) => edit((zip) => zip.writeUInt16LE(count, zip.length + countAt));
  const offsetOf = (zip: Buffer, cik: string, offset: number) =>
    zip.writeUInt32LE(offset, entryOf(zip, cik) + 42);
  const maintenance =
    '<!DOCTYPE html><html><head><title>SEC.gov</title></head><body>Down for maintenance</body></html>';
  const moved = (zip: Buffer) =>
    Buffer.concat([Buffer.alloc(10), zip.subarray(0, directoryOf(zip) - 10), zip.subarray(directoryOf(zip))]);
  const cases: readonly (readonly [string, (zip: Buffer) => Buffer, string])[] = [
    ['that is empty', () => Buffer.alloc(0), 'it is not a zip file'],
    ['that is HTML', () => Buffer.from(maintenance), 'not a zip file'],
    [
      'without members',
      (zip) => zip.subarray(-22),
      'its directory has 4 entries, more than fit into 22 bytes',
    ],
    ['with a broken entry', edit((zip) => zip.write('XX', entryOf(zip, one))), 'invalid central directory'],
    ['with fewer entries than lie there', withCount(2), 'does not end after 2 entries'],
    ['with more entries than lie there', withCount(9), 'the directory ends before its last entry'],
    ['with more entries than can be', withCount(60_000), 'more than fit into'],
    [
      'whose directory begins elsewhere',
      edit((zip) => zip.writeUInt32LE(directoryOf(zip) - 7, zip.length + offsetAt)),
      'invalid central directory',
    ],
    [
      'with a member twice',
      edit((zip) => zip.write(`CIK${one}.json`, entryOf(zip, two) + 46)),
      `has CIK${one}.json twice`,
    ],
    [
      'whose members overlap',
      edit((zip) => offsetOf(zip, two, locate(zip, `CIK${three}.json`).head)),
      'overlap',
    ],
    [
      'with a member behind the directory',
      edit((zip) => offsetOf(zip, two, zip.length)),
      'after the directory begins',
    ],
    [
      'whose member is longer than the file',
      edit((zip) => zip.writeUInt32LE(0x7fffffff, entryOf(zip, two) + 20)),
      'after the directory begins',
    ],
    ['whose bytes moved', moved, '4 of 4 members are not where it says'],
    ['with something behind its end', (zip) => Buffer.concat([zip, Buffer.from('more')]), 'comment length'],
  ];
  it.each(cases)('%s', async (_, change, reason) => {
    await expect(sources.submissionsArchive.open(zipOf(members, change))).rejects.toThrow(reason);
  });
  it('an archive that is cut off anywhere is refused', async () => {
    const path = zipOf(members);
    const whole = readFileSync(path);
    for (let end = 0; end < whole.length; end += 13) {
      writeFileSync(path, whole.subarray(0, end));
      await expect(sources.submissionsArchive.open(path), `cut at ${end}`).rejects.toThrow();
    }
  });
  it('an archive without a submissions file is refused', async () => {
    await expect(sources.submissionsArchive.open(zipOf([pageOf(page.name)]))).rejects.toThrow(
      'it holds no submissions file',
    );
    const strangers = Array.from({ length: 1100 }, (_, number) => ({
      name: `${number}.csv`,
      body: Buffer.from('x'),
    }));
    await expect(sources.submissionsArchive.open(zipOf([...strangers, mainOf(one)]))).rejects.toThrow(
      'it is another archive',
    );
  });
  it('an archive with one wrong byte in its directory is refused, or read rightly', {
    tags: ['slow'],
  }, async () => {
    const path = zipOf(members);
    const whole = readFileSync(path);
    const sums = new Map(members.map(({ name, body }) => [name, crc32(body)]));
    expect(sums.size).toBe(members.length);
    const expected = new Map(
      (await readAll(path)).entities.map((entity) => [entity.cik, JSON.stringify(entity.main)]),
    );
    for (let at = whole.readUInt32LE(whole.length - 22 + 16); at < whole.length; at += 3) {
      writeFileSync(path, edit((zip) => void (zip[at] = (zip[at] as number) ^ 0x11))(whole));
      const result = await readAll(path).catch(() => null);
      // Each entity is as it was, or refused.
      for (const { cik, main } of result?.entities ?? [])
        if (main !== null) expect(JSON.stringify(main), `byte ${at}`).toBe(expected.get(cik));
    }
  });
});
