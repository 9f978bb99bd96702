import { rm } from 'node:fs/promises';
import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import { failureKindOf } from '../edgar/outcome.ts';
import { describeRefusal, type Refusal } from '../ledger/ledger-rows.ts';
import type { Progress } from '../work/progress.ts';
import type { SubmissionsArchive } from '../sources/archive.ts';
import { sources } from '../sources/registry.ts';
import { submissionsFile } from '../sources/submissions.ts';
import { inParallel } from '../../src/fetch/gate.ts';
import { createRefusals, type Refusals } from '../ledger/refusals.ts';
import { mayHold, type Collecting } from './collect.ts';
import { isFatal } from './fetch.ts';

/**
 * The bulk archive, opened, with the time at which upstream made it (milliseconds since 1970); or the reason
 * why it could not be fetched.
 */
export type FetchedArchive =
  | { readonly kind: 'ok'; readonly archive: SubmissionsArchive; readonly asOfMs: number }
  | { readonly kind: 'lost'; readonly reason: string };

/**
 * Fetches the bulk archive to `path` and opens it. An archive at the path is fetched again only if upstream
 * has a newer one. The download of an earlier run is continued. A file that is not a valid archive is
 * removed. Rejects only if no more requests can be sent.
 */
export async function fetchArchive(
  client: EdgarClient,
  settings: EdgarSettings,
  path: string,
  progress: Progress,
): Promise<FetchedArchive> {
  const source = sources.submissionsArchive;
  for (;;) {
    progress.begin('fetching the bulk archive', 'MB');
    let [shown, isExpected] = [0, false];
    try {
      const answer = await client.download(source.url(settings), path, {
        bytesMaximum: source.bytesMaximum,
        onProgress(received, total) {
          if (!isExpected && total !== null) progress.expect(toMegabytes(total), true);
          isExpected = true;
          progress.step(toMegabytes(received) - shown);
          shown = toMegabytes(received);
        },
      });
      if (answer.kind === 'absent') return { kind: 'lost', reason: `not there (${answer.status})` };
      try {
        return { kind: 'ok', archive: await source.open(path), asOfMs: answer.asOfMs };
      } catch (error) {
        // Otherwise upstream would answer the next run that this file is still current.
        await removeArchive(path);
        // An older file may have been damaged on this disk, so it is fetched once more.
        if (answer.changed) return { kind: 'lost', reason: (error as Error).message };
      }
    } catch (error) {
      if (isFatal(error) || failureKindOf(error) === undefined) throw error;
      return { kind: 'lost', reason: (error as Error).message };
    }
  }
}

/** Removes an archive and the file that names its version. */
export async function removeArchive(path: string): Promise<void> {
  for (const file of [`${path}.json`, path]) await rm(file, { force: true });
}

const toMegabytes = (bytes: number) => Math.floor(bytes / 1e6);

/** What `collectArchive` reads, and how. */
export interface ArchiveReading extends Collecting {
  readonly archive: SubmissionsArchive;
  readonly asOfMs: number;
  /** The CIKs whose files are read; null for all. */
  readonly members: ReadonlySet<string> | null;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/** The files that an archive lacks of an entity: its main file, or some of its pages. */
export interface ArchiveGap {
  readonly cik: string;
  readonly refusals: readonly Refusal[];
}

/**
 * For this many entities at most, the files that the archive lacks are fetched one by one. Those of further
 * entities are refused.
 */
const gapsMaximum = 200;

/**
 * Collects the wanted entities of an archive, one at a time. Returns the gaps: entities whose files are
 * damaged or missing. Their intact files are collected, too.
 */
export async function collectArchive({
  archive,
  asOfMs,
  members,
  gathering,
  refusals,
  since,
  progress,
  signal,
}: ArchiveReading): Promise<ArchiveGap[]> {
  const gaps: ArchiveGap[] = [];
  const addGap = (gap: ArchiveGap) =>
    void (gaps.length < gapsMaximum ? gaps.push(gap) : refusals.add(...gap.refusals));
  const missing = new Set(members);
  refusals.add(...archive.refusals);
  progress.begin('reading the bulk archive', 'entities', members?.size ?? archive.entities);
  for await (const { cik, main, pages, refusals: broken } of archive.read(
    members === null ? undefined : (cik) => members.has(cik),
    (page) => mayHold(page, since),
  )) {
    signal?.throwIfAborted();
    missing.delete(cik);
    if (main !== null) {
      const takeRows = gathering.takeEntity({ ...main.entity, asOfMs });
      takeRows(submissionsFile(cik), main.columns, asOfMs);
      for (const { file, columns } of pages) takeRows(file, columns, asOfMs);
    }
    if (broken.length > 0) addGap({ cik, refusals: broken });
    progress.step();
  }
  for (const cik of missing)
    addGap({
      cik,
      refusals: [{ cik, file: submissionsFile(cik), accessionNo: '', reason: 'it is not in the archive' }],
    });
  return gaps;
}

/**
 * Fetches the files of entities that an archive lacks. A file that cannot be fetched either is refused with
 * both reasons.
 */
export async function fillGaps(
  gaps: readonly ArchiveGap[],
  collect: (cik: string, refusals: Refusals) => Promise<void>,
  refusals: Pick<Refusals, 'add'>,
  width: number,
): Promise<void> {
  await inParallel(gaps, width, async ({ cik, refusals: archived }) => {
    const lost = createRefusals();
    await collect(cik, lost);
    const inArchive = new Map(archived.map(({ file, reason }) => [file, reason]));
    for (const each of lost.rows())
      refusals.add(
        each.accessionNo === '' && inArchive.has(each.file)
          ? { ...each, reason: `in the bulk archive: ${inArchive.get(each.file)}; by itself: ${each.reason}` }
          : each,
      );
  });
}

/** Describes the gaps of an archive in lines; only the first ones if there are many. */
export function describeGaps(gaps: readonly ArchiveGap[]): string[] {
  const lines = gaps.flatMap(({ refusals }) =>
    refusals.map((refusal) => `in the bulk archive: ${describeRefusal(refusal)}`),
  );
  return lines.length <= linesShown
    ? lines
    : [...lines.slice(0, linesShown), `in the bulk archive: and ${lines.length - linesShown} more`];
}

const linesShown = 20;
