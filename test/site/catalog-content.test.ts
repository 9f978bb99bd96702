import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { candidateMarkets } from '../../site/catalog/markets.ts';
import { calendarDate } from '../../src/domain/scalars.ts';
import { valuesIn } from '../support/values.ts';

const areDistinct = (values: readonly unknown[]) =>
  new Set(values.map((value) => JSON.stringify(value))).size === values.length;
const distinctBy = (name: string) => (each: readonly object[]) =>
  areDistinct(each.map((one) => (one as Record<string, unknown>)[name]));

const slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const memberName = z.string().regex(/^[a-z]+([A-Z][a-z]+)*$/);
/** On one line, without stray spaces and dashes between clauses. */
const plain = z.string().regex(/^(?!.*(?:[—–]|\s{2}))\S(?:.*\S)?$/);
const sentences = plain.regex(/^[A-Z].*\.$/);
const sampleDay = calendarDate.refine((day) => day >= '2026-05-01' && day <= '2026-08-15');

/** A cell names nobody: no address, domain, mail address or telephone number that somebody may have. */
const cellText = z
  .string()
  .regex(/^\S(?:.*\S)?$/)
  .refine((text) => text.startsWith('https://example.com/samples/') || !/:\/\/|www\./.test(text))
  .refine((text) => text.startsWith('https:') || !/\.(com|org|net|gov|edu|io|co|info|biz)\b/i.test(text))
  .refine((text) => !/@|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|\b555-\d{4}\b/.test(text));
const values = {
  string: cellText,
  date: sampleDay,
  integer: z.int(),
  year: z.int().min(1900).max(2099),
  number: z.number(),
  boolean: z.boolean(),
};
const typeNames = Object.keys(values) as [keyof typeof values, ...(keyof typeof values)[]];
const field = z
  .object({ name: memberName, type: z.enum(typeNames), description: sentences })
  .refine(({ name, type }) => /year$/i.test(name) === (type === 'year'))
  // A number that only names something is a text.
  .refine(
    ({ name, type }) =>
      !/^(integer|number)$/.test(type) || !/(id|code|number|serial|zip|postal)$/i.test(name),
  );
const dataset = z
  .object({
    slug,
    name: plain,
    description: sentences,
    fields: z.array(field).refine(distinctBy('name')),
    rows: z
      .array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
      .min(25)
      .refine(areDistinct),
  })
  .superRefine(({ fields, rows }, { addIssue }) => {
    const wrong = (message: string) => addIssue({ code: 'custom', message });
    const dates = fields.flatMap(({ type }, at) => (type === 'date' ? [at] : []));
    const days = rows.map((row) => dates.map((at) => row[at]).find((day) => day !== null));
    if (days.some((day, at) => String(day) > String(days[at - 1] ?? '~')))
      wrong('the newest row is not first');
    if (rows.some(({ length }) => length !== fields.length)) wrong('a row has another length');
    if (!rows.flat().includes(null)) wrong('nothing is null');
    for (const [at, { name, type, description }] of fields.entries()) {
      const column = rows.map((row) => row[at]);
      const known = column.filter((value) => value !== null);
      if (known.length === 0) wrong(`${name} has no values`);
      if (known.length < column.length && !/\bnull\b/.test(description))
        wrong(`${name} does not say what null is`);
      for (const value of known) if (!values[type].safeParse(value).success) wrong(`${name}: ${value}`);
      const isId = name.endsWith('Id');
      if (isId && known.some((value) => !/^SAMPLE-[A-Z]+(-[0-9]+)?$/.test(String(value))))
        wrong(`${name} is no id`);
      if (/domain$|nameServer$/i.test(name) && known.some((value) => !String(value).endsWith('.example')))
        wrong(`${name} has a domain that somebody may have`);
    }
    const id = fields.findIndex(({ name }) => name.endsWith('Id'));
    const ids = rows.map((row) => row[id] ?? null);
    if (ids.includes(null) || !areDistinct(ids)) wrong('an id does not name one row');
  });
const parameter = z
  .object({ name: memberName, type: z.enum(['text', 'date']), description: sentences, example: plain })
  .refine(({ type, example }) => type === 'text' || sampleDay.safeParse(example).success);
