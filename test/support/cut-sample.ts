import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quietProgress } from '../../build/work/progress.ts';
import { ingest } from '../../build/ingest/ingest.ts';
import { parseUniverse } from '../../build/ingest/universe.ts';
import { ok, startEdgarDouble, type EdgarDouble } from '../edgar-double.ts';
import { recordings } from './replay.ts';

/** One run of the ingest over recorded answers. */
interface Cut {
  /** Folders of the recordings; the first that has a file wins. */
  readonly roots: readonly string[];
  readonly universe: string;
  /**
   * The day of the recordings. Nobody noted the time: this one is late on that day, after their newest
   * filing.
   */
  readonly recordedAt: string;
}

/** Least filing date of the sample. */
const since = '2025-08-01';

/**
 * The runs that make the sample. The predecessor of XOM was not recorded, so the second batch is partial and
 * its message names the lost file.
 */
const cuts: readonly Cut[] = [
  {
    roots: ['2026-07-01', 'odd'],
    universe:
      'CAT,KO,GE,INTC,MAT,MCD,MMM,PEP,PFE,PG,TXN,WMT,JNJ,MRK,NKE,AAPL,HD,MSFT,CSCO,BHC,COST,UAA,ORCL,HRI,MDXG,KHC,DIS,AEP,0001731289,0001830056,0000006879,0000073986,0000315090',
    recordedAt: '2026-07-01T23:00:00.000Z',
  },
  { roots: ['2026-08-18'], universe: 'XOM', recordedAt: '2026-08-18T23:00:00.000Z' },
  {
    roots: ['2026-08-18'],
    universe: 'AAPL,MSFT,AMZN,NVDA,META,GOOGL,JNJ,PG',
    recordedAt: '2026-08-18T23:01:00.000Z',
  },
];

/** Ticker files were recorded on one day alone. */
const tickersRoot = '2026-08-18';

/**
 * Makes the embedded sample: recorded answers go through the ingest as those of EDGAR do, into a ledger in an
 * empty directory. The same recordings give the same bytes.
 */
export async function cutSample(directory: string): Promise<void> {
  for (const { roots, universe, recordedAt } of cuts) {
    const edgar = await startEdgarDouble();
    try {
      for (const root of [...roots].reverse()) serve(edgar, join(recordings, root), recordedAt);
      serve(edgar, join(recordings, tickersRoot), recordedAt, 'www.sec.gov/files');
      await ingest({
        universe: parseUniverse(universe),
        since,
        ledgerDirectory: directory,
        snapshotsDirectory: join(directory, '.no-snapshots'),
        now: Date.now,
        recordedAt,
        log: () => {},
        progress: quietProgress,
        settings: {
          userAgent: 'Sample Maker sample@example.com',
          dataUrl: edgar.dataUrl,
          wwwUrl: edgar.wwwUrl,
          requestsPerSecond: 10,
        },
      });
    } finally {
      await edgar.close();
    }
  }
  rmSync(join(directory, '.cache'), { recursive: true, force: true });
}

/** Makes the EDGAR double answer with the files of a folder, without the filings of the day of recording. */
function serve(
  edgar: EdgarDouble,
  root: string,
  recordedAt: string,
  folder = 'data.sec.gov/submissions',
): void {
  if (!existsSync(join(root, folder))) return;
  const lastModified = new Date(recordedAt).toUTCString();
  for (const name of readdirSync(join(root, folder))) {
    const body = readFileSync(join(root, folder, name), 'utf8');
    edgar.route(
      `/${folder}/${name}`,
      ok(folder.startsWith('data.') ? withoutFilingsFrom(recordedAt.slice(0, 10), body) : body, {
        lastModified,
      }),
    );
  }
}

type Columns = Record<string, unknown[]>;

/**
 * A submissions file without its filings from a day on. EDGAR may still rewrite the acceptance times of the
 * day of fetching by another clock, so the ingest leaves them open. Readers of the sample would see these
 * filings, without times, first.
 */
function withoutFilingsFrom(day: string, body: string): string {
  const file = JSON.parse(body) as { filings?: { recent: Columns } } & Columns;
  const columns = file.filings?.recent ?? (file as Columns);
  const isEarlier = (columns.filingDate as string[]).map((filedAt) => filedAt < day);
  for (const [name, values] of Object.entries(columns))
    columns[name] = values.filter((_, row) => isEarlier[row]);
  return JSON.stringify(file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory] = process.argv.slice(2);
  if (directory === undefined || existsSync(directory))
    throw new Error('name a directory for the ledger that does not exist yet');
  await cutSample(directory);
}
