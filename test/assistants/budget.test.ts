import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leftOutOfCompact } from '../../src/contract/compact-members.ts';
import type { Change, Company, Filing } from '../../src/contract/records.ts';
import { tools } from '../../src/contract/tools.ts';
import { askAgent, connectAssistant, listTokensMaximum, useAssistant } from '../support/assistant.ts';
import { compactNames } from '../support/compact.ts';
import { cikOf, company, filing } from '../support/made-up.ts';
import { often } from '../support/often.ts';
import { serviceOver, useSample } from '../support/sample.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

const service = useSample();
const client = useAssistant(service);

interface Bucket {
  readonly ticker: string;
  readonly status: string;
  readonly cik: string | null;
  readonly count: number;
  readonly nextCursor: string | null;
  readonly changes: readonly Change[];
}
interface Meta {
  readonly count: number;
  readonly total?: number | null;
  readonly nextCursor: string | null;
}
interface Called<Data> {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Data;
  readonly meta: Meta;
  /** Characters of the whole result, divided by four. */
  readonly tokens: number;
}

const tokensOf = (value: unknown) => JSON.stringify(value).length / 4;

async function call<Data>(name: string, given: object, asking = client): Promise<Called<Data>> {
  const result = await asking.callTool({ name, arguments: { ...given } });
  const { data, meta } = (result.structuredContent ?? {}) as { data: Data; meta: Meta };
  const [{ text }] = result.content as [{ text: string }];
  return { text, isError: result.isError === true, data, meta, tokens: tokensOf(result) };
}

async function rest<Data>(path: string, asking = service): Promise<{ data: Data; meta: Meta }> {
  const response = await asking.get(path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as { data: Data; meta: Meta };
}

const numbersOf = (filings: readonly Pick<Filing, 'accessionNo'>[]) =>
  filings.map(({ accessionNo }) => accessionNo);
const numbersIn = (text: string) =>
  [...text.matchAll(/^- .* \[(\d{10}-\d{2}-\d{6})\]/gm)].map(([, accessionNo = '']) => accessionNo);
const changeKey = ({ sequence, revision }: Change) => `${sequence}.${revision}`;
const manyCompanies =
  'AAPL,MSFT,NVDA,GOOGL,AMZN,META,JNJ,PG,KO,INTC,CSCO,TXN,BHC,MAT,WMT,XOM,PFE,MRK,IBM,GE,F,GM,T,VZ,BA';

/** Calls that ask for as much as they may. */
const greedyCalls: readonly (readonly [name: string, given: object])[] = [
  ['sec_demo_latest_filings', { limit: 200 }],
  ['sec_subscription_info', {}],
  ['sec_watchlist_changes', { tickers: manyCompanies, since: '2020-01-01', limit: 200 }],
  ['sec_company_search', { q: 'co', limit: 200 }],
  ['sec_company_profile', { ticker: 'AAPL' }],
  ['sec_company_filings', { ticker: 'GOOGL', limit: 200 }],
  ['sec_insider_filings', { limit: 200 }],
  ['sec_latest_filings', { limit: 200 }],
  ['sec_companies', { limit: 200 }],
  ['sec_filing_summary', { accessionNo: '0000320193-25-000079' }],
];

describe('the list of tools', () => {
  it(`the list of tools has fewer than ${listTokensMaximum} tokens`, async () => {
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(tokensOf(listed)).toBeLessThan(listTokensMaximum);
  });

  it('each tool takes detail and maxTokens', async () => {
    const { tools: listed } = await client.listTools();
    expect(listed.length).toBe(tools.length);
    for (const { inputSchema } of listed)
      expect(inputSchema.properties).toMatchObject({
        detail: { type: 'string', enum: ['compact', 'full'], default: 'compact' },
        maxTokens: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 8000 },
      });
  });

  it('the tool of insider filings names the forms and families that it takes, and no items', async () => {
    const listed = (await client.listTools()).tools.find(({ name }) => name === 'sec_insider_filings');
    const properties = (listed?.inputSchema.properties ?? {}) as Record<
      string,
      { enum?: string[]; anyOf?: [{ pattern: string }, { items: { enum: string[] } }] }
    >;
    expect('items' in properties).toBe(false);
    const [text, list] = properties['form']?.anyOf ?? [];
    const forms = list?.items.enum ?? [];
    expect(forms).toEqual(['3', '4', '5', '3/A', '4/A', '5/A']);
    expect(properties['eventType']?.enum?.length).toBe(3);
    // All that is named is taken, and nothing else is.
    for (const form of [...forms, '3,4/A', forms.join(',')]) {
      expect(form).toMatch(new RegExp(text?.pattern ?? 'none'));
      expect((await call('sec_insider_filings', { form })).isError).toBe(false);
    }
    expect((await call('sec_insider_filings', { form: forms })).isError).toBe(false);
    for (const eventType of properties['eventType']?.enum ?? [])
      expect((await call('sec_insider_filings', { eventType })).isError).toBe(false);
    for (const given of [{ form: '144' }, { eventType: 'current_report' }, { items: '2.02' }])
      expect((await call('sec_insider_filings', given)).isError).toBe(true);
    expect(listed?.description).toContain('Form 144');
  });
});

