import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { foldSymbol } from '../../src/domain/scalars.ts';
import { bulkFileRows } from '../../src/contract/bulk.ts';
import { logMemberRows } from '../../src/format/log-files.ts';
import type { SymbolRow } from '../../src/format/profile-rows.ts';
import { paths, type Manifest } from '../../src/format/snapshot.ts';
import type { Segment } from '../../src/table/segment.ts';
import { rowBytes } from '../../src/table/table.ts';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, isPartOf, openLogOf, openSegments } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { createFinder } from '../../src/table/finder.ts';
import { makeDirectory } from '../disk/directories.ts';
import { makeStaging, removeStagings } from '../disk/staging.ts';
import { foldBatch, type Fold } from '../fold/fold-batch.ts';
import type { LedgerCompanyRow } from '../fold/fold-tables.ts';
import { createFold } from '../fold/fold.ts';
import { heldContents, knownCompanies, knownFilings } from '../fold/past.ts';
import type { HeldContents } from '../ledger/contents.ts';
import { rowOfFiling } from '../ledger/observation.ts';
import { readHeads, rowsOfBatch } from '../ledger/read.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import type { Holder } from '../ledger/symbols.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { openLogWriter } from '../segments/log-writer.ts';
import { openFileStore, storingAtOnce } from '../snapshot/file-store.ts';
import { manifestOfLedger } from '../snapshot/published-survey.ts';

/** The folders of a ledger and its snapshots. */
export interface LedgerFolders {
  readonly ledgerDirectory: string;
  /** Where the snapshots of the ledger are. Batches that a snapshot contains are looked up in it. */
  readonly snapshotsDirectory: string;
}

/** A ledger to look something up in. */
export interface LedgerToKnow extends LedgerFolders {
  /** Look-ups in this ledger that are open already. Where this is left out, they are opened when needed. */
  readonly known?: KnownLedger;
}

/** Makes the folder of a ledger, and removes what killed programs left in it. */
export async function makeLedger(ledgerDirectory: string): Promise<void> {
  await makeDirectory(ledgerDirectory);
  await removeStagings(join(ledgerDirectory, 'batches'));
  await removeStagings(ledgerDirectory);
}

/** Strings that can be sent to another thread. */
type Strings = readonly string[] | ReadonlySet<string>;

/**
 * Look-ups in a ledger. Each one answers from everything that the ledger has when it is asked, except in `asBefore`. Only the rows
 * that are asked for are held in memory. Calls may overlap; they are answered one after the other. They throw
 * `BrokenLedger`, and `CorruptSnapshot` if a segment that was opened cannot be read; the next call then opens
 * everything again.
 */
export interface KnownLedger {
  /** The filings that the ledger has, by accession number. */
  filings(accessionNos: Strings): Promise<ReadonlyMap<string, LedgerFiling>>;
  /**
   * Which contents the ledger has of filings, by accession number: of a filing without contents there is nothing. It
   * may have contents of a filing that it does not have itself.
   */
  contents(accessionNos: Strings): Promise<ReadonlyMap<string, HeldContents>>;
  /** The companies that the ledger has, by CIK. */
  companies(ciks: Strings): Promise<ReadonlyMap<string, LedgerCompanyRow>>;
  /** The CIK of the company that each of these symbols was last given to. */
  symbols(symbols: Strings): Promise<ReadonlyMap<string, string>>;
  /** The same companies, and since when. */
  holders(symbols: Strings): Promise<ReadonlyMap<string, Holder>>;
  close(): Promise<void>;
}

/** The look-ups of whoever opened them. */
export interface OwnKnownLedger extends KnownLedger {
  /**
   * Does work whose look-ups may answer from what the ledger had before it. What is appended meanwhile is taken in once,
   * by the next look-up after it.
   */
  asBefore<Result>(work: () => Promise<Result>): Promise<Result>;
}

const cacheBytes = 32 * 1024 * 1024;

