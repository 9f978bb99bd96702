import { describe, expect, it } from 'vitest';
import {
  submissionsUrl,
  tickersUrl,
  validateRequestsPerSecond,
  validateUserAgent,
} from '../../build/edgar/edgar-settings.ts';

describe('validateUserAgent', () => {
  it.each([
    'Jane Doe jane@example.com',
    'Acme AdminContact@acme.example.com',
    'Jane <jane.doe+edgar@mail.example.co.uk>',
    'jane@example.com (Jane)',
    'X 1 a@b.io',
  ])('takes %j', (text) => {
    expect(validateUserAgent(`  ${text} `)).toBe(text);
  });

  it.each([
    ['', 'no mailbox'],
    ['Jane Doe', 'no mailbox'],
    ['Jane Doe @jane', 'no mailbox'],
    ['Jane Doe jane@localhost', 'no mailbox'],
    ['Jane Doe jane@example..com', 'no mailbox'],
    ['Jane Doe jane at example.com', 'no mailbox'],
    ['jane@example.com', 'no name'],
    ['jane@example.com joe@example.com', 'no name'],
    ['<jane@example.com> 2026', 'no name'],
    ['Jane\r\nX-Evil: 1 jane@example.com', 'ASCII'],
    ['Jane\u0000 jane@example.com', 'ASCII'],
    ['Łukasz lukasz@example.com', 'ASCII'],
    [`Jane ${'x'.repeat(200)} jane@example.com`, 'at most 200'],
  ])('refuses %j', (text, reason) => {
    expect(() => validateUserAgent(text)).toThrow(/^EDGAR_USER_AGENT: /);
    expect(() => validateUserAgent(text)).toThrow(reason);
  });
});

describe('validateRequestsPerSecond', () => {
  it.each([0.1, 5, 10])('takes %d', (rate) => expect(validateRequestsPerSecond(rate)).toBe(rate));
  it.each([0, -1, 10.01, 11, Infinity, NaN])('refuses %d', (rate) => {
    expect(() => validateRequestsPerSecond(rate)).toThrow('EDGAR_RPS: must be above 0 and at most 10');
  });
});

describe('addresses', () => {
  const settings = {
    userAgent: '',
    requestsPerSecond: 5,
    dataUrl: 'https://data.sec.gov//',
    wwwUrl: 'http://127.0.0.1:1/www.sec.gov/',
  };

  it('are put together whether or not a base ends in a slash', () => {
    expect(submissionsUrl(settings, 'CIK0000320193.json')).toBe(
      'https://data.sec.gov/submissions/CIK0000320193.json',
    );
    expect(submissionsUrl({ ...settings, dataUrl: 'https://data.sec.gov' }, 'a')).toBe(
      'https://data.sec.gov/submissions/a',
    );
    expect(tickersUrl(settings, 'company_tickers.json')).toBe(
      'http://127.0.0.1:1/www.sec.gov/files/company_tickers.json',
    );
  });
});
