import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerCompany } from '../../build/ledger/ledger-rows.ts';
import { CompanyListResponse, type AppliedCompanyFilters } from '../../src/contract/envelopes.ts';
import type { CompanyEntry, CompanyProfile } from '../../src/contract/records.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { cikOf, company, filing, madeUp, operatingFacts } from '../support/ledgers.ts';
import { foldBatches, profileOf, type LedgerModel } from '../support/ledger-model.ts';
import {
  openHistory,
  openPublished,
  publishSegments,
  writeHistory,
  type OpenSegmentsOnly,
} from '../support/published.ts';
import { useSample } from '../support/sample.ts';
import { request, walk, type Texts } from '../support/walk.ts';

const fresh = useDirectories('companies');

interface Meta {
  readonly count: number;
  readonly filters: AppliedCompanyFilters;
}

const sics = ['3571', '7372', '6770', null];
const states = ['DE', 'NV', 'E9', 'odd "state"', 'Ändere', null];
const exchanges = ['Nasdaq', 'NYSE', 'New  Exchange', null];

const anyCompany: fc.Arbitrary<LedgerCompany> = fc
  .record({
    number: fc.integer({ min: 1, max: 40 }),
    isListed: fc.boolean(),
    exchange: fc.constantFrom(...exchanges),
    sic: fc.constantFrom(...sics),
    stateOfIncorporation: fc.constantFrom(...states),
    formerNames: fc.constantFrom([], ['Before, Inc.', 'Say "forms":']),
  })
  .map(({ number, isListed, exchange, sic, stateOfIncorporation, formerNames }) =>
    company(number, isListed ? `T${number}` : null, {
      exchange,
      formerNames,
      facts: { ...operatingFacts, sic, stateOfIncorporation },
    }),
  );

const anyLedger = fc.array(
  fc.uniqueArray(anyCompany, { selector: ({ cik }) => cik, minLength: 4, maxLength: 25 }),
  { minLength: 1, maxLength: 5 },
);

interface Asked {
  readonly sic: string[] | undefined;
  readonly state: string[] | undefined;
  readonly exchange: string[] | undefined;
  readonly listed: boolean | undefined;
  readonly limit: number;
}
const orNone = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 });
const anyAsked: fc.Arbitrary<Asked> = fc.record({
  sic: orNone(fc.subarray(['3571', '7372', '6770', '0100'], { minLength: 1 })),
  state: orNone(fc.subarray(['de', 'NV', 'E9', 'X0'], { minLength: 1 })),
  exchange: orNone(fc.subarray(['nasdaq', 'NYSE', 'OTC'], { minLength: 1 })),
  listed: orNone(fc.boolean()),
  limit: fc.integer({ min: 1, max: 50 }),
});

const entryOf = ({
  forms: _forms,
  latestFiling: _latest,
  latestIngestedAt: _at,
  ...entry
}: CompanyProfile): CompanyEntry => entry;

function expectedOf(model: LedgerModel, { sic, state, exchange, listed }: Asked): CompanyEntry[] {
  const has = (values: readonly string[] | undefined, own: string | null) =>
    values === undefined || (own !== null && values.some((each) => each.toUpperCase() === own.toUpperCase()));
  return [...model.companies.keys()]
    .sort()
    .flatMap((cik) => profileOf(model, cik) ?? [])
    .filter(
      (each) =>
        has(sic, each.sic) &&
        has(state, each.stateOfIncorporation) &&
        has(exchange, each.exchange) &&
        (listed === undefined || (each.ticker !== null) === listed),
    )
    .map(entryOf);
}

const textsOf = ({ sic, state, exchange, listed }: Asked): Texts => ({
  sic: sic?.join(','),
  state: state?.join(' , '),
  exchange: exchange?.join(','),
  listed: listed === undefined ? undefined : String(listed),
});

const pagesOf = (open: OpenSegmentsOnly, texts: Texts, limit: number) =>
  walk<CompanyEntry, Meta>(
    open,
    'listCompanies',
    { ...texts, limit: String(limit) },
    { ...texts, limit: String(limit) },
    () => false,
  );

