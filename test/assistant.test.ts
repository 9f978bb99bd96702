import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Coverage } from '../src/answers/documents.ts';
import { coverageText, textOf } from '../src/answers/text.ts';
import type { Company, CompanyProfile, Filing, FilingSummary } from '../src/contract/records.ts';
import { toolInstructions, tools } from '../src/contract/tools.ts';
import { noJournal } from './support/journal.ts';
import { sampleKey, sampleService, serviceOver, type SampleService } from './support/sample.ts';

let service: SampleService;
let client: Client;
/** The time that the service goes by. */
let nowMs = Date.parse('2026-08-19T00:00:00Z');

beforeAll(async () => {
  const { snapshots, close } = await sampleService();
  await close();
  service = await serviceOver(snapshots, noJournal, () => nowMs);
  client = await connect();
});
afterAll(async () => {
  await client.close();
  await service.close();
});

/** The official client, as assistants have it. */
async function connect(): Promise<Client> {
  const opened = new Client({ name: 'assistant', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { requestInit: { headers: { 'x-api-key': sampleKey } }, fetch: async (url, init) => service.fetch(new Request(url, init)) });
  // The package's own types do not agree with exact optional members.
  await opened.connect(transport as Parameters<typeof opened.connect>[0]);
  return opened;
}

interface Said<Data> { readonly text: string; readonly isError: boolean; readonly data: Data; readonly meta: { readonly count: number; readonly nextCursor: string | null } }
interface Bucket { readonly ticker: string; readonly status: string; readonly changes: readonly { readonly filing: Filing }[] }

async function ask<Data>(name: string, given: Record<string, unknown>): Promise<Said<Data>> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  return { text: (content as [{ text: string }])[0].text, isError: isError === true, ...(structuredContent as Pick<Said<Data>, 'data' | 'meta'>) };
}

/** What a text says of how far the data reaches. */
const reachOf = (text: string) => /^Data up to (\d{4}-\d{2}-\d{2}), /.exec(text)?.[1] ?? '';
const dayBefore = (day: string, days: number) => new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
const cursorIn = (text: string) => /call again with the cursor (\S+)$/m.exec(text)?.[1] ?? '';

describe('an assistant is asked', () => {
  it('what Apple filed last week, as far as the data reaches', async () => {
    const { text, data } = await ask<Filing[]>('sec_company_filings', { ticker: 'AAPL' });
    const end = reachOf(text);
    expect(end).toBe('2026-08-17');
    // The Monday to Sunday before the day on which the data ends, itself a Monday.
    const lastWeek = data.filter(({ filedAt }) => filedAt !== null && filedAt >= dayBefore(end, 7) && filedAt < end);
    expect(lastWeek.map(({ filedAt, form }) => [filedAt, form])).toEqual([['2026-08-13', '4'], ['2026-08-11', '144']]);
    for (const { filedAt, form, eventType, accessionNo } of lastWeek) expect(text).toContain(`- ${filedAt} ${form} Apple Inc. (AAPL): ${eventType} [${accessionNo}]`);
  });

  it('who of AAPL, MSFT and NVDA reported results since July', async () => {
    const { text, data } = await ask<Bucket[]>('sec_watchlist_changes', { tickers: ['AAPL', 'MSFT', 'NVDA'], since: '2026-07-01' });
    expect(text).toContain('\nThat is all so far.');
    const results = data.map(({ ticker, changes }) => [ticker, changes.filter(({ filing }) => filing.form === '8-K' && filing.items.includes('2.02')).map(({ filing }) => filing.filedAt)]);
    expect(results).toEqual([['AAPL', ['2026-07-30']], ['MSFT', ['2026-07-29']], ['NVDA', []]]);
    expect(text.split('\n').filter((line) => /items .*2\.02/.test(line)).map((line) => line.slice(0, 45))).toEqual(['- 2026-07-30 8-K Apple Inc. (AAPL): current_r', '- 2026-07-29 8-K MICROSOFT CORP (MSFT): curre']);
  });

  it('for insider filings at NVDA this month, and by whom', async () => {
    const { text, data } = await ask<Filing[]>('sec_insider_filings', { ticker: 'NVDA' });
    const thisMonth = data.filter(({ filedAt }) => filedAt?.startsWith(reachOf(text).slice(0, 7)));
    expect(thisMonth.map(({ filedAt, form }) => [filedAt, form])).toEqual([['2026-08-12', '4'], ['2026-08-07', '4']]);
    for (const { accessionNo, detailUrl } of thisMonth) expect([text.includes(accessionNo), detailUrl]).toEqual([true, expect.stringContaining('sec.gov')]);
    expect(text).toMatch(/, filed by |does not name the owner who filed/);
  });

  it("for Alphabet's CIK and newest 10-Q", async () => {
    const [company] = (await ask<Company[]>('sec_company_search', { q: 'alphabet' })).data as [Company];
    expect(company.cik).toBe('0001652044');
    const { text, data } = await ask<Filing[]>('sec_company_filings', { ticker: Number(company.cik) });
    const newest = data.find(({ form }) => form === '10-Q');
    expect(newest).toMatchObject({ accessionNo: '0001652044-26-000071', filedAt: '2026-07-23' });
    expect(text).toContain('2026-07-23 10-Q Alphabet Inc. (GOOGL)');
    const summary = await ask<FilingSummary>('sec_filing_summary', { accessionNo: '000165204426000071' });
    expect([summary.data.accessionNo, summary.text.includes(summary.data.summary)]).toEqual([newest?.accessionNo, true]);
    expect((await ask<CompanyProfile>('sec_company_profile', { ticker: 'GOOG' })).text).toMatch(/CIK 0001652044: .* 10-Q/);
  });
});

