import { basename, join } from 'node:path';
import {
  allPartition,
  feedOrder,
  tableDefinition,
  tableNames,
  type SegmentEntry,
  type TableName,
} from '../../src/contract/snapshot.ts';
import { makeLine } from '../../src/table/line.ts';
import { openSegment, type Segment } from '../../src/table/segment.ts';
import type { PartReader } from '../../src/table/table.ts';
import { createChunkCache, type ChunkCache } from '../../src/table/chunk-cache.ts';
import { makeStaging } from '../disk/staging.ts';
import { rowsOfBatch, type BatchHead } from '../ledger/read.ts';
import { readFormer, restatementsUpTo } from '../ledger/restatements.ts';
import type { Progress } from '../work/progress.ts';
import { layoutAfter, type BatchRange } from '../segments/layout.ts';
import { createSegmentWriter, storedTable, type SegmentWriter } from '../segments/segment.ts';
import { mergeLines, readLines, type Line } from '../segments/table-files.ts';
import { flush, foldBatch, type Refused } from './batch.ts';
import { foldCompanies } from './companies.ts';
import { createFold } from './fold.ts';
import { createHistory, type Comparison, type History } from './history.ts';
import type { Feed } from './rows.ts';

/** What `bringUpSegments` needs. */
export interface SegmentsInput {
  /** The directory of snapshots. `parts` reads the files in it. */
  readonly directory: string;
  readonly parts: PartReader;
  readonly ledgerDirectory: string;
  /** Segments of the current snapshot, oldest first. */
  readonly segments: readonly SegmentEntry[];
  /** The batches that come after these segments, oldest first. */
  readonly heads: readonly BatchHead[];
  readonly progress: Progress;
  /** How many bytes of rows stay in memory. Rows beyond that are written to runs on the disk. */
  readonly heldMaximum?: number;
  /** The log that older rules published, if everything is made again by the present ones. */
  readonly comparison?: Comparison;
}

/** What `bringUpSegments` returns. */
export interface SegmentsMade {
  /** Oldest first. */
  readonly segments: readonly SegmentEntry[];
  /** Ledger rows of the new batches that do not fit. */
  readonly refused: Refused;
}

interface Made {
  readonly entry: SegmentEntry;
  readonly segment: Segment;
}

const cacheBytes = 32 * 1024 * 1024;

/**
 * Brings the segments up to the newest batch. `layoutAfter` decides which ranges of batches are segments.
 * This function keeps the segments that the layout still has and writes the others: it joins old segments and
 * folds new batches into them. It takes the same steps for one new batch and for a whole ledger. Memory does
 * not grow with the ledger. A killed run leaves a folder whose name begins with a dot. Throws `BrokenLedger`.
 */
export async function bringUpSegments(input: SegmentsInput): Promise<SegmentsMade> {
  const { directory, parts, heads, progress } = input;
  const layout = layoutAfter(
    input.segments,
    heads.map(({ head }) => rowsOfBatch(head)),
  );
  const cache = createChunkCache(cacheBytes);
  const made: Made[] = [];
  const refused: Refused = { count: 0, first: [] };
  const staging = await makeStaging(directory);
  const scratch = basename(staging.path);
  const last = heads.at(-1)?.head;
  const kept = (last ? await restatementsUpTo(input.ledgerDirectory, last) : []).map((head) =>
    readFormer(input.ledgerDirectory, head),
  );
  const history = createHistory(kept, input.comparison);
  try {
    for (const range of layout) {
      const inside = input.segments.filter(({ from, to }) => from >= range.from && to <= range.to);
      const batches = heads.filter(({ head }) => head.number >= range.from && head.number <= range.to);
      const entry =
        inside.length === 1 && batches.length === 0
          ? (inside[0] as SegmentEntry)
          : await makeSegment(
              input,
              range,
              inside,
              batches,
              made,
              join(scratch, String(range.from)),
              cache,
              refused,
              history,
            );
      made.push({ entry, segment: await openSegment(parts, entry, cache) });
    }
  } finally {
    for (const rows of kept) rows.return(undefined);
    await staging.remove();
  }
  progress.stop();
  return { segments: made.map(({ entry }) => entry), refused };
}

/**
 * Makes the segment of a range: joins the old segments `inside` the range with its new `batches`. `made` has
 * the segments of all earlier ranges.
 */
async function makeSegment(
  input: SegmentsInput,
  range: BatchRange,
  inside: readonly SegmentEntry[],
  batches: readonly BatchHead[],
  made: readonly Made[],
  scratch: string,
  cache: ChunkCache,
  refused: Refused,
  history: History,
): Promise<SegmentEntry> {
  const { directory, parts, ledgerDirectory, progress, heldMaximum } = input;
  const before = made.map(({ segment }) => segment);
  const open = await Promise.all(inside.map((entry) => openSegment(parts, entry, cache)));
  const lastSequence = (inside.at(-1) ?? made.at(-1)?.entry)?.lastSequence ?? 0;
  const rows = batches.reduce((sum, { head }) => sum + rowsOfBatch(head), 0);
  const writer = createSegmentWriter({
    directory,
    staging: join(directory, scratch, 'segment'),
    older: (table) => before.toReversed().map((segment) => segment.tables[table]),
    onLine: () => progress.step(),
  });
  const joined = (table: TableName) =>
    mergeLines(
      tableDefinition(table).direction,
      open.toReversed().map(({ name, head }) => readLines(storedTable(directory, name, head, table))),
    );
  // The table `changes` begins with the feed of all companies. `writeFeed` copies its old entries. The fold
  // appends each new entry at once, because observations come in the order of their sequences. So the feed
  // needs no run and no sorting.
  const changes = joined('changes');
  try {
    progress.begin('joining feeds', 'rows');
    const others = await writeFeed(writer, changes);
    const feed: Feed = (sequence, filedAt, change) => {
      const keys = { partition: allPartition, sort: feedOrder(sequence) };
      writer.add('changes', keys, Buffer.from(makeLine(keys, change)), { filedAt, labels: [filedAt] });
    };
    const fold = createFold(
      { parts, directory, folder: scratch, cache },
      [...before, ...open],
      feed,
      lastSequence,
      rows,
      heldMaximum,
      history,
    );
    const { runs } = fold;
    progress.begin('folding batches', 'rows', rows);
    for (const batch of batches) await foldBatch(fold, ledgerDirectory, batch, progress);
    flush(fold);
    await foldCompanies(fold);
    await fold.totals.write(runs, fold.past.older('counts'));
    flush(fold);
    runs.release();
    refused.count += fold.refused.count;
    refused.first.push(...fold.refused.first);
    progress.begin('writing a segment', 'rows');
    for (const table of tableNames) {
      const old = table === 'changes' ? others : joined(table);
      await writer.write(table, mergeLines(tableDefinition(table).direction, [runs.lines(table), old]));
    }
    return await writer.finish(range, fold.lastSequence);
  } finally {
    // The generator has files open. This closes them, even if the fold fails.
    changes.return(undefined);
  }
}

/** Writes the lines of the feed of all companies. Returns the lines of the table that follow the feed. */
async function writeFeed(writer: SegmentWriter, changes: Generator<Line>): Promise<Iterable<Line>> {
  let next = changes.next();
  await writer.write('changes', feedLines());
  return following();

  function* feedLines(): Generator<Line> {
    for (; next.done !== true && next.value.keys.partition === allPartition; next = changes.next())
      yield next.value;
  }

  function* following(): Generator<Line> {
    for (; next.done !== true; next = changes.next()) yield next.value;
  }
}
