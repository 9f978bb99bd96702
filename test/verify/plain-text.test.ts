import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Change, type CompanyProfile } from '../../src/contract/records.ts';
import { SummaryRow, tableDefinition, tableNames } from '../../src/format/snapshot.ts';
import { calendarDate, timestamp } from '../../src/domain/scalars.ts';
import { plainTextOf } from '../../build/verify/plain-text.ts';

const change = JSON.stringify({
  sequence: 22,
  changeType: 'amended',
  observedAt: '2026-01-01T00:00:00.000Z',
  revision: 2,
  corrected: ['items', 'size'],
  filing: {
    accessionNo: '0001000000-00-000000',
    companyName: 'Société Apex Inc.',
    ticker: null,
    form: '8-K',
    eventType: 'current_report',
    items: ['8.01', '9.01'],
    filedAt: '2000-01-03',
    detailUrl: 'https://www.sec.gov/Archives/',
    acceptanceDateTime: '20000103212938',
    cik: '0000100000',
    acceptedAt: '2000-01-03T21:29:38-05:00',
    reportDate: null,
    primaryDocument: 'd0d8k.htm',
    primaryDocDescription: null,
    documentUrl: null,
    size: 4101440,
    isXbrl: false,
    isInlineXbrl: true,
    ingestedAt: '2026-01-01T00:00:00.000Z',
    parties: [
      { cik: '0000100000', name: 'Apex', role: 'filer' },
      { cik: '0000100001', name: null, role: null },
    ],
  },
} satisfies Change);
const summary = JSON.stringify({
  sequence: 22,
  summary: 'A sentence.',
  itemTitles: ['Other Events', null],
  links: { index: null, document: null, text: 'https://www.sec.gov/', header: null, xml: null },
  notInvestmentAdvice: true,
} satisfies SummaryRow);

const profile = JSON.stringify({
  cik: '0000100000',
  ticker: 'A',
  name: 'Apex',
  exchange: 'NYSE',
  updatedAt: '2026-01-01T00:00:00.000Z',
  filingCount: 1,
  latestFilingAt: '2000-01-03',
  forms: [{ form: '8-K', count: 1 }],
  latestFiling: (JSON.parse(change) as Change).filing,
  latestIngestedAt: '2026-01-01T00:00:00.000Z',
  tickers: ['A'],
  formerNames: [],
  relatedCiks: [],
  sic: '3571',
  sicDescription: null,
  category: null,
  entityType: 'operating',
  stateOfIncorporation: 'DE',
  fiscalYearEnd: '1231',
} satisfies CompanyProfile);

/** What a schema makes of a text; null if it refuses it or writes it otherwise. */
function written(schema: z.ZodType, text: string): unknown {
  try {
    const result = schema.safeParse(JSON.parse(text));
    return result.success && JSON.stringify(result.data) === text ? result.data : null;
  } catch {
    return null;
  }
}

/** A text with each character left out, doubled and replaced by others. */
function* changed(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++)
    for (const other of [
      '',
      '"',
      '\\',
      ',',
      '0',
      '9',
      'é',
      '\n',
      ' ',
      '}',
      '\ud800',
      `${text[at]}${text[at]}`,
    ])
      yield `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
}

describe('a plain text', () => {
  it('gives its members', () => {
    const members = ['sequence', 'corrected', 'filing.ticker', 'filing.form', 'filing.size'];
    expect([...(plainTextOf(Change, members)(change) ?? [])]).toEqual([
      change,
      '22',
      '["items","size"]',
      undefined,
      '8-K',
      '4101440',
    ]);
    expect([...(plainTextOf(calendarDate, [''])('"2026-08-31"') ?? [])]).toEqual([
      '"2026-08-31"',
      '2026-08-31',
    ]);
  });

  it.each([
    ['a change', Change, change],
    ['a summary', SummaryRow, summary],
    ['a date', calendarDate, '"2024-12-31"'],
    ['a time', timestamp, '"2024-12-31T00:00:00.000Z"'],
    [
      'a company in either form',
      tableDefinition('companies').row,
      '{"sic":null,"state":"DE","exchange":null,"listed":"true"}',
    ],
  ] as const)(
    'is one that its schema accepts and writes alike: %s with any character changed',
    (_, schema, text) => {
      const plain = plainTextOf(schema);
      expect(plain(text)).not.toBeNull();
      let refused = 0;
      for (const other of changed(text)) {
        if (plain(other) === null) refused++;
        else expect(written(schema, other), other).not.toBeNull();
      }
      expect(refused).toBeGreaterThan(text.length);
    },
  );

  it.each([
    ['2026-02-28', true],
    ['2026-02-29', false],
    ['2026-04-31', false],
    ['2026-13-01', false],
    ['2026-00-10', false],
    ['2026-01-00', false],
    ['0000-01-01', false],
  ])('is a day that exists: %s', (day, isPlain) =>
    expect(plainTextOf(calendarDate)(JSON.stringify(day)) !== null).toBe(isPlain),
  );

  it('is never one of a schema with rules that no pattern has', () => {
    const schemas = [
      z.string().min(2),
      z.email(),
      z.base64(),
      z.string().max(9),
      z.string().refine((text) => text !== 'none'),
      z.int().min(5),
      z.number(),
      z.array(z.string()).max(3),
      z.object({ name: z.string().trim() }),
      z.record(z.string(), z.string()),
      z.union([z.object({ name: z.string() }), z.object({ name: z.string(), other: z.string() })]),
    ];
    const texts = ['"some"', '7', '["some"]', '{"name":"some"}', '{"name":"some","other":"some"}'];
    for (const schema of schemas) for (const text of texts) expect(plainTextOf(schema)(text)).toBeNull();
  });

  it('is told of the rows of each table', () => {
    const rows: Partial<Record<string, string>> = {
      latest: '22',
      counts: '0',
      refusals: '"why"',
      symbols: '{"symbol":"A","cik":"0000100000"}',
      search: '{"names":["apex"]}',
      'company-filings': '{"sequence":22,"form":"4","items":[],"issuer":true}',
      'company-changes': change,
      summaries: summary,
      'change-dates': '"2000-01-03"',
      batches: `{"number":1,"sha256":"${'a'.repeat(64)}","createdAt":"2026-01-01T00:00:00.000Z","lastSequence":0,"changes":0,"refused":0}`,
      companies: '{"sic":null,"state":"DE","exchange":null,"listed":"true"}',
      profiles: profile,
    };
    const found = tableNames.filter(
      (name) => plainTextOf(tableDefinition(name).row)(rows[name] ?? '') !== null,
    );
    expect(found.toSorted()).toEqual(Object.keys(rows).toSorted());
  });

  it('refuses members that a schema lacks', () =>
    expect(() => plainTextOf(Change, ['filing.color'])).toThrow(/filing\.color/));
});
