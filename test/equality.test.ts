import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readList, type RowFilter } from '../src/answers/rows.ts';
import { rowBytes } from '../src/segments/table.ts';
import type { EndpointId } from '../src/contract/endpoints.ts';
import type { Change, CompanyProfile, Filing, FilingSummary } from '../src/contract/records.ts';
import type { Query } from '../src/contract/parameters.ts';
import type { ListTable, SegmentEntry } from '../src/contract/snapshot.ts';
import { newestCikOf, relatedCiks } from '../src/contract/successors.ts';
import { useDirectories } from './support/directories.ts';
import { unevenHistories } from './support/histories.ts';
import { changesOf, cikOfSymbol, eventOf, filingsOf, foldBatches, insiderFilingsOf, profileOf, readBatches, summaryOf, tablesOf, type BatchRows, type LedgerModel, type ModelFilter } from './support/ledger-model.ts';
import { openPublished, publishSegments, rewriteBatch, tablesIn, writeHistory, type OpenSegmentsOnly } from './support/published.ts';
import { contentBelow } from './support/snapshots.ts';

const fresh = useDirectories('equality');
const sinceEver = '1900-01-01';

/** A ledger, behind which of its batches a snapshot is published, and how many characters of rows a fold holds in memory. */
const scenario = fc.record({
  batches: unevenHistories,
  isPublished: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  heldMaximum: fc.constantFrom(undefined, 1, 5000),
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
async function walkFeed({ ask }: OpenSegmentsOnly, query: Query): Promise<{ entries: Change[]; cursor: string }> {
  const entries: Change[] = [];
  for (let { cursor } = query; ; ) {
    const { data, meta }: Page<Change> = await ask('listChanges', { ...query, ...(cursor === undefined ? {} : { cursor }) });
    entries.push(...data);
    cursor = meta.nextCursor ?? '';
    if (data.length < (query.limit ?? 50)) return { entries, cursor };
  }
}

async function rowsOfList(open: OpenSegmentsOnly, table: ListTable, company: string | null, filter: RowFilter): Promise<unknown[]> {
  return (await readList(open.snapshot, { table, company, ...filter, limit: 1000 })).map((row) => JSON.parse(rowBytes(row).toString()) as unknown);
}

/** Holds every answer that is made of lists and records against those of the model. */
async function expectAnswers(open: OpenSegmentsOnly, model: LedgerModel, limit: number): Promise<void> {
  const { ask } = open;
  expect(await walkHistory(open, 'listLatestFilings', { limit })).toEqual(model.filings);
  expect(await walkHistory(open, 'listInsiderTrades', { limit })).toEqual(insiderFilingsOf(model));
  expect((await walkFeed(open, { since: sinceEver, limit })).entries).toEqual(changesOf(model));
  for (const form of new Set(model.observations.map(({ filing }) => filing.form))) {
    if (!open.snapshot.forms.includes(form)) continue;
    expect(await walkHistory(open, 'listLatestFilings', { form, limit })).toEqual(filingsOf(model, { forms: [form] }));
    expect((await walkFeed(open, { since: sinceEver, form, limit })).entries).toEqual(changesOf(model, { forms: [form] }));
  }
  for (const accessionNo of model.newest.keys()) expect((await ask<{ data: FilingSummary }>('getFilingSummary', { accessionNo })).data).toEqual(summaryOf(model, accessionNo));
  for (const symbol of [...model.companies.keys(), ...model.symbols.keys()]) {
    const cik = cikOfSymbol(model, symbol);
    if (cik === null) continue;
    const query = { ticker: symbol, limit };
    expect((await ask<{ data: CompanyProfile }>('getCompanyProfile', { ticker: symbol })).data).toEqual(profileOf(model, cik));
    expect(await walkHistory(open, 'listCompanyFilings', query)).toEqual(filingsOf(model, { company: cik }));
    expect(await walkHistory(open, 'listCompanyEvents', query)).toEqual(filingsOf(model, { company: cik }).map(eventOf));
    expect(await walkHistory(open, 'listInsiderTrades', query)).toEqual(filingsOf(model, { company: cik }).filter((filing) => insiderFilingsOf(model, cik).includes(filing)));
    expect((await walkFeed(open, { since: sinceEver, ...query })).entries).toEqual(changesOf(model, { company: cik }));
    const { data } = await ask<{ data: { cik: string }[] }>('searchCompanies', { q: cik });
    expect(data.map((company) => company.cik)).toContain(cik);
  }
  const tickers = [...model.companies.keys()].slice(0, 5);
  const buckets = await ask<{ data: { cik: string; changes: Change[] }[] }>('listWatchlistChanges', { tickers, since: sinceEver, limit: 200 });
  expect(buckets.data.map(({ cik, changes }) => [cik, changes])).toEqual(tickers.map((cik) => [cik, changesOf(model, { company: cik }).slice(0, 200)]));
  for (const filter of filters) {
    for (const company of [null, ...model.companies.keys()]) {
      const [chain, asked] = company === null ? [null, filter] : [newestCikOf(company), { ...filter, company }];
      expect(await rowsOfList(open, company === null ? 'latest' : 'company-filings', chain, filter)).toEqual(filingsOf(model, asked));
      expect(await rowsOfList(open, company === null ? 'changes' : 'company-changes', chain, filter)).toEqual(changesOf(model, asked));
    }
  }
}

const filters: readonly (RowFilter & ModelFilter)[] = [
  { items: ['9.01'] }, { items: ['1.01', '2.02'], forms: ['8-K', '4'] }, { since: '2026-02-03' }, { until: '2026-02-03' }, { since: '2026-02-03', until: '2026-02-03', items: ['2.02'] },
  { eventTypes: ['current_report', 'insider_transaction'] }, { forms: ['10-K/A'], until: '2026-02-02' },
];

/** Publishes behind the batches that are chosen, and behind the last one. Calls `look` after each publication. */
async function publishStepwise(ledger: string, directory: string, count: number, isPublished: readonly boolean[], heldMaximum: number | undefined, look: (entries: readonly SegmentEntry[], batches: number) => Promise<void>): Promise<readonly SegmentEntry[]> {
  let entries: readonly SegmentEntry[] = [];
  for (let number = 1; number <= count; number++) {
    if (isPublished[number - 1] !== true && number < count) continue;
    entries = await publishSegments(ledger, directory, entries, number, heldMaximum);
    await look(entries, number);
  }
  return entries;
}

/** Writes a history into a ledger, with a row that does not fit in its first batch of companies, and reads it again. */
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

async function expectEquality({ batches, isPublished, heldMaximum, limit }: typeof scenario extends fc.Arbitrary<infer Value> ? Value : never): Promise<void> {
  const { ledger, written } = await ledgerOf(batches);
  const [stepwise, atOnce] = [fresh(), fresh()];
  const entries = await publishStepwise(ledger, stepwise, batches.length, isPublished, heldMaximum, async (each, number) => {
    expect(await tablesIn(stepwise, each)).toEqual(tablesOf(foldBatches(written.slice(0, number))));
  });
  const whole = await publishSegments(ledger, atOnce, [], batches.length);
  expect(entries).toEqual(whole);
  expect(segmentBytes(stepwise, entries)).toEqual(segmentBytes(atOnce, whole));
  // Nothing is left beside the segments.
  expect(readdirSync(atOnce)).toEqual(['segments']);
  expect(readdirSync(join(atOnce, 'segments')).sort()).toEqual(whole.map(({ name }) => name).sort());

  const open = await openPublished(ledger, stepwise, entries);
  try {
    await expectAnswers(open, foldBatches(written), limit);
  } finally {
    await open.close();
  }
}

async function expectLog({ batches, isPublished, heldMaximum, limit }: typeof scenario extends fc.Arbitrary<infer Value> ? Value : never): Promise<void> {
  const { ledger, written } = await ledgerOf(batches);
  const directory = fresh();
  const seen: Change[] = [];
  let cursor: string | undefined;
  const ofCompanies = new Map<string, { cursor: string | undefined; seen: Change[] }>();
  await publishStepwise(ledger, directory, batches.length, isPublished, heldMaximum, async (entries, number) => {
    const open = await openPublished(ledger, directory, entries);
    const model = foldBatches(written.slice(0, number));
    try {
      const walked = await walkFeed(open, { limit, ...(cursor === undefined ? { since: sinceEver } : { cursor }) });
      seen.push(...walked.entries);
      cursor = walked.cursor;
      expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1));
      // What was seen before has not changed.
      expect((await walkFeed(open, { since: sinceEver, limit: 200 })).entries).toEqual(seen);

      const replayed = new Map<string, Filing>();
      for (const { filing } of seen) replayed.set(filing.accessionNo, filing);
      const latest: Filing[] = await walkHistory(open, 'listLatestFilings', { limit: 200 });
      expect(new Map(latest.map((filing) => [filing.accessionNo, filing]))).toEqual(new Map([...replayed].sort()));

      for (const cik of model.companies.keys()) {
        const own = ofCompanies.get(cik) ?? { cursor: undefined, seen: [] };
        ofCompanies.set(cik, own);
        const walkedOwn = await walkFeed(open, { ticker: cik, limit, ...(own.cursor === undefined ? { since: sinceEver } : { cursor: own.cursor }) });
        own.seen.push(...walkedOwn.entries);
        own.cursor = walkedOwn.cursor;
        expect(own.seen).toEqual(changesOf(model, { company: cik }));
        const kept = new Map<string, Filing>();
        for (const { filing } of own.seen) kept.set(filing.accessionNo, filing);
        const isNamed = ({ parties }: Filing) => parties.some((party) => relatedCiks(cik).includes(party.cik));
        const listed: Filing[] = await walkHistory(open, 'listCompanyFilings', { ticker: cik, limit: 200 });
        expect(new Set(listed)).toEqual(new Set([...kept.values()].filter(isNamed)));
      }
    } finally {
      await open.close();
    }
  });
}

describe('segments', () => {
  it('are the same bytes whenever batches are published and however many rows fit into memory, and answer as the model does', async () => {
    await fc.assert(fc.asyncProperty(scenario, expectEquality), { numRuns: 8, interruptAfterTimeLimit: 15_000 });
  });
});

describe('the log', () => {
  it('gives whoever follows its cursors each observation once, in order; entries never change; replayed it gives the lists', async () => {
    await fc.assert(fc.asyncProperty(scenario, expectLog), { numRuns: 8, interruptAfterTimeLimit: 15_000 });
  });
});
