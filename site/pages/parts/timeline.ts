import { dayMs } from '../../../src/time/units.ts';
import { dateOf, dayNumber, labelPlace, percent, type Dated } from './chart.ts';
import { html, type Html } from './html.ts';
import { dayText, groupNames, groups, groupOf, monthName, numberText, type Group } from './family-words.ts';

/** One lane of a timeline: its group of filings, and where it begins. */
export interface Lane {
  readonly group: Group;
  readonly top: number;
}

const laneHeight = 46;
const dotsBegin = 28;
const axisHeight = 22;
/**
 * The most names of months or years below a timeline, and the possible numbers of months between two of them.
 */
const namesMaximum = 14;
const steps = [1, 3, 6, 12, 24, 60];
/** Vertical offsets of the dots of one day. Further dots of the day overlap these. */
const offsets = [0, -5, 5, -10, 10];

/** The part of a timeline's width that is free at each end, so that no dot is cut off. */
const margin = 0.018;

/**
 * The days at the edges of a timeline, and those of its months and filings. The months begin with a whole
 * one, so that companies can be compared.
 */
function spanOf(filings: readonly Dated[]): { first: number; last: number; from: number; to: number } {
  const dates = filings.flatMap(({ filedAt }) => filedAt ?? []).sort();
  const oldest = dates[0] ?? '2026-01-01';
  const newest = dates.at(-1) ?? oldest;
  const [from, to] = [dayNumber(`${oldest.slice(0, 7)}-01`), dayNumber(newest)];
  const free = Math.ceil(Math.max(6, to - from) * margin);
  return { first: from - free, last: to + free, from, to };
}

/** The lanes for some filings. Rarer kinds are above frequent ones. */
function lanesOf(filings: readonly Dated[]): Lane[] {
  const present = new Set(filings.map(({ eventType }) => groupOf(eventType)));
  const shown = groupNames.filter((group) => present.has(group));
  const order: readonly Group[] = [
    'events',
    'reports',
    'offerings',
    'votes',
    'owners',
    'insiders',
    'sales',
    'other',
  ];
  return order.filter((group) => shown.includes(group)).map((group, at) => ({ group, top: at * laneHeight }));
}

/**
 * A timeline of filings: a lane for each group, a dot for each filing. Those for which `fades` is true are
 * pale.
 */
export function timeline(filings: readonly Dated[], fades: (filing: Dated) => boolean = () => false): Html {
  const { first, last, from, to } = spanOf(filings);
  const lanes = lanesOf(filings);
  const height = lanes.length * laneHeight + axisHeight;
  const share = (day: number) => percent((day - first) / (last - first));
  const { months, step } = monthsBetween(from, to);
  const dots = dotsOf(filings, lanes);
  const count = (group: Group) => filings.filter(({ eventType }) => groupOf(eventType) === group).length;
  const label = `Timeline of ${numberText(filings.length)} filings from ${dayText(dateOf(from))} to ${dayText(dateOf(to))}: ${lanes.map(({ group }) => `${groups[group]} ${count(group)}`).join(', ')}.`;
  return html`<svg class="timeline" width="100%" height="${height}" role="img" aria-label="${label}">
    ${months.map((day) => html`<line class="rule" x1="${share(day)}" x2="${share(day)}" y1="0" y2="${height - axisHeight}"/>`)}
    ${lanes.map(({ group, top }) => html`<line class="lane" x1="0" x2="100%" y1="${top + laneHeight - 0.5}" y2="${top + laneHeight - 0.5}"/><text class="lane-name" x="0" y="${top + 13}">${groups[group]} <tspan>${count(group)}</tspan></text>`)}
    ${lanes.map(({ group }) => html`<g class="${group}">${dots.filter((dot) => dot.group === group).map(({ day, y, filing }) => html`<circle cx="${share(day)}" cy="${y}" r="4"${fades(filing) && html` class="pale"`}/>`)}</g>`)}
    ${months.map((day, at) => html`<text class="month${(at % 2 === 1 || (day - first) / (last - first) > 0.93) && ' odd'}" ${labelPlace((day - first) / (last - first))} y="${height - 6}">${step >= 12 ? dateOf(day).slice(0, 4) : monthName(dateOf(day))}${step < 12 && (at === 0 || dateOf(day).slice(5, 7) === '01') && html`<tspan class="year"> ${dateOf(day).slice(0, 4)}</tspan>`}</text>`)}
  </svg>`;
}

interface Dot {
  readonly group: Group;
  readonly day: number;
  readonly y: number;
  readonly filing: Dated;
}

function dotsOf(filings: readonly Dated[], lanes: readonly Lane[]): Dot[] {
  const onDay = new Map<string, number>();
  return filings.flatMap((filing) => {
    const group = groupOf(filing.eventType);
    const lane = lanes.find((each) => each.group === group);
    if (filing.filedAt === null || !lane) return [];
    const spot = `${group} ${filing.filedAt}`;
    const before = onDay.get(spot) ?? 0;
    onDay.set(spot, before + 1);
    return [
      {
        group,
        day: dayNumber(filing.filedAt),
        y: lane.top + dotsBegin + (offsets[before % offsets.length] ?? 0),
        filing,
      },
    ];
  });
}

/**
 * The first days of the months that a timeline names: every month, or every third, sixth, … of a longer
 * timeline.
 */
function monthsBetween(first: number, last: number): { months: number[]; step: number } {
  // Months are counted from the year 0.
  const [from, to] = [first, last].map((day) => {
    const date = dateOf(day);
    return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
  }) as [number, number];
  const step = steps.find((each) => (to - from + 1) / each <= namesMaximum) ?? 120;
  const months: number[] = [];
  for (let month = Math.ceil(from / step) * step; month <= to; month += step)
    months.push(Date.UTC(Math.floor(month / 12), month % 12) / dayMs);
  return { step, months };
}

/**
 * The filings nearest to a point of a timeline. `share` and `reach` are parts of its width; `y` is in pixels.
 */
export function nearest<Row extends Dated>(
  filings: readonly Row[],
  share: number,
  y: number,
  reach: number,
): Row[] {
  const { first, last } = spanOf(filings);
  const lane = lanesOf(filings)[Math.floor(y / laneHeight)];
  const day = first + share * (last - first);
  const distance = ({ filedAt }: Dated) => Math.abs(dayNumber(filedAt ?? '') - day);
  const inLane = filings.filter(
    ({ filedAt, eventType }) => filedAt !== null && groupOf(eventType) === lane?.group,
  );
  const best = Math.min(...inLane.map(distance));
  return best <= reach * (last - first) ? inLane.filter((filing) => distance(filing) === best) : [];
}
