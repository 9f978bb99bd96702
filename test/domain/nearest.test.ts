import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { ErrorResponse } from '../../src/contract/errors.ts';
import { eventTypes } from '../../src/domain/event-types.ts';
import { formsByEventType, renamedForms } from '../../src/domain/forms.ts';
import { itemTitles } from '../../src/domain/items.ts';
import {
  renamedFormMessage,
  unknownEventTypeMessage,
  unknownFormMessage,
  unknownItemMessage,
} from '../../src/contract/unknown-values.ts';
import { isFormInUse, nearestEventTypes, nearestForms, nearestItems } from '../../src/domain/nearest.ts';
import { hostileText } from '../support/arbitraries.ts';
import { sampleKey, useSample } from '../support/sample.ts';

const served = ['4', '8-K', '424B2', '10-Q', '10-K', 'SCHEDULE 13G/A', '13F-HR', 'DEF 14A', 'X-NEW 7'];

describe('the forms nearest to', () => {
  it.each([
    // Punctuation, spaces and the word "form".
    ['10k', ['10-K']],
    ['8K', ['8-K']],
    ['8-K*', ['8-K']],
    ['10-K/A*', ['10-K/A']],
    ['10KA', ['10-K/A']],
    ['4A', ['4/A']],
    ['Form 4', ['4']],
    ['form10-q', ['10-Q']],
    ['def14a', ['DEF 14A']],
    ['xnew7', ['X-NEW 7']],
    ['xnew7a', ['X-NEW 7']],
    // Old names.
    ['SC 13G', ['SCHEDULE 13G']],
    ['SC 13G/A', ['SCHEDULE 13G/A']],
    ['sc13da', ['SCHEDULE 13D/A']],
    ['N-MFP2', ['N-MFP3']],
    // The text begins a form or is a part of it. Forms of the snapshot come first.
    ['8', ['8-K', '8-K12B', '8-K12G3']],
    ['424B', ['424B2', '424B1', '424B3']],
    ['13F', ['13F-HR', '13F-CTR', '13F-E']],
    ['DEF14', ['DEF 14A', 'DEF 14C']],
    ['13G', ['SCHEDULE 13G']],
    ['13D/A', ['SCHEDULE 13D/A']],
    // A slip or two.
    ['10-KK', ['10-K', '10-KT']],
    ['SCEDULE 13G', ['SCHEDULE 13G']],
    ['SCHEDUEL 13G/A', ['SCHEDULE 13G/A']],
    // Nothing is near.
    ['bogus', []],
    ['7', []],
    ['*', []],
    ['/A', []],
    ['form', []],
  ])('the forms nearest to %j are %j', (text, near) => expect(nearestForms(text, served)).toEqual(near));

  it('the forms nearest to any text are at most three, and the service takes each of them', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostileText,
          fc.constantFrom(...Object.values(formsByEventType).flat()),
          fc.stringMatching(/^[0-9A-Z/ -]{1,12}$/),
        ),
        (text) => {
          const near = nearestForms(text, served);
          expect(near.length).toBeLessThanOrEqual(3);
          for (const form of near) expect(isFormInUse(form) || served.includes(form), form).toBe(true);
        },
      ),
    );
  });
});

describe('the event families nearest to', () => {
  it.each([
    ['8-K', '8-K', ['current_report']],
    ['10k', '10-K', ['annual_report']],
    ['4', '4', ['insider_transaction']],
    ['sc 13g/a', 'SCHEDULE 13G/A', ['beneficial_ownership_passive']],
    ['annual report', null, ['annual_report']],
    ['Annual-Report', null, ['annual_report']],
    ['curent_report', null, ['current_report']],
    ['quarterly', null, ['quarterly_report']],
    [
      'insiders trades',
      null,
      ['insider_transaction', 'insider_initial_statement', 'insider_annual_statement'],
    ],
    ['material current report', null, ['current_report', 'foreign_current_report', 'fund_current_report']],
    ['bogus', null, []],
    ['', null, []],
  ])('nearestEventTypes reads %j as form %j, and proposes %j', (text, form, near) =>
    expect(nearestEventTypes(text)).toEqual({ form, eventTypes: near }),
  );

  it('the event families nearest to any text are at most three of the list', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.stringMatching(/^[a-z_ ]{1,20}$/)), (text) => {
        const { eventTypes: near } = nearestEventTypes(text);
        expect(near.length).toBeLessThanOrEqual(3);
        for (const eventType of near) expect(eventTypes).toContain(eventType);
      }),
    );
  });
});

