import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { RootResponse } from '../../src/contract/envelopes.ts';
import { errorStatus } from '../../src/contract/errors.ts';
import { eventTypeOfForm, eventTypes } from '../../src/domain/event-types.ts';
import { itemTitle, parseItems } from '../../src/domain/items.ts';
import { parameters } from '../../src/contract/parameters.ts';
import { Change } from '../../src/contract/records.ts';
import { ReferenceResponse } from '../../src/contract/reference.ts';
import { useSample } from '../support/sample.ts';

const service = useSample();
let reference: ReferenceResponse;
beforeAll(async () => {
  const response = await service.get('/reference.json', { 'x-api-key': '' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+/);
  reference = ReferenceResponse.strict().parse(await response.json());
});

describe('the reference', () => {
  it('the reference has each form once, with its family and description', () => {
    const forms = reference.forms.map(({ form }) => form);
    expect(new Set(forms).size).toBe(forms.length);
    expect(forms).toEqual(expect.arrayContaining(['8-K', '10-K', '4', 'SCHEDULE 13G', 'DEF 14A']));
    for (const { form, eventType, description } of reference.forms) {
      expect([form, eventType]).toEqual([form, eventTypeOfForm(form)]);
      expect(description).toMatch(/^[A-Z]/);
    }
    expect(reference.forms.find(({ form }) => form === '8-K')).toEqual({
      form: '8-K',
      eventType: 'current_report',
      description: 'Current report',
      amendsEarlier: false,
      newName: null,
    });
    expect(reference.forms.find(({ form }) => form === 'SC 13G')).toMatchObject({ newName: 'SCHEDULE 13G' });
    expect(reference.forms.find(({ form }) => form === 'POS AM')).toMatchObject({ amendsEarlier: true });
  });

  it('the reference has the items of both regimes', () => {
    expect(reference.items.filter(({ regime }) => regime === 'current').length).toBe(34);
    for (const { code, title, regime, successor } of reference.items) {
      if (regime === 'current') expect([code, title]).toEqual([code, itemTitle(code)]);
      else expect([code, parseItems('current_report', code)]).toEqual([code, [successor]]);
    }
    expect(reference.items.filter(({ regime }) => regime === 'before_2004').map(({ code }) => code)).toEqual(
      Array.from({ length: 12 }, (_, at) => String(at + 1)),
    );
  });

  it('the reference says that corrections are amended, in the words of the records', () => {
    expect(reference.changeTypes.map(({ changeType }) => changeType)).toEqual([
      'amended',
      'material_event',
      'new',
    ]);
    expect(reference.changeTypes[0]?.description).toContain('every entry with revision 2 or more');
    for (const { changeType, description } of reference.changeTypes)
      expect(Change.shape.changeType.description).toContain(`\`${changeType}\`: ${description}`);
  });

  it('the reference has every family, change type and error code', () => {
    expect(reference.eventTypes.map(({ eventType }) => eventType)).toEqual(eventTypes);
    expect(reference.changeTypes.map(({ changeType }) => changeType).sort()).toEqual(
      [...Change.shape.changeType.options].sort(),
    );
    expect(Object.fromEntries(reference.errorCodes.map(({ code, status }) => [code, status]))).toEqual(
      errorStatus,
    );
    expect(reference.roles.map(({ role }) => role)).toEqual([
      'filer',
      'issuer',
      'reporting_owner',
      'subject',
      'filed_by',
    ]);
  });

  it('the reference has the exchange of every company', async () => {
    const exchanges = reference.exchanges.map(({ exchange }) => exchange);
    for (const ticker of ['AAPL', 'KO']) {
      const { data } = await service.json<{ data: { exchange: string } }>(
        `/v1/sec/company/${ticker}/profile`,
      );
      expect(exchanges).toContain(data.exchange);
    }
  });

  it('root, documentation, llms.txt and parameters name the reference', async () => {
    for (const path of [
      '/',
      '/docs/reference',
      '/docs/events',
      '/llms.txt',
      '/openapi.json',
      '/postman.json',
    ])
      expect([path, (await (await service.get(path)).text()).includes('/reference.json')]).toEqual([
        path,
        true,
      ]);
    for (const name of ['form', 'eventType'] as const)
      expect(parameters[name].description).toContain('`/reference.json`');
  });
});

describe('the root', () => {
  it('the root names every operation of the schema document, each with a request that works', async () => {
    const root = RootResponse.strict().parse(await (await service.get('/')).json());
    const named = root.operations.map(({ method, path }) => `${method} ${path}`);
    expect(named.slice(0, endpoints.length)).toEqual(endpoints.map(({ path }) => `GET ${path}`));
    const { paths } = await service.json<{ paths: Record<string, Record<string, { operationId: string }>> }>(
      '/openapi.json',
    );
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...named].sort()).toEqual(described.sort());
    for (const { id, method, path, example, access } of root.operations) {
      expect(paths[path]?.[method.toLowerCase()]?.operationId).toBe(id);
      if (method === 'POST') continue;
      expect([example, (await service.get(example)).status]).toEqual([
        example,
        path.startsWith('/validate/') ? 202 : 200,
      ]);
      expect([example, (await service.get(example, { 'x-api-key': '' })).status]).toEqual([
        example,
        access === 'keyed' ? 401 : path.startsWith('/validate/') ? 202 : 200,
      ]);
    }
    for (const path of [root.reference, root.openapiSamples])
      expect((await service.get(path)).status).toBe(200);
  });
});
