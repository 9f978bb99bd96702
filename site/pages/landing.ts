import { insiderTransactionsOf } from '../../src/contract/insider-transactions.ts';
import type * as z from 'zod';
import type { ChangeListResponse } from '../../src/contract/envelopes.ts';
import { defaultAddress, productDescription, productName } from '../../src/contract/product.ts';
import type { Filing } from '../../src/contract/records.ts';
import { tools } from '../../src/contract/tools.ts';
import type { PublicInput } from '../content/public-file.ts';
import type { Example } from '../content/examples.ts';
import { newestDayOf, overviewLimits, type Overview, type ShownCompany } from '../content/overview.ts';
import { completenessOf } from '../content/reconciliation.ts';
import { dailyChart } from './parts/chart.ts';
import { code, html, isolated, type Html } from './parts/html.ts';
import { dataset } from './parts/linked-data.ts';
import { answerBlock } from './parts/request-tabs.ts';
import { arrivalFacts } from './parts/arrival.ts';
import { codeBlock, origin } from './parts/code-block.ts';
import { filingsTable, foldAlike } from './parts/filings-table.ts';
import type { Page } from './parts/shell.ts';
import { countText, dayText, easternTime, eventText, numberText } from './parts/family-words.ts';

const newestRows = 9;

/** The landing page: what the service is, what it has, and three ways to use it. */
export function landingPage({ overview, settings, examples }: PublicInput): Page {
  const {
    newestFilings,
    newestReports,
    shownCompanies,
    days,
    filingCount,
    companyCount,
    oldestFiledAt,
    latestRun: { createdAt },
  } = overview;
  const newestDay = newestDayOf(overview);
  const trade = overview.newestTrade && tradeRecord(overview.newestTrade);
  const record = trade ?? exampleRecord(examples);
  const facts: readonly (readonly [string, string | Html])[] = [
    ['filings', numberText(filingCount)],
    ['companies and people', numberText(companyCount)],
    ...arrivalFacts(overview),
    ...provenFact(overview),
  ];
  return {
    path: '/index.html',
    title: 'SEC filings as events you can poll',
    scripts: ['landing'],
    description: productDescription,
    linkedData: dataset(settings, {
      name: productName,
      description: productDescription,
      path: '/',
      modified: createdAt,
      span: [oldestFiledAt, newestDay],
      isFree: false,
      files: [['/demo', 'application/json']],
    }),
    body: html`
      <section class="hero">
        <div><h1>SEC filings as events you can poll</h1>
        <p class="lead">Public securities filings from SEC EDGAR as clean JSON: one record for each filing, what insiders bought and sold, true acceptance times, and a change feed that loses nothing.</p>
        <p class="actions"><a class="button" href="/filings">Newest filings</a> <a class="button quiet" href="/docs">Make a request</a></p></div>
        ${record !== null && html`<div class="hero-record">${streamed(newestFilings)}${answerBlock(record, trade === null ? 'One entry of the change feed, shortened' : 'One trade of an insider, shortened')}</div>`}
        <dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      </section>
      <section aria-labelledby="days"><h2 id="days">Filings, day by day</h2>${dailyChart(days, newestDay, overviewLimits.days)}</section>
      <div class="pair">
        <section aria-labelledby="newest"><h2 id="newest">Newest filings</h2>${filingsTable('The newest filings of this snapshot', foldAlike(newestFilings).slice(0, newestRows), null)}</section>
        <section aria-labelledby="events"><h2 id="events">What companies reported</h2>${filingsTable('The newest current reports, Form 8-K, with their items', newestReports, null)}</section>
      </div>
      <section aria-labelledby="ways"><h2 id="ways">Three ways to use it</h2><div class="ways">${ways(settings, examples.find(({ endpoint }) => endpoint.id === 'listChanges')?.path ?? '/v1/sec/changes?since=2026-08-01', shownCompanies[0])}</div></section>
      <section aria-labelledby="promises"><h2 id="promises">What you can rely on</h2>${promises}</section>`,
  };
}

/** Filings that the hero shows as a stream sends them. */
const streamedRows = 5;

/** The newest filings, in the order in which a stream sent them. A script lets them come one by one. */
function streamed(newest: readonly Filing[]): Html {
  const rows = newest
    .slice(0, streamedRows)
    .reverse()
    .map(
      (filing) =>
        html`<li><span class="clock">${filing.filedAt !== null && dayText(filing.filedAt).slice(0, -5)} ${filing.acceptanceDateTime !== null && easternTime(filing.acceptanceDateTime)}</span> <b>${filing.ticker ?? isolated(filing.companyName)}</b> ${filing.form} <span class="faint">${eventText(filing)}</span></li>`,
    );
  return html`<p class="small faint">A stream sends what is new. Recorded here:</p><ol class="stream" id="stream">${rows}</ol>`;
}

