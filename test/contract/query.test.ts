import { describe, expect, it } from 'vitest';
import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { parseQuery } from '../../src/query/target.ts';
import { valuesIn } from '../support/values.ts';

const all: readonly Endpoint[] = endpoints;
const parse = (id: EndpointId, search: string, path: Record<string, string> = {}) =>
  parseQuery(
    all.find((endpoint) => endpoint.id === id) as Endpoint,
    `http://localhost/x?${search}`,
    (name) => path[name],
  );

function refusal(id: EndpointId, search: string, path: Record<string, string> = {}): string {
  try {
    parse(id, search, path);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe('invalid_parameter');
    return (error as ApiError).message;
  }
  throw new Error(`${id}?${search} was accepted`);
}

describe('parameters', () => {
  it.each(['1', '50', '200', '007'])('limit=%s is accepted', (text) =>
    expect(parse('listLatestFilings', `limit=${text}`)).toEqual({ limit: Number(text) }),
  );
  it.each([
    ...valuesIn('0 | 201 | 1e2 | 0x10 | %205 | +5 | -1 | 1.5 | ten | %00 | ٣ | 99999999999999999999'),
    '',
  ])('limit=%s is refused with what is allowed and what came', (text) => {
    expect(refusal('listLatestFilings', `limit=${text}`)).toBe(
      `limit: must be an integer from 1 to 200, not ${JSON.stringify(decodeURIComponent(text.replace('+', ' ')))}`,
    );
  });
  it('a parameter that is given twice is refused', () =>
    expect(refusal('listLatestFilings', 'limit=1&limit=1')).toBe('limit: must be given once, not 2 times'));
  it.each([
    ['2026-08-01', '2026-08-01'],
    ['2026-08-01T23:59:59Z', '2026-08-01'],
    ['2026-08-01T00:30:00+14:00', '2026-08-01'],
    ['2026-08-01T00:30:00%2B02:00', '2026-08-01'],
    ['2026-08-01T00:30:00.123-0500', '2026-08-01'],
    ['2026-08-01T00:30:00-05', '2026-08-01'],
    ['2024-02-29', '2024-02-29'],
    ['2026-08-01T10:00', '2026-08-01'],
  ])('since=%s is read as %s', (text, date) =>
    expect(parse('listChanges', `since=${text}`)).toEqual({ since: date }),
  );
  it.each([
    ...valuesIn(`
      2026-02-30 | 2025-02-29 | 2026-13-01 | 2026-8-1 | 20260801 | yesterday | 2026-08-01T25:00:00Z
      2026-08-01x | 2026-08-01T | 1e3`),
    '',
  ])('since=%s is refused', (text) =>
    expect(refusal('listChanges', `since=${text}`)).toContain('since: must be a date YYYY-MM-DD'),
  );
  it.each(['2026-08-31', '2026-08-31T23:59:59 02:00'])('until=%s is read like since', (text) =>
    expect(parse('listLatestFilings', `until=${text}`)).toEqual({ until: '2026-08-31' }),
  );
  it.each(['2026-02-30', 'tomorrow', ''])('until=%s is refused', (text) =>
    expect(refusal('listLatestFilings', `until=${text}`)).toBe(
      `until: must be a date YYYY-MM-DD or an ISO 8601 timestamp, not "${text}"`,
    ),
  );
  it.each([
    ['8-k', ['8-K']],
    ['def+14a', ['DEF 14A']],
    ['%20sc%20%2013g%2Fa%20', ['SC 13G/A']],
    ['10-k,10-K/A', ['10-K', '10-K/A']],
    ['8-K,%208-k,8-K', ['8-K']],
    [
      Array.from({ length: 10 }, (_, at) => `${'x'.repeat(38)}%20${at}`).join(',%20'),
      Array.from({ length: 10 }, (_, at) => `${'X'.repeat(38)} ${at}`),
    ],
  ])('form=%s is folded to %j', (text, form) =>
    expect(parse('listLatestFilings', `form=${text}`)).toEqual({ form }),
  );
  it.each([
    '',
    '%20',
    ',',
    '8-K,',
    '8-K,,10-K',
    'x'.repeat(41),
    'a%0ab',
    Array.from({ length: 11 }, (_, at) => `F-${at}`).join(','),
  ])('form=%s is refused', (text) => {
    expect(refusal('listLatestFilings', `form=${text}`)).toContain(
      'form: must be 1 to 10 form types of at most 40 characters with commas between, for example 8-K, not "',
    );
  });
  it.each([
    ['2.02', ['2.02']],
    ['2.02,%209.01,2.02', ['2.02', '9.01']],
  ])('items=%s is accepted', (text, items) =>
    expect(parse('listChanges', `items=${text}`)).toEqual({ items }),
  );
  it.each([
    '',
    ',',
    '2.02,',
    'x'.repeat(11),
    'a%0ab',
    Array.from({ length: 11 }, (_, at) => `${at}.01`).join(','),
  ])('items=%s is refused', (text) => {
    expect(refusal('listChanges', `items=${text}`)).toContain(
      'items: must be 1 to 10 item codes of Form 8-K with commas between, for example 2.02, not "',
    );
  });
  it('the case of an event family is folded', () =>
    expect(parse('listChanges', 'eventType=Current_Report')).toEqual({ eventType: 'current_report' }));
  it('up to 25 tickers are taken, each once, in the order asked', () => {
    expect(parse('listWatchlistChanges', 'tickers=msft,brk.b,BRK-B,0000320193,320193,AAPL')).toEqual({
      tickers: ['msft', 'brk.b', '0000320193', 'AAPL'],
    });
    expect(
      parse('listWatchlistChanges', `tickers=${Array.from({ length: 25 }, (_, at) => `T${at}`).join(',')}`)
        .tickers,
    ).toHaveLength(25);
  });
  it.each([
    Array.from({ length: 26 }, (_, at) => `T${at}`).join(','),
    'AAPL,,MSFT',
    ',',
    '',
    'AA$PL',
    'A'.repeat(21),
    '<script>',
  ])('tickers=%s is refused', (text) =>
    expect(refusal('listWatchlistChanges', `tickers=${encodeURIComponent(text)}`)).toContain(
      'tickers: must be 1 to 25',
    ),
  );
  it('a missing required parameter is named', () => {
    expect(refusal('listWatchlistChanges', '')).toContain('tickers: is required');
    expect(refusal('searchCompanies', 'limit=5')).toContain('q: is required');
  });
  it.each(['a', '%20a%20', '', 'x'.repeat(101)])('q=%s is refused', (text) =>
    expect(refusal('searchCompanies', `q=${text}`)).toContain('q: must be a text of 2 to 100 characters'),
  );
  it('a search for one letter is told where a ticker symbol goes', () => {
    for (const text of ['F', 'f', '%24'])
      expect(refusal('searchCompanies', `q=${text}`)).toContain('ticker symbol of one letter');
    expect(refusal('searchCompanies', `q=${'x'.repeat(101)}`)).not.toContain('ticker symbol of one letter');
  });
  it.each(['0000320193-25-79', '0000320193-25000079', '00003201932500007', '../../etc/passwd', '%E0%A4%A'])(
    'the accession number %s is refused',
    (text) =>
      expect(refusal('getFilingSummary', '', { accessionNo: text })).toContain('accessionNo: must be'),
  );
  it.each([
    ['2026-08-17T16:00:00-04:00', '2026-08-17T20:00:00.000Z'],
    ['2026-08-17t16:00z', '2026-08-17T16:00:00.000Z'],
    ['2026-08-17T16:00:00 0530', '2026-08-17T10:30:00.000Z'],
    ['2026-08-17T16:00:00-04', '2026-08-17T20:00:00.000Z'],
    ['2026-08-17T16:00 00', '2026-08-17T16:00:00.000Z'],
    ['2026-08-17T16:00:00,25Z', '2026-08-17T16:00:00.250Z'],
    ['0001-01-01T00:00:00%2B14:00', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59.999Z'],
  ])('acceptedSince=%s is accepted, and so is what is read', (text, acceptedSince) => {
    expect(parse('listChanges', `acceptedSince=${text}`)).toEqual({ acceptedSince });
    // The link to the next page has it.
    expect(parse('listChanges', `acceptedSince=${acceptedSince}`)).toEqual({ acceptedSince });
  });
  it.each([
    ...valuesIn(`
      2026-08-17 | 2026-08-17T16:00:00 | 2026-02-30T16:00:00Z | 2026-08-17T24:00:00Z | 2026-08-17T16:00:60Z
      2026-08-17T16:00:00%2B24:00 | 2026-08-17T16:00:00%2B4 | 12026-08-17T16:00:00Z | -000001-01-01T00:00:00Z | now`),
    '',
  ])('acceptedUntil=%s is refused', (text) =>
    expect(refusal('listChanges', `acceptedUntil=${text}`)).toContain('acceptedUntil: must be an instant'),
  );
  it.each(['0.125', '100000.500', '1e3', '1000000000000'])(
    'minValue=%s is refused, and it is said why',
    (text) =>
      expect(refusal('listChanges', `minValue=${text}`)).toBe(
        `minValue: must be a number of US dollars from 0 to 999999999999.99 with at most two decimals, such as 100000, not "${text}"`,
      ),
  );
  it('a keyed operation refuses unknown parameters, and names its own', () =>
    expect(refusal('listLatestFilings', 'froms=8-K')).toBe(
      '"froms": this operation takes form, eventType, items, transactionCode, minValue, sic, exchange, listed, acceptedSince, acceptedUntil, exhibit, since, until, limit, cursor',
    ));
  it('a public operation ignores unknown parameters', () => expect(parse('getHealth', 'x=1')).toEqual({}));
});
