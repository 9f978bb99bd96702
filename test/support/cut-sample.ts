import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseIndexPage } from '../../build/contents/index-page.ts';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import { openCache } from '../../build/edgar/cache.ts';
import { readFeed } from '../../build/follow/reading/feed-reading.ts';
import { scopeOf } from '../../build/follow/reading/scope.ts';
import { createState, takeFeed } from '../../build/follow/reading/follow-state.ts';
import { appendFound, type Addition } from '../../build/ingest/append.ts';
import { sightingOf } from '../../build/ingest/sightings.ts';
import { ingest } from '../../build/ingest/ingest.ts';
import { withKnownLedger } from '../../build/ingest/known.ts';
import { describeUniverse, parseUniverse } from '../../build/ingest/universe.ts';
import { openUpstream, type Upstream } from '../../build/ingest/upstream.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { SaidContents } from '../../build/ledger/contents.ts';
import { reconcile } from '../../build/reconcile/reconcile.ts';
import { filingsOfFeed } from '../../build/sources/current-feed.ts';
import type { Entity } from '../../build/sources/roles.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { ok, startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { companiesWithVariety, recordedDay, serveIndex, serveFeed } from './recorded-day.ts';
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
  /** Whether filings of the day of recording are taken, whose acceptance times EDGAR has not settled yet. */
  readonly withUnsettled?: boolean;
}

/** Least filing date of the sample: as early as its size allows. */
const since = '2025-10-03';

/**
 * The runs of the ingest. The predecessor of XOM was not recorded, so its batch is partial and its message
 * names the lost file. The first run takes the filings of its day, too: a later one corrects them.
 */
const cuts: readonly Cut[] = [
  {
    roots: ['2026-04-24'],
    universe: 'AMD,AMZN,APH,GOOGL,KMB,NVDA',
    recordedAt: '2026-04-24T23:00:00.000Z',
    withUnsettled: true,
  },
  {
    roots: ['2026-07-01', 'odd'],
    universe:
      'CAT,KO,GE,INTC,MAT,MCD,MMM,PEP,PFE,PG,TXN,WMT,JNJ,MRK,NKE,AAPL,HD,MSFT,CSCO,BHC,COST,UAA,ORCL,HRI,MDXG,KHC,DIS,AEP,0001731289,0001830056,0000006879,0000073986,0000315090',
    recordedAt: '2026-07-01T23:00:00.000Z',
  },
  { roots: ['2026-08-18'], universe: 'XOM', recordedAt: '2026-08-18T22:59:00.000Z' },
  {
    roots: ['2026-08-18'],
    universe: 'AAPL,MSFT,AMZN,NVDA,META,GOOGL,JNJ,PG',
    recordedAt: '2026-08-18T23:00:00.000Z',
  },
];

/** Ticker files of 2026 were recorded on one day alone. */
const tickersRoot = '2026-08-18';

/** When the recorded day is compared with its index: last, because only then its documents are known. */
const reconciledAt = '2026-08-18T23:01:00.000Z';

/**
 * Makes the embedded sample: recorded answers go through the program's own steps as those of EDGAR do, into a
 * ledger in an empty directory. The feed of one day is read first, then submissions files of four runs, and at
 * then the day is compared with EDGAR's index, and at last documents about ownership are read, and lists of documents. The same recordings give the same bytes.
 */
export async function cutSample(directory: string): Promise<void> {
  await followRecordedDay(directory);
  for (const cut of cuts) await ingestCut(directory, cut);
  await reconcileRecordedDay(directory);
  await addRecordedContents(directory);
  rmSync(join(directory, '.cache'), { recursive: true, force: true });
}

/** Appends what the recorded documents about ownership say of filings that the ledger has, and then their recorded lists. */
async function addRecordedContents(directory: string): Promise<void> {
  await appendContents(directory, 'filings', '.xml', (body) => ({
    source: 'document' as const,
    ownership: parseOwnership(body).document,
  }));
  await appendContents(directory, 'lists', '-index.html', (body, accessionNo) => ({
    documents: parseIndexPage(body, accessionNo),
  }));
}

/** Appends what files of a folder say of filings that the ledger has, as one batch. */
async function appendContents(
  directory: string,
  folder: string,
  ending: string,
  read: (body: Buffer, accessionNo: string) => SaidContents,
): Promise<void> {
  const root = join(recordings, 'ownership', folder);
  const accessionNos = readdirSync(root).flatMap((name) => {
    const accessionNo = name.slice(0, -ending.length);
    return name.endsWith(ending) && /^\d{10}-\d{2}-\d{6}$/.test(accessionNo) ? [accessionNo] : [];
  });
  const known = await withKnownLedger(foldersOf(directory), (ledger) => ledger.filings(accessionNos));
  await appendBatch(directory, {
    run: { target: 'contents', status: 'success', message: null, createdAt: reconciledAt },
    filings: [],
    companies: [],
    contents: [...known.keys()].map((accessionNo) => ({
      accessionNo,
      ...read(readFileSync(join(root, accessionNo + ending)), accessionNo),
    })),
    refusals: [],
    isSample: true,
  });
}

