import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  paths,
  Routes,
  tableNames,
  type FileReference,
  type Manifest,
  type SegmentEntry,
  type TableName,
} from '../../src/format/snapshot.ts';
import { firstRules, rulesNumber } from '../../src/domain/rules.ts';
import { readSegmentHead, segmentParts, type SegmentHead } from '../../src/table/segment.ts';
import { lineBytes } from '../../src/table/table.ts';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { gunzipSync } from 'node:zlib';
import type { LogList, LogPart } from '../../src/format/log-files.ts';
import { parseLogList, readChecked } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { bringUpSegments } from '../fold/segments.ts';
import { openLogWriter } from '../segments/log-writer.ts';
import { openFileStore, storingAtOnce } from '../snapshot/file-store.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { surveyLedger, type Survey } from '../ledger/survey.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { storedTable } from '../segments/segment-writer.ts';
import { readLines } from '../segments/table-files.ts';
import { makeScratch } from './scratch.ts';

/** The files that are derived from segments: keyed documents by name, public files by path. */
export interface DerivedFiles {
  readonly documents: Readonly<Record<string, FileReference>>;
  readonly routes: Routes;
}

const cacheBytes = 32 * 1024 * 1024;

/**
 * Derives the files of a snapshot again from segments and a log in a separate directory. It may write files
 * there.
 */
export type DeriveFiles = (made: {
  readonly directory: string;
  readonly segments: readonly SegmentEntry[];
  readonly log: LogList;
  /** What the heads of the batches of the snapshot say. */
  readonly survey: Survey;
}) => Promise<DerivedFiles>;

/**
 * Folds the batches of a snapshot again from the ledger and compares: segments with the same name have the
 * same bytes, and so have files of the log with the same digest. Different compressor versions give different
 * bytes for the same rows, so where names differ, the inflated lines are compared; and public files are
 * compared without their encoded variants. The snapshot itself must have been verified before. Throws
 * `CorruptSnapshot`, which names the file and the first keys that differ, and `BrokenLedger`.
 */
export async function verifyAgainstLedger(
  directory: string,
  manifest: Manifest,
  id: string,
  ledgerDirectory: string,
  deriveFiles: DeriveFiles,
  progress: Progress = quietProgress,
): Promise<void> {
  const manifestPath = join(directory, paths.manifest(id));
  const { rules = firstRules } = manifest;
  if (rules !== rulesNumber)
    throw new Error(
      `${manifestPath} follows rules ${rules}, and only a version with these rules can derive it again: this one has rules ${rulesNumber}`,
    );
  const survey = await surveyLedger(ledgerDirectory, null, manifest.ledger.batches);
  if (survey === null) throw new BrokenLedger(`${ledgerDirectory} holds no batch`);
  const { isSample, rowCounts } = survey;
  const { universes, ...names } = survey.names;
  // Manifests of older versions do not name the universes.
  const ledger = manifest.ledger.universes === undefined ? names : { ...names, universes };
  if (!isDeepStrictEqual(ledger, { ...manifest.ledger })) {
    throw new CorruptSnapshot(
      `${manifestPath} is of another ledger than ${ledgerDirectory}: of ${JSON.stringify(manifest.ledger)}, not ${JSON.stringify(ledger)}`,
    );
  }
  if ((manifest.sample ?? false) !== isSample)
    throw new CorruptSnapshot(
      `${manifestPath} ${isSample ? 'does not say' : 'says'} that it is a sample, unlike the ledger`,
    );
  const { folder: again, remove } = await makeScratch();
  const scratch = again.directory;
  const folder = openPartFolder(directory);
  try {
    mkdirSync(join(scratch, paths.segments));
    const published = parseLogList(manifest.log, await readChecked(folder, manifest.log));
    const log = await openLogWriter({
      store: storingAtOnce(openFileStore(scratch, new Set())),
      parts: again,
      before: null,
      cut: published,
      cache: createBlockCache(cacheBytes),
    });
    const { segments } = await bringUpSegments({
      directory: scratch,
      parts: again,
      ledgerDirectory,
      log,
      segments: [],
      rowCounts,
      progress,
    });
    const layout = (entries: readonly SegmentEntry[]) =>
      entries
        .map(
          ({ from, to, rows, lastSequence }) =>
            `${from}-${to} with ${rows} rows up to sequence ${lastSequence}`,
        )
        .join(', ');
    if (layout(segments) !== layout(manifest.segments))
      throw new CorruptSnapshot(
        `${manifestPath}: the segments are ${layout(manifest.segments)}; the ledger gives ${layout(segments)}`,
      );
    progress.begin('comparing segments', 'segments', segments.length);
    for (const [at, entry] of manifest.segments.entries()) {
      const other = segments[at] as SegmentEntry;
      // The head names the digests of all files.
      if (entry.headSha256 !== other.headSha256) await compareSegments(folder, entry, again, other);
      progress.step();
    }
    const { list } = await log.finish();
    for (const [number, file] of published.files.entries())
      await compareLogFiles(folder, file, again, list.files[number]);
    await compareFiles(
      folder,
      manifestPath,
      manifest,
      await deriveFiles({ directory: scratch, segments, log: list, survey }),
    );
  } finally {
    await Promise.all([folder.close(), remove()]);
    progress.stop();
  }
}

