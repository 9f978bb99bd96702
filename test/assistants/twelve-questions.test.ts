/**
 * Twelve questions as people ask them, put to the tools by the official client: how many calls an answer takes, how many
 * tokens they cost, and whether it is what the ledger says, which is read here without the code that answers.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { beforeAll, expect, it } from 'vitest';
import type { Filing } from '../../src/contract/records.ts';
import { connectAssistant } from '../support/assistant.ts';
import { filingsOf, profileOf, readModel, type LedgerModel } from '../support/ledger-model.ts';
import { sampleLedger, sampleService, type SampleService } from '../support/sample.ts';

let model: LedgerModel;
let service: SampleService;
let client: Client;

beforeAll(async () => {
  [service, model] = await Promise.all([sampleService(), readModel(sampleLedger)]);
  client = await connectAssistant(service);
});

const [apple, microsoft, nvidia, amazon, alphabet, cocaCola] = [
  '0000320193',
  '0000789019',
  '0001045810',
  '0001018724',
  '0001652044',
  '0000021344',
] as const;

/** What a tool answers: its text, and its data. */
interface Said {
  readonly text: string;
  readonly data: unknown;
}
type Ask = (name: string, given: Record<string, unknown>) => Promise<Said>;

interface Question {
  readonly asked: string;
  /** The most calls and tokens, texts and structured content together. */
  readonly calls: number;
  readonly tokens: number;
  /** Finds the answer in what the tools say. */
  readonly answer: (ask: Ask) => Promise<unknown>;
  readonly expected: () => unknown;
}

const numbersOf = (filings: readonly { readonly accessionNo: string }[]) =>
  filings.map(({ accessionNo }) => accessionNo);
const numbersIn = ({ text }: Said) =>
  [...text.matchAll(/\[(\d{10}-\d{2}-\d{6})\]/g)].map(([, accessionNo = '']) => accessionNo);
const totalIn = ({ text }: Said) =>
  Number(
    /(?<![\d,])([\d,]+) filings?\b/.exec(text.split('\n').slice(1).join('\n'))?.[1]?.replaceAll(',', ''),
  );
const exchangeOf = ({ cik }: Filing) => model.companies.get(cik)?.exchange;

