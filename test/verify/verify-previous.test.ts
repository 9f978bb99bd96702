// @module-tag slow
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { verifyAndReport } from '../../build/verify/report.ts';
import { verifySnapshots, type Verified } from '../../build/verify/verify.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { paths, type Manifest, type TableName } from '../../src/format/snapshot.ts';
import { useDirectories } from '../support/directories.ts';
import { appendNumbered, filing } from '../support/ledgers.ts';
import { forgeSegment, type ForgedLine } from '../support/segments.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { manifestOf, partsOfSnapshot } from '../support/whole.ts';

const fresh = useDirectories('verify-previous');
const ledger = fresh();
const sound = fresh();
/** The snapshots of `sound`, newest first. They share their first segment. */
let ids: readonly string[];

beforeAll(async () => {
  const append = (number: number, ...filings: ReturnType<typeof filing>[]) =>
    appendNumbered(ledger, number, filings);
  await append(1, ...Array.from({ length: 60 }, (_, at) => filing(at + 1)));
  await append(2, filing(2, { form: '10-Q/A' }), filing(61));
  await buildQuietly(ledger, sound);
  for (const number of [3, 4]) {
    await append(number, filing(number, { form: '10-Q/A' }), filing(60 + number));
    await buildQuietly(ledger, sound);
  }
  const pointer = await readPointer(sound);
  ids = [pointer?.snapshotId ?? '', ...(pointer?.previous ?? [])];
  expect(ids.length).toBe(3);
});

function copy(): string {
  const directory = fresh();
  cpSync(sound, directory, { recursive: true });
  return directory;
}

/** The lines that the command prints, and the fault with which it ends; null if there is none. */
async function verify(directory: string): Promise<{ lines: string[]; fault: string | null }> {
  const lines: string[] = [];
  const [current = '', ...previous] = ids;
  const print = (line: string) => void lines.push(line);
  const fault = await verifyAndReport(directory, current, previous, print, quietProgress).then(
    () => null,
    (error: Error) => error.message,
  );
  return { lines, fault };
}

/** What the command says of a sound snapshot. */
const isSound = (id: string | undefined, sharedWith?: string) =>
  expect.stringMatching(
    new RegExp(
      `^${id}: \\d+ segments? ?${sharedWith ? `\\(1 shared with ${sharedWith}\\)` : ''}, \\d+ filings? of 1 company match the manifest$`,
    ),
  );

/** Parts of the second snapshot that the current one does not have, by path. */
async function ownParts(directory: string): Promise<string[]> {
  const current = await partsOfSnapshot(directory, ids[0]);
  const own = Object.keys(await partsOfSnapshot(directory, ids[1])).filter((path) => !(path in current));
  expect(own.length).toBeGreaterThan(10);
  return own;
}

async function outcomes(
  directory: string,
  names: readonly string[],
  progress = quietProgress,
): Promise<Verified[]> {
  const found: Verified[] = [];
  for await (const each of verifySnapshots(directory, names, progress)) found.push(each);
  return found;
}

/** Flips a bit in the middle of a file, or adds a byte to an empty one: a table may have no rows. */
function flip(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  if (bytes.length > 0) bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes.length > 0 ? bytes : 'x');
}

describe('the command verify and the snapshots to which a rollback leads', () => {
  it('verify says a line of the current snapshot and of each one before it', async () =>
    expect(await verify(sound)).toEqual({
      lines: [isSound(ids[0]), isSound(ids[1], ids[0]), isSound(ids[2], ids[0])],
      fault: null,
    }));

  it('verify names a damaged file of a snapshot before the current one', async () => {
    const directory = copy();
    const path = (await ownParts(directory)).find((each) => each.includes('/summaries.jsonl.gz')) as string;
    flip(join(directory, path));
    expect(await verify(directory)).toEqual({
      lines: [isSound(ids[0]), isSound(ids[2], ids[0])],
      fault: expect.stringMatching(new RegExp(`^snapshot ${ids[1]} cannot be served again: .*${path}`)),
    });
  });

  it('verify names a snapshot that was removed, and one of which only a part was removed', async () => {
    const directory = copy();
    const part = (await ownParts(directory)).find((each) => each.startsWith('segments/')) as string;
    rmSync(join(directory, paths.manifest(ids[2] as string)));
    rmSync(join(directory, part, '..'), { recursive: true });
    expect(await verify(directory)).toEqual({
      lines: [`${ids[2]}: was removed, so no rollback leads there`, isSound(ids[0])],
      fault: expect.stringMatching(`^snapshot ${ids[1]} cannot be served again: .*segments/.*segment\\.json`),
    });
  });
});