/** Uses the open look-ups of a ledger, or opens them and closes them afterwards. Throws `BrokenLedger`. */
export async function withKnownLedger<Result>(
  { ledgerDirectory, snapshotsDirectory, known: open }: LedgerToKnow,
  work: (known: KnownLedger) => Promise<Result>,
): Promise<Result> {
  if (open) return work(open);
  const known = await openKnownLedger(ledgerDirectory, snapshotsDirectory, quietProgress);
  try {
    return await work(known);
  } finally {
    await known.close();
  }
}

/**
 * The most batches that are folded one after the other. Each makes a run, and a look-up goes through all of
 * them; so beyond that they are folded together again. More than that come together only if nothing is
 * published for long.
 */
const runsMaximum = 64;

/** The fewest rows for which the filter of a fold has room: batches may follow that nobody counted. */
const expectedRowsMinimum = 100_000;

/** What is open: the segments of a snapshot, and the batches behind them, folded. */
interface Opened {
  /** The text of the pointer that was last looked at; null if there was none. */
  pointer: string | null;
  readonly segments: readonly Segment[];
  readonly fold: Fold;
  /** The newest batch that is in the segments or folded. Number 0 and null before the first. */
  last: { readonly number: number; readonly sha256: string | null };
  /** How often batches were folded, which makes a run each time. */
  runs: number;
}

/**
 * Opens a ledger for look-ups. Batches that are in the current snapshot are looked up in its segments. Later
 * batches, usually none, are folded into a staging directory. Each look-up first takes in what is new: it
 * folds the batches that were appended, and after a publication it opens the new segments, keeps the others
 * open and drops what they contain. Throws `BrokenLedger`.
 */
