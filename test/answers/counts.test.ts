import { beforeAll, describe, expect, it } from 'vitest';
import type { CountsResponse } from '../../src/contract/counts.ts';
import type { Filing } from '../../src/contract/records.ts';
import { useAssistant } from '../support/assistant.ts';
import { useSample } from '../support/sample.ts';
import { isAsked, questions as twenty } from '../support/questions.ts';

const service = useSample();
const client = useAssistant(service);
let all: Filing[] = [];

interface List {
  readonly data: Filing[];
  readonly meta: { readonly total: number | null; readonly nextCursor: string | null };
}

const json = <Body>(path: string) => service.json<Body>(path);

beforeAll(async () => void (all = await service.all('/v1/sec/latest?limit=200')));

/** Queries that a count answers. */
const inMarch = 'since=2026-03-01&until=2026-03-31';
const queries: readonly string[] = [
  '',
  'form=8-K',
  'form=10-K,10-K/A',
  'eventType=current_report',
  'items=5.02',
  `form=8-K&items=5.02&${inMarch}`,
  `form=8-K&${inMarch}`,
  `eventType=insider_transaction&${inMarch}`,
  inMarch,
  'since=2026-08-05&until=2026-08-05',
  'eventType=current_report&since=2026-08-05&until=2026-08-10',
  'since=2025-10-15&until=2026-07-20',
  'since=2026-05-20',
  'form=10-Q&since=2026-01-01',
  'items=2.02&since=2026-01-01',
  'form=8-K&until=2025-12-31',
];
const apple = '0000320193';
const ofApple = ({ parties }: Filing) => parties.some(({ cik }) => cik === apple);

/** What a filing is counted by. */
const valuesBy = {
  form: ({ form }) => [form],
  eventType: ({ eventType }) => [eventType],
  item: ({ items }) => [...new Set(items)],
  month: ({ filedAt }) => [(filedAt ?? '0000-00').slice(0, 7)],
} as const satisfies Record<string, (filing: Filing) => readonly string[]>;

function countedBy(filings: readonly Filing[], by: keyof typeof valuesBy): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const filing of filings)
    for (const value of valuesBy[by](filing)) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

describe('twenty questions, each in one request', () => {
  /** The number that an answer tells: all that match, if there is no page behind it. */
  const numberOf = ({ data, meta }: List) => (meta.nextCursor ? null : (meta.total ?? data.length));

  it('are twenty', () => expect(twenty.length).toBe(20));

  it.each(twenty)('$asks', async ({ path, tool, given, matches }) => {
    const expected = all.filter(matches).length;
    expect(numberOf(await json<List>(path))).toBe(expected);
    const called = await client.callTool({
      name: tool,
      arguments: { ...given, maxTokens: 1_000_000 },
    });
    expect(numberOf(called.structuredContent as unknown as List)).toBe(expected);
  });

  it('only one of them finds nothing in the sample', () =>
    expect(twenty.filter(({ matches }) => !all.some(matches)).map(({ asks }) => asks)).toEqual([
      'How many incidents of cybersecurity (item 1.05) since 2026?',
    ]));
});

describe('counts', () => {
  it.each(queries)('"%s" has the same number as a list, a count and a tool', async (query) => {
    const matching = all.filter(isAsked(query));
    const expected = matching.length;
    expect((await json<List>(`/v1/sec/latest?limit=1&${query}`)).meta.total).toBe(expected);
    expect((await json<CountsResponse>(`/v1/sec/counts?${query}`)).meta.total).toBe(expected);
    const given = Object.fromEntries(new URLSearchParams(query));
    const called = await client.callTool({ name: 'sec_counts', arguments: given });
    expect((called.structuredContent as CountsResponse).meta.total).toBe(expected);
    expect(JSON.stringify(called.content).length / 4).toBeLessThan(200);
    const ofCompany = await json<CountsResponse>(`/v1/sec/counts?ticker=AAPL&${query}`);
    expect(ofCompany.meta.total).toBe(matching.filter(ofApple).length);
  });

  it.each(Object.keys(valuesBy) as (keyof typeof valuesBy)[])('filings are counted by %s', async (by) => {
    for (const query of queries) {
      const filings = all.filter(isAsked(query));
      const asked = new URLSearchParams(query).get('items');
      const rowsOf = ({ data }: CountsResponse) =>
        Object.fromEntries(data.map(({ value, count }) => [value, count]));
      const expected = (of: readonly Filing[]) => {
        const counts = countedBy(of, by);
        return by === 'item' && asked !== null ? { [asked]: counts[asked] } : counts;
      };
      const company = filings.filter(ofApple);
      const ofCompany = rowsOf(await json(`/v1/sec/counts?ticker=AAPL&by=${by}&${query}`));
      expect([query, ofCompany]).toEqual([query, company.length === 0 ? {} : expected(company)]);
      const answer = await service.get(`/v1/sec/counts?by=${by}&${query}`);
      if (answer.status === 200)
        expect([query, rowsOf((await answer.json()) as CountsResponse)]).toEqual([query, expected(filings)]);
      // Parts of months are counted by family alone.
      else expect([query, answer.status]).toEqual([query.match(/2026-08|2025-10|2026-05/) ? query : '', 400]);
    }
  });

  it('what no count tells is refused with what to ask, and of several items there is no total', async () => {
    const refused = await service.get('/v1/sec/counts?form=8-K&since=2026-03-02&until=2026-03-31');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('the first and the last day of a month');
    const both = await json<CountsResponse>('/v1/sec/counts?items=5.02,9.01&by=item');
    expect([both.meta.total, both.data.map(({ value }) => value)]).toEqual([null, ['5.02', '9.01']]);
    const told = await client.callTool({ name: 'sec_counts', arguments: { items: '5.02,9.01' } });
    expect(JSON.stringify(told.content)).toContain('How many there are together is not known');
    expect((await service.get('/v1/sec/counts?ticker=NOSUCHCOMPANY')).status).toBe(404);
  });

  it('a tool says which filters a count has together, and which values are choices', async () => {
    const told = await client.callTool({
      name: 'sec_counts',
      arguments: { form: '8-K,8-K/A', items: '2.02', since: '2026-03-01', until: '2026-03-31' },
    });
    expect((told.content as [{ text: string }])[0].text).toContain(
      ' filings with form 8-K or 8-K/A and item 2.02 filed since 2026-03-01 and until 2026-03-31.',
    );
  });

  it.each(['form', 'eventType', 'month'])(
    'several items of all companies are not counted by %s: one filing may have several of them',
    async (by) => {
      const items = '2.02,9.01';
      const refused = await service.get(`/v1/sec/counts?items=${items}&by=${by}`);
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('items: name one here'),
      ]);
      const told = await client.callTool({ name: 'sec_counts', arguments: { items, by } });
      expect([told.isError, JSON.stringify(told.content)]).toEqual([
        true,
        expect.stringContaining('items: name one here'),
      ]);
      const ofCompany = await json<CountsResponse>(`/v1/sec/counts?ticker=AAPL&items=${items}&by=${by}`);
      expect(ofCompany.data.reduce((sum, { count }) => sum + count, 0)).toBe(ofCompany.meta.total);
    },
  );

  it.each(['since=9999-12-31&by=form', 'form=8-K&since=9999-11-15&until=9999-12-31'])(
    'a window behind the newest filing has none, whatever else is asked: %s',
    async (query) => {
      const { meta, data } = await json<CountsResponse>(`/v1/sec/counts?${query}`);
      expect([meta.total, data]).toEqual([0, []]);
    },
  );
});
