// @module-tag slow
import { beforeAll, describe, expect, it } from 'vitest';
import { verifySnapshot } from '../../build/verify/verify.ts';
import { tableNames, type Manifest, type TableName } from '../../src/format/snapshot.ts';
import { useDirectories } from '../support/directories.ts';
import {
  changedValue,
  forgeLines,
  forgeryKinds,
  sortedLines,
  type Draw,
  type ForgeryKind,
} from '../support/forgeries.ts';
import { createRandom } from '../support/generate.ts';
import { often } from '../support/often.ts';
import {
  forgeBlocks,
  forgeSegment,
  linesOfLog,
  linesOfTable,
  writeManifest,
  type ForgedBlock,
  type ForgedLine,
  type SmallSnapshot,
} from '../support/segments.ts';
import { makeSound, messageOf, refusal, type Sound } from '../support/sound-snapshot.ts';

// Somebody who can write to the disk changes one thing of a snapshot, and makes every digest, index, name and
// total right again that follows from it. Verification has to refuse it, and to name the file.

const fresh = useDirectories('forgeries');
let made: Sound;
let sound: SmallSnapshot;
beforeAll(async () => {
  made = await makeSound(fresh);
  sound = made.snapshot;
});
const copy = () => made.copy();

type Forged = TableName | 'log';

const nameOf = (table: Forged) =>
  table === 'log'
    ? /files\/[0-9a-f]{2}\/[0-9a-f]{64}/
    : new RegExp(`segments/[^ ]*/${table}(\\.index)?\\.jsonl\\.gz`);

/**
 * What no log tells, so that only the ledger finds another value: members of rows by their names; the empty name
 * is that of a row which is no object.
 */
const toldByLedger: { readonly [Table in Forged]?: readonly string[] } = {
  profiles: [
    'updatedAt',
    'formerNames',
    'exchange',
    'sicDescription',
    'category',
    'entityType',
    'fiscalYearEnd',
    'sic',
    'stateOfIncorporation',
    'phone',
    'businessStreet',
    'businessCity',
    'businessState',
    'businessZipCode',
    'formerNamePeriods',
  ],
  symbols: ['cik', 'at'],
  batches: ['sha256'],
  ownership: ['source', 'document'],
  documents: [''],
  refusals: [''],
  summaries: ['note'],
};
/** Kinds of forgery that only the ledger finds: which symbols and documents there were, and which refusal came first. */
const kindsFoundByLedger: { readonly [Table in Forged]?: readonly ForgeryKind[] } = {
  symbols: ['drop', 'swap'],
  ownership: ['drop', 'swap'],
  documents: ['drop', 'swap'],
  refusals: ['swap'],
};

/** Forges a line of a table. Draws until there is one that this kind of forgery changes. */
async function forge(
  table: Forged,
  kind: ForgeryKind,
  draw: Draw,
): Promise<{ readonly forged: SmallSnapshot; readonly member: string | null; readonly segment: number }> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const segment = draw(sound.manifest.segments.length);
    const lines: readonly ForgedLine[] =
      table === 'log' ? await linesOfLog(sound) : await linesOfTable(sound, segment, table);
    const changed = forgeLines(table, lines, kind, draw);
    if (changed)
      return {
        forged: await forgeSegment(copy(), segment, { [table]: () => changed.lines }),
        member: changed.member,
        segment,
      };
  }
  throw new Error(`no line of ${table} can be forged by ${kind}`);
}

/** Forges a line, and expects that this is found. */
async function expectFound(table: Forged, kind: ForgeryKind, seed: number): Promise<void> {
  const random = createRandom(seed);
  const { forged, member, segment } = await forge(table, kind, (end) => Math.floor(random() * end));
  const what = `${kind} ${member ?? 'a line'} of ${table} in segment ${segment}, seed ${seed}`;
  const said = await refusal(forged);
  if (said !== null) return expect(said, what).toMatch(nameOf(table));
  const isTold =
    member === null ? kindsFoundByLedger[table]?.includes(kind) : toldByLedger[table]?.includes(member);
  expect(isTold, `${what} is accepted`).toBe(true);
  expect(await messageOf(made.againstLedger(forged)), what).toMatch(nameOf(table));
}

const draws = (seed: number): Draw => {
  const random = createRandom(seed);
  return (end) => Math.floor(random() * end);
};
/** A seed that no run had before; a failure names it. */
const newSeed = Math.floor(Date.now() / 1000);

const forgedTables: readonly Forged[] = [...tableNames, 'log'];
/** The log has no keys, and batches and refusals have one partition: there a line can move nowhere. */
const isPossible = (table: Forged, kind: ForgeryKind) =>
  !(table === 'log' && kind === 'move') &&
  !((table === 'batches' || table === 'refusals') && kind === 'move');

