import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { AppliedTransactionFilters } from '../../src/contract/insider-transactions.ts';
import type { Coverage } from '../../src/snapshot/coverage.ts';
import { coverageText, textOf } from '../../src/render/text.ts';
import type { CompanyProfile, Filing, FilingSummary } from '../../src/contract/records.ts';
import { argumentsLike, toolInstructions, tools } from '../../src/contract/tools.ts';
import { connectAssistant } from '../support/assistant.ts';
import { useDirectories } from '../support/directories.ts';
import { noJournal } from '../support/journal.ts';
import { filingsOf, insiderFilingsOf, readModel, type LedgerModel } from '../support/ledger-model.ts';
import {
  sampleLedger,
  sampleService,
  serviceOver,
  unfiltered,
  type SampleService,
} from '../support/sample.ts';
import { faultsOf, newValidator } from '../support/schemas.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('assistant');
/** What the ledger of the sample holds, folded without the code that answers. */
let sample: LedgerModel;
let service: SampleService;
let client: Client;
let listed: Awaited<ReturnType<Client['listTools']>>['tools'];
/** The time that the service goes by. */
let nowMs = Date.parse('2026-08-19T00:00:00Z');

beforeAll(async () => {
  const [{ snapshots }, model] = await Promise.all([sampleService(), readModel(sampleLedger)]);
  sample = model;
  service = await serviceOver(snapshots, noJournal, () => nowMs);
  client = await connectAssistant(service);
  ({ tools: listed } = await client.listTools());
});

interface Said<Data> {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Data;
  readonly meta: { readonly count: number; readonly nextCursor: string | null };
}
interface Bucket {
  readonly ticker: string;
  readonly status: string;
  readonly changes: readonly { readonly filing: Filing }[];
}

async function ask<Data>(name: string, given: Record<string, unknown>, asking = client): Promise<Said<Data>> {
  const { content, structuredContent, isError } = await asking.callTool({ name, arguments: given });
  return {
    text: (content as [{ text: string }])[0].text,
    isError: isError === true,
    ...(structuredContent as Pick<Said<Data>, 'data' | 'meta'>),
  };
}

/** The arguments of a tool, as the service lists them. */
const schemaOf = (name: string) => listed.find((tool) => tool.name === name)?.inputSchema;

const cursorIn = (text: string) =>
  /call again with the same arguments and the cursor (\S+)$/m.exec(text)?.[1] ?? '';
const numbersOf = (filings: readonly { readonly accessionNo: string }[]) =>
  filings.map(({ accessionNo }) => accessionNo);
/** The lines of a text about filings, by their accession numbers. */
const linesOf = (text: string) =>
  new Map(
    text
      .split('\n')
      .flatMap((line) =>
        [/ \[(\d{10}-\d{2}-\d{6})\]/.exec(line)?.[1]].flatMap((accessionNo) =>
          accessionNo === undefined ? [] : [[accessionNo, line] as const],
        ),
      ),
  );
const [apple, nvidia, alphabet] = ['0000320193', '0001045810', '0001652044'] as const;