const settingsFor = ({ dataUrl, wwwUrl }: EdgarDouble) => ({
  userAgent: 'Sample Maker sample@example.com',
  dataUrl,
  wwwUrl,
  requestsPerSecond: 10,
});

const foldersOf = (directory: string) => ({
  ledgerDirectory: directory,
  snapshotsDirectory: join(directory, '.no-snapshots'),
});

/** Does something with an EDGAR double and with requests to it. `at` is the time that the requests go by. */
async function withUpstream(
  directory: string,
  at: () => string,
  work: (edgar: EdgarDouble, upstream: Upstream) => Promise<void>,
): Promise<void> {
  const edgar = await startEdgarDouble();
  const upstream = openUpstream({
    settings: settingsFor(edgar),
    cache: openCache(join(directory, '.cache'), Date.now),
    now: Date.now,
    time: () => Date.parse(at()),
    log: () => {},
    attemptsMaximum: 1,
  });
  try {
    await work(edgar, upstream);
  } finally {
    await upstream.close();
    await edgar.close();
  }
}

const append = (directory: string, addition: Addition) =>
  appendFound(foldersOf(directory), { ...addition, isSample: true });

/**
 * Reads the recorded feed as a follower does, once, for the companies of all cuts and for others that show
 * much. No submissions file was recorded on that day: the feed tells names, and the ticker file symbols.
 */
async function followRecordedDay(directory: string): Promise<void> {
  await withUpstream(
    directory,
    () => `${recordedDay}T23:59:00.000Z`,
    async (edgar, upstream) => {
      serveFeed(edgar);
      serve(edgar, join(recordings, recordedDay), 'www.sec.gov/files', `${recordedDay}T23:00:00.000Z`);
      const { rows: tickers } = await upstream.tickers();
      const { entries, madeAtMs } = await readFeed(upstream.feedPage, createState().feed);
      const filings = filingsOfFeed(entries);
      const universe = parseUniverse(
        [...cuts.map((cut) => cut.universe), ...companiesWithVariety(filings, tickers)].join(','),
      );
      const listed = takeFeed(createState(), filings, scopeOf(universe, tickers, new Map()));
      const withSymbol = new Set(tickers.map(({ cik }) => cik));
      const parties = listed.flatMap(({ feed }) => feed?.parties ?? []);
      await append(directory, {
        target: `follow: ${describeUniverse(universe, null)}`,
        createdAt: new Date(madeAtMs).toISOString(),
        filings: listed.map(({ accessionNo, feed }) => ({
          accessionNo,
          sightings: feed ? [sightingOf.feed(feed)] : [],
        })),
        entities: parties.filter(({ cik }) => withSymbol.has(cik)).map(bareEntity),
        tickers,
        refusals: [],
        days: [],
      });
    },
  );
}

/** A company of which the feed alone tells something. */
const bareEntity = ({ cik, name }: { readonly cik: string; readonly name: string }): Entity => ({
  cik,
  name,
  tickers: [],
  exchange: null,
  formerNames: [],
  isIssuer: false,
  isOwner: false,
  alone: [cik],
});

async function ingestCut(
  directory: string,
  { roots, universe, recordedAt, withUnsettled = false }: Cut,
): Promise<void> {
  const edgar = await startEdgarDouble();
  try {
    const bodyOf = (body: string) =>
      withUnsettled ? body : withoutFilingsFrom(recordedAt.slice(0, 10), body);
    for (const root of [...roots].reverse())
      serve(edgar, join(recordings, root), 'data.sec.gov/submissions', recordedAt, bodyOf);
    serve(edgar, join(recordings, tickersRoot), 'www.sec.gov/files', recordedAt);
    await ingest({
      universe: parseUniverse(universe),
      since,
      ...foldersOf(directory),
      now: Date.now,
      recordedAt,
      log: () => {},
      progress: quietProgress,
      settings: settingsFor(edgar),
    });
  } finally {
    await edgar.close();
  }
}

/**
 * Compares the recorded day with EDGAR's index, for all companies whose submissions files the ledger has. So
 * filings that were accepted after the last page of the feed get their parties, too.
 */
async function reconcileRecordedDay(directory: string): Promise<void> {
  await withUpstream(
    directory,
    () => reconciledAt,
    async (edgar, upstream) => {
      serveIndex(edgar);
      await reconcile({
        upstream,
        folders: foldersOf(directory),
        append: (addition) => append(directory, addition),
        days: [recordedDay],
        readsQuarters: false,
        isWanted: null,
        tickers: [],
        before: [],
        universe: 'companies of the ledger',
        instant: () => reconciledAt,
        log: () => {},
      });
    },
  );
}

/** Makes the EDGAR double answer with the files of a folder. */
function serve(
  edgar: EdgarDouble,
  root: string,
  folder: string,
  recordedAt: string,
  bodyOf = (body: string) => body,
): void {
  if (!existsSync(join(root, folder))) return;
  const lastModified = new Date(recordedAt).toUTCString();
  for (const name of readdirSync(join(root, folder)))
    edgar.route(
      `/${folder}/${name}`,
      ok(bodyOf(readFileSync(join(root, folder, name), 'utf8')), { lastModified }),
    );
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
