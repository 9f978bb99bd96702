import { gatewayHeaders } from '../../src/contract/gateway.ts';
import { samplesDescriptionPath } from '../../src/contract/catalog.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { datesNote, productDescription, productName } from '../../src/contract/product.ts';
import { prompts } from '../../src/contract/prompts.ts';
import { resourceTemplates } from '../../src/contract/resources.ts';
import { tools } from '../../src/contract/tools.ts';
import { operationPath, operationsPath } from '../pages/parts/operation-paths.ts';
import { pollers } from '../pages/parts/programs.ts';
import { addressOf, mailboxOf, textFile, type PublicFile, type PublicInput } from '../content/public-file.ts';

/**
 * How many months the contact of a snapshot stays valid at most: a deployment that is never rebuilt must not
 * promise one for ever.
 */
const contactMonths = 7;

/** Returns the texts for crawlers, language models, and people who found a security fault. */
export function textFiles(input: PublicInput, earlier: readonly PublicFile[]): PublicFile[] {
  const { settings } = input;
  return [
    textFile('/llms.txt', introduction(input, earlier), 'text/markdown; charset=utf-8'),
    textFile(
      '/robots.txt',
      `User-agent: *\nDisallow: /v1/\nDisallow: /validate/\nAllow: /\n\nSitemap: ${addressOf(settings, '/sitemap.xml')}\n`,
    ),
    textFile('/sitemap.xml', sitemap(input, earlier), 'application/xml'),
    textFile('/.well-known/security.txt', securityText(input)),
  ];
}

/** Writes `/llms.txt` (https://llmstxt.org). */
function introduction({ settings }: PublicInput, earlier: readonly PublicFile[]): string {
  const link = (name: string, path: string, note: string) =>
    `- [${name}](${addressOf(settings, path)}): ${note}`;
  const operation = ({ id, path, summary, example, description }: Endpoint) =>
    `${link(`GET ${path}`, example, `${summary}. ${description}`)} [Its page](${addressOf(settings, operationPath(id))}).`;
  const of = (access: string) => endpoints.filter((endpoint) => endpoint.access === access);
  const gateway = gatewayHeaders(settings.marketplaceName);
  return `# ${productName}

> ${productDescription}

Every filing of SEC EDGAR that the service covers is one record, known by its accession number, with a normalised event type, the company it belongs to, its 8-K items and its dates. ${datesNote} To poll without losing anything, begin \`/v1/sec/changes\` with \`since\` and then follow \`meta.nextCursor\`. A filing that is corrected later comes again under the same accession number, with \`revision\` 2 or more and the names of the members that changed in \`corrected\`.

Keys are sent as \`x-api-key: <API_KEY>\` or \`Authorization: Bearer <API_KEY>\`; through the marketplace gateway as \`${gateway.host}\` and \`${gateway.key}\`.

## Operations that need no key

${of('public').map(operation).join('\n')}

## Operations that need a key

${of('keyed').map(operation).join('\n')}

## Tools

The Model Context Protocol endpoint is ${addressOf(settings, '/mcp')} (streamable HTTP, JSON, stateless).

${tools.map(({ name, access, title, description }) => `- \`${name}\` (${access === 'public' ? 'no key' : 'key'}): ${title}. ${description}`).join('\n')}

## Resources and prompts

The same endpoint reads resources by URI, each with what its tool gives:

${resourceTemplates.map(({ uriTemplate, reads, title, description }) => `- \`${uriTemplate}\` (${reads.access === 'public' ? 'no key' : 'key'}): ${title}. ${description}`).join('\n')}

Prompts, with a key:

${prompts.map(({ name, title, description }) => `- \`${name}\`: ${title}. ${description}`).join('\n')}

## Documentation

${guidesOf(earlier)
  .map(({ path, title, description }) => link(title, path, description))
  .join('\n')}

## Descriptions

${[
  link('OpenAPI 3.1', '/openapi.json', 'every operation with real answers as examples'),
  link('Postman collection', '/postman.json', 'every operation and tool, with tests'),
  link('Documentation', '/docs', 'guides'),
  link(
    'Reference',
    operationsPath,
    'a page for every operation: parameters, requests in curl, JavaScript and Python, and the real answer',
  ),
  ...pollers().map(({ language, path }) =>
    link(
      `Poller in ${language}`,
      path,
      'a whole program that keeps an SQLite file in step with the change feed',
    ),
  ),
  link(
    'Clients',
    '/docs/clients',
    'the package filing-events for TypeScript and Python, and its command line',
  ),
  link('Webhooks', '/docs/webhooks', 'each change is sent to an address of yours, signed'),
  link('Agent card', '/.well-known/agent-card.json', 'for agents that speak A2A'),
  link('Server card', '/mcp/server-card', 'for assistants that speak MCP'),
].join('\n')}

## Optional

${[link('Data catalogue', '/dcat.json', 'datasets and service for data portals'), link('Validation catalog', '/markets.json', 'candidate products with samples; none of them is live'), link('OpenAPI of the samples', samplesDescriptionPath, 'the sample-only paths of these candidates')].join('\n')}
`;
}

/** The guides of the documentation as Markdown. Each begins with its title and what it is about. */
function guidesOf(earlier: readonly PublicFile[]) {
  return earlier
    .filter(({ path }) => path.startsWith('/docs') && path.endsWith('.md'))
    .map(({ path, bytes }) => {
      const [title = '', , description = ''] = bytes.toString().split('\n');
      return { path, title: title.replace(/^# /, ''), description: description.replace(/^> /, '') };
    });
}

/** What pages have in their heads that search engines leave out. */
const hiddenMark = '<meta name="robots" content="noindex">';

/** Writes the sitemap (https://www.sitemaps.org) with every page that has an address of its own. */
function sitemap({ settings, overview }: PublicInput, earlier: readonly PublicFile[]): string {
  const day = overview.latestRun.createdAt.slice(0, 10);
  const pages = earlier
    .filter(({ contentType, bytes }) => contentType.startsWith('text/html') && !bytes.includes(hiddenMark))
    .map(({ path }) => (path === '/index.html' ? '/' : path));
  const entry = (path: string) =>
    `<url><loc>${addressOf(settings, path).replaceAll('&', '&amp;')}</loc><lastmod>${day}</lastmod></url>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${(pages.length > 0 ? pages : ['/']).map(entry).join('\n')}\n</urlset>\n`;
}

/**
 * Writes `security.txt` (RFC 9116). It expires at the beginning of a month, so that it changes once a month
 * and not with each publication.
 */
function securityText({ settings, overview }: PublicInput): string {
  const generatedAt = new Date(overview.latestRun.createdAt);
  const expires = new Date(
    Date.UTC(generatedAt.getUTCFullYear(), generatedAt.getUTCMonth() + contactMonths),
  ).toISOString();
  return `Contact: mailto:${mailboxOf(settings)}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${addressOf(settings, '/.well-known/security.txt')}\nPolicy: ${addressOf(settings, '/docs/security')}\n`;
}
