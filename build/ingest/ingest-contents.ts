import { join } from 'node:path';
import { minuteMs } from '../../src/time/units.ts';
import type { WantedContents } from '../contents/contents-kinds.ts';
import type { ContentsName } from '../../src/settings/settings.ts';
import { makeStaging } from '../disk/staging.ts';
import { openCache } from '../edgar/cache.ts';
import { archivesUrl } from '../edgar/edgar-settings.ts';
import { createEdgarClient, type AskingEdgar, type EdgarClient } from '../edgar/client.ts';
import { joinContents, type LedgerContents } from '../ledger/contents.ts';
import { describeRefusal, type Refusal } from '../ledger/ledger-rows.ts';
import { readHeads, readRefusals } from '../ledger/read.ts';
import type { Progress } from '../work/progress.ts';
import { waitsForLedger } from './append.ts';
import { appendContents } from './append-contents.ts';
import { askContents } from './ask-contents.ts';
import { readDataSets } from './data-set-contents.ts';
import { makeLedger, openKnownLedger, type LedgerFolders, type OwnKnownLedger } from './known.ts';
import { findLacking } from './lacking-contents.ts';
import { markRun } from './run-marker.ts';

/** What one run asks for, and with what. */
export interface IngestContentsOptions extends AskingEdgar, LedgerFolders {
  /** The kinds of contents that are asked for. */
  readonly kinds: readonly ContentsName[];
  /** The least filing date, `YYYY-MM-DD`; null for all. */
  readonly since: string | null;
  /** Whether the data sets of past quarters are read first. */
  readonly fromDataSets: boolean;
  readonly progress: Progress;
}

/** What came of a run. */
export interface IngestedContents {
  /** Of how many filings the ledger has got contents. */
  readonly added: number;
  /** How many files and data sets could not be read. */
  readonly unread: number;
}

/** What the steps of a run share. */
export interface ContentsRun {
  readonly options: IngestContentsOptions;
  readonly client: EdgarClient;
  readonly known: OwnKnownLedger;
  /** A folder for what has no room in memory. It is removed in the end. */
  readonly scratch: string;
  /** Whether the run that this one resumes has written a batch with this target. */
  wasWritten(target: string): boolean;
  /** Appends a batch, and counts it. */
  append(addition: {
    readonly target: string;
    readonly contents: Iterable<LedgerContents> | AsyncIterable<LedgerContents>;
    readonly refusals: readonly Refusal[];
  }): Promise<number>;
}

/** Files that are asked for at the same time. The rate limit bounds the speed, not this number. */
const filesAtOnce = 4;
/** A batch has what so many files say at most, or those that were read within a minute. */
const filesTogether = 500;
/** After so many requests in a row without an answer EDGAR counts as away, and the run ends. */
const unansweredMaximum = 12;
/** What was asked for before is asked for again only while no batch has it. */
const anyTime = new Date(0).toISOString();

/** The target of batches with contents of files. */
const filesTarget = 'contents';

/**
 * Asks at once for all contents that a ledger lacks, the newest filings first. Each batch has what was read within a
 * minute, and what was read before a run was killed is in the cache, so the next run asks for the rest. What cannot
 * be read is named, recorded as a refusal, and asked for again by the next run. Throws an `Error` if EDGAR gives no
 * answers; what was read until then is in the ledger.
 */
