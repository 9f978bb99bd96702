import type { ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { eventTypes, ownershipFamilies } from '../../src/domain/event-types.ts';
import { parameters, type Parameter } from '../../src/contract/parameters.ts';
import { tools } from '../../src/contract/tools.ts';
import { namePlaceholder } from '../../build/overview/ask-examples.ts';
import { hostileText } from '../support/arbitraries.ts';
import { filterValues } from '../support/many-kinds.ts';
import { useSample } from '../support/sample.ts';
import { faultsOf, newValidator } from '../support/schemas.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; example?: unknown }[];
  responses: Record<
    string,
    {
      description: string;
      headers?: Record<string, unknown>;
      content?: Record<
        string,
        { schema: unknown; example?: unknown; examples?: Record<string, { value: unknown }> }
      >;
    }
  >;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; headers: Record<string, unknown> };
}

const service = useSample();
let document: Document;
/** Validators by operation and status. */
const validators = new Map<string, ValidateFunction>();

beforeAll(async () => {
  document = await service.json<Document>('/openapi.json');
  const ajv = newValidator();
  ajv.addSchema({ $id: 'https://example.com/openapi', ...document });
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, responses }] of Object.entries(methods)) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (!content?.['application/json']) continue;
        const pointer = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
          .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
          .join('/');
        validators.set(
          `${operationId} ${status}`,
          ajv.compile({ $ref: `https://example.com/openapi#/${pointer}` }),
        );
      }
    }
  }
});

const all: readonly Endpoint[] = endpoints;

/** Texts for a parameter: good ones, nearly good ones, and bad ones. */
function textsFor({ name, example }: Parameter): fc.Arbitrary<string> {
  const good: Record<string, readonly string[]> = {
    ...filterValues,
    limit: ['1', '200', '7'],
    since: ['2026-08-01', '2026-08-01T10:00:00Z', '1993-01-01'],
    until: ['2026-08-31', '1993-01-02'],
    form: ['8-K', '10-q', '4', '4,3/A', 'NT 10-K,10-K'],
    items: ['2.02', '5.02,9.01', '9.02'],
    eventType: ['current_report', 'nothing'],
    ticker: ['AAPL', 'brk.b', '0000320193', 'ZZZZ'],
    tickers: ['AAPL', 'AAPL,MSFT,ZZZZ', 'brk/b,0000789019'],
    q: ['apple', 'in', '320193'],
    accessionNo: ['0000320193-25-000079', '0000000000-00-000000'],
    file: ['changes-000000000001.jsonl.gz', 'changes-000000000002.jsonl.gz'],
  };
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(example, ...(good[name] ?? ['x'])) },
    { weight: 1, arbitrary: hostileText },
  );
}

/** The text as a program that writes UTF-8 would send it. */
const wellFormed = (text: string) => Buffer.from(text).toString();

/**
 * Any request to an operation: each of its parameters given or not, and now and then one that it does not
 * have.
 */
function requestTo(endpoint: Endpoint): fc.Arbitrary<string> {
  const given = endpoint.parameters.map(({ parameter, required }) =>
    fc
      .option(textsFor(parameter), { nil: undefined, freq: required || parameter.in === 'path' ? 20 : 1 })
      .map((text) => ({ parameter, text })),
  );
  return fc
    .tuple(fc.tuple(...given), fc.option(hostileText, { nil: undefined, freq: 1 }))
    .map(([texts, stranger]) => {
      let path = endpoint.path;
      const query: string[] = [];
      for (const { parameter, text } of texts) {
        if (parameter.in === 'path')
          path = path.replace(
            `{${parameter.name}}`,
            encodeURIComponent(wellFormed(text ?? 'AAPL')) || 'AAPL',
          );
        else if (text !== undefined) query.push(`${parameter.name}=${encodeURIComponent(wellFormed(text))}`);
      }
      if (stranger !== undefined && stranger.length % 7 === 0)
        query.push(`${encodeURIComponent(wellFormed(stranger))}=1`);
      return query.length > 0 ? `${path}?${query.join('&')}` : path;
    });
}

