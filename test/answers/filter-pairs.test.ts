import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requireKnownFilters } from '../../src/answers/known-filters.ts';
import type { AnswerPlan, Endpoint } from '../../src/contract/endpoints.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { eventTypes, ownershipFamilies } from '../../src/domain/event-types.ts';
import { formsByEventType } from '../../src/domain/forms.ts';
import { itemTitles } from '../../src/domain/items.ts';
import { isFormInUse } from '../../src/domain/nearest.ts';
import type { Query } from '../../src/contract/parameters.ts';
import { filteredLists } from '../support/list-walks.ts';
import { useSample } from '../support/sample.ts';

/** A form that is in no list, which a filing of the snapshot has all the same. */
const unlisted = 'ODD FORM';
/** Every form that the filter takes, with its family, from the table of forms alone. */
const familyOfForm = new Map<string, string>([
  ...eventTypes.flatMap((family) =>
    formsByEventType[family]
      .filter(isFormInUse)
      .flatMap((form) => [form, `${form}/A`].map((each) => [each, family] as const)),
  ),
  [unlisted, 'other_filing'],
]);
const forms = [...familyOfForm.keys()];
const codes = itemTitles.map(([code]) => code);
const history: AnswerPlan = { kind: 'history' };
const insiderHistory: AnswerPlan = { kind: 'history', insiders: true };

/** Whether any filing could match: one that has any of the forms, and items or transactions only if its family can. */
const couldMatch = ({ form, eventType, items, transactionCode, minValue }: Query, isOfInsiders: boolean) =>
  [...familyOfForm].some(
    ([each, family]) =>
      (form === undefined || form.includes(each)) &&
      (eventType === undefined || family === eventType) &&
      (items === undefined || family === 'current_report') &&
      ((transactionCode ?? minValue) === undefined ||
        ['insider_transaction', 'insider_annual_statement'].includes(family)) &&
      (!isOfInsiders || ownershipFamilies.has(family)),
  );

/** The message with which filters are refused; null if they are taken. */
function refusalOf(query: Query, plan = history): string | null {
  try {
    requireKnownFilters(
      { forms: [unlisted], formerKinds: [], unlistedItems: [], unlistedFacts: [] },
      plan,
      query,
    );
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe('invalid_parameter');
    return (error as ApiError).message;
  }
}