describe('a question about the whole market', () => {
  it('the newest filings of all companies come with every filter, and companies by industry and state', async () => {
    const [{ data, meta, text }, { data: same }] = [
      await call<Filing[]>('sec_latest_filings', { form: '8-K', limit: 5, detail: 'full' }),
      await rest<Filing[]>('/v1/sec/latest?form=8-K&limit=5'),
    ];
    expect(data).toEqual(same);
    expect(text).toContain(`The newest 5 of ${meta.total} filings with form 8-K`);
    const companies = await call<Company[]>('sec_companies', { sic: '3674', state: 'DE' });
    expect(companies.data.map(({ ticker }) => ticker)).toContain('NVDA');
    expect((await call('sec_latest_filings', { items: '1.05' })).isError).toBe(false);
  });

  it('an error leads to the resource that lists the values, over REST to the path, and a family in place of a form to the filter', async () => {
    const { text, isError } = await call('sec_latest_filings', { form: 'annual report' });
    expect(isError).toBe(true);
    expect(text).toContain('a form that reference://forms lists');
    expect(text).toContain('annual_report is an event family: ask for eventType=annual_report');
    const response = await service.get('/v1/sec/latest?form=annual%20report');
    expect(await response.text()).toContain('a form that /reference.json lists');
    for (const [name, list] of [
      ['items', 'reference://items'],
      ['eventType', 'reference://event-types'],
    ] as const)
      expect((await call('sec_latest_filings', { [name]: '99.99' })).text).toContain(list);
    expect((await call('sec_companies', { sic: '1' })).text).toContain('reference://sic-codes');
  });
});