describe.each(all)('$id', (endpoint) => {
  const described = () => document.paths[endpoint.path]?.['get'] as Operation;

  it('the operation and its errors have examples that their schemas accept', () => {
    for (const [status, { content }] of Object.entries(described().responses)) {
      const { example, examples } = content?.['application/json'] ?? {};
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples ?? {}).map(({ value }) => value),
      ];
      for (const value of values)
        expect(faultsOf(validators.get(`${endpoint.id} ${status}`) as ValidateFunction, value)).toEqual([]);
      if (content)
        expect(
          values.length > 0 ||
            ['getOpenapi', 'getReference'].includes(endpoint.id) ||
            // A range is no whole JSON.
            status === '206' ||
            content[endpoint.fileType ?? ''] !== undefined,
        ).toBe(true);
    }
  });

  it('the operation answers any request as the document says', async () => {
    await fc.assert(
      fc.asyncProperty(requestTo(endpoint), async (path) => {
        const response = await service.get(path);
        const { operationId, responses } = described();
        // A path whose last part is empty or has a slash belongs to another operation or to none.
        const known = responses[String(response.status)];
        expect(known ?? response.status === 404, `${path}: ${response.status}`).toBeTruthy();
        if (response.ok && endpoint.fileType !== undefined) {
          expect(Object.keys(known?.content ?? {})).toEqual([response.headers.get('content-type')]);
          return;
        }
        const body: unknown = await response.json();
        const validate = validators.get(`${operationId} ${response.status}`);
        if (validate) expect(faultsOf(validate, body), path).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the document', () => {
  it('the document gives real answers as examples', async () => {
    const keyed = all.filter(({ access, fileType }) => access === 'keyed' && fileType === undefined);
    expect(keyed.length).toBeGreaterThan(8);
    for (const endpoint of keyed) {
      const { description, content } = document.paths[endpoint.path]?.['get']?.responses['200'] ?? {
        description: '',
      };
      const path = /`GET ([^`]+)`/.exec(description)?.[1] as string;
      const answer = await service.json<{ meta?: { stale?: boolean } }>(path);
      const example = content?.['application/json']?.example as { meta?: { stale?: boolean } };
      // Whether data is stale follows from the clock.
      for (const each of [answer, example]) delete each.meta?.stale;
      expect(example).toEqual(answer);
    }
  });

  it('the example of health names no snapshot', async () => {
    const answer = await service.json<Record<string, unknown>>('/health');
    const example = document.paths['/health']?.['get']?.responses['200']?.content?.['application/json']
      ?.example as Record<string, unknown>;
    expect(namePlaceholder).toMatch(/^<.*>$/);
    expect(example).toEqual({ ...answer, snapshotId: namePlaceholder, stale: false, status: 'ok' });
  });

  it('cursors in examples are accepted', async () => {
    const cursorsIn = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.entries(value).flatMap(([name, member]) =>
            name === 'nextCursor' && typeof member === 'string' ? [member] : cursorsIn(member),
          );
    for (const { id, path, parameters } of all) {
      const { description, content } = document.paths[path]?.['get']?.responses['200'] ?? { description: '' };
      const asked = /`GET ([^`]+)`/.exec(description)?.[1] ?? '';
      const cursors = cursorsIn(content?.['application/json']?.example);
      // The cursor of the list of files goes on after their last row.
      const feed = id === 'listBulkFiles' ? '/v1/sec/changes?limit=1' : null;
      expect(cursors.length > 0, path).toBe(
        feed !== null || parameters.some(({ parameter }) => parameter.name === 'cursor'),
      );
      for (const cursor of cursors)
        expect([path, (await service.get(`${feed ?? asked}&cursor=${cursor}`)).status]).toEqual([path, 200]);
    }
  });

  it('the document uses each of its schemas and headers', () => {
    const text = JSON.stringify(document);
    expect(Object.keys(document.components.headers)).not.toEqual([]);
    for (const name of Object.keys(document.components.schemas))
      expect(text).toContain(`"#/components/schemas/${name}"`);
    for (const name of Object.keys(document.components.headers))
      expect(text).toContain(`"#/components/headers/${name}"`);
    for (const [, group, name] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
      expect(Object.keys(document.components[group as 'schemas'])).toContain(name);
  });

  it('the document leaves the sample-only paths to a document of their own', async () => {
    const samples = await service.json<Document>('/openapi-samples.json');
    expect(Object.keys(samples.paths).length).toBeGreaterThan(10);
    for (const path of Object.keys(samples.paths)) expect(Object.keys(document.paths)).not.toContain(path);
    expect(
      Object.keys(document.paths)
        .filter((path) => path.startsWith('/v1/'))
        .sort(),
    ).toEqual(
      all
        .map(({ path }) => path)
        .filter((path) => path.startsWith('/v1/'))
        .sort(),
    );
    expect(Object.keys(document.components.schemas)).not.toContain('SampleResponse');
    const text = JSON.stringify(samples);
    for (const [, group, name] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
      expect(Object.keys(samples.components[group as 'schemas'])).toContain(name);
    for (const group of ['schemas', 'headers'] as const)
      for (const name of Object.keys(samples.components[group]))
        expect(text).toContain(`"#/components/${group}/${name}"`);
  });

  it('the document has the same filters for every list', async () => {
    const lists = all.filter(({ answer }) => ['history', 'feed', 'watchlist'].includes(answer.kind));
    expect(lists.map(({ id }) => id)).toEqual([
      'listLatestFilings',
      'listChanges',
      'listWatchlistChanges',
      'listCompanyFilings',
      'listCompanyEvents',
      'listInsiderTrades',
    ]);
    const listed = (await (
      await service.post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
        accept: 'application/json, text/event-stream',
      })
    ).json()) as {
      result: {
        tools: {
          name: string;
          inputSchema: { properties: Record<string, { enum?: string[]; description: string }> };
        }[];
      };
    };
    for (const { id, path } of lists) {
      const described = document.paths[path]?.['get']?.parameters as unknown as {
        name: string;
        required: boolean;
        schema: { enum?: string[] };
      }[];
      expect(described.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['form', 'eventType', 'items', 'since', 'until']),
      );
      expect(described.find(({ name }) => name === 'eventType')?.schema.enum).toEqual(eventTypes);
      const tool = tools.find(({ endpoint }) => endpoint?.id === id);
      const properties = listed.result.tools.find(({ name }) => name === tool?.name)?.inputSchema.properties;
      // Tools name the filters that can match: forms of insiders are few, and have no items.
      const isOfInsiders = id === 'listInsiderTrades';
      if (tool)
        expect(Object.keys(properties ?? {})).toEqual(
          expect.arrayContaining(['form', 'eventType', ...(isOfInsiders ? [] : ['items']), 'since', 'until']),
        );
      // Many values stand in the first tool that takes them, to which the others lead.
      const first = tools.find(({ arguments: all }) =>
        all.some(({ parameter }) => parameter === parameters.eventType),
      );
      if (tool && (isOfInsiders || tool === first))
        expect(properties?.['eventType']?.enum).toEqual(isOfInsiders ? [...ownershipFamilies] : eventTypes);
      else if (tool)
        expect(properties?.['eventType']?.description).toContain(`\`eventType\` of ${first?.name}.`);
    }
  });
});
