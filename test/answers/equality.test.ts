import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import type { EndpointId } from '../../src/contract/endpoints.ts';
import { FilingSummary, type Change, type CompanyProfile, type Filing } from '../../src/contract/records.ts';
import type { Query } from '../../src/contract/parameters.ts';
import { paths, Routes, tableDefinition, tableNames, type SegmentEntry } from '../../src/format/snapshot.ts';
import { relatedCiks } from '../../src/domain/successors.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { readManifest } from '../../src/snapshot/open.ts';
import { rowBytes } from '../../src/table/table.ts';
import { lastSequenceOf, type LogList, type LogPart } from '../../src/format/log-files.ts';
import { useDirectories } from '../support/directories.ts';
import { unevenHistories } from '../support/histories.ts';
import {
  changesOf,
  cikOfSymbol,
  eventTypesOf,
  formsOf,
  foldBatches,
  profileOf,
  readBatches,
  readModel,
  summaryOf,
  tablesOf,
  type BatchRows,
  type LedgerModel,
} from '../support/ledger-model.ts';
import {
  openPublished,
  publishSegments,
  rewriteBatch,
  rowsIn,
  tablesIn,
  writeHistory,
  type OpenSegmentsOnly,
} from '../support/published.ts';
import { expectList } from '../support/list-walks.ts';
import { listIn } from '../support/log.ts';
import type { Texts } from '../support/walk.ts';
import { cikOf, company, filing, madeUp, type MadeUpBatch } from '../support/ledgers.ts';
import { serviceOver } from '../support/sample.ts';
import { buildQuietly, contentBelow } from '../support/snapshots.ts';

const fresh = useDirectories('equality');
const sinceEver = '1900-01-01';

interface Scenario {
  readonly batches: readonly BatchRows[];
  /** After which of them a snapshot is published; one is always published after the last. */
  readonly isPublished: readonly boolean[];
  /** How many characters of rows a fold holds in memory. */
  readonly heldMaximum: number | undefined;
  /** How the log is cut into files; as the build does if undefined. */
  readonly cut: Pick<LogList, 'rowsPerFile' | 'rowsPerMember'> | undefined;
  /** Rows of a page. */
  readonly limit: number;
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  batches: unevenHistories,
  isPublished: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  heldMaximum: fc.constantFrom(undefined, 1, 5000),
  cut: fc.option(
    fc.record({
      rowsPerFile: fc.integer({ min: 1, max: 25 }),
      rowsPerMember: fc.integer({ min: 1, max: 9 }),
    }),
    { nil: undefined },
  ),
  limit: fc.constantFrom(1, 3, 200),
});

interface Page<Row> {
  readonly data: Row[];
  readonly meta: { readonly nextCursor: string | null; readonly count: number };
}

/** Every row of a history, page by page. */
async function walkHistory<Row>({ ask }: OpenSegmentsOnly, id: EndpointId, query: Query): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, meta }: Page<Row> = await ask(id, cursor === undefined ? query : { ...query, cursor });
    expect(data.length).toBe(meta.count);
    rows.push(...data);
    cursor = meta.nextCursor;
  }
  return rows;
}

/** Every entry of a feed behind a cursor, page by page, and the cursor that goes on there. */
async function walkFeed(
  { ask }: OpenSegmentsOnly,
  query: Query,
): Promise<{ entries: Change[]; cursor: string }> {
  const entries: Change[] = [];
  for (let { cursor } = query; ; ) {
    const { data, meta }: Page<Change> = await ask('listChanges', {
      ...query,
      ...(cursor === undefined ? {} : { cursor }),
    });
    entries.push(...data);
    cursor = meta.nextCursor ?? '';
    if (data.length < (query.limit ?? 50)) return { entries, cursor };
  }
}

