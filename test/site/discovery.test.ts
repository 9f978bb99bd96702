import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endpoints } from '../../src/contract/endpoints.ts';
import { datesNote, defaultAddress, productVersion } from '../../src/contract/product.ts';
import { paths, Routes } from '../../src/format/snapshot.ts';
import { toolInstructions, tools } from '../../src/contract/tools.ts';
import { configuredSettings, useSample, type SampleService } from '../support/sample.ts';
import { faultsOf, schemaFile } from '../support/schemas.ts';
import { manifestOf } from '../support/whole.ts';

const base = configuredSettings.baseUrl;
const configured = useSample(configuredSettings);
const plain = useSample();

const documents: Readonly<Record<string, string>> = {
  '/server.json': 'application/json',
  '/.well-known/mcp-server.json': 'application/json',
  '/mcp/server-card': 'application/mcp-server-card+json',
  '/.well-known/ai-catalog.json': 'application/ai-catalog+json',
  '/dcat.json': 'application/ld+json',
  '/postman.json': 'application/json',
  '/.well-known/api-catalog': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  '/llms.txt': 'text/markdown; charset=utf-8',
  '/robots.txt': 'text/plain; charset=utf-8',
  '/sitemap.xml': 'application/xml',
  '/.well-known/security.txt': 'text/plain; charset=utf-8',
  '/.well-known/agent-card.json': 'application/json',
  '/openapi.json': 'application/json',
  '/openapi-samples.json': 'application/json',
  '/feed.json': 'application/feed+json',
  '/feed.atom': 'application/atom+xml; charset=utf-8',
};

const textOf = async (service: SampleService, path: string) =>
  (await service.get(path, { 'x-api-key': '' })).text();
const jsonOf = async <Value>(path: string) => JSON.parse(await textOf(configured, path)) as Value;

/** Every address of the service that a text names. */
function linksIn(text: string, address: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/https?:\/\/[^\s"'<>)\\`{}]+/g)]
        .map(([link]) => link.replace(/[.,]$/, ''))
        .filter((link) => link === address || link.startsWith(`${address}/`)),
    ),
  ];
}

/** What lies at the paths of a service. */
async function routesOf(service: SampleService): Promise<Routes> {
  const { routes: file } = await manifestOf(service.snapshots);
  return Routes.parse(JSON.parse(readFileSync(join(service.snapshots, paths.file(file.sha256)), 'utf8')));
}

/** The interfaces of programs, which answer only POST, and the requests that are counted. */
const otherStatus = (path: string) =>
  ['/mcp', '/mcp/private', '/a2a'].includes(path) ? 405 : path.startsWith('/validate/') ? 202 : 200;

describe('documents for programs', () => {
  it.each(Object.entries(documents))(
    '%s is served without a key, with type, ETag and lifetime',
    async (path, contentType) => {
      const response = await configured.get(path, { 'x-api-key': '' });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
      expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+/);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const etag = response.headers.get('etag') ?? '';
      expect((await configured.get(path, { 'if-none-match': etag })).status).toBe(304);
    },
  );

  it.each([
    ['the base URL', () => configured, base, defaultAddress, 300],
    // Without a base URL the catalog names paths.
    ['the default address where no base URL is set', () => plain, defaultAddress, base, 150],
  ])('they name only addresses that answer, below %s', async (_, served, own, other, least) => {
    const links = new Map<string, string>();
    for (const path of [...Object.keys(documents), '/markets.json']) {
      const text = await textOf(served(), path);
      expect(text.includes(other), path).toBe(false);
      for (const link of linksIn(text, own)) links.set(link, path);
    }
    // With a base URL each sample, data package and intent of the catalog is among them.
    expect(links.size).toBeGreaterThan(least);
    for (const [link, path] of links) {
      const { pathname, search } = new URL(link);
      const { status } = await served().get(`${pathname}${search}`);
      expect([path, link, status]).toEqual([path, link, otherStatus(pathname)]);
    }
  });
});

const serverName = z
  .string()
  .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  .min(3)
  .max(200);
