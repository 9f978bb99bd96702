import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Overview } from '../../site/content/overview.ts';
import { readOverview, readTotals } from '../../build/overview/read-overview.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import { rowsOfBatch, type BatchHead } from '../../build/ledger/read.ts';
import { quietProgress } from '../../build/work/progress.ts';
import type { Filing } from '../../src/contract/records.ts';
import { allPartition } from '../../src/format/snapshot.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, openSegments, readerOf } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { partitionOf } from './published-rows.ts';
import { batchAt, type MadeUpBatch } from './ledgers.ts';
import { daysIn, headsOf } from './heads.ts';
import { bringUp } from './log.ts';
import { openLog } from '../../src/table/open-log.ts';

/**
 * What documents and pages are made of, and every filing of the ledger as the service lists it, newest first.
 */
export interface MadeOverview {
  readonly overview: Overview;
  readonly latest: readonly Filing[];
}

/**
 * The overview of a made-up ledger: its batches go to the disk, into segments, and are read from there, as in
 * a build.
 */
export async function overviewOf(...batches: readonly MadeUpBatch[]): Promise<MadeOverview> {
  return overviewOfChanged(batches, () => {});
}

/** The same of a ledger to which something is done before it is folded. */
export async function overviewOfChanged(
  batches: readonly MadeUpBatch[],
  change: (ledgerDirectory: string) => void,
): Promise<MadeOverview> {
  const directory = await mkdtemp(join(tmpdir(), 'filing-overview-'));
  try {
    const ledgerDirectory = join(directory, 'ledger');
    for (const [at, { filings = [], companies = [] }] of batches.entries()) {
      await appendBatch(ledgerDirectory, {
        run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(at + 1) },
        filings,
        companies,
        refusals: [],
      });
    }
    change(ledgerDirectory);
    return await readSegmentsOf(directory, ledgerDirectory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readSegmentsOf(directory: string, ledgerDirectory: string): Promise<MadeOverview> {
  const folder = openPartFolder(directory);
  try {
    const heads = await headsOf(ledgerDirectory);
    const { segments: entries, log } = await bringUp({
      directory,
      parts: folder,
      ledgerDirectory,
      segments: [],
      rowCounts: heads.map(({ head }) => rowsOfBatch(head)),
      progress: quietProgress,
    });
    const cache = createBlockCache(4 * 1024 * 1024);
    const reader = {
      ...readerOf(await openSegments(createSnapshotReader(folder, cache, 1024), { segments: entries })),
      log: openLog(folder, log.list, cache),
      manifest: { segments: [...entries] },
    };
    const totals = readTotals(reader);
    const overview = readOverview(
      { ...reader, forms: totals.forms.map(({ form }) => form), formerKinds: [] },
      totals,
      (heads.at(-1) as BatchHead).head.run,
      false,
      (await daysIn(ledgerDirectory)).reverse(),
    );
    return {
      overview,
      latest: await partitionOf<Filing>(directory, reader.manifest, 'latest', allPartition, log.list),
    };
  } finally {
    await folder.close();
  }
}
