import { createReadStream, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { submissionsArchiveFile } from '../../../build/sources/archive.ts';
import { closeAll, listen, portOf } from '../../support/servers.ts';
import { command, here, run } from '../child.ts';
import { atLeast, atMost, decimal, megabytes, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

/** What was measured of a bulk archive. */
export interface ArchiveRate {
  readonly entities: number;
  readonly rows: number;
  readonly refusals: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/**
 * Rows for each second of processor time, parsed and normalised, and the most memory that a whole run may
 * take.
 */
const bounds = { perCpuSecond: 300_000, peakBytes: 800e6 };
/** Twenty filings for each entity, as upstream has them. */
const filingsEach = 20;
/** The number of filings of an entity that the next entity lists, too. */
const shared = 2;

/**
 * Parse and normalise a made-up bulk archive, and ingest it as a whole: with download, sorting and merging,
 * into a batch.
 */
export async function archiveRows(scratch: Scratch): Promise<Row[]> {
  const filings = 2 * scratch.filings.large;
  const path = join(scratch.directory, 'submissions.zip');
  scratch.say(`making a bulk archive of ${decimal(filings)} filings`);
  await run({
    script: here('processes/make-archive.ts'),
    arguments: [path, JSON.stringify({ filings, entities: filings / filingsEach, shared })],
  });
  try {
    return [await parseRow(path), await ingestRow(scratch, path, filings)];
  } finally {
    rmSync(path);
  }
}

async function parseRow(path: string): Promise<Row> {
  const { result } = await run<ArchiveRate>({ script: here('processes/archive-rate.ts'), arguments: [path] });
  const { entities, rows, refusals, seconds, cpuSeconds } = result;
  return row(
    `parse of a bulk archive of ${decimal(entities)} entities`,
    `${decimal(rows / cpuSeconds)} for a second of CPU, ${decimal(rows / seconds)} for one that passed (${decimal(rows)} rows in ${megabytes(statSync(path).size)}, ${refusals} refused)`,
    atLeast(rows / cpuSeconds, bounds.perCpuSecond, ' filings/s on one core'),
  );
}

async function ingestRow(scratch: Scratch, path: string, filings: number): Promise<Row> {
  const server = serverOf(path);
  await listen([server]);
  const url = `http://127.0.0.1:${portOf(server)}`;
  const ledger = join(scratch.directory, 'ledger-of-archive');
  try {
    const { seconds, usage } = await run(
      command(['ingest', '--universe', 'all', '--ledger', ledger], {
        EDGAR_USER_AGENT: 'Bench bench@example.com',
        EDGAR_DATA_URL: url,
        EDGAR_WWW_URL: url,
        SNAPSHOTS_DIR: join(scratch.directory, 'no-snapshots'),
      }),
    );
    rmSync(ledger, { recursive: true });
    return row(
      'ingest of it, from the download to the batch',
      `${megabytes(usage.peakRssBytes)} at most; ${decimal(filings / seconds)} filings/s, ${decimal((usage.cpuSeconds / filings) * 1e6, 1)} µs of CPU each, ${decimal(seconds, 1)} s`,
      atMost(usage.peakRssBytes, bounds.peakBytes, megabytes),
    );
  } finally {
    await closeAll([server]);
  }
}

/** Serves the archive and ticker files that are whole. */
function serverOf(path: string): Server {
  const data = Array.from({ length: 1000 }, (_, at) => [at + 1, 'N', `K${at}`, 'NYSE']);
  const tickers = JSON.stringify({ fields: ['cik', 'name', 'ticker', 'exchange'], data });
  return createServer(({ url = '' }, response) => {
    if (!url.endsWith(submissionsArchiveFile)) return void response.end(tickers);
    const version = { 'last-modified': 'Sun, 01 Mar 2026 08:00:00 GMT' };
    response.writeHead(200, { 'content-length': statSync(path).size, ...version });
    createReadStream(path).pipe(response);
  });
}
