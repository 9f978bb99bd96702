import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import { parseItems } from '../../src/domain/items.ts';
import type { Filing } from '../../src/contract/records.ts';
import { easternAcceptance } from '../../build/sources/clock.ts';
import { ingest, type IngestResult } from '../../build/ingest/ingest.ts';
import { parseUniverse } from '../../build/ingest/universe.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { verifySnapshot } from '../../build/verify/verify.ts';
import { recordings, startReplay } from '../support/replay.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { has, needs } from '../support/needs.ts';

/** Ninety thousand filings are ingested, built, verified and compared. */
const wholeMs = 240_000;

const submissions = (root: string) => join(recordings, root, 'data.sec.gov/submissions');
const ciksOf = (root: string) =>
  readdirSync(submissions(root)).flatMap((name) => /^CIK(\d{10})\.json$/.exec(name)?.[1] ?? []);

async function ingestFrom(
  roots: readonly string[],
  ciks: readonly string[],
  ledgerDirectory: string,
): Promise<IngestResult> {
  const replay = await startReplay(...roots);
  try {
    return await ingest({
      universe: parseUniverse(ciks.join(',')),
      since: null,
      ledgerDirectory,
      snapshotsDirectory: dirname(ledgerDirectory),
      now: Date.now,
      log: () => {},
      progress: quietProgress,
      settings: {
        userAgent: 'Recordings Test test@example.com',
        dataUrl: replay.dataUrl,
        wwwUrl: replay.wwwUrl,
        requestsPerSecond: 10,
      },
    });
  } finally {
    replay.stop();
  }
}

const build = (directory: string) =>
  buildSnapshot({
    ledgerDirectory: join(directory, 'ledger'),
    snapshotsDirectory: directory,
    settings: { baseUrl: null, marketplaceUrl: null },
    replace: false,
    log: () => {},
  });

interface Envelope<Row> {
  readonly data: Row[];
  readonly meta: { readonly nextCursor: string | null; readonly count: number };
}

async function page<Row>(service: SampleService, path: string): Promise<Envelope<Row>> {
  const response = await service.get(path);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Envelope<Row>;
}

/** Every row of a history, page by page. */
async function walk(service: SampleService, path: string): Promise<Filing[]> {
  const rows: Filing[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, meta }: Envelope<Filing> = await page(
      service,
      `${path}?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    rows.push(...data);
    cursor = meta.nextCursor;
  }
  return rows;
}

type UpstreamRow = Record<
  | 'accessionNumber'
  | 'form'
  | 'filingDate'
  | 'reportDate'
  | 'acceptanceDateTime'
  | 'items'
  | 'primaryDocument'
  | 'primaryDocDescription',
  string
> &
  Record<'size' | 'isXBRL' | 'isInlineXBRL', number>;

/**
 * Every row that the recordings of one company hold, the first of each accession number, in upstream's own
 * order.
 */
function upstreamRows(roots: readonly string[], cik: string): Map<string, UpstreamRow> {
  const rows = new Map<string, UpstreamRow>();
  const root = roots.find((each) => existsSync(join(submissions(each), `CIK${cik}.json`))) as string;
  const names = readdirSync(submissions(root))
    .filter((name) => name.startsWith(`CIK${cik}`))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  for (const name of names) {
    const file = JSON.parse(readFileSync(join(submissions(root), name), 'utf8')) as {
      filings?: { recent: Record<string, unknown[]> };
    } & Record<string, unknown[]>;
    const columns = file.filings?.recent ?? file;
    columns['accessionNumber']?.forEach((accessionNo, at) => {
      if (!rows.has(accessionNo as string))
        rows.set(
          accessionNo as string,
          Object.fromEntries(
            Object.entries(columns).map(([column, values]) => [column, values[at]]),
          ) as UpstreamRow,
        );
    });
  }
  return rows;
}

function expectEqualToUpstream(filing: Filing, row: UpstreamRow): void {
  const clocks = [
    easternAcceptance(row.acceptanceDateTime, 'eastern'),
    easternAcceptance(row.acceptanceDateTime, 'utc'),
  ];
  expect(filing).toMatchObject({
    accessionNo: row.accessionNumber,
    form: row.form,
    eventType: eventTypeOfForm(row.form),
    items: parseItems(eventTypeOfForm(row.form), row.items),
    filedAt: row.filingDate,
    reportDate: row.reportDate || null,
    primaryDocDescription: row.primaryDocDescription || null,
    size: row.size,
    isXbrl: row.isXBRL === 1,
    isInlineXbrl: row.isInlineXBRL === 1,
    detailUrl: `https://www.sec.gov/Archives/edgar/data/${Number(filing.cik)}/${row.accessionNumber.replaceAll('-', '')}/${row.accessionNumber}-index.htm`,
  });
  const { documentUrl, acceptanceDateTime, acceptedAt } = filing;
  // The recorded names need no escaping; a few are of documents that EDGAR has no file for.
  const hasFile = row.primaryDocument !== '' && !/^\d{4}\.txt$|\.paper$/.test(row.primaryDocument);
  expect(documentUrl).toBe(
    hasFile
      ? `https://www.sec.gov/Archives/edgar/data/${Number(filing.cik)}/${row.accessionNumber.replaceAll('-', '')}/${row.primaryDocument}`
      : null,
  );
  expect(acceptedAt?.slice(0, 19).replace(/\D/g, '') ?? null).toBe(acceptanceDateTime);
  if (filing.acceptanceDateTime !== null) expect(clocks).toContain(filing.acceptanceDateTime);
}

describe('recorded answers of EDGAR', { ...needs('recordings'), tags: ['slow'], timeout: wholeMs }, () => {
  let directory: string;
  let service: SampleService;
  const roots = ['2026-08-18', '2026-07-01'] as const;
  // The body of a skipped group runs, too.
  const ciks = has('recordings') ? [...new Set(roots.flatMap(ciksOf))].sort() : [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'filing-recordings-'));
    const result = await ingestFrom(roots, ciks, join(directory, 'ledger'));
    // The run says which predecessors it asked for in vain: those of Exxon Mobil, Oracle, Disney and Alphabet were not recorded.
    const predecessors = ['0000034088', '0000777676', '0001001039', '0001288776'];
    expect(result.refusals.map(({ file }) => file)).toEqual(predecessors.map((cik) => `CIK${cik}.json`));
    await verifySnapshot(directory, await build(directory));
    service = await serviceOver(directory);
  }, wholeMs);
  afterAll(async () => {
    await service?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('gives every accession of every company once, equal to upstream', async () => {
    let compared = 0;
    const accessions = new Set<string>();
    for (const cik of ciks) {
      const upstream = upstreamRows(roots, cik);
      const filings = await walk(service, `/v1/sec/company/${cik}/filings`);
      expect(filings.length).toBe(upstream.size);
      const found = new Map(filings.map((filing) => [filing.accessionNo, filing]));
      expect(found.size).toBe(upstream.size);
      for (const [accessionNo, row] of upstream) {
        accessions.add(accessionNo);
        const filing = found.get(accessionNo) as Filing;
        // Where two companies list one filing, the file of the company that it belongs to counts.
        if (filing.cik === cik) expectEqualToUpstream(filing, row);
        compared++;
      }
      const orders = filings.map(
        ({ filedAt, acceptanceDateTime, accessionNo }) =>
          `${filedAt} ${acceptanceDateTime ?? ''} ${accessionNo}`,
      );
      expect(orders).toEqual(orders.toSorted().reverse());
    }
    expect(compared).toBeGreaterThan(90_000);
    expect((await walk(service, '/v1/sec/latest')).length).toBe(accessions.size);
  });
});