const questions: readonly Question[] = [
  {
    asked: 'What did Apple file in August?',
    calls: 1,
    tokens: 1500,
    answer: async (ask) =>
      numbersIn(await ask('sec_company_filings', { ticker: 'AAPL', since: '2026-08-01' })),
    expected: () => numbersOf(filingsOf(model, { company: apple, since: '2026-08-01' })),
  },
  {
    asked: 'What were the last five current reports of anybody?',
    calls: 1,
    tokens: 1500,
    answer: async (ask) => numbersIn(await ask('sec_latest_filings', { form: '8-K', limit: 5 })),
    expected: () => numbersOf(filingsOf(model, { form: ['8-K'] }).slice(0, 5)),
  },
  {
    asked: 'Which of Apple, Microsoft and Nvidia have reported results since July?',
    calls: 1,
    tokens: 2000,
    answer: async (ask) =>
      numbersIn(
        await ask('sec_watchlist_changes', {
          tickers: ['AAPL', 'MSFT', 'NVDA'],
          items: '2.02',
          since: '2026-07-01',
        }),
      ).toSorted(),
    expected: () =>
      [apple, microsoft, nvidia]
        .flatMap((company) => numbersOf(filingsOf(model, { company, items: ['2.02'], since: '2026-07-01' })))
        .toSorted(),
  },
  {
    asked: 'How many current reports were filed in July?',
    calls: 1,
    tokens: 300,
    answer: async (ask) =>
      totalIn(await ask('sec_counts', { form: '8-K', since: '2026-07-01', until: '2026-07-31' })),
    expected: () => filingsOf(model, { form: ['8-K'], since: '2026-07-01', until: '2026-07-31' }).length,
  },
  {
    asked: 'How many filings of each form does Microsoft have?',
    calls: 1,
    tokens: 1200,
    answer: async (ask) => (await ask('sec_counts', { ticker: 'MSFT', by: 'form' })).data,
    expected: () => {
      const counts = new Map<string, number>();
      for (const { form } of filingsOf(model, { company: microsoft }))
        counts.set(form, (counts.get(form) ?? 0) + 1);
      return [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    },
  },
  {
    asked: 'Where is the newest quarterly report of Alphabet?',
    calls: 1,
    tokens: 600,
    answer: async (ask) => {
      const { data } = await ask('sec_company_filings', { ticker: 'GOOGL', form: '10-Q', limit: 1 });
      return (data as Filing[])[0]?.documentUrl;
    },
    expected: () => filingsOf(model, { company: alphabet, form: ['10-Q'] })[0]?.documentUrl,
  },
  {
    asked: 'Has anybody inside Amazon sold shares in May, for how much?',
    calls: 1,
    tokens: 1500,
    answer: async (ask) => {
      const { data } = await ask('sec_insider_transactions', {
        ticker: 'AMZN',
        code: 'S',
        since: '2026-05-01',
        until: '2026-05-31',
      });
      return (data as { value: number }[]).map(({ value }) => value);
    },
    expected: () =>
      filingsOf(model, { company: amazon, since: '2026-05-01', until: '2026-05-31' }).flatMap(
        ({ ownership }) =>
          ownership?.kind === 'section_16'
            ? ownership.transactions.flatMap(({ code, value }) => (code === 'S' ? [value] : []))
            : [],
      ),
  },
  {
    asked: 'Which semiconductor companies are listed on Nasdaq?',
    calls: 1,
    tokens: 2500,
    answer: async (ask) => {
      const { data } = await ask('sec_companies', { sic: '3674', exchange: 'Nasdaq' });
      return (data as { cik: string }[]).map(({ cik }) => cik).toSorted();
    },
    expected: () =>
      [...model.companies.values()]
        .filter(({ exchange }) => exchange === 'Nasdaq')
        .map(({ cik }) => cik)
        .filter((cik) => profileOf(model, cik)?.sic === '3674')
        .toSorted(),
  },
  {
    asked: "When does Coca-Cola's fiscal year end?",
    calls: 2,
    tokens: 1800,
    async answer(ask) {
      const { data } = await ask('sec_company_search', { q: 'coca cola' });
      const { ticker, cik } = (data as { ticker: string | null; cik: string }[])[0] ?? {
        ticker: null,
        cik: '',
      };
      const profile = await ask('sec_company_profile', { ticker: ticker ?? cik });
      return (profile.data as { fiscalYearEnd: string }).fiscalYearEnd;
    },
    expected: () => profileOf(model, cocaCola)?.fiscalYearEnd,
  },
  {
    asked: 'What does the filing 0001018724-26-000020 say?',
    calls: 1,
    tokens: 2500,
    answer: async (ask) =>
      /"Herrington Douglas J" \(.*?\) .*sold 6,370 shares/.test(
        (await ask('sec_filing_summary', { accessionNo: '000101872426000020' })).text,
      ),
    expected: () => true,
  },
  {
    asked: 'What came after the market closed on 14 August?',
    calls: 1,
    tokens: 1500,
    answer: async (ask) =>
      numbersIn(
        await ask('sec_latest_filings', {
          acceptedSince: '2026-08-14T16:00:00-04:00',
          acceptedUntil: '2026-08-15T00:00:00-04:00',
        }),
      ),
    expected: () =>
      numbersOf(
        filingsOf(model).filter(
          ({ acceptedAt }) =>
            acceptedAt !== null &&
            Date.parse(acceptedAt) >= Date.parse('2026-08-14T20:00:00Z') &&
            Date.parse(acceptedAt) <= Date.parse('2026-08-15T04:00:00Z'),
        ),
      ),
  },
  {
    asked: 'Which companies on Nasdaq have told of directors or officers who come or go since June?',
    calls: 1,
    tokens: 3000,
    answer: async (ask) =>
      numbersIn(await ask('sec_latest_filings', { items: '5.02', exchange: 'Nasdaq', since: '2026-06-01' })),
    expected: () =>
      numbersOf(
        filingsOf(model, { items: ['5.02'], since: '2026-06-01' }).filter(
          (filing) => exchangeOf(filing) === 'Nasdaq',
        ),
      ),
  },
];

it.each(questions)('$asked', async ({ calls, tokens, answer, expected }) => {
  let [asked, cost] = [0, 0];
  const ask: Ask = async (name, given) => {
    const result = await client.callTool({ name, arguments: given });
    const [{ text }] = result.content as [{ text: string }];
    asked++;
    cost += JSON.stringify(result).length / 4;
    expect(result.isError, text).not.toBe(true);
    return { text, data: (result.structuredContent as { data: unknown }).data };
  };
  const found = await answer(ask);
  const truth = expected();
  expect(truth).not.toEqual([]);
  expect(found).toEqual(truth);
  expect(asked).toBeLessThanOrEqual(calls);
  expect(cost).toBeLessThan(tokens);
});