describe('the items nearest to', () => {
  it.each([
    ['202', ['2.02']],
    ['2.2', ['2.02']],
    ['Item 2.02', ['2.02']],
    ['5,02', ['5.02']],
    ['5', ['8.01']],
    ['12', ['2.02', '1.02']],
    ['2.07', ['2.06', '2.05', '2.04']],
    ['9.99', ['9.01']],
    ['10.10', []],
    ['results', []],
    ['', []],
  ])('the items nearest to %j are %j', (text, near) => expect(nearestItems(text)).toEqual(near));

  it('the items nearest to any text are at most three of the list', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.stringMatching(/^[0-9]{1,2}\.?[0-9]{0,2}$/)), (text) => {
        const near = nearestItems(text);
        expect(near.length).toBeLessThanOrEqual(3);
        for (const item of near) expect(itemTitles.map(([code]) => code)).toContain(item);
      }),
    );
  });
});

describe('a form in use', () => {
  it('isFormInUse accepts a listed form under its present name, and its amendments', () => {
    for (const form of ['8-K', '8-K/A', 'SCHEDULE 13G/A', '10-K405', 'ATS-N/MA'])
      expect([form, isFormInUse(form)]).toEqual([form, true]);
    for (const form of ['10K', 'SC 13G', 'SC 13G/A', '8-K/MA', '8-K/A/A', '', '/A'])
      expect([form, isFormInUse(form)]).toEqual([form, false]);
  });

  it('isFormInUse accepts the new name of every renamed form', () => {
    for (const [, newName] of renamedForms) expect([newName, isFormInUse(newName)]).toEqual([newName, true]);
  });
});

it('the message of a refused filter names the value, the nearest values, and the list', () => {
  expect(renamedFormMessage('SC 13G/A', 'SCHEDULE 13G/A')).toBe(
    'form: must be SCHEDULE 13G/A, or both names with a comma between, not "SC 13G/A"; EDGAR has renamed it, and no filing here has the old name',
  );
  expect(unknownFormMessage('BOGUS', served)).toBe(
    'form: must be a form that /reference.json lists or that a filing has, not "BOGUS"',
  );
  expect(unknownEventTypeMessage('8-k')).toBe(
    `eventType: must be one of the ${eventTypes.length} event families that /reference.json lists, not "8-k"; the nearest is current_report, because 8-K is a form of that family`,
  );
  expect(unknownItemMessage('2.2')).toBe(
    'items: must be items of Form 8-K that /reference.json lists or that a filing has, not "2.2"; the nearest is 2.02',
  );
});

