import { join } from 'node:path';
import { dataSetFile, readDataSet, type DataSetFiling } from '../contents/data-set.ts';
import { isDiskFull } from '../disk/full.ts';
import { wwwUrl } from '../edgar/edgar-settings.ts';
import { failureKindOf } from '../edgar/outcome.ts';
import type { LedgerContents } from '../ledger/contents.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import { removeArchive } from './collect-archive.ts';
import { isFatal } from './fetch.ts';
import type { ContentsRun } from './ingest-contents.ts';
import type { KnownLedger } from './known.ts';

/** The first quarter that has a data set. */
const firstQuarter = '2006q1';
/** A data set has some 15 MB. */
const bytesMaximum = 512 * 1024 * 1024;
/** Filings of a data set that are looked up together. */
const filingsTogether = 500;

/**
 * Reads the data sets of quarters, each with one download, and appends the contents of filings that the ledger has as
 * one batch. A data set that is not there yet, or cannot be read, is named; its filings are asked for one by one.
 */
export async function readDataSets(run: ContentsRun, quarters: readonly string[]): Promise<void> {
  const due = quarters.filter((quarter) => quarter >= firstQuarter && !run.wasWritten(targetOf(quarter)));
  run.options.progress.begin('reading data sets', 'quarters', due.length);
  // No filing is in the sets of two quarters, so nobody has to look up what this run appends: to take in each quarter
  // would take longer than to read it.
  await run.known.asBefore(async () => {
    for (const quarter of due) {
      run.options.signal?.throwIfAborted();
      await readQuarterSet(run, quarter);
      run.options.progress.step();
    }
  });
}

const targetOf = (quarter: string) => `contents of ${quarter}`;

async function readQuarterSet(
  { options, client, known, scratch, append }: ContentsRun,
  quarter: string,
): Promise<void> {
  const file = dataSetFile(quarter);
  const path = join(options.ledgerDirectory, '.cache', `${quarter}_form345.zip`);
  const refusals: Refusal[] = [];
  const refuse = (accessionNo: string, reason: string) =>
    void refusals.push({ cik: '', file, accessionNo, reason });
  let contents: Iterable<LedgerContents> | AsyncIterable<LedgerContents> = [];
  try {
    const answer = await client.download(wwwUrl(options.settings, file), path, { bytesMaximum });
    // The newest one comes some weeks after its quarter.
    if (answer.kind === 'absent') return options.log(`${file}: not there (${answer.status})`);
    contents = contentsOf(readDataSet(path, join(scratch, quarter)), known, refuse);
  } catch (error) {
    if (isFatal(error) || failureKindOf(error) === undefined) throw error;
    refuse('', (error as Error).message);
  }
  const added = await append({ target: targetOf(quarter), contents, refusals });
  options.log(`${quarter}: contents of ${added} filings out of its data set`);
  await removeArchive(path);
}

/** Yields the contents of those filings of a data set that the ledger has. What cannot be read of these is refused. */
async function* contentsOf(
  filings: AsyncGenerator<DataSetFiling>,
  known: Pick<KnownLedger, 'filings'>,
  refuse: (accessionNo: string, reason: string) => void,
): AsyncGenerator<LedgerContents> {
  for (let isMore = true; isMore; ) {
    const group: DataSetFiling[] = [];
    try {
      while (isMore && group.length < filingsTogether) {
        const next = await filings.next();
        if (next.done === true) isMore = false;
        else group.push(next.value);
      }
    } catch (error) {
      if (isDiskFull(error)) throw error;
      refuse('', (error as Error).message);
      return;
    }
    const held = await known.filings(group.map(({ accessionNo }) => accessionNo));
    for (const filing of group) {
      const { accessionNo } = filing;
      if (!held.has(accessionNo)) continue;
      if ('reason' in filing) refuse(accessionNo, filing.reason);
      else {
        for (const reason of filing.read.refused) refuse(accessionNo, reason);
        yield { accessionNo, source: 'data_set', ownership: filing.read.document };
      }
    }
  }
}
