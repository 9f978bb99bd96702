import { defaultAddress } from '../../src/contract/product.ts';
import type { PublicInput } from '../content/public-file.ts';
import { completenessOf, reconciliationPath } from '../content/reconciliation.ts';
import { isReconciled, type ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { dayCalendar } from './parts/day-calendar.ts';
import { daysTable } from './parts/days-table.ts';
import { code, html, type Html } from './parts/html.ts';
import { table } from './parts/prose.ts';
import { codeBlock, origin } from './parts/code-block.ts';
import type { Page } from './parts/shell.ts';
import { countText, daySpanText, dayText, instantText, numberText } from './parts/family-words.ts';

/** The path of the page that answers how anybody knows that nothing is missing. */
export const completenessPath = '/completeness';

/** The most business days that a quarter has. */
const daysShown = 66;
/** Exceptions that are listed one by one; the document has all. */
const exceptionsShown = 200;

/**
 * How a reader knows that nothing is missing: what is claimed, how it was proven, day by day, every
 * exception, and how to check it without trusting the operator. It prints as one document.
 */
export function completenessPage({ overview, settings }: PublicInput): Page {
  const { batches, refusals, filingCount, companyCount, isSample } = overview;
  const reconciledDays = overview.reconciledDays.filter(isReconciled);
  const without = overview.reconciledDays.length - reconciledDays.length;
  const [newest] = batches;
  const day = completenessOf(overview).reconciledThrough ?? overview.newestFiledAt ?? '2026-08-17';
  const base = origin(settings.baseUrl, defaultAddress);
  const facts: readonly (readonly [string, Html | string])[] = [
    ['filings served', numberText(filingCount)],
    ['companies and people', numberText(companyCount)],
    ['rows that were not understood', numberText(refusals.count)],
    ['newest batch', newest === undefined ? 'none' : instantText(newest.createdAt)],
    ['its SHA-256', html`<code>${newest?.sha256 ?? ''}</code>`],
  ];
  return {
    path: completenessPath,
    title: 'How do I know that nothing is missing?',
    description:
      "Which days are proven complete against EDGAR's own indexes, every exception by name, and how to check it yourself.",
    body: html`
      <div class="title"><h1>How do I know that nothing is missing?</h1><p class="verdict">${claim(overview)}</p></div>
      ${dayCalendar(overview.reconciledDays, overview.newestFiledAt)}
      <dl class="facts four">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      ${isSample && html`<p>This service serves a recorded sample, and no live data.</p>`}
      <section><h2>How it is proven</h2>
        <ol><li>Every evening EDGAR publishes the index of the day: each filing that it accepted, with each company that the filing names.</li>
        <li>The service compares each filing that names a company of its universe with its own: the accession number, the companies, the form, the date, and whether the documents are known.</li>
        <li>It fetches what is not there, and asks EDGAR again about what it has otherwise. What was wrong becomes a correction in the change feed.</li>
        <li>It compares the day once more on the next business day, and after each Saturday with the rebuilt index of the quarter, which shows filings that were added or withdrawn late.</li>
        <li>The result of each comparison is kept in the ledger, from which everything here is made. A row that cannot be understood is refused with a reason and counted. It never becomes a wrong filing.</li></ol></section>
      ${
        reconciledDays.length > 0 &&
        html`<section><h2>What is not as EDGAR lists it</h2>${exceptions(reconciledDays)}</section>
      <section><h2>Day by day</h2><p class="small">${countText(Math.min(daysShown, reconciledDays.length), 'day')} of ${numberText(reconciledDays.length)}, the newest first. <a href="${reconciliationPath}">${reconciliationPath}</a> has all.${without > 0 && html` Of ${countText(without, 'day')} more, no index could be had: nothing is said about ${without === 1 ? 'it' : 'them'}.`}</p>
        ${daysTable(reconciledDays.slice(0, daysShown))}
        <p class="small">Only filings that name a company of the universe are compared. ${more(overview, reconciledDays)}“Put right then” counts filings that the service had with other facts, such as without one of their companies, and that it has since as EDGAR lists them. Where EDGAR's index itself is wrong, the filing's header and the company's file count: that is “listed otherwise”.</p></section>`
      }
      <section><h2>Check it yourself</h2>
        <p>Count the filings of a day in EDGAR's own index, and compare the number with <em>in the index</em> above. The SEC wants to know who asks: write your name and mailbox.</p>
        ${codeBlock(code`DAY=${day.replaceAll('-', '')}; QUARTER=${day.slice(0, 4)}/QTR${Math.ceil(Number(day.slice(5, 7)) / 3)}\ncurl -s -A "Jane Doe jane@example.com" "https://www.sec.gov/Archives/edgar/daily-index/$QUARTER/master.$DAY.idx" \\\n  | grep -oE '[0-9]{10}-[0-9]{2}-[0-9]{6}' | sort -u | wc -l`, 'EDGAR counts')}
        <p>See what the service says of each day, and of whether its data is late:</p>
        ${codeBlock(code`curl -s "${base}${reconciliationPath}" | jq '.data[] | {day, indexed, listed, found, open, missing, reasons}'\ncurl -s "${base}/health" | jq '{stale, dataFetchedAt, reconciledFrom, reconciledThrough, missingFilings, openFilings}'`, 'The service says')}
        <p>Whoever has the ledger derives everything from it again and compares every byte. <a href="/docs/verify">Verify a snapshot</a> shows how to check files without this program.</p>
        ${codeBlock(code`npm run verify -- --ledger data/ledger`, 'The ledger proves')}</section>
      <section><h2>What it does not say</h2>
        <p>It says nothing about days that are not compared yet: <a href="/health"><code>/health</code></a> and the headers <code>Data-Fetched-At</code> and <code>Data-Stale</code> tell how late the data of today is. It says nothing about what a filing contains. And it does not cover filings that EDGAR never listed.</p></section>`,
  };
}

/** Why a day can have more filings here than were compared; nothing if the newest compared day has no more. */
function more({ days }: PublicInput['overview'], [newest]: readonly ReconciledDay[]): string {
  if (newest === undefined) return '';
  const served = days.reduce((sum, each) => (each.filedAt === newest.day ? sum + each.count : sum), 0);
  return served <= newest.listed
    ? ''
    : `Of ${dayText(newest.day)} the service has ${countText(served, 'filing')}, because it has filings of other companies, too: of those it claims nothing. `;
}

function claim(overview: PublicInput['overview']): Html {
  const { reconciledFrom, reconciledThrough, missingFilings, openFilings, withdrawnFilings } =
    completenessOf(overview);
  if (reconciledFrom === null || reconciledThrough === null)
    return html`No day was compared with EDGAR's daily index yet, so nothing is proven yet.`;
  return html`${daySpanText(reconciledFrom, reconciledThrough)}, every filing that EDGAR lists for a company of the universe is served here${missingFilings === 0 ? '' : html`, except <strong class="bad">${countText(missingFilings, 'filing')}</strong>`}. ${openFilings > 0 && html`Of ${countText(openFilings, 'filing')} not all facts are known yet. `}${withdrawnFilings > 0 && html`EDGAR has withdrawn ${countText(withdrawnFilings, 'filing')} since; they stay served, and are named below.`}`;
}

/** Filings that are missing, open or different, with reasons, and those that EDGAR has withdrawn. */
function exceptions(days: readonly ReconciledDay[]): Html {
  const rows = days.flatMap(({ day, reasons, withdrawn }) => [
    ...reasons.map(({ accessionNo, reason }) => [dayText(day), html`<code>${accessionNo}</code>`, reason]),
    ...withdrawn.map((accessionNo) => [
      dayText(day),
      html`<code>${accessionNo}</code>`,
      'EDGAR has withdrawn it; it stays served',
    ]),
  ]);
  if (rows.length === 0)
    return html`<p>Nothing: every filing of every compared day is served as EDGAR lists it.</p>`;
  const rest = rows.length - exceptionsShown;
  return html`${table(['Day', 'Accession number', 'Why'], rows.slice(0, exceptionsShown), 'Exceptions')}
    ${rest > 0 && html`<p class="small">${countText(rest, 'row')} more are in <a href="${reconciliationPath}">${reconciliationPath}</a>, which also names only the first of a day with many.</p>`}`;
}