/** The last day that was proven complete; nothing where no day was compared with EDGAR's index. */
function provenFact(overview: Overview): readonly (readonly [string, Html])[] {
  const day = completenessOf(overview).reconciledThrough;
  return day === null
    ? []
    : [['last day proven complete', html`<a href="/completeness">${dayText(day)}</a>`]];
}

/** A purchase or sale as `/v1/sec/insider-transactions` has it, without the less important members. */
function tradeRecord(filing: Filing): object | null {
  const trade = insiderTransactionsOf(filing).find(({ code }) => code === 'P' || code === 'S');
  if (!trade) return null;
  const { ticker, acceptedAt, owners, isPlanned, on, code: transactionCode, shares, price, value } = trade;
  return {
    ticker,
    code: transactionCode,
    shares,
    price,
    value,
    on,
    isPlanned,
    owners: owners.slice(0, 1).map(({ name, title }) => ({ name, title })),
    acceptedAt,
  };
}

/** One real entry of the change feed, without the less important members. */
function exampleRecord(examples: readonly Example[]): object | null {
  const feed = examples.find(({ endpoint }) => endpoint.id === 'listChanges')?.body as
    | z.infer<typeof ChangeListResponse>
    | undefined;
  const change = feed?.data.find(({ changeType }) => changeType === 'material_event') ?? feed?.data[0];
  if (!change) return null;
  const { accessionNo, ticker, companyName, form, eventType, items, filedAt, acceptanceDateTime } =
    change.filing;
  return {
    sequence: change.sequence,
    changeType: change.changeType,
    observedAt: change.observedAt,
    filing: { accessionNo, ticker, companyName, form, eventType, items, filedAt, acceptanceDateTime },
  };
}

function ways({ baseUrl }: PublicInput['settings'], changes: string, first: ShownCompany | undefined): Html {
  const base = origin(baseUrl, defaultAddress);
  return html`
    <article><h3>REST</h3><p>Begin at a date, then follow the cursor. You get each matching change exactly once. This one needs no key:</p>
      ${codeBlock(code`curl "${base}/demo"`, 'Works as it stands')}
      ${codeBlock(code`curl "${base}${changes}" \\\n  -H "x-api-key: $KEY"`, 'Request')}
      <p><a href="/docs">First request</a> · <a href="/docs/reference">All operations</a></p></article>
    <article><h3>Assistant</h3><p>${tools.length} tools, resources and prompts over the Model Context Protocol. Put this into the settings of your assistant.</p>
      ${codeBlock(code`{\n  "mcpServers": {\n    "filings": {\n      "type": "http",\n      "url": "${base}/mcp",\n      "headers": { "x-api-key": "YOUR_KEY" }\n    }\n  }\n}`, 'Configuration')}
      <p><a href="/docs/assistants">Connect an assistant</a></p></article>
    <article><h3>CSV</h3><p>The newest filings of a company as a table, without a key, for a spreadsheet or DuckDB.</p>
      ${first && codeBlock(code`curl -O "${base}/explore/data/${first.symbol}.csv"`, 'Download')}
      <p>${first && html`<a href="/explore/data/${first.symbol}.csv" download>${isolated(first.company.name)}, ${countText(first.filings.length, 'filing')}</a> · `}<a href="/explore">More companies</a></p></article>`;
}

const promises = html`<ul class="promises">
  <li><h3>Nothing is lost</h3><p>If you follow the cursor, you get each change once, even if a filing arrives late with an old date. <a href="/docs/polling">How to poll</a></p></li>
  <li><h3>Each day is proven complete</h3><p>Every evening a follower compares the filings of the day with EDGAR's own index, and names every exception. <a href="/completeness">Day by day</a></p></li>
  <li><h3>The clock is right</h3><p>Acceptance times are Eastern time, checked for each file of EDGAR. If a time cannot be decided, it is null. <a href="/docs/times">What the times mean</a></p></li>
  <li><h3>Every form is understood</h3><p>56 event families group forms with their amendments and old names. Each 8-K record has its items. <a href="/docs/events">Families and items</a></p></li>
  <li><h3>Every byte can be checked</h3><p>A snapshot never changes, and has the SHA-256 of every file in it. <a href="/docs/verify">How to verify</a></p></li>
</ul>`;