/** Compares every answer of lists and records with that of the model. */
async function expectAnswers(open: OpenSegmentsOnly, model: LedgerModel, limit: number): Promise<void> {
  const { ask } = open;
  const forms = [...new Set(model.observations.map(({ filing }) => filing.form))];
  const expectLists = async (filter: Texts, ...ids: EndpointId[]) => {
    for (const id of ids) await expectList({ open, model }, id, filter, { limit });
  };
  for (const filter of [
    ...forms.map((form) => ({ form })),
    ...[...new Set(forms.map(eventTypeOfForm))].map((eventType) => ({ eventType })),
    ...filters,
  ])
    await expectLists(filter, 'listLatestFilings', 'listChanges');
  await expectLists({}, 'listLatestFilings', 'listInsiderTrades');
  for (const ticker of model.companies.keys())
    for (const filter of filters)
      await expectLists({ ...filter, ticker }, 'listCompanyFilings', 'listChanges');
  for (const accessionNo of model.newest.keys())
    expect((await ask<{ data: FilingSummary }>('getFilingSummary', { accessionNo })).data).toEqual(
      summaryOf(model, accessionNo),
    );
  for (const symbol of [...model.companies.keys(), ...model.symbols.keys()]) {
    const cik = cikOfSymbol(model, symbol);
    if (cik === null) continue;
    expect((await ask<{ data: CompanyProfile }>('getCompanyProfile', { ticker: symbol })).data).toEqual(
      profileOf(model, cik),
    );
    const ofCompany = [
      'listCompanyFilings',
      'listCompanyEvents',
      'listInsiderTrades',
      'listChanges',
    ] as const;
    await expectLists({ ticker: symbol }, ...ofCompany);
    const { data } = await ask<{ data: { cik: string }[] }>('searchCompanies', { q: cik });
    expect(data.map((company) => company.cik)).toContain(cik);
  }
  const tickers = [...model.companies.keys()].slice(0, 5).join(',');
  if (tickers !== '') await expectLists({ tickers }, 'listWatchlistChanges');
}

const filters: readonly Texts[] = [
  { items: '9.01' },
  { items: '1.01,2.02', form: '8-K,4' },
  { since: '2026-02-03' },
  { until: '2026-02-03' },
  { since: '2026-02-03', until: '2026-02-03', items: '2.02' },
  { eventType: 'insider_transaction' },
  { form: '10-K/A', until: '2026-02-02' },
];

/**
 * Publishes behind the batches that are chosen, and behind the last one. Calls `look` after each publication.
 */
async function publishStepwise(
  ledger: string,
  directory: string,
  { batches: { length: count }, isPublished, heldMaximum, cut }: Scenario,
  look: (entries: readonly SegmentEntry[], batches: number) => Promise<void>,
): Promise<readonly SegmentEntry[]> {
  let entries: readonly SegmentEntry[] = [];
  for (let number = 1; number <= count; number++) {
    if (isPublished[number - 1] !== true && number < count) continue;
    entries = await publishSegments(ledger, directory, entries, number, heldMaximum, cut);
    await look(entries, number);
  }
  return entries;
}

/**
 * Writes a history into a ledger, with a row that does not fit in its first batch of companies, and reads it
 * again.
 */
async function ledgerOf(batches: readonly BatchRows[]): Promise<{ ledger: string; written: BatchRows[] }> {
  const ledger = fresh();
  let isSpoilt = false;
  for (const [at, batch] of batches.entries()) {
    await writeHistory(ledger, [batch]);
    if (isSpoilt || batch.companies.length < 2) continue;
    await rewriteBatch(ledger, at + 1, 'companies.csv', (text) => text.replace('\n0', '\nx'));
    isSpoilt = true;
  }
  return { ledger, written: await readBatches(ledger) };
}

function segmentBytes(directory: string, entries: readonly SegmentEntry[]): Record<string, string>[] {
  return entries.map(({ name }) => contentBelow(join(directory, 'segments', name)));
}

/** Expects that all rows are of their schemas, with the members in the same order. */
async function expectSchemas(directory: string, entries: readonly SegmentEntry[]): Promise<void> {
  const tables = await rowsIn(directory, entries);
  for (const name of tableNames) {
    // A summary is shown joined with its filing.
    const schema = name === 'summaries' ? FilingSummary : tableDefinition(name).row;
    for (const { json } of tables[name]) expect(JSON.stringify(schema.parse(JSON.parse(json)))).toBe(json);
  }
}

async function expectEquality(scenario: Scenario): Promise<void> {
  const { batches, cut, limit } = scenario;
  const { ledger, written } = await ledgerOf(batches);
  const [stepwise, atOnce] = [fresh(), fresh()];
  const entries = await publishStepwise(ledger, stepwise, scenario, async (each, number) => {
    expect(await tablesIn(stepwise, each)).toEqual(tablesOf(foldBatches(written.slice(0, number))));
    await expectSchemas(stepwise, each);
  });
  const whole = await publishSegments(ledger, atOnce, [], batches.length, undefined, cut);
  expect(entries).toEqual(whole);
  expect(segmentBytes(stepwise, entries)).toEqual(segmentBytes(atOnce, whole));
  // The log is the same bytes, too.
  const { lastSequence = 0 } = whole.at(-1) ?? {};
  expect(listIn(stepwise, lastSequence)).toEqual(listIn(atOnce, lastSequence));
  // Nothing is left beside segments and log, whose list the test keeps.
  expect(readdirSync(atOnce).filter((name) => name !== 'files')).toEqual([
    `log-${lastSequence}.json`,
    'segments',
  ]);
  expect(readdirSync(join(atOnce, 'segments')).sort()).toEqual(whole.map(({ name }) => name).sort());

  const open = await openPublished(ledger, stepwise, entries);
  await expectAnswers(open, foldBatches(written), limit);
  await open.close();
}

