import { isReconciled, type ReconciledDay } from '../../../src/contract/reconciled-days.ts';
import { isFilingDay } from '../../../src/time/calendar.ts';
import { dayFrom } from '../../../src/time/units.ts';
import { dayText, monthName, numberText } from './family-words.ts';
import { html, type Html } from './html.ts';

/** Months that the calendar shows at most, the newest ones. */
const monthsMaximum = 6;

/** What can be said of a day, in the order of the legend. */
const states = {
  complete: 'complete',
  open: 'some facts are open',
  missing: 'filings are missing',
  unindexed: 'no index could be had',
  unknown: 'not compared yet',
  closed: 'EDGAR is closed',
} as const;
type State = keyof typeof states;

function stateOf(day: string, result: ReconciledDay | undefined): State {
  if (result === undefined) return isFilingDay(day) ? 'unknown' : 'closed';
  if (!isReconciled(result)) return 'unindexed';
  if (result.missing > 0) return 'missing';
  return (result.open ?? 0) > 0 ? 'open' : 'complete';
}

/**
 * Months with what was found on each of their days, newest first: those with days that were compared, and that of the
 * newest filing. There are none if no day was compared.
 */
export function dayCalendar(days: readonly ReconciledDay[], newestFiledAt: string | null): Html | false {
  const results = new Map(days.map((each) => [each.day, each]));
  const named = [...results.keys(), ...(results.size > 0 && newestFiledAt !== null ? [newestFiledAt] : [])];
  const months = [...new Set(named.map((day) => day.slice(0, 7)))].sort().reverse();
  const shown = months.slice(0, monthsMaximum);
  const present = new Set<State>();
  const tables = shown.map(
    (month) => html`<table class="calendar"><caption>${monthName(month)} ${month.slice(0, 4)}</caption>
      <thead><tr>${weekdays.map((name) => html`<th scope="col"><abbr title="${name}">${name.slice(0, 2)}</abbr></th>`)}</tr></thead>
      <tbody>${weeksOf(month).map((week) => html`<tr>${week.map((day) => (day === null ? html`<td></td>` : cell(day)))}</tr>`)}</tbody></table>`,
  );
  function cell(day: string): Html {
    const result = results.get(day);
    const state = stateOf(day, result);
    present.add(state);
    const count = result && isReconciled(result) ? `, ${numberText(result.listed)} compared` : '';
    return html`<td class="${state}" title="${dayText(day)}: ${states[state]}${count}">${Number(day.slice(8))}<span class="unseen">: ${states[state]}${count}</span></td>`;
  }
  return (
    shown.length > 0 &&
    html`<div class="calendars">${tables}</div>
    <ul class="legend">${Object.entries(states).map(([state, words]) => state !== 'closed' && present.has(state as State) && html`<li><span class="day ${state}"></span>${words}</li>`)}</ul>`
  );
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** The days of a month by weeks that begin on Monday. Places of other months are null. */
function weeksOf(month: string): (string | null)[][] {
  const first = `${month}-01`;
  const before = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  const places: (string | null)[] = Array.from({ length: before }, () => null);
  for (let day = first; day.startsWith(month); day = dayFrom(day, 1)) places.push(day);
  while (places.length % 7 > 0) places.push(null);
  return Array.from({ length: places.length / 7 }, (_, week) => places.slice(week * 7, week * 7 + 7));
}
