import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BulkPart } from '../../src/contract/bulk.ts';
import type { AnyManifest } from '../../src/format/older-manifest.ts';
import { allPartition, batchSortKey, paths, type BatchRow } from '../../src/format/snapshot.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { findRow } from '../../src/table/finder.ts';
import { openTable, rowBytes, type Table } from '../../src/table/table.ts';
import { readSegmentHead, segmentParts } from '../../src/table/segment.ts';
import { lineEnd, lineStart, toBlock } from '../../src/table/block.ts';
import type { PartFolder } from '../../src/snapshot/folder.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { makeStaging } from '../disk/staging.ts';
import { restatementTables, type PublishedLog, type Superseded } from '../fold/history.ts';
import { bringUpSegments, type SegmentsInput, type SegmentsMade } from '../fold/segments.ts';
import { openBatch, withLedgerEnd } from '../ledger/batch.ts';
import type { FormerRow } from '../ledger/former.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import { createRuns, type Runs } from '../segments/runs.ts';
import { hides, rowOf, type Line } from '../segments/table-files.ts';
import { groupsOf } from '../work/groups.ts';

/** What a restatement needs: the input of `bringUpSegments` for the whole ledger, without segments. */
export interface RestateInput extends Omit<SegmentsInput, 'segments' | 'comparison' | 'parts'> {
  readonly parts: PartFolder;
  /** The current snapshot, which older rules made. */
  readonly manifest: AnyManifest;
  /** Its files for download, which have the whole log. */
  readonly bulk: readonly BulkPart[];
  readonly rulesBefore: number;
  /** When the restatement is recorded, UTC. */
  readonly recordedAt: string;
  readonly isSample: boolean;
  readonly report: LineLog;
}

const cacheBytes = 1024 * 1024;
/** How many rows are added to the batch at once. */
const groupRows = 2000;

/**
 * Brings a ledger under the rules of this version. Folds all batches again and holds the published log
 * against what the rules say now. Published entries keep their values. Appends one batch, the restatement: it
 * keeps the values that the older rules had given where the new ones give others, and carries the filings
 * that therefore say something else now, so that each of them gets a correction. Returns the segments of the
 * batches before it. If it is killed before the batch is appended, the ledger is as it was.
 */
export async function restate(input: RestateInput): Promise<SegmentsMade> {
  const { directory, manifest, rulesBefore, report } = input;
  report(
    `rules ${rulesNumber} of this version replace rules ${rulesBefore} of the current snapshot: everything is made again, which takes as long as a first build; the current snapshot is served meanwhile`,
  );
  const staging = await makeStaging(directory);
  const published = await publishedLog(input);
  try {
    const differences = createRuns(join(staging.path, 'differences'), restatementTables);
    const made = await bringUpSegments({ ...input, segments: [], comparison: { published, differences } });
    if ((made.segments.at(-1)?.lastSequence ?? 0) < manifest.lastSequence)
      throw new Error(
        `rules ${rulesNumber} make fewer entries than the ${manifest.lastSequence} published ones`,
      );
    differences.flush();
    const { batch, filings, values } = await append(input, differences);
    report(
      `batch ${batch} restates the ledger by rules ${rulesNumber}: ${filings} filings say something else now, and ${values} published entries keep what rules ${rulesBefore} had said`,
    );
    return made;
  } finally {
    await staging.remove();
  }
}

/** Appends the restatement. Returns its number, and how many filings and former values it holds. */
async function append(
  { ledgerDirectory, rulesBefore, recordedAt, isSample }: RestateInput,
  differences: Runs,
): Promise<{ batch: number; filings: number; values: number }> {
  const batch = await openBatch(ledgerDirectory);
  const counts = { filings: 0, values: 0 };
  try {
    for (const rows of groupsOf(restatedRows(differences), groupRows)) {
      await batch.addFilings(rows);
      counts.filings += rows.length;
    }
    for (const rows of groupsOf(valuesOf<FormerRow>(differences.lines('former')), groupRows)) {
      await batch.addFormer(rows);
      counts.values += rows.length;
    }
    const number = await withLedgerEnd(ledgerDirectory, (end) =>
      batch.finish(end, {
        run: { target: `rules ${rulesNumber}`, status: 'success', message: null, createdAt: recordedAt },
        refusals: [],
        isSample,
        restates: { from: rulesBefore, to: rulesNumber },
      }),
    );
    return { batch: number, ...counts };
  } finally {
    await batch.discard();
  }
}

/** The newest row of each filing that says something else now, sorted by accession number. */
function* restatedRows(differences: Runs): Generator<LedgerFiling> {
  const superseded = differences.lines('superseded');
  let next = superseded.next();
  try {
    for (const line of differences.lines('restated')) {
      if (hides(line)) continue;
      const { sort } = line.keys;
      while (next.done !== true && next.value.keys.sort < sort) next = superseded.next();
      const isAgain = next.done !== true && next.value.keys.sort === sort;
      const row = isAgain ? valueOf<Superseded>(next.value as Line).row : valueOf<LedgerFiling>(line);
      if (row) yield row;
    }
  } finally {
    superseded.return(undefined);
  }
}

function* valuesOf<Value>(lines: Iterable<Line>): Generator<Value> {
  for (const line of lines) if (!hides(line)) yield valueOf<Value>(line);
}

function valueOf<Value>(line: Line): Value {
  return JSON.parse(rowOf(line) as string) as Value;
}

/** Opens the log of a snapshot of this format or of an older one: all have it in their files for download. */
async function publishedLog({
  directory,
  parts,
  manifest,
  bulk,
}: Pick<RestateInput, 'directory' | 'parts' | 'manifest' | 'bulk'>): Promise<PublishedLog> {
  const batches = await batchTables(parts, manifest);
  return {
    entries: entriesOf(directory, bulk),
    lastSequenceOf(batch, firstSequence) {
      if (batch > manifest.ledger.batches) return null;
      const row = findRow(batches, allPartition, batchSortKey(firstSequence, batch));
      if (!row) throw new Error(`the current snapshot has no batch ${batch} from sequence ${firstSequence}`);
      return (JSON.parse(rowBytes(row).toString()) as BatchRow).lastSequence;
    },
  };
}

/** The table `batches` of each segment, newest first. Other tables may be those of an older format. */
async function batchTables(parts: PartFolder, { segments }: AnyManifest): Promise<Table[]> {
  const cache = createBlockCache(cacheBytes);
  const tables = segments.map(async ({ name, headSha256 }) => {
    const head = (await readSegmentHead(parts, name, headSha256)).tables['batches'];
    if (!head) throw new CorruptSnapshot(`${segmentParts.head(name)} has no table batches`);
    return openTable(
      parts,
      segmentParts.rows(name, 'batches'),
      segmentParts.index(name, 'batches'),
      head,
      cache,
    );
  });
  return (await Promise.all(tables)).reverse();
}

function* entriesOf(directory: string, bulk: readonly BulkPart[]): Generator<string> {
  for (const { sha256 } of bulk) {
    const path = join(directory, paths.file(sha256));
    const stored = readFileSync(path);
    if (sha256Of(stored) !== sha256)
      throw new CorruptSnapshot(`${path} does not have the SHA-256 in its name`);
    const block = toBlock(gunzipSync(stored), sha256);
    for (let line = 0; line < block.ends.length; line++)
      yield block.bytes.toString('utf8', lineStart(block, line), lineEnd(block, line));
  }
}