export async function ingestContents(options: IngestContentsOptions): Promise<IngestedContents> {
  const { kinds, ledgerDirectory, since, fromDataSets, now, log, progress, signal } = options;
  await makeLedger(ledgerDirectory);
  const cache = openCache(join(ledgerDirectory, '.cache'), now);
  const name = JSON.stringify(['contents', since, fromDataSets, ...kinds]);
  const marker = await markRun(cache.directory, name, now());
  const before = await writtenSince(ledgerDirectory, marker.resumedFrom);
  const known = await openKnownLedger(ledgerDirectory, options.snapshotsDirectory, progress);
  const scratch = await makeStaging(ledgerDirectory);
  const client = createEdgarClient({ ...options, cache, freshSince: anyTime });
  const done = { added: 0, unread: 0 };
  const run: ContentsRun = {
    options,
    client,
    known,
    scratch: scratch.path,
    wasWritten: (target) => before.targets.has(target),
    async append(addition) {
      const added = await appendContents(
        ledgerDirectory,
        known,
        { ...addition, instant: () => new Date(now()).toISOString() },
        { onWait: () => log(waitsForLedger), signal },
      );
      for (const refusal of addition.refusals) log(describeRefusal(refusal), 'warn');
      done.added += added;
      done.unread += addition.refusals.length;
      return added;
    },
  };
  const find = (folder: string) =>
    findLacking({
      ledgerDirectory,
      known,
      kinds,
      since,
      skipped: before.refused,
      folder: join(scratch.path, folder),
      progress,
      signal,
    });
  try {
    if (fromDataSets) await readDataSets(run, (await find('quarters')).quarters);
    const lacking = await find('lacking');
    progress.begin('fetching contents', 'files', lacking.count);
    const wanted = lacking.wanted();
    let asked: AskedSome;
    do asked = await askForSome(run, wanted, cache.remove);
    while (asked.isMore && asked.awayReason === null);
    // If EDGAR is away, this run is over, too: the next one asks again for what got no answer.
    await marker.remove();
    if (asked.awayReason !== null)
      throw new Error(`EDGAR gives no answers: ${asked.awayReason}; what was read is in the ledger`);
    return done;
  } finally {
    progress.stop();
    await client.close();
    await known.close();
    await scratch.remove();
  }
}

/** Whether there may be more to ask for, and why EDGAR counts as away; null if it does not. */
interface AskedSome {
  readonly isMore: boolean;
  readonly awayReason: string | null;
}

/** Asks for the next files, and appends a batch of them. */
async function askForSome(
  { options, client, append }: ContentsRun,
  wanted: AsyncGenerator<WantedContents>,
  forget: (url: string) => Promise<void>,
): Promise<AskedSome> {
  const { settings, now, progress, signal } = options;
  const contents: LedgerContents[] = [];
  const refusals: Refusal[] = [];
  const files: string[] = [];
  const endMs = now() + minuteMs;
  let [unanswered, isMore] = [0, true];
  const isFull = () =>
    files.length >= filesTogether || now() >= endMs || unanswered >= unansweredMaximum || !isMore;
  async function askOneByOne(): Promise<void> {
    while (!isFull()) {
      signal?.throwIfAborted();
      const next = await wanted.next();
      if (next.done === true) {
        isMore = false;
        return;
      }
      const { accessionNo, file } = next.value;
      files.push(file);
      const asked = await askContents(client, settings, next.value);
      unanswered = asked.kind === 'lost' && asked.cause !== 'absent' ? unanswered + 1 : 0;
      if (asked.kind === 'read') contents.push(asked.contents);
      if (asked.kind === 'lost') refusals.push({ cik: '', file, accessionNo, reason: asked.reason });
      else refusals.push(...asked.refusals);
      progress.step();
    }
  }
  await Promise.all(Array.from({ length: filesAtOnce }, askOneByOne));
  await append({ target: filesTarget, contents: joinContents(contents), refusals });
  for (const file of files) await forget(archivesUrl(settings, file));
  return { isMore, awayReason: unanswered >= unansweredMaximum ? (refusals.at(-1)?.reason ?? '') : null };
}

/** What a run that began at an instant has written: the targets of its batches, and the files that it refused. */
async function writtenSince(
  ledgerDirectory: string,
  since: string | null,
): Promise<{ readonly targets: ReadonlySet<string>; readonly refused: ReadonlySet<string> }> {
  const [targets, refused] = [new Set<string>(), new Set<string>()];
  if (since === null) return { targets, refused };
  for await (const { head } of readHeads(ledgerDirectory)) {
    if (head.run.createdAt < since || !head.run.target.startsWith(filesTarget)) continue;
    targets.add(head.run.target);
    if (head.run.target !== filesTarget) continue;
    // Contents that no batch can hold are named by their filing alone.
    for (const { file, accessionNo } of await readRefusals(ledgerDirectory, head))
      refused.add(file === '' ? accessionNo : file);
  }
  return { targets, refused };
}
