import type { Overview } from '../../content/overview.ts';
import { html, type Html } from './html.ts';
import { dayText, instantText } from './family-words.ts';

/** An instant, and how long ago it was. The browser fills in the second part and keeps it up to date. */
export function agingInstant(instant: string): Html {
  return html`<time datetime="${instant}">${instantText(new Date(instant).toISOString())}</time><span class="age" data-since="${instant}"></span>`;
}

/**
 * When EDGAR listed the newest filing, and when it was served here. If none of the newest filings has an
 * acceptance time, the newest filing date.
 */
export function arrivalFacts({
  newestFilings,
  newestFiledAt,
}: Pick<Overview, 'newestFilings' | 'newestFiledAt'>): readonly (readonly [string, Html | string])[] {
  // EDGAR may give an impossible time, such as 80 o'clock.
  const accepted = newestFilings.flatMap(({ acceptedAt, ingestedAt }) =>
    acceptedAt === null || ingestedAt === null || Number.isNaN(Date.parse(acceptedAt))
      ? []
      : [{ acceptedAt, ingestedAt }],
  );
  const [newest] = accepted.sort((a, b) => Date.parse(b.acceptedAt) - Date.parse(a.acceptedAt));
  if (!newest) return [['newest filing', newestFiledAt === null ? 'none' : dayText(newestFiledAt)]];
  return [
    ['newest filing listed', agingInstant(newest.acceptedAt)],
    ['and served here', agingInstant(newest.ingestedAt)],
  ];
}
