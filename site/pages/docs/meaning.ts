import { eventFamilies, eventTypes } from '../../../src/contract/event-types.ts';
import { formsByEventType } from '../../../src/contract/forms.ts';
import { itemTitles } from '../../../src/contract/items.ts';
import { staleAfterHoursDefault } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../../build/content/public-file.ts';
import { withEasternOffset } from '../../../build/time/eastern.ts';
import { html } from '../parts/html.ts';
import { familyLabel, groupNames, groupOf, groups, dayText } from '../parts/words.ts';
import { table } from '../parts/prose.ts';
import type { DocsPage } from './layout.ts';

/** Families of forms, and the items of Form 8-K. */
export function eventsPage(): DocsPage {
  return {
    slug: 'events',
    name: 'Events and items',
    title: 'Event families and items',
    description: 'The event families of all forms, and what the items of Form 8-K say.',
    contents: [
      ...groupNames.map((group) => [group, groups[group]] as const),
      ['items', 'Items of Form 8-K'],
      ['changes', 'Change types'],
    ],
    body: html`<p class="lead">EDGAR knows hundreds of forms, and renames some. <code>eventType</code> says what a form means: ${eventTypes.length} families, never null, with <code>other_filing</code> for what no other family holds.</p>
      <p>Amendments keep the family: <code>10-K</code> and <code>10-K/A</code> are both <code>annual_report</code>, and <code>SC 13G</code> and <code>SCHEDULE 13G</code> are one. <a href="/docs/filters">Filter</a> by <code>eventType</code> where you care about meaning, by <code>form</code> where you want one form and no other. The same lists for programs: <a href="/reference.json"><code>/reference.json</code></a>.</p>
      ${groupNames.map(
        (group) => html`<h2 id="${group}"><span class="dot ${group}"></span>${groups[group]}</h2>
        ${table(
          ['Family', 'What it is, and its forms'],
          eventTypes
            .filter((each) => groupOf(each) === group)
            .map((each) => [
              html`<code>${each}</code>`,
              html`<strong>${familyLabel(each)}.</strong> ${eventFamilies[each].description} <span class="forms">${formsByEventType[each].join(', ')}</span>`,
            ]),
          groups[group],
        )}`,
      )}
      <h2 id="items">Items of Form 8-K</h2>
      <p>An 8-K names the items that it reports on; <code>items</code> has their codes in the order given. The titles are those of the form. Numbers used before 23 August 2004 are given as the codes that followed them.</p>
      ${table(
        ['Item', 'Title'],
        itemTitles.map(([item, title]) => [html`<code>${item}</code>`, title]),
        'Items of Form 8-K',
      )}
      <h2 id="changes">Change types</h2>
      <p>Each entry of the change feed has a <code>changeType</code>. The first rule that holds decides.</p>
      ${table(
        ['Change type', 'When'],
        [
          [
            html`<code>amended</code>`,
            'the form amends an earlier filing, such as 10-K/A; or the entry is a correction: its revision is 2 or more',
          ],
          [html`<code>material_event</code>`, 'a Form 8-K that reports more than exhibits (item 9.01)'],
          [html`<code>new</code>`, 'everything else'],
        ],
        'Change types',
      )}`,
  };
}

/** An acceptance time to explain: that of the filing that the contract's examples name. */
const stamp = '20251031060126';

/** Every date and time of a record. */
export function timesPage({ settings }: PublicInput): DocsPage {
  const day = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
  return {
    slug: 'times',
    name: 'Times',
    title: 'What the times mean',
    description: 'Filing date, acceptance time, report date and observation: which clock each one is on.',
    body: html`<p class="lead">A filing has several dates, on two clocks. Mixing them up costs a day.</p>
      ${table(
        ['Member', 'Clock', 'What it says'],
        [
          [
            html`<code>acceptanceDateTime</code>`,
            'US Eastern',
            'when EDGAR accepted the filing: 14 digits, yyyymmddhhmmss. It is the moment at which the filing became public, or shortly before',
          ],
          [
            html`<code>acceptedAt</code>`,
            'US Eastern, with its offset',
            'the same moment as ISO 8601, which every library reads as an instant',
          ],
          [
            html`<code>filedAt</code>`,
            'calendar date',
            "EDGAR's filing date. After 17:30 Eastern it is usually the next business day; insider filings keep the day until 22:00",
          ],
          [
            html`<code>reportDate</code>`,
            'calendar date',
            'what the filing is about: the end of a period, the day of an event, a transaction or a meeting; null where the form has none',
          ],
          [
            html`<code>ingestedAt</code>`,
            'UTC',
            'when this service first recorded the filing; it never changes afterwards',
          ],
          [
            html`<code>observedAt</code>`,
            'UTC',
            'when this service recorded what an entry of the change feed says; for the first entry of a filing that is its ingestedAt',
          ],
          [
            html`<code>newestFiledAt</code>`,
            'calendar date',
            'the newest filing date of the whole snapshot, in the meta of every list: an empty answer says nothing about later days',
          ],
          [html`<code>dataFetchedAt</code>`, 'UTC', 'when EDGAR was last asked; in health and statistics'],
          [
            html`<code>staleAfter</code>`,
            'UTC',
            'from when on the data counts as stale; in health and statistics',
          ],
        ],
        'Members with a time',
      )}
      <h2>Reading an acceptance time</h2>
      <p><code>${stamp}</code> is ${dayText(day)}, ${stamp.slice(8, 10)}:${stamp.slice(10, 12)}:${stamp.slice(12, 14)} in New York, in winter and in summer. <code>acceptedAt</code> is the same moment with its offset: <code>${withEasternOffset(stamp)}</code>. Both are null together.</p>
      <p>On the first Sunday of November, by the rule since 2007, the hour from 1:00 to 2:00 comes twice in New York, and fourteen digits do not tell which one is meant. <code>acceptedAt</code> then has the offset from before the change, <code>-04:00</code>; EDGAR accepts nothing at that hour.</p>
      <h2>Why it is right here</h2>
      <p>EDGAR's own files write acceptance times with a <code>Z</code> at the end, which says UTC. In some files that is true, in others the same digits are Eastern time. The build decides it file by file, from the hours in which EDGAR accepts filings and from the filing dates. What cannot be decided is null: a time that is wrong by four or five hours is worse than none.</p>
      <h2>When data is stale</h2>
      <p>Data counts as stale ${settings.staleAfterHours ?? staleAfterHoursDefault} hours after it was fetched. Only hours of EDGAR's business days count, by the calendar in New York: on weekends and federal holidays EDGAR is closed and nothing is missed, so what was fetched on a Friday evening is not stale on Sunday. <a href="/health"><code>/health</code></a> then says <code>stale</code> as its <code>status</code>, and <code>stale</code> is true there and in the statistics. <code>sample</code> is true where the service shows a recorded sample and no live data. <a href="/docs/freshness">How fresh, how proven</a> tells the rest.</p>
      <h2>What to sort by</h2>
      <p>Lists come newest first by <code>filedAt</code>, then <code>acceptanceDateTime</code>, then <code>accessionNo</code>. The change feed comes in the order of <code>sequence</code>: follow it with a <a href="/docs/polling">cursor</a>, not with a time.</p>`,
  };
}
