import { basename } from 'node:path';
import {
  archivesUrl,
  currentFeedUrl,
  submissionsUrl,
  tickersUrl,
  type EdgarSettings,
} from '../edgar/edgar-settings.ts';
import { openSubmissionsArchive, submissionsArchiveFile, type SubmissionsArchive } from './archive.ts';
import { parseCurrentFeed, type FeedPage } from './current-feed.ts';
import { parseHeader, type Header } from './header.ts';
import { parseMasterIndex, type MasterIndex } from './master-index.ts';
import { parseExtraPage, parseSubmissions, type Columns, type Submissions } from './submissions.ts';
import { parseTickerFile, type TickerRow } from './tickers.ts';

/** One kind of upstream file: its address, its greatest length, and its parser. */
export interface Source<Parsed> {
  url(settings: EdgarSettings, file: string): string;
  readonly bytesMaximum: number;
  /**
   * Throws an `Error` that says what cannot be understood. Such a file is refused, and the cache keeps the
   * last good one.
   */
  parse(body: Buffer, file: string): Parsed;
}

/**
 * One kind of upstream file that is too long for memory: it is downloaded, opened, and read piece by piece.
 */
interface ArchiveSource<Archive> {
  url(settings: EdgarSettings): string;
  readonly bytesMaximum: number;
  /** Throws an `Error` that says why the whole file is refused. */
  open(path: string): Promise<Archive>;
}

const megabyte = 1024 * 1024;

/**
 * The main submissions file of an entity, `CIK##########.json`: all filings of a year, at 400 bytes each. The
 * longest recorded one has 4 MB.
 */
const submissions: Source<Submissions> = {
  url: submissionsUrl,
  bytesMaximum: 32 * megabyte,
  parse: (body, file) => parseSubmissions(body, file.slice('CIK'.length, 'CIK##########'.length)),
};

/** An extra page of older filings, `CIK##########-submissions-###.json`. */
const submissionsPage: Source<Columns> = {
  url: submissionsUrl,
  bytesMaximum: 32 * megabyte,
  parse: (body) => parseExtraPage(body),
};

/** A file of ticker symbols. */
const tickers: Source<TickerRow[]> = {
  url: tickersUrl,
  bytesMaximum: 32 * megabyte,
  parse: (body) => parseTickerFile(body),
};

/**
 * A page of the current-filings feed; a page of 100 entries has 70 KB. Past the end of the feed upstream
 * answers 503.
 */
const currentFeed: Source<FeedPage> = {
  url: currentFeedUrl,
  bytesMaximum: megabyte,
  parse: (body) => parseCurrentFeed(body),
};

/** The SGML header of a filing: about 900 bytes, more if hundreds of entities file together. */
const header: Source<Header> = {
  url: archivesUrl,
  bytesMaximum: 4 * megabyte,
  parse: (body, file) => parseHeader(body, basename(file, '.hdr.sgml')),
};

/** The `master` index of a day or of a quarter; that of a quarter has 25 MB. */
const masterIndex: Source<MasterIndex> = {
  url: archivesUrl,
  bytesMaximum: 128 * megabyte,
  parse: parseMasterIndex,
};

/** The bulk archive with the submissions files of all entities; it has 1.6 GB. */
const submissionsArchive: ArchiveSource<SubmissionsArchive> = {
  url: (settings) => archivesUrl(settings, submissionsArchiveFile),
  bytesMaximum: 16 * 1024 * megabyte,
  open: (path) => openSubmissionsArchive(path, submissions.bytesMaximum),
};

/** All sources. */
export const sources = {
  submissions,
  submissionsPage,
  tickers,
  currentFeed,
  header,
  masterIndex,
  submissionsArchive,
} as const;
