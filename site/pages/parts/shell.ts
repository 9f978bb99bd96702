import { productName } from '../../../src/contract/product.ts';
import type { SnapshotSettings } from '../../../src/format/snapshot.ts';
import type { PublicFile } from '../../content/public-file.ts';
import { pageHeaders } from './page-headers.ts';
import { html, raw, type Html } from './html.ts';
import { dayText } from './family-words.ts';

/** The name of a script, style or picture of pages. */
export type AssetName =
  | 'style'
  | 'site'
  | 'landing'
  | 'companies'
  | 'company'
  | 'filing'
  | 'filings'
  | 'operations'
  | 'reference'
  | 'search'
  | 'market'
  | 'status'
  | 'mark';

/** The paths of the assets, which are named by their content. */
export interface AssetPaths {
  pathOf(name: AssetName): string;
}

/** What every page needs to know. */
export interface Site {
  readonly settings: SnapshotSettings;
  readonly assets: AssetPaths;
  /** The path of the picture that is shown with shared links. */
  readonly previewPath: string;
  /** Whether there are pages of markets. */
  readonly hasMarkets: boolean;
  /** When the data was recorded, if it is a sample; null for live data. */
  readonly sampleRecordedAt: string | null;
}

/** One page. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly body: Html;
  /** Scripts beside the one that every page has. */
  readonly scripts?: readonly AssetName[];
  /** Whether painting waits for those scripts, because they decide from the address what the page shows. */
  readonly isPaintedByScript?: true;
  /** Whether the page stands at many addresses, each of which its script reads: then search engines leave it out. */
  readonly isForMany?: true;
  /** Facts for search engines (schema.org). */
  readonly linkedData?: unknown;
}

const sections = [
  ['/filings', 'Filings'],
  ['/explore', 'Explore'],
  ['/docs', 'Docs'],
  ['/status', 'Status'],
] as const;

/** The file of a page, with its header, navigation and footer. */
export function pageFile(site: Site, page: Page): PublicFile {
  return {
    path: page.path,
    contentType: 'text/html; charset=utf-8',
    bytes: Buffer.from(document(site, page).text),
    headers: pageHeaders,
  };
}

function document(site: Site, page: Page): Html {
  return html`<!doctype html>
<html lang="en">
${head(site, page)}
<body>
<a class="skip" href="#main">Skip to content</a>
${banner(page.path)}
${site.sampleRecordedAt !== null && sampleNotice(site.sampleRecordedAt)}
<main id="main">${page.body}</main>
${footer(site)}
</body>
</html>
`;
}

function head(
  { settings: { baseUrl }, assets, previewPath }: Site,
  { path, title, description, scripts = [], isPaintedByScript, isForMany, linkedData }: Page,
): Html {
  const isLanding = path === '/index.html';
  const whole = isLanding ? `${productName}: ${title}` : `${title} · ${productName}`;
  const isHidden = isForMany === true || path === '/404.html';
  const address = baseUrl === null || isHidden ? null : `${baseUrl}${isLanding ? '/' : path}`;
  // The script of every page changes the address in requests. Painting waits for it, so that no line moves
  // while somebody reads.
  return html`<head>
    <meta charset="utf-8">
    <title>${whole}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${description}">
    <meta name="color-scheme" content="light dark">
    <link rel="stylesheet" href="${assets.pathOf('style')}">
    <link rel="icon" type="image/svg+xml" href="${assets.pathOf('mark')}">
    ${isLanding && html`<link rel="alternate" type="application/feed+json" href="/feed.json" title="Newest filings"><link rel="alternate" type="application/atom+xml" href="/feed.atom" title="Newest filings">`}
    ${isHidden && html`<meta name="robots" content="noindex">`}
    ${
      address &&
      html`<link rel="canonical" href="${address}"><meta property="og:url" content="${address}">
    <meta property="og:image" content="${baseUrl}${previewPath}"><meta property="og:image:width" content="1200"><meta property="og:image:height" content="630"><meta property="og:image:alt" content="Bars of filings per day, coloured by kind">
    <meta name="twitter:card" content="summary_large_image">`
    }
    <meta property="og:type" content="website"><meta property="og:site_name" content="${productName}"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}">
    <script src="${assets.pathOf('site')}" defer blocking="render"></script>
    ${scripts.map((name) => html`<script src="${assets.pathOf(name)}" defer${isPaintedByScript && html` blocking="render"`}></script>`)}
    ${linkedData !== undefined && html`<script type="application/ld+json">${raw(JSON.stringify(linkedData).replaceAll('<', '\\u003c'))}</script>`}
  </head>`;
}

function banner(path: string): Html {
  const here = (to: string) =>
    (path === to || path.startsWith(`${to}/`)) && html` aria-current="${path === to ? 'page' : 'true'}"`;
  return html`<header class="banner">
    <a class="brand" href="/"${path === '/index.html' && html` aria-current="page"`}>${mark('brand-mark')}<span>${productName}</span></a>
    <nav aria-label="Sections">${sections.map(([to, name]) => html`<a href="${to}"${here(to)}>${name}</a>`)}</nav>
    <a class="button quiet" href="/subscribe"${here('/subscribe')}>Get a key</a>
  </header>`;
}

/** The notice on every page of sample data. */
function sampleNotice(recordedAt: string): Html {
  return html`<aside class="notice" aria-label="About this data"><p>This is a sample, recorded on ${dayText(recordedAt)}, and not live data. Its filings are real, but no new ones arrive.</p></aside>`;
}

/** The sign of the product: four bars of filings. */
export function mark(className: string): Html {
  return html`<svg class="${className}" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path class="insiders" d="M3 14h4v7H3z"/><path class="reports" d="M3 10h4v3H3zM10 9h4v12h-4z"/><path class="events" d="M10 4h4v4h-4zM17 12h4v2h-4z"/><path class="insiders" d="M17 15h4v6h-4z"/></svg>`;
}

function footer({ hasMarkets }: Site): Html {
  return html`<footer class="foot"><div>
    <p>${productName} publishes metadata about public filings of SEC EDGAR. It gives data, not investment advice.</p>
    <nav aria-label="More"><a href="/docs">Documentation</a><a href="/docs/changelog">Changelog</a><a href="/openapi.json">OpenAPI</a><a href="/demo">Public sample</a><a href="/subscribe">Get a key</a></nav>
    ${hasMarkets && html`<nav aria-label="Apart from the filings"><span>Apart from the filings:</span><a href="/markets">Candidate markets</a><a href="/markets.json">Catalog</a></nav>`}
  </div></footer>`;
}