describe('an assistant is asked', () => {
  /** The day from which both questions ask. */
  const since = '2026-08-01';
  const isOfMonth = ({ filedAt }: Filing) => (filedAt ?? '') >= since;

  it('an assistant asks for the filings of a company, each in a line, and for the summary of one', async () => {
    const { text } = await ask<Filing[]>('sec_company_filings', { ticker: 'AAPL', since });
    const expected = filingsOf(sample, { company: apple, since });
    expect(expected.length).toBeGreaterThan(1);
    expect(text).toContain(`of "Apple Inc." (CIK ${apple})`);
    for (const { filedAt, form, eventType, accessionNo, parties } of expected) {
      const role = parties[0]?.role === 'filer' ? '' : `, ${parties[0]?.role ?? 'role not known'}`;
      expect(text).toContain(
        `\n- ${filedAt} ${form} "Apple Inc." (AAPL)${role}: ${eventType} [${accessionNo}]`,
      );
    }
    const [report] = filingsOf(sample, { company: alphabet, form: ['10-Q'] }) as [Filing];
    const summary = await ask<FilingSummary>('sec_filing_summary', {
      accessionNo: report.accessionNo.replaceAll('-', ''),
    });
    expect([
      summary.data.accessionNo,
      summary.text.includes(summary.data.summary.replace('Alphabet Inc.', '"Alphabet Inc."')),
    ]).toEqual([report.accessionNo, true]);
    expect((await ask<CompanyProfile>('sec_company_profile', { ticker: 'GOOG' })).text).toMatch(
      /CIK 0001652044: .* 10-Q/,
    );
  });

  it('an assistant asks for insider filings at NVDA, whose owners the data does not know', async () => {
    const { text } = await ask<Filing[]>('sec_insider_filings', { ticker: 'NVDA', since });
    const expected = insiderFilingsOf(sample, nvidia).filter(isOfMonth);
    expect(expected.length).toBeGreaterThan(1);
    const known = (await ask<FilingSummary[]>('sec_filings_by_number', { accessionNos: numbersOf(expected) }))
      .data;
    const links = new Map(known.map(({ accessionNo, links: { xml } }) => [accessionNo, xml]));
    expect([...links.values()].every((xml) => /\/\d{18}\/[^/]+\.xml$/.test(xml ?? ''))).toBe(true);
    for (const { filedAt, accessionNo } of expected)
      expect(linesOf(text).get(accessionNo)).toBe(
        `- ${filedAt} 4 "NVIDIA CORP" (NVDA), issuer: insider_transaction [${accessionNo}] ${links.get(accessionNo)}`,
      );
    expect(text).toContain(
      '\nThe metadata does not name the owner who filed; the form at `documentUrl` does.',
    );
    expect(text).toContain('\nWhat insiders bought and sold is in their transactions');
    expect(text).toContain('Planned sales are announced on Form 144, which is not in this list');
  });

  it('an assistant asks for insider filings once a source has named the owners', {
    tags: ['slow'],
  }, async () => {
    const ledger = join(fresh(), 'ledger');
    await cp(sampleLedger, ledger, { recursive: true });
    const [newest, ...others] = insiderFilingsOf(sample, nvidia).filter(isOfMonth) as [Filing, ...Filing[]];
    // The owners that headers name: one for the newest filing, two for the others.
    const owners = [
      { cik: '0009000001', name: 'DOE JANE' },
      { cik: '0009000002', name: 'ROE RICHARD' },
    ];
    const filed = (filing: Filing, by: readonly { cik: string }[]) => ({
      ...(sample.rows.get(filing.accessionNo) as NonNullable<ReturnType<typeof sample.rows.get>>),
      filerCiks: by.map(({ cik }) => cik),
    });
    await appendBatch(ledger, {
      run: { target: 'headers', status: 'success', message: null, createdAt: '2026-08-18T23:30:00.000Z' },
      refusals: [],
      filings: [filed(newest, owners.slice(0, 1)), ...others.map((filing) => filed(filing, owners))],
      companies: owners.map((owner) => ({ ...owner, tickers: [], exchange: null, formerNames: [] })),
    });
    const snapshots = join(fresh(), 'snapshots');
    await buildQuietly(ledger, snapshots);
    const told = await serviceOver(snapshots, noJournal, () => nowMs);
    const asking = await connectAssistant(told);
    const { text, data } = await ask<Filing[]>('sec_insider_filings', { ticker: 'NVDA', since }, asking);
    expect(
      data.map(({ parties }) =>
        parties.filter(({ role }) => role === 'reporting_owner').map(({ name }) => name),
      ),
    ).toEqual([['DOE JANE'], ...others.map(() => ['DOE JANE', 'ROE RICHARD'])]);
    expect(linesOf(text).get(newest.accessionNo)).toContain(', filed by "DOE JANE" [');
    for (const { accessionNo } of others)
      expect(linesOf(text).get(accessionNo)).toContain(', filed by "DOE JANE" and "ROE RICHARD" [');
    // The snapshot is not only a sample now.
    expect(text).not.toContain('It is a sample');
  });
});