async function expectLog(scenario: Scenario): Promise<void> {
  const { batches, cut, limit } = scenario;
  const { ledger, written } = await ledgerOf(batches);
  const directory = fresh();
  const seen: Change[] = [];
  let cursor: string | undefined;
  let before: readonly SegmentEntry[] = [];
  let full: readonly LogPart[] = [];
  const ofCompanies = new Map<string, { cursor: string | undefined; seen: Change[] }>();
  await publishStepwise(ledger, directory, scenario, async (entries, number) => {
    const open = await openPublished(ledger, directory, entries);
    const model = foldBatches(written.slice(0, number));
    const walked = await walkFeed(open, {
      limit,
      ...(cursor === undefined ? { since: sinceEver } : { cursor }),
    });
    seen.push(...walked.entries);
    cursor = walked.cursor;
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1));
    // The entries of the log are these bytes, in files of which the full ones stay.
    const { list, entry } = open.snapshot.log;
    expect(seen.map((_, at) => rowBytes(entry(at + 1)).toString())).toEqual(
      seen.map((each) => JSON.stringify(each)),
    );
    expect(lastSequenceOf(list)).toBe(seen.length);
    expect(list.files.slice(0, full.length)).toEqual(full);
    full = list.files.filter(({ rows }) => rows === cut?.rowsPerFile);
    // An older snapshot that is served again gives nothing anew, and its cursor loses nothing.
    if (before.length > 0) {
      const older = await openPublished(ledger, directory, before);
      const behind = await walkFeed(older, { limit, cursor });
      expect(behind.entries).toEqual([]);
      cursor = behind.cursor;
      await older.close();
    }
    before = entries;
    // What was seen before has not changed.
    expect((await walkFeed(open, { since: sinceEver, limit: 200 })).entries).toEqual(seen);

    const replayed = new Map<string, Filing>();
    for (const { filing } of seen) replayed.set(filing.accessionNo, filing);
    const latest: Filing[] = await walkHistory(open, 'listLatestFilings', { limit: 200 });
    expect(new Map(latest.map((filing) => [filing.accessionNo, filing]))).toEqual(
      new Map([...replayed].sort()),
    );

    for (const cik of model.companies.keys()) {
      const own = ofCompanies.get(cik) ?? { cursor: undefined, seen: [] };
      ofCompanies.set(cik, own);
      const walkedOwn = await walkFeed(open, {
        ticker: cik,
        limit,
        ...(own.cursor === undefined ? { since: sinceEver } : { cursor: own.cursor }),
      });
      own.seen.push(...walkedOwn.entries);
      own.cursor = walkedOwn.cursor;
      expect(own.seen).toEqual(changesOf(model, { company: cik }));
      const kept = new Map<string, Filing>();
      for (const { filing } of own.seen) kept.set(filing.accessionNo, filing);
      const isNamed = ({ parties }: Filing) => parties.some((party) => relatedCiks(cik).includes(party.cik));
      const listed: Filing[] = await walkHistory(open, 'listCompanyFilings', { ticker: cik, limit: 200 });
      expect(new Set(listed)).toEqual(new Set([...kept.values()].filter(isNamed)));
    }
    await open.close();
  });
}

/** The segments after each batch, all of them at once, and the log. */
async function expectAll(...batches: readonly MadeUpBatch[]): Promise<void> {
  for (const heldMaximum of [undefined, 1]) {
    const each: Scenario = {
      batches: madeUp(...batches),
      isPublished: batches.map(() => true),
      heldMaximum,
      cut: undefined,
      limit: 2,
    };
    await expectEquality(each);
    await expectLog(each);
  }
}

/**
 * Everything that the current snapshot of a directory is made of: its manifest and the files that it names,
 * with their bytes.
 */