describe('a budget', () => {
  it.each(greedyCalls)('%s answers %j with at most 8,000 tokens', async (name, given) => {
    const { tokens, isError } = await call(name, given);
    expect(isError).toBe(false);
    expect(tokens).toBeLessThanOrEqual(8000);
  });

  it('a list fills its budget as far as its rows fit', async () => {
    for (const [name, given] of [
      ['sec_watchlist_changes', { tickers: manyCompanies, since: '2020-01-01' }],
      ['sec_company_filings', { ticker: 'GOOGL', limit: 200 }],
      ['sec_insider_filings', { limit: 200 }],
    ] as const)
      for (const maxTokens of [4000, 8000, 20_000])
        for (const detail of ['compact', 'full']) {
          const { tokens, text } = await call(name, { ...given, maxTokens, detail });
          expect(tokens).toBeLessThanOrEqual(maxTokens);
          if (!text.includes('\nShortened to ')) continue;
          expect(tokens, `${name} ${detail} ${maxTokens}`).toBeGreaterThan(maxTokens - 700);
        }
  });

  it('a text names the rows of the structured content, and says that there are fewer', async () => {
    const { text, data, meta } = await call<Filing[]>('sec_company_filings', { ticker: 'GOOGL', limit: 200 });
    expect(numbersIn(text)).toEqual(numbersOf(data));
    expect(data.length).toBeGreaterThan(40);
    expect(text).toContain('\nShortened to 8000 tokens (`maxTokens`): the cursor leads to the rest.\n');
    expect(text).toContain(`the cursor ${meta.nextCursor}`);
    const all = await call<Bucket[]>('sec_watchlist_changes', {
      tickers: 'AAPL,NVDA',
      since: '2026-08-01',
      maxTokens: 1_000_000,
    });
    expect(all.text).not.toContain('Shortened');
    expect(numbersIn(all.text)).toEqual(
      numbersOf(all.data.flatMap(({ changes }) => changes.map((change) => change.filing))),
    );
    expect((await call('sec_demo_latest_filings', { maxTokens: 900 })).text).toContain(
      'Shortened to 900 tokens (`maxTokens`): a greater `maxTokens` gives more.',
    );
    expect((await call('sec_latest_filings', { maxTokens: 1 })).text).toContain('\nShortened to 1 token (');
    expect(
      (await call('sec_watchlist_changes', { tickers: 'AAPL', since: '2026-07-01', limit: 1 })).text,
    ).toMatch(
      /\nThe first change of 1 company .*\n"Apple Inc\." \(AAPL\): the first change; there are more\n/,
    );
  });

  it('a limit that cuts a list is not called a budget', async () => {
    for (const [name, given] of [
      ['sec_watchlist_changes', { tickers: 'AAPL,NVDA', since: '2026-07-01', limit: 2 }],
      ['sec_company_filings', { ticker: 'AAPL', limit: 5 }],
      ['sec_company_search', { q: 'co', limit: 2 }],
    ] as const)
      expect((await call(name, given)).text).not.toContain('Shortened');
  });

  it('a single row is given whatever its length is, alone', async () => {
    const one = { maxTokens: 1 };
    const [history, watchlist, search, known] = [
      await call<Filing[]>('sec_company_filings', { ticker: 'AAPL', ...one }),
      await call<Bucket[]>('sec_watchlist_changes', { tickers: manyCompanies, since: '2020-01-01', ...one }),
      await call<Company[]>('sec_company_search', { q: 'co', ...one }),
      await call<Filing>('sec_filing_summary', { accessionNo: '0000320193-25-000079', ...one }),
    ];
    expect([history.data.length, search.data.length, watchlist.meta.count]).toEqual([1, 1, 1]);
    expect(known.data.accessionNo).toBe('0000320193-25-000079');
    expect(watchlist.data.map(({ changes }) => changes.length)).toEqual(
      watchlist.data.map(({ status }) => (status === 'ok' ? 1 : 0)),
    );
    expect(watchlist.text).toMatch(
      /\n\d+ companies without changes here are left out; \d+ of them have some, to which the cursor leads\.\n/,
    );
  });

  it('a watchlist of 25 keeps to its budget: where not all has room, companies without changes here are left out', async () => {
    for (const maxTokens of [1200, 1600, 2000, 4000])
      for (const given of [{}, { since: '2020-01-01', limit: 200 }, { items: '1.05' }]) {
        const { tokens, data, text } = await call<Bucket[]>('sec_watchlist_changes', {
          tickers: manyCompanies,
          ...given,
          maxTokens,
        });
        expect(tokens, JSON.stringify([maxTokens, given])).toBeLessThanOrEqual(maxTokens);
        const left = Number(/(\d+) compan(?:y|ies) without changes here/.exec(text)?.[1] ?? 0);
        expect(data.length + left).toBe(25);
        if (left > 0)
          for (const { changes, status } of data) expect(changes.length > 0 || status !== 'ok').toBe(true);
      }
  });

  it('a short text has the counts, the newest rows and the cursor, and leaves its room to the structured content', async () => {
    const given = { ticker: 'GOOGL', form: '4', limit: 200, maxTokens: 4000 };
    const [full, short] = [
      await call<Filing[]>('sec_company_filings', given),
      await call<Filing[]>('sec_company_filings', { ...given, text: 'short' }),
    ];
    expect(short.data.length).toBeGreaterThan(full.data.length);
    expect(short.tokens).toBeLessThanOrEqual(4000);
    expect(short.text).toContain(`The newest ${short.data.length} of `);
    expect(short.text.match(/\[\d{10}-\d{2}-\d{6}\]/g)).toEqual(
      short.data.slice(0, 3).map(({ accessionNo }) => `[${accessionNo}]`),
    );
    expect(short.text).toContain(`(${short.data.length - 3} more in the structured content)`);
    expect(short.text).toContain((short.meta as { nextCursor: string }).nextCursor);
    const bucket = await call<Bucket[]>('sec_watchlist_changes', {
      tickers: 'GOOGL',
      since: '2020-01-01',
      text: 'short',
    });
    expect(bucket.text).toContain(`[${bucket.data[0]?.changes.at(-1)?.filing.accessionNo}]`);
    expect(bucket.text.match(/\[\d{10}-\d{2}-\d{6}\]/g)).toHaveLength(1);
  });

  it('what a page says of a filing whose transactions go on behind it is not told as all of them', async () => {
    const list = (limit: number) => call<unknown[]>('sec_insider_transactions', { ticker: 'AMZN', limit });
    expect((await list(2)).text).toContain('; there may be more, of the last filing here, too.');
    expect((await list(200)).text).toContain('; there are no older ones.');
    const sold = await call<unknown[]>('sec_insider_transactions', { ticker: 'AMZN', code: 'S' });
    expect(sold.text).toContain(
      `${sold.data.length} insider transactions of "AMAZON COM INC" (CIK 0001018724) with code S`,
    );
  });

  it('the accession numbers that are left out are named, and none of them is called unknown', async () => {
    const { data } = await rest<Filing[]>('/v1/sec/company/AAPL/filings?limit=50');
    const asked = numbersOf(data);
    const seen: string[] = [];
    for (let left: readonly string[] = asked; left.length > 0; ) {
      const found = await call<Filing[]>('sec_filings_by_number', { accessionNos: left, maxTokens: 3000 });
      expect(found.tokens).toBeLessThanOrEqual(3000);
      expect(found.meta).toMatchObject({ unknown: [] });
      seen.push(...numbersOf(found.data));
      left = /with the accessionNos (\S+)$/m.exec(found.text)?.[1]?.split(',') ?? [];
    }
    expect(seen).toEqual(asked);
  });

  it.each<[string, unknown]>([
    ['maxTokens', 0],
    ['maxTokens', -1],
    ['maxTokens', 1.5],
    ['maxTokens', 1_000_001],
    ['maxTokens', 1e21],
    ['maxTokens', '1e3'],
    ['maxTokens', '0x10'],
    ['maxTokens', ' 5'],
    ['maxTokens', '99999999999999999999'],
    ['maxTokens', ''],
    ['maxTokens', true],
    ['maxTokens', [8000]],
    ['maxTokens', {}],
    ['detail', ''],
    ['detail', 'FULL'],
    ['detail', 'compact,full'],
    ['detail', 1],
    ['detail', null],
    ['detail', ['full']],
    ['detail', { toString: 'full' }],
  ])('%s %j is refused in words, or is taken as left out', async (name, value) => {
    const { isError, text } = await call('sec_company_filings', { ticker: 'AAPL', limit: 2, [name]: value });
    if (value === null) expect(isError).toBe(false);
    else
      expect([isError, text]).toEqual([
        true,
        expect.stringMatching(
          name === 'detail'
            ? /^invalid_parameter: detail: must be one of compact, full/
            : /^invalid_parameter: maxTokens: must be an integer from 1 to 1000000/,
        ),
      ]);
  });

  it('a number may come as a text, as for a limit', async () => {
    const given = { ticker: 'AAPL', limit: 200 };
    const [text, number] = await Promise.all(
      ['1500', 1500].map((maxTokens) => call<Filing[]>('sec_company_filings', { ...given, maxTokens })),
    );
    expect(numbersOf(text?.data ?? [])).toEqual(numbersOf(number?.data ?? []));
  });

  it('REST operations take neither', async () => {
    for (const name of ['detail=full', 'maxTokens=5'])
      expect((await service.get(`/v1/sec/company/AAPL/filings?${name}`)).status).toBe(400);
  });
});