describe('a text', () => {
  it('names the cursor that goes on, so that a reader of texts alone misses nothing', async () => {
    const line = /\[(\d{10}-\d{2}-\d{6})\]/g;
    const walk = async (name: string, given: Record<string, unknown>, isLast: (text: string) => boolean) => {
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const { text } = await ask(name, { ...given, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...[...text.matchAll(line)].map(([, accessionNo = '']) => accessionNo));
        if (isLast(text) || seen.length > 1000) return seen;
        cursor = cursorIn(text);
      }
    };
    const whole = await ask<Bucket[]>('sec_watchlist_changes', { tickers: 'AAPL,NVDA', since: '2026-07-01', limit: 200 });
    const walked = await walk('sec_watchlist_changes', { tickers: 'AAPL,NVDA', since: '2026-07-01', limit: 3 }, (text) => text.includes('That is all so far'));
    expect(walked.sort()).toEqual(whole.data.flatMap(({ changes }) => changes.map(({ filing }) => filing.accessionNo)).sort());
    const history = await walk('sec_company_filings', { ticker: 'AAPL', limit: 50 }, (text) => !text.includes('there are older ones'));
    expect(history.length).toBe((await ask<CompanyProfile>('sec_company_profile', { ticker: 'AAPL' })).data.filingCount);
  });

  it('does not take the limit for a total', async () => {
    const { text, meta } = await ask<Bucket[]>('sec_watchlist_changes', { tickers: 'AAPL,NVDA', since: '2026-07-01', limit: 5 });
    expect([meta.count, text.split('\n')[1]]).toEqual([9, 'The first 9 changes of 2 companies filed since 2026-07-01, oldest first.']);
    expect(text).toContain('Apple Inc. (AAPL): 4 changes\n');
    expect(text).toContain('NVIDIA CORP (NVDA): the first 5 changes, as many as the limit allows; there may be more\n');
    expect(cursorIn(text)).toBe(meta.nextCursor);
    expect((await ask('sec_company_search', { q: 'in', limit: 2 })).text).toMatch(/\nThe first 2 companies .* there may be more/);
  });

  it('says so where nothing can match yet', async () => {
    const { text } = await ask('sec_watchlist_changes', { tickers: 'AAPL', since: '2026-08-18' });
    expect(text).toContain('Nothing can match since 2026-08-18: the newest filing in the data is of 2026-08-17.');
    expect(text).not.toContain('0 changes');
    const empty = await ask('sec_watchlist_changes', { tickers: 'AAPL', since: '2026-08-17' });
    expect(empty.text).toContain('\nNo changes of 1 company filed since 2026-08-17.\n');
  });

  it('says that the data is stale from then on, also of an answer that was given before', async () => {
    const given = { q: 'coca cola' };
    const fresh = (await ask('sec_company_search', given)).text;
    nowMs = Date.parse('2027-08-19T00:00:00Z');
    const stale = (await ask('sec_company_search', given)).text;
    nowMs = Date.parse('2026-08-19T00:00:00Z');
    expect([fresh.includes('It is stale'), stale.includes('It is stale')]).toEqual([false, true]);
    expect((await ask('sec_company_search', given)).text).toBe(fresh);
  });

  const filing = { accessionNo: '0000000001-26-000001', cik: '0000000001', companyName: 'One', ticker: 'ONE', form: '4', eventType: 'insider_transaction', items: [], filedAt: '2026-08-12', summary: 'One filed.', detailUrl: null };
  const parties = [{ cik: '0000000001', name: 'One', role: 'issuer' }, { cik: '0000000002', name: 'DOE JANE', role: 'reporting_owner' }];
  const coverage: Coverage = { newestFiledOn: '2026-08-17', fetchedAt: '2026-08-18T23:01:00.000Z', isSample: false, isStale: false };
  const insiders = (...data: object[]) => textOf({ answer: { kind: 'history', insiders: true } }, { data, meta: { nextCursor: null } }, { query: {}, coverage });

  it('says who filed where the data tells it, and that it does not where it does not', () => {
    expect(insiders({ ...filing, parties })).toBe('1 filing, newest first.\n- 2026-08-12 4 One (ONE): insider_transaction, filed by DOE JANE [0000000001-26-000001]');
    expect(insiders(filing)).toContain('\nThe metadata does not name the owner who filed; the form at `detailUrl` does.');
    expect(insiders(filing, { ...filing, parties })).toContain('\nThe metadata does not name the owner who filed 1 of these;');
    expect(textOf({ answer: { kind: 'summary' } }, { data: { ...filing, parties } }, { query: {}, coverage })).toBe('One filed. Filed by DOE JANE.');
  });

  it('of a history that begins after the newest filing says so, too', () => {
    const history = (since: string) => textOf({ answer: { kind: 'history' } }, { data: [], meta: { nextCursor: null } }, { query: { since }, coverage });
    expect(history('2026-08-18')).toBe('Nothing can match since 2026-08-18: the newest filing in the data is of 2026-08-17.');
    expect(history('2026-08-17')).toBe('No filings.');
  });

  it('begins with what the data covers', () => {
    expect(coverageText(coverage)).toBe('Data up to 2026-08-17, fetched 2026-08-18T23:01Z.');
    expect(coverageText({ ...coverage, newestFiledOn: null, isSample: true, isStale: true })).toBe('No data, fetched 2026-08-18T23:01Z. It is a sample for trying out, no live data. It is stale: what was filed since then may be missing.');
  });
});