async function snapshotBytes(directory: string): Promise<Record<string, unknown>> {
  const { snapshotId } = (await readPointer(directory)) ?? { snapshotId: '' };
  const { manifest } = await withPartFolder(directory, (parts) => readManifest(parts, snapshotId));
  const routes = Routes.parse(
    JSON.parse(readFileSync(join(directory, paths.file(manifest.routes.sha256)), 'utf8')),
  );
  const files = [
    manifest.routes,
    ...Object.values(manifest.documents),
    ...Object.values(routes).flatMap(({ file, br, gzip }) => [file, br, gzip]),
  ].flatMap((file) => file ?? []);
  return {
    snapshotId,
    manifest,
    segments: segmentBytes(directory, manifest.segments),
    files: files.map(({ sha256 }) => readFileSync(join(directory, paths.file(sha256)), 'latin1')),
  };
}

/** As `expectEquality`, for whole snapshots with documents and pages, asked as a service is. */
async function expectSameSnapshots({ batches, isPublished, heldMaximum }: Scenario): Promise<void> {
  const [ledger, stepwise, atOnce] = [fresh(), fresh(), fresh()];
  for (const [at, batch] of batches.entries()) {
    await writeHistory(ledger, [batch]);
    if (isPublished[at] === true || at === batches.length - 1)
      await buildQuietly(ledger, stepwise, heldMaximum === undefined ? {} : { heldMaximum });
  }
  await buildQuietly(ledger, atOnce);
  expect(await snapshotBytes(stepwise)).toEqual(await snapshotBytes(atOnce));

  const model = await readModel(ledger);
  const service = await serviceOver(stepwise);
  const ask = (path: string) => service.json<{ data: unknown }>(path);
  expect((await ask('/v1/sec/latest?limit=200')).data).toEqual(model.filings);
  expect((await ask(`/v1/sec/changes?since=${sinceEver}&limit=200`)).data).toEqual(changesOf(model));
  for (const cik of model.companies.keys())
    expect((await ask(`/v1/sec/company/${cik}/profile`)).data).toEqual(profileOf(model, cik));
  const { companies, filings, latestRun } = model;
  expect((await ask('/v1/sec/stats')).data).toEqual({
    companyCount: companies.size,
    filingCount: filings.length,
    forms: formsOf(filings),
    eventTypes: eventTypesOf(filings),
    latestFiling: filings[0] ?? null,
    latestIngestRun: latestRun,
  });
  await service.close();
}

// The time for making a counterexample smaller is limited.
const few = { numRuns: 8, interruptAfterTimeLimit: 15_000 };
const many = { numRuns: 300, interruptAfterTimeLimit: 280_000 };
const long = { tags: ['slow', 'nightly'], timeout: 900_000 };

