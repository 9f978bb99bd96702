import { dayMs } from '../../../src/time/units.ts';
import { html, type Html } from './html.ts';
import {
  countText,
  dayText,
  groupNames,
  groups,
  groupOf,
  monthName,
  numberText,
  type Group,
} from './family-words.ts';

/** The members of a filing that a picture shows. */
export interface Dated {
  readonly filedAt: string | null;
  readonly eventType: string;
}

/** How many filings of a family there are on a day. */
export interface Counted extends Dated {
  readonly count: number;
}

/** How many filings of each group fall into one stretch of days. */
export interface Bucket {
  /** The first day. */
  readonly date: string;
  readonly total: number;
  readonly byGroup: ReadonlyMap<Group, number>;
}

/** The number of a day, counted from 1970. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / dayMs;
}

/** The date of such a number. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/**
 * Filings counted in `count` stretches of `days` days each. The last stretch ends on the day `end`. If each
 * stretch is one day, empty weekends are left out.
 */
export function bucketsOf(counted: readonly Counted[], end: string, count: number, days: number): Bucket[] {
  const first = dayNumber(end) - count * days + 1;
  const buckets = Array.from({ length: count }, (_, at) => ({
    date: dateOf(first + at * days),
    total: 0,
    byGroup: new Map<Group, number>(),
  }));
  for (const { filedAt, eventType, count: filings } of counted) {
    const bucket = filedAt === null ? undefined : buckets[Math.floor((dayNumber(filedAt) - first) / days)];
    if (!bucket) continue;
    bucket.total += filings;
    bucket.byGroup.set(groupOf(eventType), (bucket.byGroup.get(groupOf(eventType)) ?? 0) + filings);
  }
  const isWeekend = (date: string) => ((dayNumber(date) + 4) % 7) % 6 === 0;
  return days === 1 ? buckets.filter(({ date, total }) => total > 0 || !isWeekend(date)) : buckets;
}

/** One bar of a stacked chart, in units of one bucket and one filing. */
export interface Bar {
  readonly group: Group;
  readonly at: number;
  readonly from: number;
  readonly count: number;
}

/** The bars of a stacked chart. */
export function barsOf(buckets: readonly Bucket[]): Bar[] {
  return buckets.flatMap(({ byGroup }, at) => {
    let from = 0;
    return groupNames.flatMap((group) => {
      const count = byGroup.get(group) ?? 0;
      if (count === 0) return [];
      from += count;
      return [{ group, at, from: from - count, count }];
    });
  });
}

/**
 * Bars as one path for each group, which is the smallest markup for many bars. A bucket is ten units wide.
 */
function barPaths(buckets: readonly Bucket[], highest: number): Html {
  const bars = barsOf(buckets);
  return html`${groupNames.map((group) => {
    const path = bars
      .filter((bar) => bar.group === group)
      .map(({ at, from, count }) => `M${at * 10 + 1} ${highest - from - count}h8v${count}h-8z`)
      .join('');
    return path !== '' && html`<path class="${group}" d="${path}"/>`;
  })}`;
}

/** The smallest step of 1, 2 or 5 times a power of ten with at most five steps in a height. */
function stepOf(highest: number): number {
  for (let unit = 1; ; unit *= 10)
    for (const factor of [1, 2, 5]) if (highest / (factor * unit) <= 5) return factor * unit;
}

/** On a chart by day the median day with filings has this share of the height, or more. Higher bars are cut. */
const medianShare = 0.06;
/** A chart by day shows as many days, or more, however short the time is that has filings. */
const daysMinimum = 28;

/** The number of filings at the top of a chart: that of the busiest day, or less if it would flatten all others. */
function topOf(buckets: readonly Bucket[]): number {
  const totals = buckets.flatMap(({ total }) => (total > 0 ? [total] : [])).sort((a, b) => a - b);
  const median = totals[Math.floor(totals.length / 2)] ?? 1;
  return Math.max(1, Math.min(totals.at(-1) ?? 1, Math.floor(median / medianShare)));
}

/**
 * A chart of filings per day by group, with a legend and the same numbers as a table. It begins with the first day that
 * has filings, at most `daysMaximum` before `end`.
 */