describe('the list of companies', () => {
  it('the list has every company that a model has, once, by CIK, whatever is asked for and however it was published', {
    tags: ['slow'],
  }, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        anyLedger,
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        fc.array(anyAsked, { minLength: 4, maxLength: 8 }),
        async (batches, isPublished, requests) => {
          const history = madeUp(
            ...batches.map((companies, at) => ({
              companies,
              filings: [
                filing(at + 1, {
                  filerCiks: [cikOf(((at * 7) % 40) + 1)],
                  primaryDocDescription: ',"tickers":[',
                }),
              ],
            })),
          );
          const [ledger, snapshots] = [fresh(), fresh()];
          await writeHistory(ledger, history);
          let segments: Awaited<ReturnType<typeof publishSegments>> = [];
          for (let at = 1; at <= history.length; at++)
            if (isPublished[at - 1] === true || at === history.length)
              segments = await publishSegments(ledger, snapshots, segments, at);
          const model = foldBatches(history);
          const open = await openPublished(ledger, snapshots, segments);
          for (const asked of requests) {
            const pages = await pagesOf(open, textsOf(asked), asked.limit);
            const expected = expectedOf(model, asked);
            expect(pages.flatMap(({ data }) => data)).toEqual(expected);
            found += expected.length;
            for (const { data, meta } of pages) {
              CompanyListResponse.strict().parse({ data, meta });
              expect(meta.count).toBe(data.length);
              expect(meta.filters.listed).toBe(asked.listed ?? null);
              expect(meta.filters.state).toBe(asked.state?.join(',').toUpperCase() ?? null);
            }
            for (const { data } of pages.slice(0, -1)) expect(data.length).toBe(asked.limit);
          }
          await open.close();
        },
      ),
      { numRuns: 25 },
    );
    expect(found).toBeGreaterThan(100);
  });

  describe('of many companies', () => {
    const count = 5000;
    let open: OpenSegmentsOnly;
    let read = 0;
    beforeAll(async () => {
      // Companies of an industry and companies of a state, which meet in one company alone.
      const companies = Array.from({ length: count }, (_, at) =>
        company(at + 1, null, {
          facts: {
            ...operatingFacts,
            sic: at % 2 === 0 ? '3571' : '7372',
            stateOfIncorporation: at % 2 === 1 || at === 4998 ? 'DE' : 'NV',
          },
        }),
      );
      ({ open } = await openHistory(fresh(), madeUp({ companies })));
      for (const { tables } of open.snapshot.segments)
        for (const table of Object.values(tables)) {
          const own = table.read;
          Object.assign(table, {
            read: (entry: Parameters<typeof own>[0]) => {
              read += entry.rows;
              return own(entry);
            },
          });
        }
    });

    it('a request with filters that rarely match together looks at few rows, and its cursor leads to those that match', async () => {
      const pages: number[] = [];
      const found: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        read = 0;
        const page: { data: CompanyEntry[]; meta: { nextCursor: string | null } } = await request(
          open,
          'listCompanies',
          { sic: '3571', state: 'DE', ...(cursor === undefined ? {} : { cursor }) },
        );
        expect(read).toBeLessThan(3500);
        pages.push(page.data.length);
        found.push(...page.data.map(({ cik }) => cik));
        cursor = page.meta.nextCursor;
      }
      expect(pages).toEqual([0, 1]);
      expect(found).toEqual([cikOf(4999)]);
    });

    it('a page of one filter, and of none, reads no more than its rows take', async () => {
      for (const texts of [{}, { sic: '3571' }, { listed: 'false' }]) {
        read = 0;
        const { data }: { data: CompanyEntry[] } = await request(open, 'listCompanies', {
          ...texts,
          limit: '20',
        });
        expect(data.length).toBe(20);
        expect(read).toBeLessThan(1000);
      }
    });
  });

  it('a list that names a company without a profile is a broken snapshot', async () => {
    const { open } = await openHistory(fresh(), madeUp({ companies: [company(1)] }));
    const { tables } = open.snapshot;
    Object.assign(open.snapshot, {
      tables: (name: Parameters<typeof tables>[0]) => (name === 'profiles' ? [] : tables(name)),
    });
    await expect(request(open, 'listCompanies', {})).rejects.toThrow(CorruptSnapshot);
  });
});

describe('a request for the list of companies', () => {
  const service = useSample();

  const messageOf = async (query: string) => {
    const response = await service.get(`/v1/sec/companies?${query}`);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([query, response.status, error.code]).toEqual([query, 400, 'invalid_parameter']);
    return error.message;
  };

  it('a value that EDGAR does not have is an error that names the nearest ones', async () => {
    expect(await messageOf('sic=3573')).toContain('the nearest are 3572, 3571 and 3575');
    expect(await messageOf('sic=computers')).toMatch(
      /^sic: must be industry codes that .* has, not "COMPUTERS"$/,
    );
    expect(await messageOf('state=Delaware')).toContain('the nearest is DE (Delaware)');
    expect(await messageOf('state=DE,ZZ')).toContain('not "ZZ"');
    expect(await messageOf('exchange=nasdag')).toContain('the nearest is Nasdaq');
    expect(await messageOf('listed=yes')).toBe('listed: must be true or false, not "yes"');
    expect(await messageOf('state=')).toContain('state: must be');
    expect(await messageOf(`state=${'DE,'.repeat(10)}DE`)).toContain('1 to 10');
    expect(await messageOf('form=8-K')).toContain('takes sic, state, exchange, listed, limit, cursor');
  });

  it('a cursor of another list is refused', async () => {
    const { meta } = await service.json<{ meta: { nextCursor: string } }>('/v1/sec/latest?limit=1');
    expect(await service.refusal(`/v1/sec/companies?cursor=${meta.nextCursor}`)).toEqual([
      400,
      'invalid_cursor',
    ]);
  });

  it('an answer has a Link to the next page, and its ETag gives 304', async () => {
    const response = await service.get('/v1/sec/companies?exchange=nasdaq&limit=2');
    const { data, meta } = (await response.json()) as { data: CompanyEntry[]; meta: { nextCursor: string } };
    expect(data.map(({ exchange }) => exchange)).toEqual(['Nasdaq', 'Nasdaq']);
    expect(response.headers.get('link')).toBe(
      `</v1/sec/companies?exchange=NASDAQ&limit=2&cursor=${meta.nextCursor}>; rel="next"`,
    );
    const etag = response.headers.get('etag') ?? '';
    const again = await service.get('/v1/sec/companies?exchange=nasdaq&limit=2', { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect((await service.get('/v1/sec/companies', { 'x-api-key': '' })).status).toBe(401);
  });
});
