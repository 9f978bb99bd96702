import { basename, join } from 'node:path';
import { tableDefinition, tableNames, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import { checkSegment, openSegment, readSegmentHead, type Segment } from '../../src/table/segment.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import type { PartReader } from '../../src/table/table.ts';
import { createBlockCache, type BlockCache } from '../../src/table/block-cache.ts';
import { makeStaging } from '../disk/staging.ts';
import { readBatchFile } from '../ledger/batch.ts';
import { readHeads } from '../ledger/read.ts';
import { readFormer, restatementsUpTo } from '../ledger/restatements.ts';
import { collectGarbage, withHeapGrowth } from '../work/garbage.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { layoutAfter, type BatchRange } from '../segments/layout.ts';
import type { LogWriter } from '../segments/log-writer.ts';
import { createSegmentWriter, storedTable } from '../segments/segment-writer.ts';
import { mergeLines, readLines } from '../segments/table-files.ts';
import { foldBatch, type Folded, type Refused } from './fold-batch.ts';
import { expandLines } from './expand-lines.ts';
import { filingTables, type TableWork } from './filing-tables.ts';
import { foldCompanies } from './fold-companies.ts';
import { createFold } from './fold.ts';
import { createHistory, type Comparison, type History } from './history.ts';
import { isJoinOf, readPrepared } from './prepared.ts';

/** What `bringUpSegments` needs. */
export interface SegmentsInput {
  /** The directory of snapshots. `parts` reads the files in it. */
  readonly directory: string;
  readonly parts: PartReader;
  readonly ledgerDirectory: string;
  /** Segments of the current snapshot, oldest first. */
  readonly segments: readonly SegmentEntry[];
  /** The number of rows of each batch that comes after these segments, oldest first. */
  readonly rowCounts: readonly number[];
  /** Has every entry of the segments, and gets those of the batches after them. */
  readonly log: LogWriter;
  readonly progress: Progress;
  /** How many bytes of rows stay in memory. Rows beyond that are written to runs on the disk. */
  readonly heldMaximum?: number;
  /** The log that older rules published, if everything is made again by the present ones. */
  readonly comparison?: Comparison;
  /** Another thread, which takes a part of the tables of a large segment. Left out, this one writes all. */
  readonly tableWork?: TableWork;
  /** New rows from which on the other thread takes part; tests set it low. */
  readonly sharedRows?: number;
}

/** What `bringUpSegments` returns. */
export interface SegmentsMade {
  /** Oldest first. */
  readonly segments: readonly SegmentEntry[];
  /** The names of those that it wrote. The others were checked when they were written. */
  readonly written: ReadonlySet<string>;
  /** Ledger rows of the new batches that do not fit. */
  readonly refused: Refused;
}

/** A segment of the layout, and its entry in the manifest. */
interface Made {
  readonly entry: SegmentEntry;
  readonly segment: Segment;
}

/** Where a segment is made, and what earlier batches say. */
interface Making
  extends Pick<
    SegmentsInput,
    | 'directory'
    | 'parts'
    | 'ledgerDirectory'
    | 'log'
    | 'progress'
    | 'heldMaximum'
    | 'tableWork'
    | 'sharedRows'
  > {
  /** The segments of all earlier ranges, oldest first. */
  readonly before: readonly Made[];
  /** The sequence of the last observation in them. */
  readonly lastSequence: number;
  /** An empty folder below `directory`, given from there. */
  readonly scratch: string;
  readonly cache: BlockCache;
  readonly refused: Refused;
  readonly history: History;
}

const cacheBytes = 32 * 1024 * 1024;
/**
 * New rows from which on another thread writes some of the tables of a segment: to start one takes 2 s of processor
 * time.
 */
const sharedRowsDefault = 1_000_000;
/**
 * By how many percent the heap of each thread may grow before its garbage is collected, while so many rows come into
 * segments. Folding them and merging a hundred runs hold 180 MB, and would take 750 before V8 collects what it has read. With
 * contents of documents 75 % took 120 MB more for 300,000 filings than 40 %, and a fortieth of the processor time less.
 * Small segments that are made behind a large one, without this, took 500 MB more than that.
 */
const heapGrowthPercent = 40;

/**
 * Brings the segments up to the newest batch. `layoutAfter` decides which ranges of batches are segments.
 * This function keeps the segments that the layout still has, takes joins that were prepared, and writes the
 * others: it joins old segments and folds new batches into them. It takes the same steps for one new batch
 * and for a whole ledger. Memory does not grow with the ledger. A killed run leaves a folder whose name
 * begins with a dot. Throws `BrokenLedger`.
 */
export async function bringUpSegments(input: SegmentsInput): Promise<SegmentsMade> {
  const isLarge = sumOf(input.rowCounts) >= (input.sharedRows ?? sharedRowsDefault);
  return isLarge ? withHeapGrowth(heapGrowthPercent, () => makeSegments(input)) : makeSegments(input);
}

async function makeSegments(input: SegmentsInput): Promise<SegmentsMade> {
  const { directory, parts, ledgerDirectory, progress, rowCounts } = input;
  const layout = layoutAfter(input.segments, rowCounts);
  const known = await withPrepared(parts, directory, input.segments, layout);
  const cache = createBlockCache(cacheBytes);
  const made: Made[] = [];
  const written = new Set<string>();
  const refused: Refused = { count: 0, first: [] };
  const staging = await makeStaging(directory);
  const end = input.segments.at(-1)?.to ?? 0;
  const restatements =
    rowCounts.length === 0
      ? []
      : await restatementsUpTo(
          ledgerDirectory,
          (await readBatchFile(ledgerDirectory, end + rowCounts.length)).head,
        );
  const kept = restatements.map((head) => readFormer(ledgerDirectory, head));
  const history = createHistory(kept, input.comparison);
  try {
    for (const range of layout) {
      const inside = known.filter(({ from, to }) => from >= range.from && to <= range.to);
      const [only] = inside;
      if (only?.to === range.to && inside.length === 1) {
        made.push({ entry: only, segment: await openSegment(parts, only, cache) });
        continue;
      }
      const making: Making = {
        ...input,
        before: [...made],
        lastSequence: made.at(-1)?.entry.lastSequence ?? 0,
        scratch: join(basename(staging.path), String(range.from)),
        cache,
        refused,
        history,
      };
      const newRows = rowCounts.slice(Math.max(0, range.from - 1 - end), Math.max(0, range.to - end));
      const entry = await makeSegment(making, range, inside, sumOf(newRows));
      written.add(entry.name);
      made.push({ entry, segment: await openSegment(parts, entry, cache) });
    }
  } finally {
    for (const rows of kept) rows.return(undefined);
    await staging.remove();
  }
  progress.stop();
  return { segments: made.map(({ entry }) => entry), written, refused };
}

/**
 * Joins two neighbours among the segments of a snapshot before the layout wants it. Checks what it wrote, so
 * that the publication that takes it need not read it. Throws `CorruptSnapshot`.
 */
export async function joinSegments(
  { directory, parts, segments }: Pick<SegmentsInput, 'directory' | 'parts' | 'segments'>,
  [older, newer]: readonly [SegmentEntry, SegmentEntry],
): Promise<SegmentEntry> {
  const cache = createBlockCache(cacheBytes);
  const earlier = segments.filter(({ to }) => to < older.from);
  const staging = await makeStaging(directory);
  try {
    const entry = await makeSegment(
      {
        directory,
        parts,
        // A join reads no batch and adds nothing to the log.
        ledgerDirectory: '',
        log: noLog,
        progress: quietProgress,
        before: await Promise.all(
          earlier.map(async (entry) => ({ entry, segment: await openSegment(parts, entry, cache) })),
        ),
        lastSequence: earlier.at(-1)?.lastSequence ?? 0,
        scratch: basename(staging.path),
        cache,
        refused: { count: 0, first: [] },
        history: createHistory([]),
      },
      { from: older.from, to: newer.to, rows: older.rows + newer.rows },
      [older, newer],
      0,
    );
    await withPartFolder(directory, async (folder) =>
      checkSegment(folder, await openSegment(folder, entry, cache)),
    );
    return entry;
  } finally {
    await staging.remove();
  }
}

/** Replaces segments by joins of them that were prepared and that lie within one range of the layout. */
async function withPrepared(
  parts: PartReader,
  directory: string,
  segments: readonly SegmentEntry[],
  layout: readonly BatchRange[],
): Promise<readonly SegmentEntry[]> {
  let known = segments;
  for (const join of segments.length === 0 ? [] : await readPrepared(directory)) {
    const { segment } = join;
    const at = known.findIndex((older, from) => isJoinOf(join, older, known[from + 1]));
    const isWanted = layout.some(({ from, to }) => from <= segment.from && segment.to <= to);
    if (at === -1 || !isWanted) continue;
    // One that cannot be read is made again.
    const isThere = await readSegmentHead(parts, segment.name, segment.headSha256).then(
      () => true,
      () => false,
    );
    if (isThere) known = known.toSpliced(at, 2, segment);
  }
  return known;
}

/**
 * Makes the segment of a range: joins the old segments `inside` the range with the batches after them, which
 * have `rows` rows.
 */
async function makeSegment(
  making: Making,
  range: BatchRange,
  inside: readonly SegmentEntry[],
  rows: number,
): Promise<SegmentEntry> {
  const { directory, parts, progress, before, scratch, cache, refused } = making;
  const { tableWork, sharedRows = sharedRowsDefault } = making;
  /** Writes a part of the tables in another thread. */
  const aside = rows < sharedRows ? null : (tableWork ?? null);
  const open = await Promise.all(inside.map((entry) => openSegment(parts, entry, cache)));
  const staging = join(directory, scratch, 'segment');
  const writer = createSegmentWriter({
    directory,
    staging,
    older: (table) => before.toReversed().map(({ segment }) => segment.tables[table]),
    onLine: () => progress.step(),
  });
  const fold = await foldRange(making, range, inside, open, rows);
  const { runs, companyRuns } = fold;
  refused.count += fold.refused.count;
  refused.first.push(...fold.refused.first);
  progress.begin('writing a segment', 'rows');
  const left: (typeof filingTables)[number][] = [...filingTables];
  const others = tableNames.filter((table) => !(left as TableName[]).includes(table));
  // What both threads read has to be on the disk.
  if (aside) {
    runs.flush();
    collectGarbage();
  }
  await Promise.all([aside && writeAside(aside), writeHere()]);
  return writer.finish(range, fold.lastSequence);

  async function writeAside(work: TableWork): Promise<void> {
    for (let table = left.shift(); table; table = left.shift()) {
      const job = {
        directory,
        staging,
        table,
        runs: runs.stored(table),
        inside,
        before: before.map(({ entry }) => entry),
      };
      writer.take(table, await work.writeStoredTable(job));
    }
  }

  async function writeHere(): Promise<void> {
    foldCompanies(fold);
    fold.totals.write(companyRuns, fold.past.older('counts'));
    for (const table of others) await write(table);
    for (let table = left.shift(); table; table = left.shift()) await write(table);
  }

  function write(table: TableName): Promise<void> {
    const lines = mergeLines(tableDefinition(table).direction, [
      ...runs.inputs(table).map((each) => expandLines(table, each)),
      ...companyRuns.inputs(table),
      ...open.toReversed().map(({ name, head }) => readLines(storedTable(directory, name, head, table))),
    ]);
    return writer.write(table, lines);
  }
}

/** Folds the batches of a range that come after the segments in it, which `open` has opened. */
async function foldRange(
  { directory, ledgerDirectory, log, progress, heldMaximum, before, scratch, history, ...making }: Making,
  range: BatchRange,
  inside: readonly SegmentEntry[],
  open: readonly Segment[],
  rows: number,
): Promise<Folded> {
  const fold = createFold(
    join(directory, scratch),
    [...before.map(({ segment }) => segment), ...open],
    log,
    inside.at(-1)?.lastSequence ?? making.lastSequence,
    rows,
    heldMaximum,
    history,
  );
  progress.begin('folding batches', 'rows', rows);
  const after = inside.at(-1)?.to ?? range.from - 1;
  if (after < range.to)
    for await (const batch of readHeads(ledgerDirectory, after, range.to))
      await foldBatch(fold, ledgerDirectory, batch, progress);
  const { runs, companyRuns, past, totals, heldMaximum: held, lastSequence, refused } = fold;
  return { runs, companyRuns, past, totals, heldMaximum: held, lastSequence, refused };
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const noLog: LogWriter = {
  add: () => {
    throw new Error('a join has no entries');
  },
  entry: () => {
    throw new Error('a join looks up no entry');
  },
  settle: async () => {},
  finish: () => Promise.reject(new Error('a join writes no log')),
};