describe('segments', () => {
  const check = (runs: typeof few) => fc.assert(fc.asyncProperty(scenario, expectEquality), runs);
  it(
    'segments are the same bytes whenever batches are published, and answer as the model does',
    { tags: ['slow'] },
    () => check(few),
  );
  // Rows enough for a segment of their own, so that what follows lies in a newer one.
  const ballast = Array.from({ length: 40 }, (_, at) => filing(100 + at, { filerCiks: [cikOf(9)] }));
  const [predecessorCik, successorCik] = ['0000034088', '0002115436'] as const;
  const filers = (...numbers: number[]) => ({ filerCiks: numbers.map(cikOf) });
  const about = (form: string, subject: number, filer: number) => ({
    form,
    subjectCik: cikOf(subject),
    ...filers(filer),
  });
  const filedAt = '2026-02-02';
  const hostile = '"filedAt":"1999-01-01","form":"X","row":null,"note":{}';
  /** Who is named how, listed where and filed when; then somebody else gets a symbol, and another one is described. */
  const everyKind: readonly MadeUpBatch[] = [
    {
      companies: [
        company(1, 'AAA', {
          name: 'N, "Inc" \\ \u2028 🦆 <br> "filing":{',
          formerNames: ["O'Neil-Smith", hostile],
        }),
        company(2, null),
        company(3, 'OLD'),
        company(4, 'BRK.B', { tickers: ['BRK.B', 'BRK-A'] }),
        // A symbol of digits reads like the CIK of another company.
        company(6, '2'),
        company(34088, null, { name: 'EXXON MOBIL CORP' }),
        company(2115436, 'XOM', { name: 'ExxonMobil Holdings Corp' }),
      ],
      filings: [
        // Joint filers, of whom one's login made the number; and one that nobody describes.
        filing(1, { ...filers(1, 2, 3), accessionNo: `${cikOf(2)}-26-000001` }),
        filing(2, about('10-Q', 3, 1)),
        filing(3, { subjectCik: cikOf(99) }),
        filing(4, filers(1, 7)),
        // On one day, by their acceptance, then by their number.
        filing(5, { filedAt, acceptedEastern: null }),
        filing(6, { filedAt, acceptedEastern: '20260202060000' }),
        filing(7, { filedAt, acceptedEastern: '20260202060000' }),
        filing(8, { filedAt, acceptedEastern: '20260201210000' }),
        // Of insiders, and others.
        ...['3', '4/A', '5', '144'].map((form, at) => filing(9 + at, about(form, 1, 3))),
        filing(13, { form: '4', ...filers(3) }),
        filing(14, about('4', 2, 1)),
        filing(15, { form: '8-K', items: ['2.02', '9.01'], primaryDocDescription: hostile }),
        filing(16, { form: '10-Q/A', reportDate: null, sizeBytes: null, primaryDocument: null }),
        filing(17, { filerCiks: [predecessorCik] }),
        filing(18, { filerCiks: [successorCik] }),
        filing(19, { filerCiks: [predecessorCik, successorCik] }),
      ],
    },
    {
      companies: [company(1, null), company(3, null), company(5, 'OLD'), company(7)],
      filings: [filing(5, { form: '10-K' }), filing(20, filers(5))],
    },
  ];
  const insiders = (form: string) => filing(1, { form, subjectCik: cikOf(1), filerCiks: [cikOf(2)] });
  const odd = { form: '4', items: ['2.02'] };
  const companies = [company(1)];
  const leaves = [{ filings: [filing(2)] }, { filings: [filing(2, { filerCiks: [cikOf(2)] })] }];
  it.each<[string, ...MadeUpBatch[]]>([
    [
      'a filing whose former form is filtered by, and that is restated',
      { filings: [...ballast, filing(1, { form: '10-K/A' }), filing(2)], companies },
      { filings: [filing(1)] },
      {},
      { filings: [filing(1, { sizeBytes: 7 })] },
    ],
    [
      'a filing of insiders that becomes another one',
      { filings: [...ballast, insiders('4'), filing(2)], companies },
      { filings: [insiders('144')] },
    ],
    [
      'a filing that loses form and items, moved and came back',
      { filings: [...ballast, filing(1, { form: '8-K', items: ['1.01', '2.02'] })], companies },
      { filings: [filing(1, odd)] },
      { filings: [filing(1, { ...odd, acceptedEastern: null })] },
      { filings: [filing(1, odd)] },
    ],
    [
      'a filing that once had a form, in the feed of that form',
      { filings: [...ballast, filing(1, { form: 'X.1&(2)' }), filing(2)], companies },
      { filings: [filing(1)] },
      { filings: [filing(3)] },
    ],
    [
      'the same in one segment',
      { filings: [filing(1, { form: '8-K' })], companies },
      { filings: [filing(1)] },
    ],
    [
      'a newest filing that leaves its company and comes back',
      { filings: [...ballast, filing(1)], companies },
      ...leaves,
      { filings: [filing(2)] },
    ],
    [
      'the same before anybody described the companies',
      { filings: [filing(1)] },
      ...leaves,
      { companies: [company(1), company(2)] },
    ],
    ['filings and companies of every kind', ...everyKind],
    [
      'a predecessor whose successor nobody described',
      {
        companies: [company(34088, 'XOM')],
        filings: [
          filing(1, { filerCiks: [predecessorCik] }),
          filing(2, { subjectCik: successorCik, filerCiks: [cikOf(1)], form: '4' }),
        ],
      },
    ],
    ['a company without filings', { companies: [company(1)] }],
  ])('segments answer as the model does: %s', { tags: ['slow'] }, (_, ...batches) => expectAll(...batches));

  it('are so for many ledgers', long, () => check(many));
});

describe('snapshots', () => {
  const check = (runs: typeof few) =>
    fc.assert(
      fc.asyncProperty(
        scenario.map((each) => ({ ...each, batches: each.batches.slice(0, 3) })),
        expectSameSnapshots,
      ),
      runs,
    );
  it('snapshots are the same bytes whenever batches are published', { tags: ['slow'] }, () =>
    check({ ...few, numRuns: 2 }),
  );
  it('are so for many ledgers', long, () => check({ ...many, numRuns: 60 }));
});

describe('the log', () => {
  const check = (runs: typeof few) => fc.assert(fc.asyncProperty(scenario, expectLog), runs);
  it(
    'a walk of the feed gives each observation once, in order, and its replay gives the lists',
    { tags: ['slow'] },
    () => check(few),
  );
  it('does so for many ledgers', long, () => check(many));
});
