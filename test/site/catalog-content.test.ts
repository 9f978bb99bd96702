import { readdirSync } from 'node:fs';
import { domainToASCII, fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SampleDataset, SampleField, SampleValue } from '../../site/content/market.ts';
import { candidateMarkets } from '../../site/catalog/markets.ts';
import { isCalendarDate } from '../../src/domain/scalars.ts';

const slugShape = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const camelCase = /^[a-z]+([A-Z][a-z]+)*$/;
const httpsAddress = /^https:\/\/[a-z0-9.-]+\.[a-z]{2,}\//;

const duplicates = (values: readonly SampleValue[]) =>
  values.filter((value, at) => values.indexOf(value) !== at);

/** Whether a value is a day that the samples cover. */
const isSampleDate = (value: SampleValue) =>
  typeof value === 'string' && isCalendarDate(value) && value >= '2026-05-01' && value <= '2026-08-15';

/** Whether a value is of the type of its field. */
function fits(value: SampleValue, { type }: SampleField): boolean {
  if (value === null) return true;
  if (type === 'date') return isSampleDate(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'year') return Number.isInteger(value) && Number(value) >= 1900 && Number(value) < 2100;
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' && value !== '' && value === value.trim() && !/[\r\n\t]/.test(value);
}

/** All values of a field, in the order of the rows. */
const column = ({ fields, rows }: SampleDataset, name: string) =>
  rows.map((row) => row[fields.findIndex((field) => field.name === name)] ?? null);

/** Fields whose values identify something. */
const idFields = ({ fields }: SampleDataset) =>
  fields.filter(({ name }) => name.endsWith('Id')).map(({ name }) => name);

const datasets = candidateMarkets.flatMap((market) =>
  market.sampleDatasets.map((dataset) => ({ name: `${market.slug}/${dataset.slug}`, dataset })),
);
const workflows = candidateMarkets.flatMap((market) => market.workflows);

