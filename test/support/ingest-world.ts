import { join } from 'node:path';
import { ingest, type IngestOptions, type IngestResult } from '../../build/ingest/ingest.ts';
import { parseUniverse } from '../../build/ingest/universe.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { dayMs } from '../../src/time/units.ts';
import {
  json,
  ok,
  routeTickers,
  startEdgarDouble,
  type Behaviour,
  type EdgarDouble,
} from '../edgar/edgar-double.ts';
import { archiveMade, archiveRoute, longFile, type Manners } from './archive-server.ts';
import { settingsFor } from './following.ts';
import { submissionsOf, upstreamRow, type UpstreamRow } from './submissions.ts';
import { zipOf, type Member } from './zip.ts';

/** When the first run begins, in milliseconds since 1970: a day after the bulk archive was made. */
export const firstRunMs = Date.parse('2026-03-22T12:00:00.000Z');

/** An EDGAR double with a ledger. Runs of the ingest are two days apart. */
export interface IngestWorld {
  readonly edgar: EdgarDouble;
  readonly ledgerDirectory: string;
  readonly log: string[];
  /** The settings of a command that asks this double. */
  readonly environment: Readonly<Record<string, string>>;
  run(universe: string, options?: Partial<IngestOptions>): Promise<IngestResult>;
  /** Sets the symbols in the ticker files, with the CIK of each. */
  tickers(symbols: Readonly<Record<string, string>>): void;
  /** Sets what a file of submissions does. */
  file(name: string, ...behaviours: Behaviour[]): void;
  /** Serves the main file of a company. */
  company(
    cik: string,
    rows: readonly Partial<UpstreamRow>[],
    members?: Readonly<Record<string, unknown>>,
    pages?: readonly unknown[],
  ): void;
  /** Serves the bulk archive of some files. */
  archive(members: readonly Member[], manners?: Manners): void;
  /** Serves these files by themselves. */
  files(members: readonly Member[]): void;
  /** The names of files asked for since the last call, without the ticker files and the archive. */
  asked(): string[];
  /** Requests for the archive since the last call: their ranges, or `all`, or `changes`. */
  askedForArchive(): string[];
}

/** Creates one. `directory` makes empty folders; `opened` gets the double, which has to be closed. */
export async function createIngestWorld(
  directory: () => string,
  opened: EdgarDouble[],
  symbols: Readonly<Record<string, string>>,
): Promise<IngestWorld> {
  const edgar = await startEdgarDouble();
  opened.push(edgar);
  const ledgerDirectory = directory();
  const log: string[] = [];
  const settings = settingsFor(edgar);
  let runs = 0;
  const seen = { files: 0, archive: 0 };
  const since = (counter: keyof typeof seen) => {
    const requests = edgar.requests.slice(seen[counter]);
    seen[counter] = edgar.requests.length;
    return requests;
  };
  const made: IngestWorld = {
    edgar,
    ledgerDirectory,
    log,
    environment: {
      EDGAR_USER_AGENT: settings.userAgent,
      EDGAR_DATA_URL: edgar.dataUrl,
      EDGAR_WWW_URL: edgar.wwwUrl,
      EDGAR_RPS: String(settings.requestsPerSecond),
    },
    run(universe, options = {}) {
      const [atMs, beganMs] = [firstRunMs + 2 * dayMs * runs++, performance.now()];
      return ingest({
        universe: parseUniverse(universe),
        since: null,
        ledgerDirectory,
        snapshotsDirectory: join(ledgerDirectory, 'snapshots'),
        now: () => Math.round(atMs + performance.now() - beganMs),
        progress: quietProgress,
        log: (line) => void log.push(line),
        tickerRowsMinimum: 1,
        settings,
        ...options,
      });
    },
    tickers: (rows) => routeTickers(edgar, rows),
    file: (name, ...behaviours) => edgar.route(`/data.sec.gov/submissions/${name}`, ...behaviours),
    company: (cik, rows, members = {}, pages = []) =>
      made.file(`CIK${cik}.json`, json(submissionsOf(cik, rows, members, pages))),
    archive: (members, manners) => edgar.route(archiveRoute, longFile(zipOf(members), manners)),
    files(members) {
      for (const { name, body } of members) made.file(name, ok(body, { lastModified: archiveMade }));
    },
    asked: () =>
      since('files').flatMap(({ path }) => (path.includes('/submissions/') ? path.split('/').slice(-1) : [])),
    askedForArchive: () =>
      since('archive')
        .filter(({ path }) => path === archiveRoute)
        .map(({ headers }) => headers.range ?? (headers['if-none-match'] === undefined ? 'all' : 'changes')),
  };
  made.tickers(symbols);
  return made;
}

/** Rows of made-up 8-Ks, the newest first. */
export const upstreamRows = (from: number, to: number, members: Partial<UpstreamRow> = {}): UpstreamRow[] =>
  Array.from({ length: to - from + 1 }, (_, at) => upstreamRow(from + at, members)).reverse();