describe('a text', () => {
  it('the text of a tool names the cursor of the next page', async () => {
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
    const whole = await ask<Bucket[]>('sec_watchlist_changes', {
      tickers: 'AAPL,NVDA',
      since: '2026-07-01',
      limit: 200,
    });
    const walked = await walk(
      'sec_watchlist_changes',
      { tickers: 'AAPL,NVDA', since: '2026-07-01', limit: 3 },
      (text) => text.includes('That is all so far'),
    );
    expect(walked.sort()).toEqual(
      whole.data.flatMap(({ changes }) => changes.map(({ filing }) => filing.accessionNo)).sort(),
    );
    const history = await walk(
      'sec_company_filings',
      { ticker: 'AAPL', limit: 50 },
      (text) => !text.includes('there are older ones'),
    );
    expect(history.length).toBe(
      (await ask<CompanyProfile>('sec_company_profile', { ticker: 'AAPL' })).data.filingCount,
    );
  });

  it('the text of a tool does not call the limit a total', async () => {
    const { text, meta } = await ask<Bucket[]>('sec_watchlist_changes', {
      tickers: 'AAPL,NVDA',
      since: '2026-07-01',
      limit: 5,
    });
    expect([meta.count, text.split('\n')[1]]).toEqual([
      9,
      'The first 9 changes of 2 companies filed since 2026-07-01, oldest first.',
    ]);
    expect(text).toContain('"Apple Inc." (AAPL): 4 changes\n');
    expect(text).toContain('"NVIDIA CORP" (NVDA): the first 5 changes; there are more\n');
    expect(cursorIn(text)).toBe(meta.nextCursor);
    expect((await ask('sec_company_search', { q: 'in', limit: 2 })).text).toMatch(
      /\nThe first 2 companies .* there may be more/,
    );
    const [, head, ...rest] = (
      await ask('sec_company_filings', { ticker: 'AAPL', limit: 200, maxTokens: 100_000 })
    ).text.split('\n');
    const { length } = filingsOf(sample, { company: apple });
    expect(head).toBe(
      `${length} filings of "Apple Inc." (CIK 0000320193), newest first; there are no older ones.`,
    );
    expect(rest.length).toBe(length);
  });

  it('the text of a tool says where nothing can match yet', async () => {
    const { text } = await ask('sec_watchlist_changes', { tickers: 'AAPL', since: '2026-08-18' });
    expect(text).toContain(
      'Nothing can match since 2026-08-18: the newest filing in the data is of 2026-08-17.',
    );
    expect(text).not.toContain('0 changes');
    const empty = await ask('sec_watchlist_changes', { tickers: 'AAPL', since: '2026-08-17' });
    expect(empty.text).toContain('\nNo changes of 1 company filed since 2026-08-17.\n');
    const history = await ask<Filing[]>('sec_company_filings', { ticker: 'AAPL', since: '2026-08-18' });
    expect(history.text).toContain('\nNothing can match since 2026-08-18:');
  });

  it('the text of a tool says that data is stale, also in a cached answer', async () => {
    // A sample is never stale.
    const made = await makeSnapshot({ filings: 20, companies: 2, batches: 1 });
    let atMs = 0;
    const own = await serviceOver(made.directory, noJournal, () => atMs);
    const { dataFetchedAt } = await own.json<{ dataFetchedAt: string }>('/health');
    const asking = await connectAssistant(own);
    const isStale = async (afterDays: number) => {
      atMs = Date.parse(dataFetchedAt) + afterDays * 24 * 3_600_000;
      return (await ask('sec_latest_filings', {}, asking)).text.includes('It is stale');
    };
    expect([await isStale(0), await isStale(365), await isStale(0)]).toEqual([false, true, false]);
  });

  const filing = {
    accessionNo: '0000000001-26-000001',
    cik: '0000000001',
    companyName: 'One',
    ticker: 'ONE',
    form: '4',
    eventType: 'insider_transaction',
    items: [],
    filedAt: '2026-08-12',
    summary: 'One filed.',
    detailUrl: null,
  };
  const parties = [
    { cik: '0000000001', name: 'One', role: 'issuer' },
    { cik: '0000000002', name: 'DOE JANE', role: 'reporting_owner' },
  ];
  const coverage: Coverage = {
    newestFiledOn: '2026-08-17',
    fetchedAt: '2026-08-18T23:01:00.000Z',
    staleAfter: '2026-08-20T15:01:00.000Z',
    isSample: false,
    isStale: false,
  };
  const insiders = (...data: object[]) =>
    textOf(
      { answer: { kind: 'history', insiders: true } },
      { data, meta: { total: null, nextCursor: null, filters: unfiltered } },
      { query: {}, coverage, company: null },
    );

  it('the text of a tool says who filed, or that the data does not tell', () => {
    expect(
      insiders({ ...filing, parties })
        .split('\n')
        .slice(0, 2),
    ).toEqual([
      '1 insider filing, newest first; there are no older ones.',
      '- 2026-08-12 4 "One" (ONE), issuer: insider_transaction, filed by "DOE JANE" [0000000001-26-000001]',
    ]);
    expect(insiders(filing)).toContain(
      '\nThe metadata does not name the owner who filed; the form at `documentUrl` does.',
    );
    expect(insiders(filing, { ...filing, parties })).toContain(
      '\nThe metadata does not name the owner who filed 1 of these;',
    );
    expect(
      textOf(
        { answer: { kind: 'summary' } },
        { data: { ...filing, parties, links: { pressRelease: null } } },
        { query: {}, coverage, company: null },
      ),
    ).toBe('One filed. Parties: "One" (ONE): issuer, filed by "DOE JANE".');
  });

  it('a page of insiders without rows says whether it is all, and that a company is asked for as an issuer', () => {
    const company = { cik: '0000000002', name: 'DOE JANE' };
    const names = Object.keys(AppliedTransactionFilters.shape);
    const filters = { ...Object.fromEntries(names.map((name) => [name, null])), ...unfiltered };
    const none = (kind: 'transactions' | 'history', nextCursor: string | null) =>
      textOf(
        { answer: kind === 'history' ? { kind, insiders: true } : { kind } },
        { data: [], meta: { total: null, nextCursor, filters, unknown: [] } },
        { query: {}, coverage, company },
      );
    const of = 'of "DOE JANE" (CIK 0000000002)';
    expect(none('transactions', 'x')).toContain(
      `No insider transactions ${of} among those looked at so far.`,
    );
    for (const [text, what] of [
      [none('transactions', null), `No insider transactions ${of}. `],
      [none('history', null), `No insider filings ${of}.`],
    ]) {
      expect(text).toContain(what);
      expect(text).toContain('what somebody reports as an owner is among the filings of that owner');
    }
  });

  it('the text of a tool tells the filer of a schedule from its subject, and says if the data does not', () => {
    const subject = { cik: '0000000001', name: 'One', role: 'subject' };
    const holders = Array.from({ length: 7 }, (_, at) => ({
      cik: `000000001${at}`,
      name: at === 0 ? null : `HOLDER ${at}`,
      role: 'filed_by',
    }));
    const line = (given: readonly object[], form = 'SCHEDULE 13G') =>
      textOf(
        { answer: { kind: 'history' } },
        {
          data: [{ ...filing, form, eventType: 'beneficial_ownership_passive', parties: given }],
          meta: { nextCursor: null, filters: unfiltered },
        },
        { query: {}, coverage, company: null },
      ).split('\n')[1];
    const [start, end] = ['- 2026-08-12 SCHEDULE 13G "One" (ONE)', '[0000000001-26-000001]'];
    const family = 'beneficial_ownership_passive';
    expect(line([subject, ...holders.slice(0, 2)])).toBe(
      `${start}, subject: ${family}, filed by CIK 0000000010 and "HOLDER 1" ${end}`,
    );
    expect(line([subject, ...holders])).toContain('and "HOLDER 4" and 2 more [');
    expect(line([{ ...subject, role: null }])).toBe(`${start}, role not known: ${family} ${end}`);
    expect(line([{ ...subject, role: 'filed_by' }])).toBe(`${start}, filed by it: ${family} ${end}`);
    const other = { cik: '0000000002', name: 'TWO', role: 'subject' };
    expect(line([{ ...subject, role: 'filed_by' }, other])).toContain(`: ${family}, about "TWO" [`);
    expect(
      line(
        [
          { ...subject, role: 'filer' },
          { ...other, role: 'filer' },
        ],
        '10-K',
      ),
    ).toBe(`- 2026-08-12 10-K "One" (ONE): ${family}, also filed by "TWO" ${end}`);
    expect(line([subject, { ...other, role: null }])).toContain(`: ${family}, also names "TWO" [`);
  });

  it('the text of a history that begins after the newest filing says so', () => {
    const history = (since: string) =>
      textOf(
        { answer: { kind: 'history' } },
        { data: [], meta: { nextCursor: null, filters: { ...unfiltered, since } } },
        { query: { since }, coverage, company: null },
      );
    expect(history('2026-08-18')).toBe(
      'Nothing can match since 2026-08-18: the newest filing in the data is of 2026-08-17.',
    );
    expect(history('2026-08-17')).toBe('No filings filed since 2026-08-17.');
  });

  it('the text of a tool names its filters', () => {
    const company = { cik: '0000000001', name: 'One' };
    // What `meta` says was applied, also what a cursor remembered.
    const narrowed = (filters: object, query: object = {}) =>
      textOf(
        { answer: { kind: 'history' } },
        { data: [filing], meta: { total: null, nextCursor: null, filters: { ...unfiltered, ...filters } } },
        { query, coverage, company },
      ).split('\n')[0];
    expect(
      narrowed({ form: '8-K,8-K/A', items: '2.02', since: '2026-07-01', until: '2026-07-31' }, { limit: 5 }),
    ).toBe(
      '1 filing of "One" (CIK 0000000001) with form 8-K or 8-K/A and item 2.02 filed since 2026-07-01 and until 2026-07-31, newest first; there are no older ones.',
    );
    expect(narrowed({ eventType: 'current_report', until: '2026-07-31' }, { cursor: 'x' })).toBe(
      '1 filing of "One" (CIK 0000000001) with event type current_report filed until 2026-07-31, after the cursor, newest first; there are no older ones.',
    );
    expect(narrowed({ transactionCode: 'P,S', minValue: 100_000 })).toContain(
      ' with transaction code P or S and transaction value of at least 100000, newest first',
    );
    const feed = textOf(
      { answer: { kind: 'feed' } },
      {
        data: [],
        meta: {
          count: 0,
          nextCursor: 'x',
          filters: { ...unfiltered, form: '8-K', since: '2026-08-01' },
          unknown: [],
        },
      },
      { query: { form: ['8-K'], cursor: 'y' }, coverage, company },
    );
    expect(feed.split('\n')[0]).toBe(
      'No changes of "One" (CIK 0000000001) with form 8-K filed since 2026-08-01, after the cursor.',
    );
  });

  it('the text of a list of companies has a line for each, says of how many, and how to go on', () => {
    const entry = {
      cik: '0000000001',
      ticker: 'ONE',
      name: 'One',
      exchange: 'NYSE',
      tickers: ['ONE', 'ONE-PA'],
      filingCount: 12,
      sic: '3571',
      sicDescription: 'Electronic Computers',
      stateOfIncorporation: 'DE',
    };
    const none = {
      ...entry,
      cik: '0000000002',
      ticker: null,
      name: 'DOE JANE',
      exchange: null,
      tickers: [],
      filingCount: 1,
      sic: null,
      sicDescription: null,
      stateOfIncorporation: null,
    };
    const all = { sic: null, state: null, exchange: null, listed: null };
    const list = (
      data: readonly object[],
      nextCursor: string | null,
      filters: object = {},
      query: object = {},
    ) =>
      textOf(
        { answer: { kind: 'companies' } },
        {
          data,
          meta: {
            count: data.length,
            total: Object.keys(filters).length === 0 ? 38 : null,
            nextCursor,
            filters: { ...all, ...filters },
          },
        },
        { query, coverage, company: null },
      ).split('\n');
    expect(list([entry, none], 'x')).toEqual([
      '2 of 38 companies, by CIK; there may be more.',
      '- "One" (ONE on NYSE, ONE-PA), CIK 0000000001, SIC 3571 Electronic Computers, incorporated in DE, 12 filings',
      '- "DOE JANE", CIK 0000000002, 1 filing',
      'To go on, call again with the same arguments and the cursor x',
    ]);
    const many = { ...entry, exchange: null, tickers: ['ONE', 'A', 'B', 'C', 'D', 'E', 'F'] };
    expect(list([many], null, {}, { cursor: 'x' })).toEqual([
      '1 of 38 companies, after the cursor, by CIK; there are no more.',
      '- "One" (ONE, A, B, C, D, 2 more), CIK 0000000001, SIC 3571 Electronic Computers, incorporated in DE, 12 filings',
    ]);
    const narrowed = { sic: '3571,7372', state: 'DE', exchange: 'NYSE', listed: true };
    expect(list([entry], null, narrowed)[0]).toBe(
      '1 company of industry 3571 or 7372, incorporated in DE, on NYSE, with a ticker symbol, by CIK; there are no more.',
    );
    // Where filters rarely meet, a page may have no company although there are more.
    expect(list([], 'x', { listed: false })).toEqual([
      'No companies without a ticker symbol; there may be more.',
      'To go on, call again with the same arguments and the cursor x',
    ]);
    expect(list([], null, { state: 'DE' })).toEqual(['No companies incorporated in DE; there are no more.']);
  });

  it('the text of an empty search says what the search takes', async () => {
    expect((await ask('sec_company_search', { q: 'zzzz' })).text).toMatch(
      /\nNo company matches "zzzz"\. Search takes a ticker symbol, a CIK, or the beginnings of words/,
    );
  });

  it('the text of a tool begins with what the data covers', () => {
    expect(coverageText(coverage)).toBe('Data up to 2026-08-17, fetched 2026-08-18T23:01Z.');
    expect(coverageText({ ...coverage, newestFiledOn: null, isSample: true, isStale: true })).toBe(
      'No data, fetched 2026-08-18T23:01Z. It is a sample for trying out, no live data. It is stale: what was filed since then may be missing.',
    );
  });
});

