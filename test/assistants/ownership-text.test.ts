import { expect, it } from 'vitest';
import { filingLine, insiderLine } from '../../src/render/filing-line.ts';
import { summaryText } from '../../src/render/record-text.ts';
import { summarize } from '../../build/fold/summary.ts';
import { form4, transaction } from '../support/contents.ts';

const { ownership } = form4([7], [transaction(1)], null, 'Jane "the fox" Doe');
const filing = {
  accessionNo: '0000320193-26-000005',
  cik: '0000320193',
  ticker: 'AAPL',
  companyName: 'Apple Inc.',
  form: '4',
  eventType: 'insider_transaction',
  items: [],
  filedAt: '2026-01-29',
  reportDate: null,
  documentUrl: 'https://www.sec.gov/Archives/edgar/data/320193/000032019326000005/xslF345X05/a.xml',
  parties: [
    { cik: '0000320193', name: 'Apple Inc.', role: 'issuer' as const },
    { cik: '0000000007', name: 'Jane "the fox" Doe 7', role: 'reporting_owner' as const },
  ],
  ownership,
};
const said = String.raw`"Jane \"the fox\" Doe 7" (director) bought 100 shares of "Common Stock" at 2.50 dollars on 2 January 2026`;

it('the line of a filing about ownership says what happened, with texts of the filer in quotes', () => {
  expect(filingLine(filing)).toBe(
    `- 2026-01-29 4 "Apple Inc." (AAPL), issuer: insider_transaction, ${said} [0000320193-26-000005]`,
  );
  expect(insiderLine(filing)).toBe(filingLine(filing));
});

it('until its document was read the line names its parties and the address of the document', () => {
  const line = insiderLine({ ...filing, ownership: null });
  expect(line).toContain('filed by "Jane');
  expect(line).toContain('/000032019326000005/a.xml');
});

it('so does the text of a summary', () => {
  const links = { pressRelease: null };
  const data = { ...filing, summary: summarize(filing), detailUrl: null, links };
  expect(summaryText({ data } as unknown as Parameters<typeof summaryText>[0])).toContain(`. ${said}. SEC`);
});

it('texts of a current report name its press release and its exhibits, by what is known', () => {
  const exhibits = ['EX-10.1', 'EX-99.1', 'EX-5 "x"'].map((type) => ({ type, name: 'a.htm' }));
  const report = { ...filing, form: '8-K', eventType: 'current_report', ownership: null, exhibits };
  expect(filingLine(report)).toContain('current_report, with a press release, ');
  expect(filingLine({ ...report, exhibits: null })).not.toContain('press release');
  expect(filingLine({ ...report, eventType: 'annual_report' })).not.toContain('press release');
  const links = { pressRelease: 'https://www.sec.gov/a.htm' };
  const data = { ...report, summary: summarize(report), detailUrl: null, links };
  expect(summaryText({ data } as unknown as Parameters<typeof summaryText>[0])).toContain(
    String.raw` With a press release: https://www.sec.gov/a.htm. Exhibits: "EX-10.1", "EX-99.1", "EX-5 \"x\"".`,
  );
});