describe("a company's name in place of its symbol", () => {
  it('is answered with what search finds', async () => {
    for (const name of ['sec_company_filings', 'sec_company_profile', 'sec_insider_filings']) {
      expect(await ask(name, { ticker: 'Apple' })).toMatchObject({ isError: true, text: 'company_not_found: Apple is no ticker symbol; did you mean AAPL (Apple Inc., CIK 0000320193)?' });
    }
    const badly = await ask('sec_company_filings', { ticker: 'Johnson & Johnson' });
    expect([badly.isError, badly.text]).toEqual([true, expect.stringMatching(/^invalid_parameter: ticker: must be .* did you mean JNJ \(/)]);
    const { text, isError } = await ask('sec_watchlist_changes', { tickers: ['MSFT', 'Coca Cola', 'ZZZZ'] });
    expect([isError, text]).toEqual([false, expect.stringContaining('\nCoca Cola is no ticker symbol; did you mean KO (COCA COLA CO, CIK 0000021344)?')]);
    expect((await ask('sec_company_filings', { ticker: 'ZZZZ' })).text).toBe('company_not_found: ticker: no company of this service has the ticker symbol or CIK "ZZZZ"');
  });

  it('leaves the answer of the REST operation as it was', async () => {
    const response = await service.get('/v1/sec/company/Apple/filings');
    expect([response.status, await response.json()]).toEqual([404, { error: { code: 'company_not_found', message: 'ticker: no company of this service has the ticker symbol or CIK "Apple"' } }]);
  });
});

describe('an accession number without dashes', () => {
  it('finds its filing by path, too', async () => {
    const [dashed, plain] = await Promise.all(['0000320193-25-000079', '000032019325000079'].map(async (each) => (await service.get(`/v1/sec/forms/${each}/summary`)).json()));
    expect(plain).toEqual(dashed);
  });
});

describe('what dates mean', () => {
  it('is said once, to all tools', async () => {
    expect(client.getInstructions()).toBe(toolInstructions);
    for (const { name } of tools.filter(({ access }) => access === 'public')) expect(toolInstructions).toContain(name);
    for (const words of ['17:30', 'Eastern', 'UTC']) {
      expect(toolInstructions).toContain(words);
      for (const { description } of tools) expect(description).not.toContain(words);
    }
  });
});
