import { changeTypeNames, changeTypes } from '../../../src/domain/change-type.ts';
import { eventFamilies, eventTypes } from '../../../src/domain/event-types.ts';
import { formsByEventType } from '../../../src/domain/forms.ts';
import { itemTitles } from '../../../src/domain/items.ts';
import { staleAfterHoursDefault } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { withEasternOffset } from '../../../src/time/eastern.ts';
import { html } from '../parts/html.ts';
import { familyLabel, groupNames, groupOf, groups, dayText } from '../parts/family-words.ts';
import { table } from '../parts/prose.ts';
import type { DocsPage } from './docs-page.ts';

/** Families of forms, and the items of Form 8-K. */
export function eventsPage(): DocsPage {
  return {
    slug: 'events',
    name: 'Events and items',
    title: 'Event families and items',
    description: 'The event families of all forms, and the items of Form 8-K.',
    contents: [
      ...groupNames.map((group) => [group, groups[group]] as const),
      ['items', 'Items of Form 8-K'],
      ['changes', 'Change types'],
    ],
    body: html`<p class="lead">EDGAR has hundreds of forms, and renames some. <code>eventType</code> says what a form means. It is one of ${eventTypes.length} families and never null. Forms that belong to no other family are <code>other_filing</code>.</p>
      <p>An amendment is in the family of its form: <code>10-K</code> and <code>10-K/A</code> are both <code>annual_report</code>. Old and new names are in one family, too: <code>SC 13G</code> and <code>SCHEDULE 13G</code>. <a href="/docs/filters">Filter</a> by <code>eventType</code> for a meaning, and by <code>form</code> for one exact form. <a href="/reference.json"><code>/reference.json</code></a> has the same lists for programs.</p>
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
      <p>An 8-K names the items that it reports on. <code>items</code> has their codes in the order of the filing. The titles are those of the form. Item numbers from before 23 August 2004 are replaced by the codes that followed them.</p>
      ${table(
        ['Item', 'Title'],
        itemTitles.map(([item, title]) => [html`<code>${item}</code>`, title]),
        'Items of Form 8-K',
      )}
      <h2 id="changes">Change types</h2>
      <p>Each entry of the change feed has a <code>changeType</code>: the first one in this table that fits.</p>
      ${table(
        ['Change type', 'When'],
        changeTypeNames.map((name) => [html`<code>${name}</code>`, changeTypes[name]]),
        'Change types',
      )}`,
  };
}

/** The acceptance time that the page explains: that of the filing in the contract's examples. */
const stamp = '20251031060126';

/** Every date and time of a record. */
export function timesPage({ settings }: PublicInput): DocsPage {
  const day = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
  return {
    slug: 'times',
    name: 'Times',
    title: 'What the times mean',
    description: 'Filing date, acceptance time, report date and observation, and the clock of each.',
    body: html`<p class="lead">A filing has several dates, on two clocks. If you mix them up, you are a day off.</p>
      ${table(
        ['Member', 'Clock', 'What it says'],
        [
          [
            html`<code>acceptanceDateTime</code>`,
            'US Eastern',
            'when EDGAR accepted the filing: 14 digits, yyyymmddhhmmss. The filing became public then or shortly after',
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
            'the day that the filing is about: the end of a period, or the day of an event, a transaction or a meeting; null if the form has none',
          ],
          [
            html`<code>ingestedAt</code>`,
            'UTC',
            'when this service first recorded the filing. It never changes',
          ],
          [
            html`<code>observedAt</code>`,
            'UTC',
            'when this service recorded an entry of the change feed. In the first entry of a filing it equals ingestedAt',
          ],
          [
            html`<code>newestFiledAt</code>`,
            'calendar date',
            'the newest filing date of the whole data, in the meta of every list. An empty list says nothing about later days',
          ],
          [
            html`<code>dataFetchedAt</code>`,
            'UTC',
            'when EDGAR was last read without error, in health and statistics; the header Data-Fetched-At of every answer with data says the same',
          ],
          [html`<code>staleAfter</code>`, 'UTC', 'when the data becomes stale, in health and statistics'],
        ],
        'Members with a time',
      )}
      <h2>Reading an acceptance time</h2>
      <p><code>${stamp}</code> is ${dayText(day)}, ${stamp.slice(8, 10)}:${stamp.slice(10, 12)}:${stamp.slice(12, 14)} in New York. The digits are New York time in winter and in summer. <code>acceptedAt</code> is the same moment with its offset: <code>${withEasternOffset(stamp)}</code>. If one is null, so is the other.</p>
      <p>On the first Sunday of November, the hour from 1:00 to 2:00 comes twice in New York, and fourteen digits do not say which one is meant. <code>acceptedAt</code> then has the offset from before the change, <code>-04:00</code>. EDGAR accepts nothing at that hour.</p>
      <h2>Why acceptance times are right here</h2>
      <p>EDGAR's own files write acceptance times with a <code>Z</code> at the end, which means UTC. In some files the digits are UTC; in others they are Eastern time. The build decides this for each file, from the filing dates and the hours in which EDGAR accepts filings. If it cannot decide, the time is null: no time is better than one that is four or five hours off.</p>
      <h2>When data is stale</h2>
      <p>A service that follows EDGAR notes every few seconds when it last read EDGAR without error and had published everything that it listed. Five minutes of EDGAR's hours later (6:00 to 22:00 in New York on business days; the operator may set another span) the data is stale. So a service whose follower died does not look like a quiet market. Every answer with data says it in the headers <code>Data-Fetched-At</code> and <code>Data-Stale</code>, also a 304; the body and its ETag stay as they are.</p>
      <p>Where a schedule rebuilds the data, it is stale ${settings.staleAfterHours ?? staleAfterHoursDefault} hours after it was fetched. Then only hours of EDGAR's business days count, in New York time. EDGAR is closed on weekends and federal holidays, so data from Friday evening is not stale on Sunday. Either way, the <code>status</code> of <a href="/health"><code>/health</code></a> is <code>stale</code> then, and <code>stale</code> is true there and in the statistics. <code>sample</code> is true if the service has a recorded sample and no live data. <a href="/docs/freshness">How fresh, how proven</a> tells more.</p>
      <h2>What to sort by</h2>
      <p>Lists are newest first, by <code>filedAt</code>, then <code>acceptanceDateTime</code>, then <code>accessionNo</code>. The change feed is in the order of <code>sequence</code>. Follow it with a <a href="/docs/polling">cursor</a>, not by time.</p>`,
  };
}
