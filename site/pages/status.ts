import type { CountByEventType } from '../../src/contract/records.ts';
import type { PublicInput } from '../content/public-file.ts';
import { freshnessOf } from '../content/freshness.ts';
import { completenessOf, reconciliationPath } from '../content/reconciliation.ts';
import { isReconciled } from '../../src/contract/reconciled-days.ts';
import { percent } from './parts/chart.ts';
import { html, type Html } from './parts/html.ts';
import { completenessPath } from './completeness.ts';
import { agingInstant, arrivalFacts } from './parts/arrival.ts';
import { daysTable } from './parts/days-table.ts';
import { table } from './parts/prose.ts';
import type { Page } from './parts/shell.ts';
import {
  countText,
  daySpanText,
  familyLabel,
  groupOf,
  instantText,
  numberText,
} from './parts/family-words.ts';

/** What the service serves, how fresh it is, where it comes from, and how to check it. */
export function statusPage({ overview, settings }: PublicInput): Page {
  const { isSample, latestRun, filingCount, companyCount, lastSequence, eventTypes, batches, refusals } =
    overview;
  const { dataFetchedAt, staleAfter } = freshnessOf(overview, settings);
  const facts: readonly (readonly [string, Html | string])[] = [
    ['snapshot', html`<span id="snapshot">its name stands in <a href="/health">/health</a></span>`],
    ['pointer', html`<span id="signature">see <a href="/health">/health</a></span>`],
    [
      isSample ? 'sample recorded' : 'EDGAR last read',
      html`<span id="fetched">${agingInstant(dataFetchedAt)}</span>`,
    ],
    ...(isSample
      ? []
      : [
          [
            'stale after',
            html`<time id="stale" datetime="${staleAfter}">${instantText(staleAfter)}</time>`,
          ] as const,
        ]),
    ['filings', numberText(filingCount)],
    ['companies and people', numberText(companyCount)],
    ...arrivalFacts(overview),
    ['changes', numberText(lastSequence)],
  ];
  return {
    path: '/status',
    title: 'Status',
    scripts: ['status'],
    description: 'Which snapshot is served, when its data was fetched, what it holds, and how to check it.',
    body: html`
      <div class="title"><h1>Status</h1><p class="verdict">The service <span id="service">answers at <a href="/health">/health</a></span>.</p><p class="lead">The facts of the snapshot that this page belongs to. Your browser asks the service for the line above and the first ${isSample ? 'three' : 'four'} facts, now and once a minute.</p></div>
      <dl class="facts four" id="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      <section><h2>Runs</h2><p class="small">Each run of the ingest adds one batch to the ledger. The newest was a ${latestRun.status === 'success' ? html`<strong class="good">success</strong>` : html`<strong class="bad">${latestRun.status}</strong>`}: <code>${latestRun.target}</code>${latestRun.message !== null && html`. ${latestRun.message}`}</p>
        ${table(
          ['Batch', 'Recorded', 'Changes', 'SHA-256'],
          batches.map(({ number, createdAt, changes, sha256 }) => [
            number,
            instantText(createdAt),
            numberText(changes),
            html`<code>${sha256.slice(0, 16)}…</code>`,
          ]),
          'Runs',
        )}</section>
      ${
        refusals.count > 0 &&
        html`<section><h2>Refused rows</h2><p class="small">${countText(refusals.count, 'row')} of the ledger could not be understood and ${refusals.count === 1 ? 'is' : 'are'} left out of this snapshot.</p>
        <ul>${refusals.first.map((refusal) => html`<li><code>${refusal}</code></li>`)}</ul></section>`
      }
      <section><h2>Compared with EDGAR's indexes</h2>${completeness(overview)}</section>
      <section><h2>What it holds</h2>${holdings(eventTypes)}</section>
      <section><h2>How to check it</h2><p>A snapshot never changes. Its manifest leads to the SHA-256 of every file in it, and its name contains the beginning of the SHA-256 of the manifest. So if you know the name, you can check every byte. <a href="/docs/verify">Verify a snapshot</a> has the commands.</p></section>`,
  };
}

/** Days that the table shows. */
const daysShown = 10;

/** Through which day the data is proven complete, and the results of the newest days. */
function completeness(overview: PublicInput['overview']): Html {
  const { reconciledFrom, reconciledThrough, missingFilings, openFilings, withdrawnFilings } =
    completenessOf(overview);
  if (reconciledFrom === null || reconciledThrough === null)
    return html`<p class="small">No day was compared with EDGAR's daily index yet.</p>`;
  return html`<p class="small">Every evening EDGAR lists the filings of the day. The service compares them with its own, once more on the next business day, and with the corrected index of each Saturday. ${daySpanText(reconciledFrom, reconciledThrough)}, the service has each of them that names a company of its universe, ${missingFilings === 0 ? 'and none is missing' : html`except <strong class="bad">${countText(missingFilings, 'filing')}</strong>`}. ${openFilings > 0 && html`Of ${countText(openFilings, 'filing')} it does not know all facts yet. `}${withdrawnFilings > 0 && html`EDGAR has withdrawn ${countText(withdrawnFilings, 'filing')} since then. The service still has them. `}<a href="${reconciliationPath}">All days</a>.</p>
    <p class="small"><a href="${completenessPath}">How do I know that nothing is missing?</a> is a page to print.</p>
    ${daysTable(overview.reconciledDays.filter(isReconciled).slice(0, daysShown))}`;
}

/** Families with their counts, as numbers and as bars. */
function holdings(families: readonly CountByEventType[]): Html {
  const most = Math.max(1, ...families.map(({ count }) => count));
  return html`<table><thead><tr><th scope="col">Event family</th><th scope="col" class="number">Filings</th><th scope="col"><span class="unseen">Share of the most frequent one</span></th></tr></thead>
    <tbody>${families.map(({ eventType, count }) => html`<tr><th scope="row"><span class="dot ${groupOf(eventType)}"></span>${familyLabel(eventType)}</th><td class="number">${numberText(count)}</td><td class="share"><svg aria-hidden="true"><rect class="${groupOf(eventType)}" width="${percent(count / most)}" height="100%" rx="1"/></svg></td></tr>`)}</tbody></table>`;
}