describe('compact records', () => {
  it('a compact record has the promised members, and a full one those of the REST answer', async () => {
    const given = { ticker: 'AAPL', limit: 3 };
    const whole = await rest<Filing[]>('/v1/sec/company/AAPL/filings?limit=3');
    const compact = await call<Filing[]>('sec_company_filings', given);
    expect(compact.data.map((each) => Object.keys(each).sort())).toEqual(
      compact.data.map(() => [...compactNames].sort()),
    );
    expect(compact.meta).toEqual(whole.meta);
    const full = await call<Filing[]>('sec_company_filings', { ...given, detail: 'full' });
    expect({ data: full.data, meta: full.meta }).toEqual(whole);
    for (const name of leftOutOfCompact) expect(Object.keys(whole.data[0] ?? {})).toContain(name);
    // The rest is little beside what full records have.
    expect(compact.tokens).toBeLessThan(full.tokens * 0.75);
  });

  it('compact records are everywhere where filings are', async () => {
    for (const [name, given] of greedyCalls) {
      const { data } = await call<unknown>(name, given);
      const kept = /compan/.test(name) ? ['sic', 'exchange'] : [];
      for (const left of leftOutOfCompact)
        if (!kept.includes(left)) expect(JSON.stringify(data)).not.toContain(`"${left}":`);
    }
  });
});

