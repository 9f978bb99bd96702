import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import type { Facts } from './request.ts';
import type { Service } from './service.ts';
import { valuesIn } from '../support/values.ts';

interface Response {
  readonly content?: {
    readonly 'application/json'?: { readonly examples?: Readonly<Record<string, unknown>> };
  };
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, Response>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Documents that programs look for by a fixed path. */
const wellKnown = valuesIn(`
  /openapi.json | /.well-known/openapi.json | /openapi-samples.json | /reference.json | /markets.json
  /.well-known/markets.json | /server.json | /.well-known/mcp-server.json | /.well-known/agent-card.json
  /dcat.json | /postman.json | /llms.txt | /robots.txt | /sitemap.xml`);

const pages = ['/', '/docs', '/explore', '/markets', '/status', '/subscribe'];
const contract: readonly Endpoint[] = endpoints;

/**
 * Asks a service, with well-meant requests, what there is: its paths, its description, its ETags and cursors.
 */
export async function learn(service: Service): Promise<Facts> {
  const { port, key, limitedKey, gateway } = service;
  const get = (target: string, accept?: string) => ask(service, target, accept);
  const pathsOf = async (target: string) => ((await (await get(target)).json()) as { paths: Paths }).paths;
  const paths = { ...(await pathsOf('/openapi.json')), ...(await pathsOf('/openapi-samples.json')) };
  const publicPaths = new Set([...wellKnown, ...pages]);
  for (const page of pages) {
    const html = await (await get(page, 'text/html')).text();
    for (const [, link = ''] of html.matchAll(/(?:href|src)="(\/[^"#?]*)/g)) publicPaths.add(link);
  }
  const documents = [...publicPaths].filter((path) => !/^\/(v1|validate|mcp|a2a)\b/.test(path)).sort();
  const samples = samplesOf(paths);
  const known: { target: string; etag: string }[] = [];
  const cursors = new Set<string>();
  const targets = [
    ...contract.map(({ example }) => example),
    ...samples.slice(0, 5).map(({ path }) => path),
    ...documents.slice(0, 40),
  ];
  for (const target of targets) {
    const response = await get(target);
    const etag = response.headers.get('etag');
    if (response.status === 200 && etag !== null) known.push({ target, etag });
    const cursor = /"nextCursor":"([\w-]+)"/.exec(await response.text())?.[1];
    if (cursor !== undefined) cursors.add(cursor);
  }
  return {
    port,
    key,
    limitedKey,
    companies: await companiesOf(service),
    gateway,
    known,
    cursors: [...cursors],
    publicPaths: documents,
    samples,
    declared: declaredIn(paths),
  };
}

const ask = ({ port, key }: Service, target: string, accept = 'application/json') =>
  fetch(`http://127.0.0.1:${port}${target}`, { headers: { 'x-api-key': key, accept } });

/** CIKs of companies that the service has filings of, 25 at most. */
export async function companiesOf(service: Service): Promise<string[]> {
  const found = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null && found.size < 25; ) {
    const page = await ask(service, `/v1/sec/latest?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const { data, meta } = (await page.json()) as {
      data: { cik: string }[];
      meta: { nextCursor: string | null };
    };
    for (const { cik } of data) found.add(cik);
    cursor = meta.nextCursor;
  }
  return [...found].slice(0, 25);
}

/** The sample-only paths: those of the descriptions that the contract does not have. */
function samplesOf(paths: Paths): Facts['samples'] {
  const own = new Set(contract.map(({ path }) => path));
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/') && !own.has(path))
    .map(([path, { get }]) => ({
      path,
      parameters: (get?.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name),
    }));
}

/** The statuses of each operation, with the codes of errors that the examples name. */
function declaredIn(paths: Paths): Facts['declared'] {
  const codesOf = ({ content }: Response) => Object.keys(content?.['application/json']?.examples ?? {});
  const statusesOf = ({ responses }: Operation) =>
    Object.entries(responses).map(([status, response]) => [Number(status), codesOf(response)] as const);
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method} ${path}`, new Map(statusesOf(operation))] as const,
      ),
    ),
  );
}
