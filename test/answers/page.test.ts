import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeTypeOf } from '../../src/domain/change-type.ts';
import { arrivalKey, firstObservation } from '../../build/ledger/observation.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { feedLogOf } from '../../src/answers/read-list.ts';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { readBatches } from '../support/ledger-model.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

let made: MadeSnapshot;
let service: SampleService;
let companies: readonly LedgerCompany[];
/** What a naive implementation would serve: arrays, filtered and sorted. */
let model: {
  latest: Filing[];
  changes: Change[];
  byCik: Map<string, { filings: Filing[]; changes: Change[] }>;
};

beforeAll(async () => {
  // Few companies, so that some of them have rows in many blocks.
  made = await makeSnapshot({ filings: 1500, companies: 6, batches: 3, seed: 7 });
  service = await serviceOver(made.directory);
  const batches = await readBatches(made.ledgerDirectory);
  companies = batches[0]?.companies ?? [];
  const changes: Change[] = [];
  for (const { run, filings } of batches) {
    for (const row of filings.toSorted((a, b) => (arrivalKey(a) < arrivalKey(b) ? -1 : 1))) {
      const { filing, sequence } = firstObservation(
        row,
        (cik) => companies.find((each) => each.cik === cik),
        run.createdAt,
        changes.length + 1,
      );
      changes.push({
        sequence,
        changeType: changeTypeOf(filing.form, filing.items),
        observedAt: run.createdAt,
        revision: 1,
        filing,
      });
    }
  }
  const filingsOf = (of: readonly Change[]) => newestFirst(of.map(({ filing }) => filing));
  model = {
    latest: filingsOf(changes),
    changes,
    byCik: new Map(
      companies.map(({ cik }) => {
        const own = changes.filter(({ filing }) => filing.parties.some((party) => party.cik === cik));
        return [cik, { filings: filingsOf(own), changes: own }];
      }),
    ),
  };
});
afterAll(async () => {
  await service.close();
  await made.remove();
});

function newestFirst(filings: Filing[]): Filing[] {
  const order = ({ filedAt, acceptanceDateTime, accessionNo }: Filing) =>
    `${filedAt} ${acceptanceDateTime ?? ''} ${accessionNo}`;
  return filings.sort((a, b) => (order(a) < order(b) ? 1 : -1));
}

interface Page<Row> {
  readonly data: Row[];
  readonly meta: {
    readonly count: number;
    readonly nextCursor: string | null;
    readonly nextSince?: string | null;
  };
}

async function get<Row>(path: string): Promise<Page<Row>> {
  const response = await service.get(path);
  expect(response.status).toBe(200);
  return (await response.json()) as Page<Row>;
}

async function walk<Row>(path: string, limit: number, pages = 1000): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pages; page++) {
    const { data, meta }: Page<Row> = await get(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    expect(meta.count).toBe(data.length);
    rows.push(...data);
    cursor = meta.nextCursor;
    if (cursor === null || data.length === 0) return rows;
  }
  return rows;
}

const forms = ['4', '8-K', '10-K', 'ARS', '424B2', '25-NSE', 'SC 13G/A', 'SB-2', '6-k', ' def  14a '];
const families = ['current_report', 'insider_transaction', 'prospectus', 'delisting', 'crowdfunding'];
const cikAt = (at: number) => companies[at % companies.length]?.cik as string;
const fold = (form: string) => form.trim().toUpperCase().replace(/\s+/g, ' ');

