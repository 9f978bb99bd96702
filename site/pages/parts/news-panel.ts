import type { Change } from '../../../src/contract/records.ts';
import { html, type Html } from './html.ts';
import { filingsTable, type ViewedCiks } from './filings-table.ts';
import { countText, instantText } from './family-words.ts';

/** The part of a company's view that shows what is new since the last visit. */
export const newsPanel: Html = html`<section class="news" id="news" aria-label="New since you were here"><p role="status"></p><button type="button" class="button quiet" id="look">Look again</button><div></div></section>`;

/**
 * What is new, in a sentence. `seenAt` is the time of the last visit, UTC; `isAll` is false if the feed has
 * more.
 */
export function newsText(seenAt: string, changes: readonly Change[], isAll: boolean): string {
  const since = `since you were here on ${instantText(seenAt)}`;
  if (changes.length === 0) return `Nothing is new ${since}.`;
  const corrections = changes.filter(({ revision }) => revision > 1).length;
  const kinds = [
    [changes.length - corrections, 'new filing'],
    [corrections, 'correction'],
  ] as const;
  const count = countText(changes.length, 'change');
  return `${isAll ? count : `The first ${count.replace(/^1 /, '')}`} ${since}: ${kinds
    .filter(([count]) => count > 0)
    .map(([count, noun]) => countText(count, noun))
    .join(', ')}.${isAll ? '' : ' There are more: look again.'}`;
}

/** The entries of the feed as a table, the newest first. */
export function newsTable(changes: readonly Change[], viewed: ViewedCiks): Html {
  return filingsTable(
    'What is new since you were here, newest first',
    changes.map(({ filing, revision, corrected = [] }) => ({ ...filing, revision, corrected })).reverse(),
    viewed,
  );
}