/** Compares the rows of two files of the log, if their bytes differ. */
async function compareLogFiles(
  folder: PartFolder,
  file: LogPart,
  again: PartFolder,
  other: LogPart | undefined,
): Promise<void> {
  if (file.sha256 === other?.sha256) return;
  const rows = gunzipSync(await readChecked(folder, file));
  if (!other || !gunzipSync(await readChecked(again, other)).equals(rows))
    throw new CorruptSnapshot(
      `${join(folder.directory, paths.file(file.sha256))} does not hold the entries of the log that the ledger gives`,
    );
}

async function compareSegments(
  folder: PartFolder,
  entry: SegmentEntry,
  again: PartFolder,
  other: SegmentEntry,
): Promise<void> {
  const head = await readSegmentHead(folder, entry.name, entry.headSha256);
  const otherHead = await readSegmentHead(again, other.name, other.headSha256);
  for (const table of tableNames) {
    const path = join(folder.directory, segmentParts.rows(entry.name, table));
    if (head.tables[table]?.files.rows.sha256 === otherHead.tables[table]?.files.rows.sha256) continue;
    const difference = firstDifference(
      linesOf(folder, entry, head, table),
      linesOf(again, other, otherHead, table),
    );
    if (difference !== null) throw new CorruptSnapshot(`${path} is not what the ledger gives: ${difference}`);
  }
}

function linesOf(
  { directory }: PartFolder,
  { name }: SegmentEntry,
  head: SegmentHead,
  table: TableName,
): ReturnType<typeof readLines> {
  return readLines(storedTable(directory, name, head, table));
}

function firstDifference(
  found: ReturnType<typeof readLines>,
  expected: ReturnType<typeof readLines>,
): string | null {
  for (;;) {
    const [a, b] = [found.next(), expected.next()];
    if (a.done === true && b.done === true) return null;
    const keysOf = ({ done, value }: typeof a) =>
      done === true ? 'the end' : `(${value.keys.partition}, ${value.keys.sort})`;
    if (a.done === true || b.done === true || keysOf(a) !== keysOf(b))
      return `${keysOf(a)} is found where ${keysOf(b)} belongs`;
    if (!lineBytes(a.value).equals(lineBytes(b.value))) return `${keysOf(a)} holds another row`;
  }
}

async function compareFiles(
  folder: PartFolder,
  manifestPath: string,
  manifest: Manifest,
  derived: DerivedFiles,
): Promise<void> {
  const routes = Routes.parse(
    JSON.parse(await readFile(join(folder.directory, paths.file(manifest.routes.sha256)), 'utf8')),
  );
  const kinds = [
    ['document', manifest.documents, derived.documents],
    ['path', plain(routes), plain(derived.routes)],
  ] as const;
  for (const [kind, found, expected] of kinds) {
    const names = [...new Set([...Object.keys(found), ...Object.keys(expected)])].filter(
      (name) => !isDeepStrictEqual(found[name], expected[name]),
    );
    if (names.length > 0)
      throw new CorruptSnapshot(
        `${manifestPath} is not what the ledger gives: ${names.length === 1 ? kind : `${kind}s`} ${names.join(', ')}`,
      );
  }
}

/** Returns routes without their encoded variants. */
function plain(routes: Routes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(routes).map(([path, { br: _br, gzip: _gzip, ...rest }]) => [path, rest]),
  );
}