describe('the list of markets', () => {
  it('has fourteen markets with distinct slugs and names, one file each', () => {
    const slugs = candidateMarkets.map(({ slug }) => slug);
    expect(slugs).toHaveLength(14);
    expect(duplicates(slugs)).toEqual([]);
    expect(duplicates(candidateMarkets.map(({ name }) => name))).toEqual([]);
    expect(
      readdirSync(fileURLToPath(new URL('../../site/catalog/markets/', import.meta.url))).sort(),
    ).toEqual(slugs.map((slug) => `${slug}.ts`).sort());
  });

  it('gives every workflow a path of its own below /v1/, away from the live ones', () => {
    const paths = workflows.map(({ path }) => path);
    expect(duplicates(paths)).toEqual([]);
    for (const path of paths) {
      expect(path).toMatch(/^\/v1(\/[a-z0-9]+(-[a-z0-9]+)*){3}$/);
      expect(path).not.toMatch(/^\/v1\/(sec|validation)\//);
    }
  });

  it('puts commas, quotes and letters beyond ASCII into cells', () => {
    const cells = datasets
      .flatMap(({ dataset }) => dataset.rows.flat())
      .filter((value) => typeof value === 'string');
    for (const pattern of [/,/, /"/, /[^ -~]/])
      expect(cells.filter((cell) => pattern.test(cell)).length).toBeGreaterThan(14);
  });
});

describe.each(candidateMarkets.map((market) => ({ slug: market.slug, market })))(
  'market $slug',
  ({ market }) => {
    it('says what it would be, that it is not built, and what would start its building', () => {
      expect(market.stage).toBe('validation-only');
      expect(market.headline).toMatch(/^[A-Z][^\n]{20,118}[^.\s]$/);
      const sentences = market.description.split(/(?<=\.)\s+(?=[A-Z])/);
      expect(sentences.length).toBeGreaterThanOrEqual(3);
      expect(sentences.length).toBeLessThanOrEqual(5);
      expect(market.description).toMatch(/not built.*\.$/);
      expect(market.buildGate).toMatch(
        /\b\d+ requests and \d+ downloads within one window of (7|30|90) days\b.*\.$/,
      );
      expect(market.source.name).not.toBe('');
      expect(market.source.url).toMatch(httpsAddress);
    });

    it('has slugs that are distinct across feeds, datasets and workflows', () => {
      const slugs = [market.dataFeeds, market.sampleDatasets, market.workflows].flatMap((list) =>
        list.map(({ slug }) => slug),
      );
      for (const slug of [market.slug, ...slugs]) expect(slug).toMatch(slugShape);
      expect(duplicates(slugs)).toEqual([]);
    });

    it('has at least two feeds, one dataset and two workflows, which refer to its datasets', () => {
      expect(market.dataFeeds.length).toBeGreaterThanOrEqual(2);
      expect(market.sampleDatasets.length).toBeGreaterThanOrEqual(1);
      expect(market.workflows.length).toBeGreaterThanOrEqual(2);
      const known = market.sampleDatasets.map(({ slug }) => slug);
      const used = [...market.dataFeeds, ...market.workflows].map(({ dataset }) => dataset);
      expect(known).toEqual(expect.arrayContaining(used));
      expect(used).toEqual(expect.arrayContaining(known));
      for (const { cadence } of market.dataFeeds) expect(cadence).toMatch(/^[a-z]/);
    });

    it('has one to three parameters on every path, with examples that are valid', () => {
      for (const { path, parameters } of market.workflows) {
        expect(parameters.length, path).toBeGreaterThanOrEqual(1);
        expect(parameters.length, path).toBeLessThanOrEqual(3);
        expect(duplicates(parameters.map(({ name }) => name)), path).toEqual([]);
        for (const { name, type, example } of parameters) {
          expect(name).toMatch(camelCase);
          expect(
            type === 'date' ? isSampleDate(example) : example.trim() === example && example !== '',
            `${path} ${name} ${example}`,
          ).toBe(true);
        }
      }
    });

    it('takes its text examples from cells of the sample', () => {
      for (const { path, dataset, parameters } of market.workflows) {
        const cells = market.sampleDatasets.find(({ slug }) => slug === dataset)?.rows.flat() ?? [];
        for (const { type, example } of parameters) {
          if (type === 'text')
            expect(
              cells.some((cell) => typeof cell === 'string' && cell.includes(example)),
              `${path} ${example}`,
            ).toBe(true);
        }
      }
    });

    it('writes plain text: full sentences where it describes, no dashes between clauses, no stray spaces', () => {
      const described = [
        ...market.dataFeeds,
        ...market.sampleDatasets,
        ...market.workflows,
        ...market.sampleDatasets.flatMap(({ fields }) => fields),
        ...market.workflows.flatMap(({ parameters }) => parameters),
      ];
      for (const { name, description } of described) expect(description, name).toMatch(/^[A-Z].*\.$/);
      const texts = [
        market.name,
        market.headline,
        market.description,
        market.buildGate,
        ...described.flatMap(({ name, description }) => [name, description]),
        ...market.workflows.map(({ headline }) => headline),
      ];
      for (const text of texts) {
        expect(text).not.toMatch(/[—–]|\s{2}|^\s|\s$/);
        expect(text).not.toBe('');
      }
    });
  },
);

describe.each(datasets)('dataset $name', ({ dataset }) => {
  it('has distinct camelCase fields and 25 rows or more', () => {
    const names = dataset.fields.map(({ name }) => name);
    for (const name of names) expect(name).toMatch(camelCase);
    expect(duplicates(names)).toEqual([]);
    expect(dataset.rows.length).toBeGreaterThanOrEqual(25);
    expect(duplicates(dataset.rows.map((row) => JSON.stringify(row)))).toEqual([]);
  });

  it('has a value of the right type, or null, for every field of every row', () => {
    for (const row of dataset.rows) {
      expect(row, JSON.stringify(row)).toHaveLength(dataset.fields.length);
      for (const [at, field] of dataset.fields.entries())
        expect(fits(row[at] ?? null, field), `${field.name}: ${row[at]} in ${JSON.stringify(row)}`).toBe(
          true,
        );
    }
    expect(dataset.rows.flat()).toContain(null);
  });

  it('keeps numbers that count apart from those that name a year, and has no number that only names something', () => {
    for (const { name, type } of dataset.fields) {
      expect(/year$/i.test(name), name).toBe(type === 'year');
      if (type === 'integer' || type === 'number')
        expect(name).not.toMatch(/(id|code|number|serial|zip|postal)$/i);
    }
  });

  it('says of every field that has nulls what they mean, and has no other field without values', () => {
    for (const { name, description } of dataset.fields) {
      const values = column(dataset, name);
      if (values.includes(null)) expect(description, name).toMatch(/\bnull\b/);
      expect(
        values.some((value) => value !== null),
        name,
      ).toBe(true);
    }
  });

  it('lists the newest row first', () => {
    const dates = dataset.fields
      .filter(({ type }) => type === 'date')
      .map(({ name }) => column(dataset, name));
    const days = dataset.rows.map((_, at) =>
      dates.map((values) => values[at] ?? null).find((value) => value !== null),
    );
    expect(days).toEqual(days.toSorted().toReversed());
  });

  it('identifies each row by an id of its own, and writes SAMPLE- before every id', () => {
    const [first] = idFields(dataset);
    expect(first).toBeDefined();
    expect(duplicates(column(dataset, first ?? ''))).toEqual([]);
    expect(column(dataset, first ?? '')).not.toContain(null);
    for (const name of idFields(dataset))
      for (const value of column(dataset, name))
        expect(value ?? 'SAMPLE-NULL').toMatch(/^SAMPLE-[A-Z]+(-[0-9]+)?$/);
  });

  it('names no address or domain outside example.com and .example, and no telephone number or mail address', () => {
    for (const cell of dataset.rows.flat()) {
      if (typeof cell !== 'string') continue;
      if (/:\/\/|www\./.test(cell)) expect(cell).toMatch(/^https:\/\/example\.com\/samples\//);
      else expect(cell).not.toMatch(/\.(com|org|net|gov|edu|io|co|info|biz)\b/i);
      expect(cell).not.toMatch(/@|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|\b555-\d{4}\b/);
    }
    for (const { name } of dataset.fields)
      if (/domain$|nameServer$/i.test(name))
        for (const value of column(dataset, name)) expect(value ?? 'none.example').toMatch(/\.example$/);
  });
});

describe('what single markets promise', () => {
  const market = (slug: string) => candidateMarkets.find((each) => each.slug === slug);
  const dataset = (slug: string, name: string) =>
    market(slug)?.sampleDatasets.find((each) => each.slug === name) ?? {
      slug: '',
      name: '',
      description: '',
      fields: [],
      rows: [],
    };

  it('product recalls have exactly the specified paths, parameters and fields', () => {
    const recalls = market('consumer-product-safety');
    expect(
      recalls?.workflows.map(({ path, parameters }) => [path, ...parameters.map(({ name }) => name)]),
    ).toEqual([
      ['/v1/products/cpsc/recall-alerts', 'manufacturer', 'since'],
      ['/v1/products/cpsc/recalls', 'category', 'since'],
    ]);
    expect(recalls?.sampleDatasets).toHaveLength(1);
    const sample = dataset('consumer-product-safety', 'product-recalls');
    expect(sample.fields.map(({ name }) => name)).toEqual([
      'recallDate',
      'recallId',
      'productName',
      'category',
      'hazard',
      'remedy',
      'units',
      'manufacturer',
      'sourceUrl',
    ]);
    expect(sample.fields.find(({ name }) => name === 'units')?.type).toBe('integer');
    expect(column(sample, 'sourceUrl')).toEqual(
      column(sample, 'recallId').map((id) => `https://example.com/samples/recalls/${id}`),
    );
  });

  it('severities of vulnerabilities follow from their scores', () => {
    const sample = dataset('cyber-vulnerabilities', 'vulnerabilities');
    const severityOf = (score: SampleValue) =>
      typeof score !== 'number'
        ? null
        : score >= 9
          ? 'Critical'
          : score >= 7
            ? 'High'
            : score >= 4
              ? 'Medium'
              : 'Low';
    expect(column(sample, 'severity')).toEqual(column(sample, 'score').map(severityOf));
  });

  it('ASCII forms of domain names are those of the names', () => {
    const sample = dataset('domain-registrations', 'lookalike-domains');
    expect(column(sample, 'asciiDomain')).toEqual(
      column(sample, 'domain').map((name) => domainToASCII(String(name))),
    );
  });

  it('changes of a duty are the difference of its rates, where both are percentages', () => {
    const sample = dataset('trade-tariffs', 'duty-changes');
    const percentOf = (rate: SampleValue) =>
      rate === null || rate === 'Free'
        ? 0
        : /^[\d.]+%$/.test(String(rate))
          ? Number.parseFloat(String(rate))
          : null;
    for (const [at, points] of column(sample, 'changePoints').entries()) {
      const [before, after] = ['previousRate', 'newRate'].map((name) =>
        percentOf(column(sample, name)[at] ?? null),
      );
      if (typeof points !== 'number' || typeof before !== 'number' || typeof after !== 'number')
        expect([points, before, after]).toEqual([null, null, null]);
      else expect(after - before).toBeCloseTo(points);
    }
  });

  it('citations add up to the number and penalty of their inspection', () => {
    const [inspections, citations] = [
      dataset('labor-enforcement', 'inspections'),
      dataset('labor-enforcement', 'citations'),
    ];
    const sums = new Map<SampleValue, [number, number]>();
    for (const [at, id] of column(citations, 'inspectionId').entries()) {
      const [number, penalty] = sums.get(id) ?? [0, 0];
      sums.set(id, [number + 1, penalty + Number(column(citations, 'currentPenaltyUsd')[at])]);
    }
    const ids = column(inspections, 'inspectionId');
    for (const id of sums.keys()) expect(ids).toContain(id);
    for (const [at, id] of ids.entries()) {
      expect(
        [column(inspections, 'citations')[at], column(inspections, 'penaltyUsd')[at] ?? 0],
        String(id),
      ).toEqual(sums.get(id) ?? [0, 0]);
    }
  });
});