describe('verification of several snapshots', () => {
  it('verification names a damaged or missing file of each kind of a snapshot before the current one', async () => {
    const directory = copy();
    const own = [...(await ownParts(directory)), paths.manifest(ids[1] as string)];
    for (const kind of ['manifests/', 'segment.json', 'search.jsonl', 'search.index', 'files/']) {
      const path = own.find((each) => each.includes(kind)) as string;
      const whole = readFileSync(join(directory, path));
      for (const damage of [flip, rmSync]) {
        damage(join(directory, path));
        const [current, previous] = await outcomes(directory, ids.slice(0, 2));
        expect([path, current?.state, previous?.state]).toEqual([path, 'sound', 'faulty']);
        expect((previous as { fault: CorruptSnapshot }).fault.message).toContain(path);
        writeFileSync(join(directory, path), whole);
      }
    }
  });

  it('verification finds a damaged part in each snapshot that shares it', async () => {
    const directory = copy();
    const { segments } = await manifestOf(directory, ids[0]);
    flip(join(directory, paths.segments, segments[0]?.name ?? '', 'latest.jsonl.gz'));
    expect((await outcomes(directory, ids)).map(({ state }) => state)).toEqual([
      'faulty',
      'faulty',
      'faulty',
    ]);
  });

  it('verification checks a part that snapshots share once', async () => {
    const filesOf = async (names: readonly string[]) => {
      let [files, isFiles] = [0, false];
      const begin = (name: string) => void (isFiles = name === 'checking files');
      await outcomes(sound, names, {
        ...quietProgress,
        begin,
        step: (count = 1) => void (files += isFiles ? count : 0),
      });
      return files;
    };
    const alone = await filesOf(ids.slice(0, 1));
    const twice = await filesOf([ids[0] as string, ids[0] as string]);
    // Documents and the list of the log are read again; the files of segments and the public files are not.
    const { documents } = await manifestOf(sound);
    expect(twice - alone).toBe(Object.keys(documents).length + 2);
    expect(alone).toBeGreaterThan(2 * (twice - alone));
  });

  it('verification checks a snapshot in full if none that was checked shares segments with it', async () => {
    const directory = copy();
    const [oldest, newest] = await outcomes(directory, [ids[2] as string, ids[0] as string]);
    expect([oldest, newest]).toMatchObject([
      { state: 'sound', beside: null },
      // The current snapshot has entries that the older one lacks.
      { state: 'sound', beside: null },
    ]);
  });

  const edit =
    (change: (line: ForgedLine) => ForgedLine | null, isWanted: (line: ForgedLine) => boolean) =>
    (lines: ForgedLine[]): ForgedLine[] => {
      expect(lines.some(isWanted)).toBe(true);
      return lines.flatMap((line) => (isWanted(line) ? (change(line) ?? []) : [line]));
    };
  const forgeries: readonly (readonly [
    string,
    TableName | 'log',
    (lines: ForgedLine[]) => ForgedLine[],
    RegExp,
  ])[] = [
    [
      'an entry of the log that differs from the one of the current snapshot',
      'log',
      edit(
        (line) => ({ ...line, row: (line.row ?? '').replace('"size":100', '"size":101') }),
        ({ row }) => row?.includes('"size":100') ?? false,
      ),
      /[0-9a-f]{64}: \(log, 0000000000\d\d\) is not the entry that a later snapshot has/,
    ],
    [
      'a row that does not fit',
      'summaries',
      edit(
        (line) => ({ ...line, row: (line.row ?? '').replace('"itemTitles":[', '"itemTitles":[1') }),
        ({ row }) => row?.includes('"itemTitles":[]') ?? false,
      ),
      /summaries\.jsonl\.gz is not what the log gives, /,
    ],
    [
      'another total',
      'counts',
      edit(
        (line) => ({ ...line, row: '7' }),
        ({ partition, sort }) => partition === 'forms' && sort === '10-Q/A',
      ),
      /counts\.jsonl\.gz is not what the log, .* give: \(forms, 10-Q\/A\) holds another row/,
    ],
    ['a batch less', 'batches', (lines) => lines.slice(1), /batches\.jsonl\.gz/],
  ];
  it.each(forgeries)('verification finds a snapshot before with %s', async (_, table, change, message) => {
    const directory = copy();
    const [id, before] = ids as [string, string];
    const manifest: Manifest = await manifestOf(directory, before);
    expect(manifest.segments.length).toBe(2);
    const forged = await forgeSegment({ directory, id: before, manifest }, 1, { [table]: change });
    const [current, previous] = await outcomes(directory, [id, forged.id]);
    expect([current?.state, previous?.state]).toEqual(['sound', 'faulty']);
    const { fault } = previous as { fault: CorruptSnapshot };
    expect([fault, fault.message]).toEqual([expect.any(CorruptSnapshot), expect.stringMatching(message)]);
    expect(existsSync(join(directory, paths.manifest(forged.id)))).toBe(true);
  });
});
