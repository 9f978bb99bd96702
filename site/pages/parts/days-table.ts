import type { ReconciledDay } from '../../../src/contract/reconciled-days.ts';
import { html, type Html } from './html.ts';
import { table } from './prose.ts';
import { dayText, instantText, numberText } from './family-words.ts';

const columns = [
  'Day',
  'In the index',
  'Of the universe',
  'Served as listed',
  'Fetched then',
  'Put right then',
  'Facts open',
  'Listed otherwise',
  'Missing',
  'Withdrawn since',
  'Compared',
];

/** The results of days that were compared with EDGAR's indexes, as a table. */
export function daysTable(days: readonly ReconciledDay[]): Html {
  const rows = days.map((result) => [
    dayText(result.day),
    numberText(result.indexed),
    numberText(result.listed),
    countOrUnknown(result.found),
    brought(result, 'fetched'),
    brought(result, 'corrected'),
    countOrUnknown(result.open),
    countOrUnknown(result.different),
    numberText(result.missing),
    numberText(result.withdrawn.length),
    html`${looksText(result)}${result.note !== null && html`: ${result.note}`}`,
  ]);
  return table(columns, rows, 'Days compared with the index');
}

/** A count, or a dash if the comparison did not tell it. */
const countOrUnknown = (count: number | null) => (count === null ? '–' : numberText(count));

/** What all comparisons of a day fetched or corrected together. */
function brought({ looks, ...result }: ReconciledDay, member: 'fetched' | 'corrected'): string {
  return looks.length === 0
    ? countOrUnknown(result[member])
    : numberText(looks.reduce((sum, look) => sum + look[member], 0));
}

/** Says when a day was compared first, and when again. */
function looksText({ looks, checkedAt }: ReconciledDay): Html {
  const first = looks[0]?.at ?? checkedAt;
  if (looks.length === 0) return html`${instantText(first)}, by accession number`;
  return first === checkedAt
    ? html`${instantText(first)}, once`
    : html`${instantText(first)}, again ${instantText(checkedAt)}`;
}