const workflow = z.object({
  slug,
  name: plain,
  headline: plain,
  description: sentences,
  path: z
    .string()
    .regex(/^\/v1(\/[a-z0-9]+(-[a-z0-9]+)*){3}$/)
    .regex(/^(?!\/v1\/(sec|validation)\/)/),
  parameters: z.array(parameter).min(1).max(3).refine(distinctBy('name')),
  dataset: slug,
});
const market = z
  .object({
    slug,
    name: plain,
    headline: plain.regex(/[^.]$/),
    description: sentences.regex(/not built/),
    stage: z.literal('validation-only'),
    buildGate: sentences.regex(/\b\d+ requests and \d+ downloads within one window of (7|30|90) days\b/),
    source: z.object({ name: plain, url: z.string().regex(/^https:\/\/[a-z0-9.-]+\.[a-z]{2,}\//) }),
    dataFeeds: z
      .array(
        z.object({
          slug,
          name: plain,
          description: sentences,
          cadence: z.string().regex(/^[a-z]/),
          dataset: slug,
        }),
      )
      .min(2),
    sampleDatasets: z.array(dataset).min(1),
    workflows: z.array(workflow).min(2),
  })
  .refine(({ dataFeeds, sampleDatasets, workflows }) =>
    distinctBy('slug')([...dataFeeds, ...sampleDatasets, ...workflows]),
  )
  .superRefine(({ dataFeeds, sampleDatasets, workflows }, { addIssue }) => {
    const used = [...dataFeeds, ...workflows].map((each) => each.dataset);
    const unused = sampleDatasets.filter((each) => !used.includes(each.slug));
    if (unused.length > 0) addIssue({ code: 'custom', message: `nothing shows ${unused[0]?.slug}` });
    for (const { path, parameters, dataset: of } of workflows) {
      const cells =
        sampleDatasets
          .find((each) => each.slug === of)
          ?.rows.flat()
          .map(String) ?? [];
      // An example of a text is one of a cell.
      for (const { type, example } of parameters)
        if (!(type === 'text' ? cells.some((cell) => cell.includes(example)) : cells.length > 0))
          addIssue({ code: 'custom', message: `${path} has the example ${example}` });
    }
  });

describe('the list of markets', () => {
  it.each(candidateMarkets.map((each) => [each.slug, each] as const))('%s is as its schema says', (_, each) =>
    expect(market.safeParse(each).error?.issues ?? []).toEqual([]),
  );

  it('has fourteen markets, one file each, with names and paths of their own', () => {
    expect(candidateMarkets).toHaveLength(14);
    expect(distinctBy('name')(candidateMarkets)).toBe(true);
    expect(distinctBy('path')(candidateMarkets.flatMap(({ workflows }) => workflows))).toBe(true);
    expect(
      readdirSync(fileURLToPath(new URL('../../site/catalog/markets/', import.meta.url))).sort(),
    ).toEqual(candidateMarkets.map((each) => `${each.slug}.ts`).sort());
  });

  it('puts commas, quotes and letters beyond ASCII into cells', () => {
    const cells = candidateMarkets.flatMap(({ sampleDatasets }) =>
      sampleDatasets.flatMap(({ rows }) => rows.flat()),
    );
    for (const pattern of [/,/, /"/, /[^ -~]/])
      expect(cells.filter((cell) => pattern.test(String(cell))).length).toBeGreaterThan(14);
  });

  it('has exactly the specified paths, parameters and fields of product recalls', () => {
    const recalls = candidateMarkets.find((each) => each.slug === 'consumer-product-safety');
    expect(
      recalls?.workflows.map(({ path, parameters }) => [path, ...parameters.map(({ name }) => name)]),
    ).toEqual([
      ['/v1/products/cpsc/recall-alerts', 'manufacturer', 'since'],
      ['/v1/products/cpsc/recalls', 'category', 'since'],
    ]);
    expect(recalls?.sampleDatasets.map(({ fields }) => fields.map(({ name }) => name))).toEqual([
      valuesIn(`
        recallDate | recallId | productName | category | hazard | remedy | units | manufacturer
        sourceUrl`),
    ]);
  });
});