/** Follows the cursor of a tool until nothing is left, with a budget of its own for each page. */
async function walk<Row>(
  name: string,
  given: object,
  budgets: readonly number[],
  rowsOf: (called: Called<unknown>) => readonly Row[],
  isLast: (called: Called<unknown>) => boolean,
  asking = client,
): Promise<Row[]> {
  const seen: Row[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 2000; page++) {
    const called: Called<unknown> = await call(
      name,
      {
        ...given,
        maxTokens: budgets[page % budgets.length],
        ...(cursor === null ? {} : { cursor }),
      },
      asking,
    );
    const rows = rowsOf(called);
    seen.push(...rows);
    if (isLast(called)) return seen;
    // No page stands still, however small its budget is.
    expect(rows.length).toBeGreaterThan(0);
    cursor = called.meta.nextCursor;
  }
  throw new Error('the walk does not end');
}

const budgets = fc.array(fc.constantFrom(1, 50, 600, 1000, 1500, 3000, 8000), {
  minLength: 1,
  maxLength: 4,
});

describe('a client that follows the cursors of shortened answers', () => {
  const historyRows = ({ data }: Called<unknown>) => numbersOf(data as Filing[]);

  for (const { times, options } of often(3, 40, 1000))
    it(`sees every filing of a history exactly once: ${times} times`, options, () => walksHistories(times));

  async function walksHistories(numRuns: number): Promise<void> {
    const whole = numbersOf(await service.all('/v1/sec/company/MSFT/filings?since=2026-05-01&limit=200'));
    expect(whole.length).toBeGreaterThan(30);
    await fc.assert(
      fc.asyncProperty(
        budgets,
        fc.constantFrom('compact', 'full'),
        fc.integer({ min: 1, max: 200 }),
        async (each, detail, limit) => {
          const given = { ticker: 'MSFT', since: '2026-05-01', detail, limit };
          const seen = await walk(
            'sec_company_filings',
            given,
            each,
            historyRows,
            ({ meta }) => meta.nextCursor === null,
          );
          expect(seen).toEqual(whole);
        },
      ),
      { numRuns },
    );
  }

  /** A ledger of five companies with few and many filings, some of which name two. */
  async function madeUp(): Promise<MadeSnapshot> {
    const made = await makeSnapshot();
    const filings = [0, 1, 7, 40, 3].flatMap((count, at) =>
      Array.from({ length: count }, (_, number) =>
        filing(at * 100 + number, {
          filerCiks: [cikOf(at + 1), ...(number % 5 === 4 ? [cikOf(((at + 1) % 5) + 1)] : [])].sort(),
        }),
      ),
    );
    const companies = Array.from({ length: 5 }, (_, at) => company(at + 1));
    await made.publish(filings, companies);
    return made;
  }

  const bucketRows = ({ data }: Called<unknown>) =>
    (data as Bucket[]).flatMap(({ cik, changes }) => changes.map((change) => `${cik} ${changeKey(change)}`));
  const tickers = 'T1,T2,T3,NONE,T4,T5';
  const since = '2026-01-01';

  for (const { times, options } of often(3, 60, 1000))
    it(
      `sees every change of a watchlist exactly once, with the cursor of all and with those of buckets: ${times} times`,
      options,
      () => walksWatchlists(times),
    );

  async function walksWatchlists(numRuns: number): Promise<void> {
    const made = await madeUp();
    const small = await serviceOver(made.directory);
    const asking = await connectAssistant(small);
    const { data } = await rest<Bucket[]>(
      `/v1/sec/watchlist/changes?tickers=${tickers}&since=${since}&limit=200`,
      small,
    );
    const whole = bucketRows({ data } as Called<unknown>).sort();
    expect(whole.length).toBeGreaterThan(50);
    const isWhole = ({ text }: Called<unknown>) => text.includes('That is all so far');
    await fc.assert(
      fc.asyncProperty(
        budgets,
        fc.constantFrom('compact', 'full'),
        fc.constantFrom(1, 2, 10, 50, 200),
        async (each, detail, limit) => {
          const given = { tickers, since, detail, limit };
          const seen = await walk('sec_watchlist_changes', given, each, bucketRows, isWhole, asking);
          expect(seen.sort()).toEqual(whole);
          // Each bucket on its own, from its cursor in a shortened answer.
          const first = await call<Bucket[]>(
            'sec_watchlist_changes',
            { ...given, maxTokens: each[0] },
            asking,
          );
          for (const { ticker, cik, nextCursor, changes } of first.data) {
            if (nextCursor === null) continue;
            const own = await rest<Bucket[]>(
              `/v1/sec/watchlist/changes?tickers=${ticker}&limit=200&cursor=${nextCursor}`,
              small,
            );
            const rows = [
              ...changes.map((change) => `${cik} ${changeKey(change)}`),
              ...bucketRows(own as Called<unknown>),
            ];
            expect(rows.sort()).toEqual(whole.filter((row) => row.startsWith(`${cik} `)));
          }
        },
      ),
      { numRuns },
    );
  }

  it('sees every change exactly once across publications', { tags: ['slow'] }, async () => {
    const first = await madeUp();
    const made = await copyOf(first);
    const small = await serviceOver(made.directory);
    const asking = await connectAssistant(small);
    const seen: string[] = [];
    const publications = 2;
    let cursor: string | null = null;
    for (let page = 0; ; page++) {
      if (page < publications) {
        // The company whose changes did not fit last time gets new ones meanwhile.
        const more = [1, 4].map((number) => filing(1000 * number + page, { filerCiks: [cikOf(number)] }));
        await made.publish(more, [], page + 2);
        await small.look();
      }
      const called: Called<Bucket[]> = await call(
        'sec_watchlist_changes',
        { tickers, maxTokens: 1200, ...(cursor === null ? { since } : { cursor }) },
        asking,
      );
      seen.push(...bucketRows(called));
      cursor = called.meta.nextCursor;
      if (page >= publications && called.text.includes('That is all so far')) break;
    }
    const { data } = await rest<Bucket[]>(
      `/v1/sec/watchlist/changes?tickers=${tickers}&since=${since}&limit=200`,
      small,
    );
    expect(seen.sort()).toEqual(bucketRows({ data } as Called<unknown>).sort());
  });

  it('sees every change of the feed that the agent gives', async () => {
    const given = { since: '2026-08-01', form: '4', limit: 200 };
    const whole = (await rest<Change[]>('/v1/sec/changes?since=2026-08-01&form=4&limit=200')).data;
    const seen: string[] = [];
    for (let cursor = {}; ; ) {
      const asked = { ...given, ...cursor, maxTokens: 2000 };
      const [{ text }, { data: page }] = await askAgent<{ data: Change[]; meta: Meta }>(
        service,
        'change-feed',
        asked,
      );
      expect(tokensOf({ text, page })).toBeLessThanOrEqual(2000);
      seen.push(...page.data.map(changeKey));
      if (text.includes('That is all so far')) break;
      cursor = { cursor: page.meta.nextCursor };
    }
    expect(seen.length).toBeGreaterThan(10);
    expect(seen).toEqual(whole.map(changeKey));
  });
});
