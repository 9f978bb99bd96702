import {
  intentPath,
  marketPath,
  samplePath,
  samplesDescriptionPath,
  type Catalog,
} from '../../src/contract/catalog.ts';
import { defaultAddress } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import type { Market } from '../content/market.ts';
import type { PageInput } from '../content/public-file.ts';
import { code, html, type Html } from './parts/html.ts';
import { codeBlock, origin } from './parts/code-block.ts';
import { sampleTable } from './sample-table.ts';
import type { Page } from './parts/shell.ts';
import { countText } from './parts/family-words.ts';

/** A market as the published catalog (`/markets.json`) has it. */
type PublishedMarket = Catalog['markets'][number];

/** The pages of the catalog, if the snapshot has one: an overview, and a page for each market. */
export function marketPages({ settings, markets, catalog: { markets: published } }: PageInput): Page[] {
  if (published.length === 0) return [];
  return [overview(published), ...published.map((market) => marketPage(market, settings, markets))];
}

function overview(markets: readonly PublishedMarket[]): Page {
  const isLive = ({ stage }: PublishedMarket) => stage === 'live';
  const [live, candidates] = [markets.filter(isLive), markets.filter((market) => !isLive(market))];
  return {
    path: '/markets',
    title: 'Markets',
    description:
      'Candidate data products, each with a sample. None is built yet. We build what people ask for.',
    body: html`
      <div class="title"><h1>Markets we might build</h1><p class="lead">${countText(candidates.length, 'candidate product')}, each with an invented sample of its data. None exists yet. We build the one that people ask for.</p></div>
      ${live.length > 0 && html`<section><h2>What is built</h2><ul class="cards markets">${live.map(card)}</ul></section>`}
      <section><h2>What might be built</h2><ul class="cards markets">${candidates.map(card)}</ul></section>
      <p class="small faint">For programs: <a href="/markets.json">markets.json</a>, and <a href="${samplesDescriptionPath}">OpenAPI</a> for the sample requests. We count views, requests, demos and downloads, without IP addresses and without cookies.</p>`,
  };
}

function card({ slug, name, headline, stage, dataFeeds, workflows }: PublishedMarket): Html {
  return html`<li><a href="${marketPath(slug)}"><span class="name">${name}</span> ${badge(stage)}<span class="headline">${headline}</span><span class="faint">${countText(dataFeeds.length, 'feed')}, ${countText(workflows.length, 'workflow')}</span></a></li>`;
}

function badge(stage: string): Html {
  return stage === 'live'
    ? html`<span class="badge live">Built</span>`
    : html`<span class="badge">Not built yet</span>`;
}

/** A link that records what a reader wants. Crawlers are asked not to follow it. */
function intent(url: string, text: string, about: string, isQuiet = true): Html {
  return html`<a class="button${isQuiet && ' quiet'}" rel="nofollow" href="${url}">${text}<span class="unseen">: ${about}</span></a>`;
}

function marketPage(market: PublishedMarket, settings: SnapshotSettings, markets: readonly Market[]): Page {
  const { slug, name, headline, description, stage, buildGate, dataFeeds, sampleDatasets, workflows } =
    market;
  const isLive = stage === 'live';
  return {
    path: marketPath(slug),
    title: name,
    description: headline,
    scripts: ['market'],
    body: html`
      <p class="crumbs"><a href="/markets">Markets</a></p>
      <div class="title" id="market" data-view="${intentPath(slug, 'view')}"><h1>${name} ${badge(stage)}</h1><p class="lead">${headline}</p></div>
      <div class="thanks note" id="requested" role="status"><strong>Thank you, your request was counted,</strong> without your IP address and without a cookie. ${!isLive && buildGate}</div>
      <p class="about">${description}</p>
      <p class="actions">${intents(market, isLive)}</p>
      <p class="small faint">${buildGate}</p>
      ${sampleDatasets.map(
        (
          dataset,
        ) => html`<section id="${dataset.slug}"><h2>${dataset.name}</h2>${dataset.description && html`<p class="small">${dataset.description}</p>`}
        ${preview(slug, dataset, markets)}</section>`,
      )}
      <section><h2>${isLive ? 'Feeds' : 'Feeds it would have'}</h2><div class="ways">${dataFeeds.map((feed) => html`<article id="${feed.slug}"><h3>${feed.name}</h3><p>${feed.description} <span class="faint">Cadence: ${feed.cadence}.</span></p>${!isLive && html`<p>${intent(feed.requestIntentUrl, 'I would use this', feed.name)}</p>`}</article>`)}</div></section>
      <section><h2>${isLive ? 'Work it does' : 'Work it would do'}</h2><div class="ways">${workflows.map((workflow) => workflowCard(workflow, settings))}</div></section>`,
  };
}

/** Buttons with which a reader uses a live product, or asks for a candidate. */
function intents(
  { name, demoIntentUrl, requestIntentUrl, marketplaceIntentUrl }: PublishedMarket,
  isLive: boolean,
): Html {
  if (isLive)
    return html`<a class="button" href="/explore">Explore it</a> <a class="button quiet" href="/docs">Make a request</a> ${intent(marketplaceIntentUrl, 'Plans', name)}`;
  return html`${intent(requestIntentUrl, 'I would use this', name, false)} ${intent(demoIntentUrl, 'Open the sample', name)} ${intent(marketplaceIntentUrl, 'I would pay for it', name)}`;
}

function preview(
  market: string,
  { slug, name, downloadIntentUrl }: PublishedMarket['sampleDatasets'][number],
  markets: readonly Market[],
): Html | null {
  const dataset = markets
    .find((each) => each.slug === market)
    ?.sampleDatasets.find((each) => each.slug === slug);
  if (!dataset) return null;
  return html`${sampleTable(dataset)}<p class="actions">${intent(downloadIntentUrl, 'Download CSV', name)} <a class="button quiet" href="${samplePath(market, slug, 'json')}" download>JSON<span class="unseen">: ${name}</span></a></p>`;
}

function workflowCard(
  {
    slug,
    name,
    headline,
    description,
    buildStatus,
    sampleEndpoint,
    demoIntentUrl,
    requestIntentUrl,
  }: PublishedMarket['workflows'][number],
  { baseUrl }: SnapshotSettings,
): Html {
  return html`<article id="${slug}"><h3>${name}</h3><p><strong>${headline}.</strong> ${description}</p>
    ${codeBlock(code`curl "${origin(baseUrl, defaultAddress)}${sampleEndpoint}" \\\n  -H "x-api-key: $KEY"`, 'Sample request')}
    <p class="faint small">${buildStatus === 'live' ? 'This path is live.' : 'Not built: this path always answers with the sample above.'}</p>
    ${buildStatus !== 'live' && html`<p class="actions">${intent(requestIntentUrl, 'I would use this', name)} ${intent(demoIntentUrl, 'Sample', name)}</p>`}</article>`;
}
