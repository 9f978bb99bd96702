import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bringUpSegments, type SegmentsInput, type SegmentsMade } from '../../build/fold/segments.ts';
import { openLogWriter, type LogWriter, type WrittenLog } from '../../build/segments/log-writer.ts';
import { openFileStore, storingAtOnce } from '../../build/snapshot/file-store.ts';
import { lastSequenceOf, LogList } from '../../src/format/log-files.ts';
import type { SegmentEntry } from '../../src/format/snapshot.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { openLog, type Log } from '../../src/table/open-log.ts';
import { lineBytes, type PartReader } from '../../src/table/table.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';

/** How tests cut a log, so that a few rows make several files and members. */
export const smallCut = { rowsPerFile: 64, rowsPerMember: 8 } as const;

const cacheBytes = 1024 * 1024;
const pathAt = (directory: string, lastSequence: number) => join(directory, `log-${lastSequence}.json`);

/** Where the list of a log is kept in a directory without a manifest. */
export const listPath = (directory: string, list: LogList): string => pathAt(directory, lastSequenceOf(list));

/** The list of a log that ends with a sequence, in a directory without a manifest. */
export function listIn(directory: string, lastSequence: number): LogList {
  return LogList.parse(JSON.parse(readFileSync(pathAt(directory, lastSequence), 'utf8')));
}

/** Opens a log in such a directory, behind segments. */
export function logIn(
  directory: string,
  entries: readonly Pick<SegmentEntry, 'lastSequence'>[],
  parts: PartReader = openPartFolder(directory),
  cache = createBlockCache(cacheBytes),
): Log {
  return openLog(parts, listIn(directory, entries.at(-1)?.lastSequence ?? 0), cache);
}

/** Opens a writer of such a log, which goes on from the one that ends with a sequence. */
export function writerIn(
  directory: string,
  lastSequence: number,
  parts: PartReader,
  cut: Pick<LogList, 'rowsPerFile' | 'rowsPerMember'> = smallCut,
): Promise<LogWriter> {
  return openLogWriter({
    store: storingAtOnce(openFileStore(directory, new Set())),
    parts,
    before: lastSequence === 0 ? null : { list: listIn(directory, lastSequence), parts },
    cut,
    cache: createBlockCache(cacheBytes),
  });
}

/** Ends the log and keeps its list beside it. */
export async function finishIn(directory: string, writer: LogWriter): Promise<WrittenLog> {
  const written = await writer.finish();
  writeFileSync(listPath(directory, written.list), JSON.stringify(written.list));
  return written;
}

/** Brings segments and log of a directory without a manifest up to the newest batch. */
export async function bringUp(
  input: Omit<SegmentsInput, 'log'>,
  cut?: Pick<LogList, 'rowsPerFile' | 'rowsPerMember'>,
): Promise<SegmentsMade & { readonly log: WrittenLog }> {
  const { directory, segments, parts } = input;
  const log = await writerIn(directory, segments.at(-1)?.lastSequence ?? 0, parts, cut);
  const made = await bringUpSegments({ ...input, log });
  return { ...made, log: await finishIn(directory, log) };
}

/** The entries of a log as JSON, in their order. */
export async function textsOfLog(log: Pick<Log, 'entry' | 'list'>): Promise<string[]> {
  const texts: string[] = [];
  for (let sequence = 1; sequence <= lastSequenceOf(log.list); sequence++)
    texts.push(lineBytes(log.entry(sequence)).toString().trimEnd());
  return texts;
}
