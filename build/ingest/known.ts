import { basename } from 'node:path';
import { foldSymbol } from '../../src/contract/scalars.ts';
import type { SegmentEntry, SymbolRow } from '../../src/contract/snapshot.ts';
import type { Segment } from '../../src/table/segment.ts';
import { rowBytes } from '../../src/table/table.ts';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, openSegments, readManifest } from '../../src/snapshot/open.ts';
import { createChunkCache, type ChunkCache } from '../../src/table/chunk-cache.ts';
import { createFinder } from '../../src/table/finder.ts';
import { makeStaging } from '../disk/staging.ts';
import { flush, foldBatch } from '../fold/batch.ts';
import { createFold } from '../fold/fold.ts';
import { knownCompanies, knownFilings } from '../fold/past.ts';
import { beginsWith } from '../ledger/batch.ts';
import { rowOfFiling } from '../ledger/observation.ts';
import { readHeads, rowsOfBatch } from '../ledger/read.ts';
import type { LedgerCompany, LedgerFiling } from '../ledger/rows.ts';
import type { Holder } from '../ledger/symbols.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { readPointer } from '../snapshot/pointer.ts';

/** The folders of a ledger and its snapshots. */
export interface LedgerFolders {
  readonly ledgerDirectory: string;
  readonly snapshotsDirectory: string;
}

/** Look-ups in a ledger. Only the rows that are asked for are held in memory. */
export interface KnownLedger {
  /** The filings that the ledger has, by accession number. */
  filings(accessionNos: Iterable<string>): Promise<ReadonlyMap<string, LedgerFiling>>;
  /** The companies that the ledger has, by CIK. */
  companies(ciks: Iterable<string>): Promise<ReadonlyMap<string, LedgerCompany>>;
  /** The CIK of the company that each of these symbols was last given to. */
  symbols(symbols: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  /** The same companies, and since when. */
  holders(symbols: Iterable<string>): Promise<ReadonlyMap<string, Holder>>;
  close(): Promise<void>;
}

const cacheBytes = 32 * 1024 * 1024;

/** Opens a ledger for some look-ups, and closes it afterwards. Throws `BrokenLedger`. */
export async function withKnownLedger<Result>(
  { ledgerDirectory, snapshotsDirectory }: LedgerFolders,
  work: (known: KnownLedger) => Promise<Result>,
): Promise<Result> {
  const known = await openKnownLedger(ledgerDirectory, snapshotsDirectory, quietProgress);
  try {
    return await work(known);
  } finally {
    await known.close();
  }
}

/** The change feed of batches that are folded for look-ups is not needed. */
const noFeed = () => {};

/**
 * Opens a ledger for look-ups. Batches that are in the current snapshot are looked up in its segments. Later
 * batches, usually none, are folded into a staging directory. Throws `BrokenLedger`.
 */
export async function openKnownLedger(
  ledgerDirectory: string,
  snapshotsDirectory: string,
  progress: Progress,
): Promise<KnownLedger> {
  const snapshots = openPartFolder(snapshotsDirectory);
  const aside = openPartFolder(ledgerDirectory);
  const cache = createChunkCache(cacheBytes);
  const scratch = await makeStaging(ledgerDirectory);
  const close = async () => {
    await Promise.all([snapshots.close(), aside.close()]);
    await scratch.remove();
  };
  try {
    const { entries, segments } = await segmentsOf(ledgerDirectory, snapshots, cache);
    const heads = await readHeads(ledgerDirectory, entries.at(-1)?.to ?? 0);
    const rows = heads.reduce((sum, { head }) => sum + rowsOfBatch(head), 0);
    const fold = createFold(
      { parts: aside, directory: ledgerDirectory, folder: basename(scratch.path), cache },
      segments,
      noFeed,
      entries.at(-1)?.lastSequence ?? 0,
      rows,
    );
    progress.begin('reading the ledger', 'rows', rows);
    for (const head of heads) await foldBatch(fold, ledgerDirectory, head, progress);
    flush(fold);
    progress.stop();
    const holders = async (symbols: Iterable<string>) => {
      const find = createFinder([...fold.past.runs('symbols'), ...fold.past.older('symbols')]);
      const found = new Map<string, Holder>();
      for (const symbol of [...new Set([...symbols].map(foldSymbol))].sort()) {
        const row = await find(symbol);
        if (!row) continue;
        const { cik, at = '' } = JSON.parse(rowBytes(row).toString()) as SymbolRow;
        found.set(symbol, { cik, at });
      }
      return found;
    };
    return {
      close,
      async filings(accessionNos) {
        const known = await knownFilings(fold.past, fold.presence, accessionNos);
        return new Map([...known].map(([accessionNo, filing]) => [accessionNo, rowOfFiling(filing)]));
      },
      companies: (ciks) => knownCompanies(fold.past, ciks),
      async symbols(symbols) {
        return new Map([...(await holders(symbols))].map(([symbol, { cik }]) => [symbol, cik]));
      },
      holders,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The most rows that are folded for a look-up. With more rows that are in no snapshot yet, each look-up would
 * take minutes.
 */
const behindMaximum = 100_000;

/**
 * Whether more than `rowsMaximum` rows of a ledger are in no snapshot yet. If so, a snapshot should be built
 * before any look-up. Throws `BrokenLedger`.
 */
export async function isFarBehind(
  { ledgerDirectory, snapshotsDirectory }: LedgerFolders,
  rowsMaximum = behindMaximum,
): Promise<boolean> {
  const snapshots = openPartFolder(snapshotsDirectory);
  try {
    const { entries } = await segmentsOf(ledgerDirectory, snapshots, createChunkCache(0));
    const heads = await readHeads(ledgerDirectory, entries.at(-1)?.to ?? 0);
    return heads.reduce((sum, { head }) => sum + rowsOfBatch(head), 0) > rowsMaximum;
  } finally {
    await snapshots.close();
  }
}

/**
 * Opens the segments of the current snapshot if it was made from the first batches of this ledger; otherwise
 * none.
 */
async function segmentsOf(
  ledgerDirectory: string,
  snapshots: PartFolder,
  cache: ChunkCache,
): Promise<{ entries: readonly SegmentEntry[]; segments: readonly Segment[] }> {
  const none = { entries: [], segments: [] };
  try {
    const pointer = await readPointer(snapshots.directory);
    if (!pointer) return none;
    const { manifest } = await readManifest(snapshots, pointer.snapshotId, pointer.manifestSha256);
    if (!(await beginsWith(ledgerDirectory, manifest.ledger))) return none;
    return {
      entries: manifest.segments,
      segments: await openSegments(createSnapshotReader(snapshots, cache, cacheBytes), manifest),
    };
  } catch {
    // If the snapshot cannot be read, everything is folded from the ledger.
    return none;
  }
}