describe("a company's name instead of its symbol", () => {
  const covered =
    'Data up to 2026-08-17, fetched 2026-08-18T23:01Z. It is a sample for trying out, no live data.';

  it('a tool answers the name of a company with what the search finds', async () => {
    for (const name of ['sec_company_filings', 'sec_company_profile', 'sec_insider_filings']) {
      expect(await ask(name, { ticker: 'Apple' })).toMatchObject({
        isError: true,
        text: `company_not_found: Apple: this service holds no company with that symbol; did you mean AAPL ("Apple Inc.", CIK 0000320193)? ${covered}`,
      });
    }
    const badly = await ask('sec_company_filings', { ticker: 'Johnson & Johnson' });
    expect([badly.isError, badly.text]).toEqual([
      true,
      expect.stringMatching(/^invalid_parameter: ticker: must be .* did you mean JNJ \(/),
    ]);
    const { text, isError } = await ask('sec_watchlist_changes', { tickers: ['MSFT', 'Coca Cola', 'ZZZZ'] });
    expect([isError, text]).toEqual([
      false,
      expect.stringContaining(
        '\nCoca Cola: this service holds no company with that symbol; did you mean KO ("COCA COLA CO", CIK 0000021344)?',
      ),
    ]);
    expect((await ask('sec_company_filings', { ticker: 'ZZZZ' })).text).toBe(
      `company_not_found: ticker: no company of this service has the ticker symbol or CIK "ZZZZ". ${covered}`,
    );
    expect((await ask('sec_filing_summary', { accessionNo: '0000320193-26-999999' })).text).toBe(
      `filing_not_found: accessionNo: this service has no filing 0000320193-26-999999. ${covered}`,
    );
  });

  it('a tool says where a name fits only in part, and guesses nothing from one letter', async () => {
    expect((await ask('sec_company_filings', { ticker: 'Apple Zzzz' })).text).toMatch(
      /^company_not_found: Apple Zzzz: this service holds no company with that symbol; a part of it fits the name of AAPL \(/,
    );
    expect((await ask('sec_company_filings', { ticker: 'ZZZ.A' })).text).toBe(
      `company_not_found: ticker: no company of this service has the ticker symbol or CIK "ZZZ.A". ${covered}`,
    );
    expect((await ask('sec_company_search', { q: 'apple zzzz' })).text).toContain(
      '\nNo company was found that matches all of "apple zzzz". 1 company that matches a part of it, best first.',
    );
  });

  it('a tool finds the one name among many good symbols', async () => {
    for (const tickers of [
      ['AAPL', 'MSFT', 'NVDA', 'JPM', 'Johnson & Johnson'],
      'AAPL,MSFT,NVDA,JPM,Johnson & Johnson',
    ]) {
      expect(await ask('sec_watchlist_changes', { tickers })).toMatchObject({
        isError: true,
        text: expect.stringContaining(
          '. Johnson & Johnson: this service holds no company with that symbol; did you mean JNJ ("JOHNSON & JOHNSON", CIK 0000200406)?',
        ),
      });
    }
    expect((await ask('sec_watchlist_changes', { tickers: 'AAPL,MSFT,NVDA,JPM,Coca Cola' })).text).toMatch(
      /\nCoca Cola: this service holds no company with that symbol; did you mean KO /,
    );
  });

  it('a name in a tool call does not change the answer of the REST operation', async () => {
    const response = await service.get('/v1/sec/company/Apple/filings');
    expect([response.status, await response.json()]).toEqual([
      404,
      {
        error: {
          code: 'company_not_found',
          message: 'ticker: no company of this service has the ticker symbol or CIK "Apple"',
        },
      },
    ]);
  });
});

it('an accession number without dashes finds its filing by path', async () => {
  const [dashed, plain] = await Promise.all(
    ['0000320193-25-000079', '000032019325000079'].map(async (each) =>
      (await service.get(`/v1/sec/forms/${each}/summary`)).json(),
    ),
  );
  expect(plain).toEqual(dashed);
});

describe('the schema of a tool', () => {
  it('a tool takes several values as an array or with commas between', () => {
    const check = newValidator().compile(schemaOf('sec_watchlist_changes') ?? {});
    for (const tickers of ['AAPL', 'AAPL,MSFT', ['AAPL', 'MSFT']])
      expect(faultsOf(check, { tickers })).toEqual([]);
    // The service refuses an empty text and an empty list.
    for (const tickers of [[5], 5]) expect(faultsOf(check, { tickers })).not.toEqual([]);
  });

  it.each(tools.flatMap(({ name, endpoint }) => (endpoint ? [{ name, endpoint }] : [])))(
    '$name has the parameters of its operation',
    ({ name, endpoint }) => {
      const { properties, required = [] } = schemaOf(name) ?? {};
      expect(Object.keys(properties ?? {})).toEqual(
        argumentsLike(endpoint).map(({ parameter }) => parameter.name),
      );
      expect(required).toEqual(
        endpoint.parameters.flatMap((each) => (each.required ? [each.parameter.name] : [])),
      );
    },
  );
});

describe('what dates mean', () => {
  it('the instructions say once for all tools what dates mean', async () => {
    expect(client.getInstructions()).toBe(toolInstructions);
    const open = tools.filter(({ access }) => access === 'public');
    expect(open).not.toEqual([]);
    for (const { name } of open) expect(toolInstructions).toContain(name);
    for (const words of ['17:30', 'Eastern', 'UTC', 'inclusive']) {
      expect(toolInstructions).toContain(words);
      for (const { description } of tools) expect(description).not.toContain(words);
    }
  });
});