describe('filters that can never match together', () => {
  it('each form with its family and another, and each family with each, are refused exactly if no filing could match, with items and without', {
    tags: ['slow'],
  }, () => {
    const families = eventTypes as readonly string[];
    expect(forms.length * families.length).toBeGreaterThan(40_000);
    const first = new Map([...familyOfForm].toReversed().map(([form, family]) => [family, form]));
    let taken = 0;
    for (const [form, family] of familyOfForm) {
      const next = families[(families.indexOf(family) + 1) % families.length] as string;
      for (const eventType of first.get(family) === form ? families : [family, next]) {
        const [alone, withItems] = [{}, { items: ['2.02'] }].map((more) =>
          refusalOf({ form: [form], eventType, ...more }),
        );
        if (alone === null) taken++;
        if ((alone === null) !== (family === eventType)) expect([form, eventType, alone]).toEqual([]);
        if ((withItems === null) !== (family === eventType && family === 'current_report'))
          expect([form, eventType, withItems]).toEqual([]);
      }
    }
    expect(taken).toBe(forms.length);
  });

  it('any filters of any list are refused exactly if no filing could match', () => {
    const orNone = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const someForms = fc.oneof(
      fc.array(fc.constantFrom(...forms), { minLength: 1, maxLength: 4 }),
      fc.subarray(['8-K', '8-K/A', '10-K', '4', '3/A', unlisted], { minLength: 1 }),
    );
    const someFamilies = fc.constantFrom<string>('current_report', 'insider_transaction', ...eventTypes);
    fc.assert(
      fc.property(
        fc.record({
          form: orNone(someForms),
          eventType: orNone(someFamilies),
          items: fc.option(fc.subarray(codes, { minLength: 1, maxLength: 10 }), { nil: undefined, freq: 1 }),
          transactionCode: orNone(fc.constantFrom<string[]>(['P'], ['P', 'S'])),
          minValue: fc.option(fc.constant(0), { nil: undefined, freq: 1 }),
        }),
        (query) => {
          expect(refusalOf(query as Query) === null).toBe(couldMatch(query as Query, false));
          const isEachOfInsiders = (query.form ?? []).every((form) =>
            ownershipFamilies.has(familyOfForm.get(form) ?? ''),
          );
          // Insider filings refuse every other form, also beside one that could match.
          expect(refusalOf(query as Query, insiderHistory) === null).toBe(
            isEachOfInsiders && couldMatch(query as Query, true),
          );
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('the message names both filters and says what goes together', () => {
    for (const [query, ...words] of [
      [{ form: ['10-K'], items: ['2.02'] }, 'form', 'items', '10-K', '2.02', 'current_report', '8-K12B'],
      [{ form: ['10-K'], eventType: 'current_report' }, 'form', 'eventType', '10-K belongs to annual_report'],
      [{ eventType: 'annual_report', items: ['2.02'] }, 'eventType', 'items', 'annual_report', '8-K12B'],
      [{ form: ['3'], transactionCode: ['P'] }, 'form=3', 'transactionCode=P', 'Forms 4 and 5'],
      [{ eventType: 'annual_report', minValue: 0 }, 'eventType', 'minValue=0', 'insider_annual_statement'],
      [{ items: ['2.02'], transactionCode: ['P'] }, 'items=2.02', 'transactionCode=P', 'Forms 4 and 5'],
    ] as const)
      for (const word of words) expect(refusalOf(query as unknown as Query)).toContain(word);
  });
});

describe('lists with filters that can never match together', () => {
  const service = useSample();
  const asked = async ({ example }: Endpoint, given: Readonly<Record<string, string>>) => {
    const [path, query = ''] = example.split('?');
    const { form: _, ...own } = Object.fromEntries(new URLSearchParams(query));
    return service.get(`${path}?${new URLSearchParams({ ...own, ...given })}`);
  };

  it.each(filteredLists)('$id refuses them, also with wait', async (endpoint) => {
    expect(filteredLists.length).toBeGreaterThan(5);
    const takesWait = endpoint.parameters.some(({ parameter }) => parameter.name === 'wait');
    for (const given of [
      { form: '10-K', items: '2.02' },
      { form: '10-K', eventType: 'current_report' },
      { form: '4', items: '2.02' },
      { form: '3,4/A', eventType: 'insider_annual_statement' },
      { eventType: 'insider_transaction', items: '9.01' },
      { form: '3', transactionCode: 'P' },
      { eventType: 'insider_initial_statement', minValue: '0' },
    ]) {
      const response = await asked(endpoint, { ...given, ...(takesWait ? { wait: '60' } : {}) });
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect([response.status, error.code]).toEqual([400, 'invalid_parameter']);
      const isOfInsiders = endpoint.id === 'listInsiderTrades' && 'form' in given && given.form === '10-K';
      for (const name of Object.keys(given).slice(0, isOfInsiders ? 1 : 2))
        expect(error.message).toContain(name);
    }
  });

  it('insider filings refuse items, because they have none', async () => {
    const response = await service.get('/v1/sec/insider-trades?items=2.02');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(
      'items: must be left out here, because Forms 3, 4 and 5 have no items',
    );
  });

  it('filters that match together are taken', async () => {
    for (const query of ['form=8-K,10-K&items=2.02', 'form=8-K/A&eventType=current_report&items=9.01'])
      expect((await service.get(`/v1/sec/latest?${query}`)).status).toBe(200);
  });
});