const secretHeader = {
  name: z.string(),
  description: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
};
const remote = {
  type: z.enum(['streamable-http', 'sse']),
  url: z.url(),
  headers: z.array(z.object(secretHeader)),
};
const ServerJson = z.object({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: serverName,
  title: z.string().max(100),
  description: z.string().min(1).max(100),
  version: z.literal(productVersion),
  websiteUrl: z.url(),
  remotes: z.array(z.strictObject(remote)).min(1),
});

const text = z.string().min(1);
const agentOf = z.object({ '@type': z.literal('Organization'), name: z.string() });
const mailbox = z.string().regex(/^mailto:[^@\s]+@[^@\s]+$/);
const contactPoint = z.object({ '@type': z.literal('Kind'), fn: z.string(), hasEmail: mailbox });
const Distribution = z.looseObject({
  '@type': z.literal('Distribution'),
  downloadURL: z.url().optional(),
  accessURL: z.url().optional(),
  mediaType: z.string().regex(/^\w+\/[\w.+-]+$/),
  byteSize: z.string().regex(/^\d+$/).optional(),
  checksum: z.looseObject({ checksumValue: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
});
const Dataset = z.looseObject({
  '@type': z.literal('Dataset'),
  title: text,
  description: text,
  identifier: text,
  publisher: agentOf,
  contactPoint,
  modified: z.iso.date(),
  keyword: z.array(z.string()).min(1),
  distribution: z.array(Distribution).min(1),
});
const DataService = z.looseObject({
  '@type': z.literal('DataService'),
  title: z.string(),
  publisher: agentOf,
  contactPoint,
  endpointURL: z.array(z.url()).min(1),
});
const Catalog = z.looseObject({
  '@context': z.record(z.string(), z.unknown()),
  '@type': z.literal('Catalog'),
  conformsTo: z.object({ '@type': z.literal('Standard'), title: z.literal('DCAT-US 3.0') }),
  dataset: z.array(Dataset).min(1),
  service: z.array(DataService).length(1),
});

describe('what the documents say', () => {
  it('the server card keeps to the schema of tool registries', async () => {
    const server = await jsonOf('/server.json');
    expect(ServerJson.parse(server)).toEqual(server);
    expect(await textOf(configured, '/.well-known/mcp-server.json')).toBe(
      await textOf(configured, '/server.json'),
    );
    expect(faultsOf(schemaFile('mcp-server-card.schema.json'), await jsonOf('/mcp/server-card'))).toEqual([]);
    expect(
      ServerJson.shape.name.parse((JSON.parse(await textOf(plain, '/server.json')) as { name: string }).name),
    ).toBe('localhost/filing-event-intelligence');
    expect((await configured.get('/mcp/server-card')).headers.get('access-control-expose-headers')).toBe('*');
  });

  it('the data catalog lists the log, the tables and every sample, those that never change with size and checksum', async () => {
    const catalog = Catalog.parse(await jsonOf('/dcat.json'));
    const routes = await routesOf(configured);
    for (const { distribution } of catalog.dataset) {
      for (const { downloadURL, accessURL, byteSize, checksum } of distribution) {
        expect([downloadURL, accessURL].filter((each) => each !== undefined)).toHaveLength(1);
        if (downloadURL === undefined) continue;
        const { pathname } = new URL(downloadURL);
        const entry = routes[pathname]?.file;
        expect([pathname, byteSize, checksum?.checksumValue]).toEqual(
          pathname === '/demo'
            ? [pathname, undefined, undefined]
            : [pathname, String(entry?.bytes), entry?.sha256],
        );
      }
    }
    const { markets } = await jsonOf<{ markets: { sampleDatasets: unknown[] }[] }>('/markets.json');
    expect(markets.length).toBeGreaterThan(1);
    const accessed = catalog.dataset.flatMap(({ distribution }) =>
      distribution.flatMap(({ accessURL = [] }) => accessURL),
    );
    expect(accessed).toEqual([`${base}/v1/sec/bulk`, `${base}/docs/warehouse`]);
    expect(catalog.dataset.length).toBe(
      3 + markets.reduce((sum, { sampleDatasets }) => sum + sampleDatasets.length, 0),
    );
  });

  it('the request collection keeps to its format, with a test for each request', async () => {
    interface Item {
      id: string;
      name: string;
      item?: Item[];
      event?: { script: { exec: string[] } }[];
    }
    const collection = await jsonOf<{ item: Item[] }>('/postman.json');
    expect(faultsOf(schemaFile('postman-collection-2.1.0.bundled.json'), collection)).toEqual([]);
    const requests = collection.item.flatMap(({ item = [] }) => item);
    expect(requests.length).toBeGreaterThan(endpoints.length);
    for (const { event } of requests) expect(event?.[0]?.script.exec.length).toBeGreaterThan(1);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  });

  it('security.txt expires, and names a policy that can be read', async () => {
    const text = await textOf(configured, '/.well-known/security.txt');
    const { dataFetchedAt } = await configured.json<{ dataFetchedAt: string }>('/health');
    const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '');
    expect(expires - Date.parse(dataFetchedAt)).toBeLessThan(365 * 86_400_000);
    expect(text).toContain('Contact: mailto:data@example.com');
    const policy = /^Policy: https?:\/\/[^/]+(\/.*)$/m.exec(text)?.[1] ?? '';
    expect(await textOf(configured, policy)).toContain('mailto:data@example.com');
    expect(await textOf(plain, '/.well-known/security.txt')).toContain('Contact: mailto:contact@127.0.0.1');
  });

  it('llms.txt lists each guide as Markdown, which has the headings, code, links and tables of its page', async () => {
    const text = await textOf(configured, '/llms.txt');
    const listed = [...text.matchAll(/\]\((\S+\/docs\S*\.md)\): \S/g)].map(([, link = '']) =>
      link.slice(base.length),
    );
    expect(listed.length).toBeGreaterThan(15);
    for (const path of listed) {
      const response = await configured.get(path, { 'x-api-key': '' });
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/markdown; charset=utf-8',
      ]);
      const [markdown, page] = [await response.text(), await textOf(configured, path.replace(/\.md$/, ''))];
      expect(markdown).toMatch(/^# \S.*\n\n> \S/);
      // No markup is left over outside of code.
      expect(markdown.replaceAll(/```[^]*?```|`[^`]*`/g, ''), path).not.toMatch(
        /<\/?[a-z]|&(?:lt|gt|amp|quot);/,
      );
      expect(markdown.match(/^```$/gm)?.length ?? 0, path).toBe(2 * (page.match(/<pre/g) ?? []).length);
      expect(markdown.match(/^##+ /gm)?.length ?? 0, path).toBe(
        (page.replace(/<nav class="docs-nav"[^]*$/, '').match(/<h[23]\b/g) ?? []).length,
      );
    }
    const watchlists = await textOf(configured, '/docs/watchlists.md');
    expect(watchlists).toContain('## More than 250 companies\n\nDivide the list into parts');
    expect(watchlists).toContain(`[Poll without losing anything](${base}/docs/polling)`);
    expect(watchlists).toContain('\n- An entry is a ticker');
    expect(await textOf(configured, '/docs/times.md')).toMatch(/^\| .* \|\n\|---\|/m);
  });

  it('llms.txt begins with a heading and a quote, and names every operation', async () => {
    const text = await textOf(configured, '/llms.txt');
    expect(text).toMatch(/^# .+\n\n> .+\n/);
    for (const { path } of endpoints) expect(text).toContain(`[GET ${path}]`);
    for (const { name, description } of tools)
      expect(
        text.split('\n').filter((line) => line.startsWith(`- \`${name}\` (`) && line.endsWith(description)),
      ).toHaveLength(1);
  });

  it('every text for models says in the same words what dates and clocks mean', async () => {
    for (const path of ['/llms.txt', '/.well-known/agent-card.json'])
      expect((await textOf(configured, path)).split(datesNote), path).toHaveLength(2);
    expect(toolInstructions.split(datesNote)).toHaveLength(2);
  });

  it('the root and the API catalog lead to the documents', async () => {
    expect((await configured.get('/')).headers.get('link')).toContain('rel="api-catalog"');
    expect((await configured.get('/.well-known/api-catalog', {}, 'HEAD')).headers.get('link')).toContain(
      'rel="api-catalog"',
    );
  });
});