export function dailyChart(counted: readonly Counted[], end: string, daysMaximum: number): Html {
  const firstOn = counted.flatMap(({ filedAt }) => filedAt ?? []).sort()[0] ?? end;
  const days = Math.min(daysMaximum, Math.max(daysMinimum, dayNumber(end) - dayNumber(firstOn) + 1));
  const buckets = bucketsOf(counted, end, days, 1);
  const busiest = buckets.reduce(
    (most, bucket) => (bucket.total > most.total ? bucket : most),
    buckets[0] as Bucket,
  );
  const highest = topOf(buckets);
  const step = stepOf(highest);
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0);
  const description = `Bar chart of ${numberText(total)} filings by day and kind, ${dayText(buckets[0]?.date ?? end)} to ${dayText(end)}. The busiest day was ${dayText(busiest.date)} with ${numberText(busiest.total)} filings.`;
  const cut = buckets.filter(({ total }) => total > highest);
  const cutText = `Bars end at ${numberText(highest)}. ${cut
    .slice(0, 3)
    .map(({ date, total }) => `${dayText(date)} has ${numberText(total)}`)
    .join(', ')}${cut.length > 3 ? `, and ${countText(cut.length - 3, 'other day')} more than fit` : ''}.`;
  const marks = Array.from({ length: Math.floor(highest / step) + 1 }, (_, at) => at * step);
  const level = (count: number) => 12 + ((highest - count) / highest) * 188;
  const firsts = buckets.flatMap(({ date }, at) =>
    at > 0 && date.slice(0, 7) !== buckets[at - 1]?.date.slice(0, 7) ? [{ date, at }] : [],
  );
  // The days between each bar and the one before. A script makes dates of them.
  const steps = buckets
    .map(({ date }, at) => dayNumber(date) - dayNumber(buckets[at - 1]?.date ?? date))
    .join('');
  return html`<figure class="chart" id="chart" data-first="${buckets[0]?.date}" data-steps="${steps}">
    <div class="stage"><svg class="daily" width="100%" height="224" role="img" aria-label="${description}">
      ${marks.map((mark) => html`<line class="rule" x1="0" x2="100%" y1="${level(mark)}" y2="${level(mark)}"/>`)}
      <svg class="bars" x="0" y="12" width="100%" height="188" viewBox="0 0 ${buckets.length * 10} ${highest}" preserveAspectRatio="none">${barPaths(buckets, highest)}</svg>
      ${marks.slice(1).map((mark) => html`<text class="scale" x="0" y="${level(mark) - 4}">${numberText(mark)}</text>`)}
      ${firsts.map(({ date, at }, index) => html`<text class="month${index % 2 === 1 && ' odd'}" ${labelPlace(at / buckets.length)} y="218">${monthName(date)}${(index === 0 || date.slice(5, 7) === '01') && html`<tspan class="year"> ${date.slice(0, 4)}</tspan>`}</text>`)}
    </svg><div class="bubble" id="bubble" hidden></div></div>
    ${cut.length > 0 && html`<p class="small faint">${cutText}</p>`}
    ${legend(buckets)}
    ${monthTable(buckets)}
  </figure>`;
}

/** Where the label of a mark begins; the label of one near the right edge ends at the edge. */
export function labelPlace(share: number): Html {
  return share > 0.95 ? html`x="100%" text-anchor="end"` : html`x="${percent(share)}"`;
}

/** A share as a percentage with two digits. */
export function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}

function sumOf(buckets: readonly Bucket[], group: Group): number {
  return buckets.reduce((sum, { byGroup }) => sum + (byGroup.get(group) ?? 0), 0);
}

function legend(buckets: readonly Bucket[]): Html {
  return html`<ul class="legend">${groupNames
    .map((group) => ({ group, count: sumOf(buckets, group) }))
    .filter(({ count }) => count > 0)
    .map(
      ({ group, count }) =>
        html`<li><span class="dot ${group}"></span>${groups[group]} <span class="count">${numberText(count)}</span></li>`,
    )}</ul>`;
}

function monthTable(buckets: readonly Bucket[]): Html {
  const months = [...new Set(buckets.map(({ date }) => date.slice(0, 7)))].map((month) => ({
    month,
    rows: buckets.filter(({ date }) => date.startsWith(month)),
  }));
  const shown = groupNames.filter((group) => sumOf(buckets, group) > 0);
  return html`<details class="numbers"><summary>The same as numbers, by month</summary><div class="scroll" tabindex="0" role="region" aria-label="Filings by month and kind"><table>
    <thead><tr><th scope="col">Month</th>${shown.map((group) => html`<th scope="col" class="number">${groups[group]}</th>`)}</tr></thead>
    <tbody>${months.map(({ month, rows }) => html`<tr><th scope="row">${monthName(month)} ${month.slice(0, 4)}</th>${shown.map((group) => html`<td class="number">${sumOf(rows, group)}</td>`)}</tr>`)}</tbody>
  </table></div></details>`;
}

/** A small picture of the filings of a year, a bar for each week. */
export function weeklyStrip(filings: readonly Dated[], end: string): Html {
  const weeks = bucketsOf(
    filings.map(({ filedAt, eventType }) => ({ filedAt, eventType, count: 1 })),
    end,
    53,
    7,
  );
  const highest = Math.max(1, ...weeks.map(({ total }) => total));
  return html`<svg class="strip" viewBox="0 0 530 ${highest}" preserveAspectRatio="none" aria-hidden="true">${barPaths(weeks, highest)}</svg>`;
}
