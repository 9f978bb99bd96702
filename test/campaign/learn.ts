import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import type { Facts } from './request.ts';
import type { Service } from './service.ts';

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: { readonly 'application/json'?: { readonly examples?: Readonly<Record<string, unknown>> } } }>>;
}

/** Documents that programs look for by a fixed path. */
const wellKnown = [
  '/openapi.json', '/.well-known/openapi.json', '/markets.json', '/.well-known/markets.json', '/server.json',
  '/.well-known/mcp-server.json', '/.well-known/agent-card.json', '/dcat.json', '/postman.json', '/llms.txt',
  '/robots.txt', '/sitemap.xml',
];

/** Asks a service, with well-meant requests, what there is: its paths, its description, its ETags and cursors. */
export async function learn({ port, key, gateway }: Service): Promise<Facts> {
  const get = (target: string, headers: Record<string,
    string> = {}) => fetch(`http://127.0.0.1:${port}${target}`,
    { headers: { 'x-api-key': key, ...headers } });
  const document = (await (await get('/openapi.json')).json()) as { paths: Record<string, Record<string,
    Operation>> };
  const declared = new Map<string, Map<number, string[]>>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      declared.set(`${method} ${path}`, new Map(Object.entries(responses).map(([status,
        { content }]) => [Number(status), Object.keys(content?.['application/json']?.examples ?? {})])));
    }
  }
  const own = new Set((endpoints as readonly Endpoint[]).map(({ path }) => path));
  const samples = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/')
    && !own.has(path)).map(([path, methods]) => ({
    path, parameters: (methods['get']?.parameters ?? []).filter((each) =>
      each.in === 'query').map(({ name }) => name),
  }));
  const publicPaths = new Set(wellKnown);
  for (const page of ['/', '/docs', '/explore', '/markets', '/status', '/subscribe']) {
    publicPaths.add(page);
    const html = await (await get(page, { accept: 'text/html' })).text();
    for (const [, link = ''] of html.matchAll(/(?:href|src)="(\/[^"#?]*)/g)) if (!/^\/(v1|validate|mcp|a2a)\b/.test(link)) publicPaths.add(link);
  }
  const known: { target: string; etag: string }[] = [];
  const cursors: string[] = [];
  for (const target of [...(endpoints as readonly Endpoint[]).map(({ example }) => example),
    ...samples.slice(0, 5).map(({ path }) => path), ...[...publicPaths].slice(0, 40)]) {
    const response = await get(target);
    const body = await response.text();
    const etag = response.headers.get('etag');
    if (response.status === 200 && etag !== null) known.push({ target, etag });
    const cursor = /"nextCursor":"([\w-]+)"/.exec(body)?.[1];
    if (cursor !== undefined) cursors.push(cursor);
  }
  return { port, key, gateway, known, cursors: [...new Set(cursors)], publicPaths: [...publicPaths].sort(),
    samples, declared };
}