describe('pages', () => {
  it('the latest filings, by form and limit, are those of a sorted array', () =>
    fc.assert(
      fc.asyncProperty(
        fc.option(fc.constantFrom(...forms), { nil: undefined }),
        fc.integer({ min: 1, max: 200 }),
        async (form, limit) => {
          const expected = model.latest.filter((filing) => form === undefined || filing.form === fold(form));
          const { data, meta } = await get<Filing>(
            `/v1/sec/latest?limit=${limit}${form === undefined ? '' : `&form=${encodeURIComponent(form)}`}`,
          );
          expect(data).toEqual(expected.slice(0, limit));
          expect(meta.nextCursor === null).toBe(expected.length <= limit);
        },
      ),
      { numRuns: 60 },
    ));

  it('a walk back through a company’s history gives every filing once, in order', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(5), fc.integer({ min: 1, max: 200 }), async (company, limit) => {
        const cik = cikAt(company);
        const [filings, events] = [
          await walk<Filing>(`/v1/sec/company/${cik}/filings`, Math.max(limit, 20)),
          await walk<{ accessionNo: string }>(`/v1/sec/company/${cik}/events`, 200),
        ];
        expect(filings).toEqual(model.byCik.get(cik)?.filings);
        expect(events.map(({ accessionNo }) => accessionNo)).toEqual(
          filings.map(({ accessionNo }) => accessionNo),
        );
      }),
      { numRuns: 12 },
    ));

  it('the feed, by every filter, is the filtered array', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          company: fc.option(fc.nat(5), { nil: undefined }),
          form: fc.option(fc.constantFrom(...forms), { nil: undefined }),
          eventType: fc.option(fc.constantFrom(...families), { nil: undefined }),
          since: fc.constantFrom('1999-01-01', '2010-06-15', '2020-01-01', '2026-01-01', '2030-01-01'),
          limit: fc.integer({ min: 20, max: 200 }),
        }),
        async ({ company, form, eventType, since, limit }) => {
          const all =
            company === undefined ? model.changes : (model.byCik.get(cikAt(company))?.changes ?? []);
          const expected = all.filter(
            ({ filing }) =>
              (filing.filedAt ?? '') >= since &&
              (form === undefined || filing.form === fold(form)) &&
              (eventType === undefined || filing.eventType === eventType),
          );
          const query = new URLSearchParams({
            since,
            ...(company === undefined ? {} : { ticker: cikAt(company) }),
            ...(form === undefined ? {} : { form }),
            ...(eventType === undefined ? {} : { eventType }),
          });
          if (form !== undefined && eventType !== undefined && eventTypeOfForm(form) !== eventType) {
            // These never match together.
            expect([expected, (await service.get(`/v1/sec/changes?${query}`)).status]).toEqual([[], 400]);
            return;
          }
          const rows = await walk<Change>(`/v1/sec/changes?${query}`, limit);
          expect(rows).toEqual(expected);
          const { data, meta } = await get<Change>(`/v1/sec/changes?${query}&limit=${limit}`);
          expect(meta.nextSince).toBe(
            data
              .map(({ filing }) => filing.filedAt)
              .sort()
              .at(-1) ?? null,
          );
        },
      ),
      { numRuns: 60 },
    ));

  it('insider filings are Forms 3, 4 and 5, of all or of one issuer', async () => {
    const isInsider = ({ eventType }: Filing) => eventType.startsWith('insider_');
    expect(await walk<Filing>('/v1/sec/insider-trades', 200)).toEqual(model.latest.filter(isInsider));
    for (const { cik } of companies)
      expect(await walk<Filing>(`/v1/sec/insider-trades?ticker=${cik}`, 150)).toEqual(
        model.latest.filter((filing) => isInsider(filing) && filing.cik === cik),
      );
  });

  it('every sequence belongs to the batch that gave it out, also where batches gave out none', {
    tags: ['slow'],
  }, async () => {
    const grown = await copyOf(made);
    const run = (at: number) => ({
      run: {
        target: 't',
        status: 'success',
        message: null,
        createdAt: new Date(Date.UTC(2026, 5, at)).toISOString(),
      },
      companies: [],
      refusals: [],
    });
    const filings = (await readBatches(made.ledgerDirectory))[0]?.filings ?? [];
    await appendBatch(grown.ledgerDirectory, { ...run(1), filings: [] });
    await appendBatch(grown.ledgerDirectory, {
      ...run(2),
      filings: [{ ...(filings[0] as LedgerFiling), sizeBytes: 1 }],
    });
    await appendBatch(grown.ledgerDirectory, { ...run(3), filings: filings.slice(1, 2) });
    await grown.build();
    const expected = (await readBatches(grown.ledgerDirectory)).flatMap(({ number, sha256, filings: rows }) =>
      Array.from({ length: number <= 3 ? rows.length : number === 5 ? 1 : 0 }, () => sha256),
    );
    expect(expected.length).toBe(1501);
    const follower = createServedSnapshot(
      openPartFolder(grown.directory),
      createBlockCache(1024 * 1024),
      () => {},
    );
    await follower.check();
    await follower.use(async (snapshot) => {
      const log = feedLogOf(snapshot);
      for (const sequence of [1, 2, 499, 500, 501, 502, 999, 1000, 1001, 1002, 1499, 1500, 1501])
        expect(await log.batchOf(sequence)).toBe(expected[sequence - 1]);
      for (const sequence of [1502, 2 ** 40]) expect(await log.batchOf(sequence)).toBeNull();
    });
    await follower.close();
    await grown.remove();
  });

  it('every filing has its summary, every company its profile, and nobody else', async () => {
    for (const filing of model.latest.slice(0, 200)) {
      const { data } = (await (await service.get(`/v1/sec/forms/${filing.accessionNo}/summary`)).json()) as {
        data: Filing;
      };
      expect(data).toMatchObject(filing);
    }
    for (const { cik } of companies) {
      const { data } = (await (await service.get(`/v1/sec/company/${cik}/profile`)).json()) as {
        data: { filingCount: number; latestFiling: Filing };
      };
      expect(data.filingCount).toBe(model.byCik.get(cik)?.filings.length);
      expect(data.latestFiling).toEqual(model.byCik.get(cik)?.filings[0] ?? null);
    }
    for (const accessionNo of ['0000000000-00-000000', '9999999999-99-999999', '0001000010-10-500000'])
      expect((await service.get(`/v1/sec/forms/${accessionNo}/summary`)).status).toBe(404);
    for (const ticker of ['0000000001', '9999999999', 'AAAAA', 'ZZZZZ'])
      expect((await service.get(`/v1/sec/company/${ticker}/profile`)).status).toBe(404);
  });
});