describe('a request with a filter that can match nothing', () => {
  const service = useSample();
  const messageOf = async (path: string) => {
    const response = await service.get(path);
    return [response.status, ErrorResponse.parse(await response.json()).error] as const;
  };

  it.each([
    ['/v1/sec/latest?form=10k', '10-K'],
    ['/v1/sec/latest?form=8-K*', '8-K'],
    ['/v1/sec/changes?since=2026-08-01&form=SC+13G/A', 'SCHEDULE 13G/A'],
    ['/v1/sec/changes?since=2026-08-01&ticker=AAPL&form=8k', '8-K'],
    ['/v1/sec/changes?since=2026-08-01&eventType=8-K', 'current_report'],
    ['/v1/sec/changes?since=2026-08-01&eventType=bogus', '/reference.json'],
    ['/v1/sec/latest?form=bogus', '/reference.json'],
    // One wrong value among several is enough, on every list.
    ['/v1/sec/company/AAPL/filings?form=10-K,10q', '10-Q'],
    ['/v1/sec/company/AAPL/events?eventType=anual_report', 'annual_report'],
    ['/v1/sec/watchlist/changes?tickers=AAPL&form=8K', '8-K'],
    ['/v1/sec/insider-trades?form=4a', '4/A'],
    ['/v1/sec/latest?items=2.02,2.2', '2.02'],
    ['/v1/sec/changes?since=2026-08-01&items=9.02', '9.01'],
    ['/v1/sec/watchlist/changes?tickers=AAPL&items=bogus', '/reference.json'],
    ['/v1/sec/company/AAPL/filings?items=202', '2.02'],
    // Insider filings have Forms 3, 4 and 5 and their amendments only.
    ['/v1/sec/insider-trades?form=8-K', '3/A, 4/A, 5/A'],
    ['/v1/sec/insider-trades?ticker=AAPL&form=4,144', 'not 144'],
    ['/v1/sec/insider-trades?eventType=current_report', 'insider_transaction'],
    // An `until` before `since`.
    ['/v1/sec/latest?since=2026-08-02&until=2026-08-01', 'since, 2026-08-02'],
    ['/v1/sec/watchlist/changes?tickers=AAPL&since=2026-08-02&until=2026-08-01', 'since, 2026-08-02'],
  ])('the service refuses %s with a message that has "%s"', async (path, near) => {
    const [status, { code, message }] = await messageOf(path);
    expect([status, code]).toEqual([400, 'invalid_parameter']);
    expect(message).toContain(near);
  });

  it('the service takes a filter value that the list or a filing has, in upper or lower case', async () => {
    const { data } = await service.json<{ data: { forms: { form: string }[] } }>('/v1/sec/stats');
    for (const form of [...data.forms.map((each) => each.form), 'n-px', 'SB-2', 'NT 10-K/A'])
      expect([
        form,
        (await service.get(`/v1/sec/latest?limit=1&form=${encodeURIComponent(form)}`)).status,
      ]).toEqual([form, 200]);
    expect((await service.get('/v1/sec/changes?since=2026-08-01&eventType=Current_Report')).status).toBe(200);
  });

  it.each([
    ['SC 13D,SCHEDULE 13D', 'SCHEDULE 13D'],
    ['SCHEDULE 13G/A,SC 13G/A', 'SCHEDULE 13G/A'],
    ['N-MFP1,N-MFP2,N-MFP3', 'N-MFP3'],
  ])('a list of forms may have former names: form=%s finds the filings of %s', async (forms, newName) => {
    const countOf = async (form: string) => {
      const path = `/v1/sec/changes?since=1990-01-01&limit=200&form=${encodeURIComponent(form)}`;
      const response = await service.get(path);
      return [response.status, ((await response.json()) as { data?: unknown[] }).data?.length];
    };
    expect(await countOf(forms)).toEqual(await countOf(newName));
    expect((await countOf(forms))[0]).toBe(200);
  });

  it('former names alone are refused, and so is what nobody files beside them', async () => {
    for (const form of ['SC 13D', 'SC 13D,SC 13G'])
      expect(await messageOf(`/v1/sec/latest?form=${encodeURIComponent(form)}`)).toMatchObject([
        400,
        { message: expect.stringContaining('EDGAR has renamed it') as string },
      ]);
    expect((await messageOf('/v1/sec/latest?form=SC+13D,SCHEDULE+13D,10k'))[1].message).toContain('10-K');
  });

  it('the agent refuses a filter that can match nothing, too', async () => {
    const ask = async (part: object) => {
      const message = { messageId: '1', role: 'ROLE_USER', parts: [part] };
      const response = await service.post(
        '/a2a',
        JSON.stringify({ jsonrpc: '2.0', id: '1', method: 'SendMessage', params: { message } }),
        { 'a2a-version': '1.0', 'x-api-key': sampleKey },
      );
      return response.text();
    };
    expect(await ask({ data: { skill: 'recent-filings', arguments: { form: '10k' } } })).toContain(
      'the nearest is 10-K',
    );
    expect(await ask({ text: 'latest 10k filings' })).toContain('the nearest is 10-K');
    expect(
      await ask({ data: { skill: 'change-feed', arguments: { since: '2026-08-01', eventType: '8-K' } } }),
    ).toContain('the nearest is current_report');
  });
});
