import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ErrorResponse, errorStatus } from '../../src/contract/errors.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { productVersion } from '../../src/contract/product.ts';
import { paths, tableDefinition, tableNames, type TableName } from '../../src/format/snapshot.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { rowBytes } from '../../src/table/table.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { parsePointer, readManifest } from '../../src/snapshot/open.ts';
import { walkTable } from '../../build/snapshot/walk.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { grounds } from '../support/grounds.ts';
import { useSample, type SampleService } from '../support/sample.ts';
import { needs } from '../support/needs.ts';

const all: readonly Endpoint[] = endpoints;
const document = openApiDocument(null) as {
  paths: Record<
    string,
    {
      get: {
        operationId: string;
        parameters: { name: string; in: string; required: boolean }[];
        responses: Record<string, unknown>;
        security: unknown[];
      };
    }
  >;
};

function isEmpty(body: unknown): boolean {
  const { data } = body as { data?: unknown };
  return Array.isArray(data) && data.length === 0;
}

// What needs more than the packages of the project takes time to start.
for (const { name, start, need } of grounds)
  describe(`over ${name}`, need === undefined ? {} : { ...needs(need), tags: ['slow'] }, () => {
    let service: SampleService;
    beforeAll(async () => void (service = await start()));

    describe.each(all)('$id', (endpoint) => {
      it('the operation answers its example with a body that its schema accepts', async () => {
        const response = await service.get(endpoint.example);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe(endpoint.fileType ?? 'application/json');
        if (endpoint.fileType !== undefined)
          return expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
        const body: unknown = await response.json();
        if (endpoint.response) expect(endpoint.response.parse(body)).toEqual(body);
        else
          expect(Object.keys((body as typeof document).paths)).toEqual(
            expect.arrayContaining(Object.keys(document.paths)),
          );
        return expect(isEmpty(body)).toBe(false);
      });

      it('the schema document describes the operation', () => {
        const operation = document.paths[endpoint.path]?.get;
        expect(operation?.operationId).toBe(endpoint.id);
        expect(
          operation?.parameters
            .filter((each) => each.in !== 'header')
            .map(({ name, in: location, required }) => [name, location, required]),
        ).toEqual(
          endpoint.parameters.map(({ parameter, required }) => [
            parameter.name,
            parameter.in,
            required === true,
          ]),
        );
        expect(operation?.security.length === 0).toBe(endpoint.access === 'public');
        for (const code of endpoint.errors)
          expect(Object.keys(operation?.responses ?? {})).toContain(String(errorStatus[code]));
      });

      it('the operation needs a key exactly if it is keyed', async () => {
        const response = await service.get(endpoint.example, { 'x-api-key': '' });
        expect(response.status).toBe(endpoint.access === 'keyed' ? 401 : 200);
        if (response.status !== 401) return;
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
        expect(ErrorResponse.parse(await response.json()).error.code).toBe('unauthorized');
      });

      it('the operation answers other methods with 405', async () => {
        const response = await service.get(endpoint.example, {}, 'POST');
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      });

      it('the operation answers HEAD like GET without a body', async () => {
        const [head, get] = [
          await service.get(endpoint.example, {}, 'HEAD'),
          await service.get(endpoint.example),
        ];
        expect(head.status).toBe(200);
        expect(await head.text()).toBe('');
        expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
        expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      });
    });
  });

describe('the contract as a whole', () => {
  const service = useSample();

  it('the contract has the version of the package', () => expect(productVersion).toBe(packageJson.version));

  it('each table has a description, and rows of the sample that fit its schema', async () => {
    const parts = openPartFolder(service.snapshots);
    const { snapshotId } = parsePointer('', await readFile(join(service.snapshots, paths.pointer), 'utf8'));
    const { manifest } = await readManifest(parts, snapshotId);
    const rows = async (name: TableName) =>
      [...(await walkTable(parts, manifest.segments, name))].map((line) => rowBytes(line).toString());
    for (const name of tableNames) {
      expect(tableDefinition(name).description).not.toBe('');
      const texts = await rows(name);
      // The sample has no row that was refused.
      expect([name, texts.length > 0]).toEqual([name, name !== 'refusals']);
      const step = Math.ceil(texts.length / 500);
      for (const text of texts.filter((_, at) => at % step === 0))
        expect(tableDefinition(name).row.parse(JSON.parse(text))).toEqual(JSON.parse(text));
    }
    await parts.close();
  });

  it('the service serves the same schema document at both paths', async () => {
    const [first, second] = [
      await service.get('/openapi.json'),
      await service.get('/.well-known/openapi.json'),
    ];
    expect(await second.text()).toBe(await first.text());
  });

  it.each(
    all.flatMap((endpoint) =>
      endpoint.parameters
        .filter(({ parameter }) => parameter.in === 'query')
        .map(({ parameter }) => ({ endpoint, name: parameter.name, id: endpoint.id })),
    ),
  )('$id refuses an empty and a repeated $name, and names it', async ({ endpoint, name }) => {
    // The example holds what is required; a parameter that it has already is given once more.
    const [path = '', search = ''] = endpoint.example.split('?');
    const given = [...new URLSearchParams(search)].filter(([each]) => each !== name);
    for (const values of [[''], ['1', '2']]) {
      const query = new URLSearchParams([
        ...given,
        ...values.map((value): [string, string] => [name, value]),
      ]);
      const response = await service.get(`${path}?${query}`);
      expect(response.status).toBe(400);
      const { error } = ErrorResponse.parse(await response.json());
      expect(error.message).toContain(name);
    }
  });
});