describe('a line of a table that was forged, with every digest made right', () => {
  it('the snapshot that is forged is sound, and has rows that hide and two that were refused', async () => {
    expect(sound.manifest.segments.map(({ from, to }) => [from, to])).toEqual([
      [1, 2],
      [3, 3],
      [4, 4],
    ]);
    for (const table of ['latest', 'company-filings', 'companies', 'search'] as const)
      expect((await linesOfTable(sound, 1, table)).some(({ row }) => row === null)).toBe(true);
    expect((await linesOfTable(sound, 1, 'refusals')).length).toBe(2);
    expect(await refusal(sound)).toBeNull();
    await made.againstLedger(sound);
    const again = await forgeSegment(copy(), 1, { latest: (lines) => lines, log: (lines) => lines });
    expect(await refusal(again)).toBeNull();
  });

  it.each(forgedTables)('verification finds each kind of forgery in %s', async (table) => {
    for (const [at, kind] of forgeryKinds.entries())
      if (isPossible(table, kind)) await expectFound(table, kind, 100 + at);
  });

  for (const { times, options } of often(12, 400, 2000))
    it(`verification finds ${times} forgeries that nobody chose`, options, async () => {
      const draw = draws(newSeed + times);
      for (let count = 0; count < times; count++) {
        const table = forgedTables[draw(forgedTables.length)] as Forged;
        const kind = forgeryKinds[draw(forgeryKinds.length)] as ForgeryKind;
        if (isPossible(table, kind)) await expectFound(table, kind, newSeed + times + count);
      }
    });

  it('verification finds a line that stands in another segment', async () => {
    for (const table of [
      'latest',
      'summaries',
      'company-changes',
      'profiles',
      'companies',
      'counts',
    ] as const) {
      const draw = draws(table.length);
      const lines = await linesOfTable(sound, 2, table);
      const moved = lines[draw(lines.length)] as ForgedLine;
      const isMoved = ({ partition, sort }: ForgedLine) =>
        partition === moved.partition && sort === moved.sort;
      const without = await forgeSegment(copy(), 2, {
        [table]: (each: ForgedLine[]) => each.filter((line) => !isMoved(line)),
      });
      const forged = await forgeSegment(without, 1, {
        [table]: (each: ForgedLine[]) =>
          sortedLines(table, [...each.filter((line) => !isMoved(line)), moved]),
      });
      expect(await refusal(forged), table).toMatch(nameOf(table));
    }
  });
});

/** Changes one block of an index, or what the index says of it. */
const indexForgeries: readonly (readonly [string, (blocks: ForgedBlock[], draw: Draw) => ForgedBlock[]])[] = [
  ['drops a block', (blocks, draw) => blocks.toSpliced(draw(blocks.length), 1)],
  [
    'tells a block twice',
    (blocks, draw) => {
      const at = draw(blocks.length);
      return blocks.toSpliced(at, 0, blocks[at] as ForgedBlock);
    },
  ],
  ['tells blocks in another order', (blocks) => (blocks.length > 1 ? blocks.toReversed() : [])],
  [
    'tells something else of a block',
    (blocks, draw) => {
      const at = draw(blocks.length);
      const { entry, stored } = blocks[at] as ForgedBlock;
      return blocks.toSpliced(at, 1, {
        entry: changedValue(entry, draw).changed as ForgedBlock['entry'],
        stored,
      });
    },
  ],
];

describe('an index, a head or a manifest that was forged, with every digest made right', () => {
  it.each(indexForgeries)('verification finds an index that %s', async (_, change) => {
    for (const seed of [1, newSeed]) {
      const draw = draws(seed);
      for (const table of tableNames) {
        if (sound.manifest.segments.length > 0 && (await linesOfTable(sound, 0, table)).length === 0)
          continue;
        const forged = await forgeBlocks(copy(), 0, table, (blocks) => change(blocks, draw));
        expect(await refusal(forged), `${table}, seed ${seed}`).toMatch(nameOf(table));
      }
    }
  });

  it('verification finds another value in the root of an index', async () => {
    for (const seed of [1, newSeed]) {
      const draw = draws(seed);
      for (const table of tableNames) {
        if ((await linesOfTable(sound, 0, table)).length === 0) continue;
        const forged = await forgeBlocks(
          copy(),
          0,
          table,
          (blocks) => blocks,
          (root) => root.map((entry) => changedValue(entry, draw).changed as typeof entry),
        );
        expect(await refusal(forged), `${table}, seed ${seed}`).toMatch(
          new RegExp(`${nameOf(table).source}|segment\\.json`),
        );
      }
    }
  });

  it('verification finds another value of each member of a manifest', async () => {
    // What is derived from the ledger, and settings, which nothing else tells.
    const toldElsewhere = new Set(['productVersion', 'settings', 'segments.rows', 'format']);
    const draw = draws(newSeed);
    const names = Object.keys(sound.manifest) as (keyof Manifest)[];
    const segmentNames = Object.keys(sound.manifest.segments[0] ?? {});
    for (const name of [...names, ...segmentNames.map((each) => `segments.${each}`)]) {
      if (toldElsewhere.has(name) || name === 'segments') continue;
      const { directory, manifest } = copy();
      const [, member] = name.split('.');
      const changed = (value: unknown) => changedValue(value, draw).changed;
      const forged =
        member === undefined
          ? { ...manifest, [name]: changed(manifest[name as keyof Manifest]) }
          : {
              ...manifest,
              segments: manifest.segments.map((each, at) =>
                at === 1 ? { ...each, [member]: changed(each[member as keyof typeof each]) } : each,
              ),
            };
      const { id } = writeManifest(directory, forged as Manifest);
      // A value that no manifest can have is refused when it is read, by an error of its own.
      await expect(verifySnapshot(directory, id), name).rejects.toThrow();
    }
  });
});
