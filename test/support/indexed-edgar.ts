import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { reconcileLedger } from '../../build/reconcile/reconcile-ledger.ts';
import { currentFeedFile } from '../../build/sources/current-feed.ts';
import { headerFile } from '../../build/sources/header.ts';
import { dailyIndexFile, quarterlyIndexFile } from '../../build/sources/master-index.ts';
import { json, ok, startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { start } from './command.ts';
import { entryXml, feedPage, upstreamEntry } from './feed.ts';
import { bareFiling, cikOf, company, operatingFacts } from './made-up.ts';
import { masterIndexText, type UpstreamIndexRow } from './master-index.ts';
import { submissionsOf, upstreamRow, type UpstreamRow } from './submissions.ts';

/** A filing as the made-up EDGAR knows it. */
export interface TrueFiling {
  readonly number: number;
  readonly form: string;
  readonly filedAt: string;
  /** Numbers of the companies that it names. */
  readonly owners: readonly number[];
  /** False if no submissions file lists it. */
  readonly isInFiles?: boolean;
}

/** The accession number of a made-up filing. */
export const accessionOf = (number: number) => bareFiling(number).accessionNo;

/** The rows that an index has for filings. */
export const indexRows = (filings: readonly TrueFiling[]): UpstreamIndexRow[] =>
  filings.flatMap(({ number, form, filedAt, owners }) =>
    owners.map((owner) => ({ cik: cikOf(owner), form, filedAt, accessionNo: accessionOf(number) })),
  );

/** The row of a ledger that has a filing right. */
export const rightRow = ({ number, form, filedAt, owners }: TrueFiling): LedgerFiling =>
  bareFiling(number, {
    form,
    filedAt,
    acceptedEastern: `${filedAt.replaceAll('-', '')}160000`,
    primaryDocument: `d${number}.htm`,
    sizeBytes: 1000 + number,
    filerCiks: owners.map(cikOf),
  });

/** An EDGAR double with headers, submissions files, indexes, and a feed that tells the time. */
export interface IndexedEdgar {
  readonly edgar: EdgarDouble;
  readonly ledger: string;
  /** Sets headers and submissions files of all filings. */
  serve(filings: readonly TrueFiling[]): void;
  daily(day: string, filings: readonly TrueFiling[]): void;
  quarterly(quarter: string, through: string, filings: readonly TrueFiling[]): void;
  /** Sets the time that the feed tells. */
  setTime(instant: string): void;
  /** Reconciles at an instant in this process, or through the command. Returns what was logged. */
  reconcileAt(instant: string, isCommand?: boolean, signal?: AbortSignal): Promise<readonly string[]>;
  /** The paths below `/Archives/edgar/` that were asked for since the last call. */
  asked(): string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts one. The ledger has one batch, with companies 1 and 2 and with filings. */
export async function startIndexedEdgar(
  ledger: string,
  rows: readonly LedgerFiling[],
  batchAt: string,
): Promise<IndexedEdgar> {
  const edgar = await startEdgarDouble();
  await appendBatch(ledger, {
    run: { target: '1,2', status: 'success', message: null, createdAt: batchAt },
    filings: rows,
    companies: [company(1, 'T1', { facts: operatingFacts }), company(2, 'T2', { facts: operatingFacts })],
    refusals: [],
  });
  const archives = '/www.sec.gov/Archives/edgar/';
  const environment = {
    EDGAR_USER_AGENT: 'Reconcile Test test@example.com',
    EDGAR_DATA_URL: edgar.dataUrl,
    EDGAR_WWW_URL: edgar.wwwUrl,
    EDGAR_RPS: '10',
    SNAPSHOTS_DIR: `${ledger}-snapshots`,
    // This EDGAR has no lists of documents.
    CONTENTS: 'ownership',
  };
  const setTime = (instant: string) => {
    const eastern = `${new Date(Date.parse(instant) - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`;
    edgar.route(
      `/www.sec.gov/cgi-bin/${currentFeedFile(0)}`,
      ok(feedPage([entryXml(upstreamEntry({ cik: cikOf(99) }))], eastern), { etag: false }),
    );
  };
  let read = 0;
  return {
    edgar,
    ledger,
    environment,
    setTime,
    serve(filings) {
      for (const { number, form, filedAt, owners } of filings)
        for (const owner of owners)
          edgar.route(
            `${archives}${headerFile(cikOf(owner), accessionOf(number))}`,
            ok(headerText(number, form, filedAt, owners)),
          );
      for (const owner of new Set(filings.flatMap(({ owners }) => owners)))
        edgar.route(
          `/data.sec.gov/submissions/CIK${cikOf(owner)}.json`,
          json(submissionsOf(cikOf(owner), filings.filter((each) => isInFile(each, owner)).map(fileRow))),
        );
    },
    daily: (day, filings) =>
      edgar.route(`${archives}${dailyIndexFile(day)}`, ok(masterIndexText(day, indexRows(filings)))),
    quarterly: (quarter, through, filings) =>
      edgar.route(
        `${archives}${quarterlyIndexFile(quarter)}`,
        ok(masterIndexText(through, indexRows(filings), true)),
      ),
    async reconcileAt(instant, isCommand = false, signal) {
      setTime(instant);
      if (isCommand) {
        const { code, stdout, stderr } = await start(['reconcile', '--ledger', ledger], environment).ended;
        if (code !== 0) throw new Error(stderr);
        return stdout.trimEnd().split('\n');
      }
      const lines: string[] = [];
      await reconcileLedger({
        folders: { ledgerDirectory: ledger, snapshotsDirectory: environment.SNAPSHOTS_DIR },
        settings: {
          userAgent: environment.EDGAR_USER_AGENT,
          dataUrl: edgar.dataUrl,
          wwwUrl: edgar.wwwUrl,
          requestsPerSecond: 10,
        },
        since: null,
        until: null,
        // The feed tells the time.
        now: Date.now,
        elapsed: () => performance.now(),
        log: (line) => void lines.push(line),
        ...(signal ? { signal } : {}),
      });
      return lines;
    },
    asked() {
      const paths = edgar.requests.slice(read).map(({ path }) => path);
      read = edgar.requests.length;
      return paths.filter((path) => path.startsWith(archives)).map((path) => path.slice(archives.length));
    },
  };
}

const isInFile = ({ owners, isInFiles = true }: TrueFiling, owner: number) =>
  isInFiles && owners.includes(owner);

const fileRow = ({ number, form, filedAt }: TrueFiling): UpstreamRow =>
  upstreamRow(number, {
    accessionNumber: accessionOf(number),
    filingDate: filedAt,
    reportDate: '',
    form,
    items: '',
    size: 1000 + number,
    isXBRL: 0,
    isInlineXBRL: 0,
    primaryDocDescription: '',
  });

const headerText = (number: number, form: string, filedAt: string, owners: readonly number[]) => {
  const day = filedAt.replaceAll('-', '');
  const filers = owners.map(
    (owner) =>
      `<FILER>\n<COMPANY-DATA>\n<CONFORMED-NAME>Company ${owner}\n<CIK>${cikOf(owner)}\n</COMPANY-DATA>\n</FILER>\n`,
  );
  return `<SEC-HEADER>${accessionOf(number)}.hdr.sgml : ${day}\n<ACCEPTANCE-DATETIME>${day}160000\n<ACCESSION-NUMBER>${accessionOf(number)}\n<TYPE>${form}\n<PUBLIC-DOCUMENT-COUNT>1\n<FILING-DATE>${day}\n${filers.join('')}</SEC-HEADER>\n`;
};