export async function openKnownLedger(
  ledgerDirectory: string,
  snapshotsDirectory: string,
  progress: Progress,
): Promise<OwnKnownLedger> {
  const snapshots = openPartFolder(snapshotsDirectory);
  const cache = createBlockCache(cacheBytes);
  const reader = createSnapshotReader(snapshots, cache, cacheBytes);
  const scratch = await makeStaging(ledgerDirectory);
  const logFiles = openPartFolder(scratch.path);
  let opened: Opened | null = null;
  let folds = 0;
  let isAsBefore = false;
  let queue: Promise<unknown> = Promise.resolve();

  /** Opens the segments of the current snapshot, and begins to fold the batches behind them. */
  async function open(pointer: string | null): Promise<Opened> {
    const known = new Map((opened?.segments ?? []).map((segment) => [segment.name, segment]));
    const base = await baseOf(ledgerDirectory, snapshots);
    const [segments, log] = base
      ? await Promise.all([openSegments(reader, base, known), openLogOf(reader, base)]).catch(() => [
          null,
          null,
        ])
      : [null, null];
    // What is open stays right if the new snapshot cannot be read or is of another ledger.
    if (segments === null && opened !== null) return Object.assign(opened, { pointer });
    const last =
      segments && base
        ? { number: base.ledger.batches, sha256: base.ledger.sha256 }
        : { number: 0, sha256: null };
    await snapshots.release(isPartOf(segments ?? [], log));
    await logFiles.release(() => false);
    await rm(join(scratch.path, String(folds)), { recursive: true, force: true });
    const store = openFileStore(scratch.path, new Set());
    const fold = createFold(
      join(scratch.path, String(++folds)),
      segments ?? [],
      await openLogWriter({
        store: storingAtOnce(store),
        parts: logFiles,
        before: log && { list: log.list, parts: snapshots },
        cut: { rowsPerFile: bulkFileRows, rowsPerMember: logMemberRows },
        cache,
      }),
      segments ? (base?.segments.at(-1)?.lastSequence ?? 0) : 0,
      await rowsAfter(ledgerDirectory, last.number),
    );
    return { pointer, segments: segments ?? [], fold, last, runs: 0 };
  }

  /** Takes in what was published and appended since the last call. */
  async function takeIn(): Promise<Fold> {
    if (isAsBefore && opened !== null) return opened.fold;
    const pointer = await readFile(join(snapshotsDirectory, paths.pointer), 'utf8').catch(() => null);
    if (opened !== null && opened.runs > runsMaximum) opened = null;
    if (opened?.pointer !== pointer) opened = await open(pointer);
    const { fold, last } = opened;
    for await (const batch of readHeads(ledgerDirectory, last.number)) {
      if (opened.last === last) {
        // Another ledger may have been put into the folder.
        if (batch.head.previousSha256 !== last.sha256) return takeInAnew();
        progress.begin('reading the ledger', 'rows');
      }
      await foldBatch(fold, ledgerDirectory, batch, progress);
      opened.last = { number: batch.head.number, sha256: batch.sha256 };
    }
    if (opened.last === last) return fold;
    fold.runs.flush();
    opened.runs++;
    progress.stop();
    return fold;
  }

  function takeInAnew(): Promise<Fold> {
    opened = null;
    return takeIn();
  }

  /** Runs a look-up after those before it. */
  function inTurn<Result>(lookUp: (fold: Fold) => Result): Promise<Result> {
    const result = queue.then(async () => {
      try {
        return lookUp(await takeIn());
      } catch (error) {
        opened = null;
        throw error;
      }
    });
    queue = result.catch(() => undefined);
    return result;
  }

  const known: OwnKnownLedger = {
    filings: (accessionNos) =>
      inTurn(({ past, log, presence }) => {
        const found = knownFilings(past, log, presence, accessionNos);
        return new Map([...found].map(([accessionNo, filing]) => [accessionNo, rowOfFiling(filing)]));
      }),
    contents: (accessionNos) => inTurn(({ past, presence }) => heldContents(past, presence, accessionNos)),
    companies: (ciks) => inTurn(({ past }) => knownCompanies(past, ciks)),
    async symbols(symbols) {
      return new Map([...(await known.holders(symbols))].map(([symbol, { cik }]) => [symbol, cik]));
    },
    holders: (symbols) =>
      inTurn(({ past }) => {
        const findNew = past.finder('symbols');
        const findOld = createFinder(past.older('symbols'));
        const found = new Map<string, Holder>();
        for (const symbol of [...new Set([...symbols].map(foldSymbol))].sort()) {
          const young = findNew({ partition: symbol, sort: '' });
          const old = young === null ? findOld(symbol) : null;
          const row = young?.row ?? (old && rowBytes(old).toString());
          if (row === null) continue;
          const { cik, at = '' } = JSON.parse(row) as SymbolRow;
          found.set(symbol, { cik, at });
        }
        return found;
      }),
    async asBefore(work) {
      await inTurn(async () => {});
      isAsBefore = true;
      try {
        return await work();
      } finally {
        isAsBefore = false;
      }
    },
    async close() {
      await queue;
      await Promise.all([snapshots.close(), logFiles.close()]);
      await scratch.remove();
    },
  };
  try {
    await inTurn(async () => {});
    return known;
  } catch (error) {
    await known.close();
    throw error;
  }
}

/** About how many rows the batches after a number have, and may have soon. */
async function rowsAfter(ledgerDirectory: string, number: number): Promise<number> {
  let rows = 0;
  for await (const { head } of readHeads(ledgerDirectory, number)) rows += rowsOfBatch(head);
  return Math.max(expectedRowsMinimum, rows);
}

/**
 * The most rows that are folded for a look-up. With more rows that are in no snapshot yet, the first look-up
 * would take minutes.
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
    const base = await baseOf(ledgerDirectory, snapshots);
    const isReadable =
      base !== null &&
      (await openSegments(createSnapshotReader(snapshots, createBlockCache(0), cacheBytes), base).then(
        () => true,
        () => false,
      ));
    let rows = 0;
    for await (const { head } of readHeads(ledgerDirectory, isReadable ? base.ledger.batches : 0)) {
      rows += rowsOfBatch(head);
      if (rows > rowsMaximum) return true;
    }
    return false;
  } finally {
    await snapshots.close();
  }
}

/** As `manifestOfLedger`, and null also if it cannot be read. */
const baseOf = (ledgerDirectory: string, snapshots: PartFolder): Promise<Manifest | null> =>
  manifestOfLedger(snapshots, ledgerDirectory).catch(() => null);
