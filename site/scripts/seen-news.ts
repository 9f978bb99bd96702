import { newsTable, newsText } from '../pages/parts/news-panel.ts';
import type { ViewedCiks } from '../pages/parts/filings-table.ts';
import type { Change } from '../../src/contract/records.ts';
import { fill } from './page.ts';
import { readChanges } from './feed-pages.ts';

/** How far the reader has seen the feed of a company, and when. */
interface Seen {
  readonly cursor: string;
  readonly at: string;
}

/**
 * The news that this page has shown, by CIK of the company: since when, and which changes. The page shows
 * them until the reader leaves it, although each look moves the stored cursor.
 */
const told = new Map<string, { readonly since: string; readonly changes: readonly Change[] }>();

const nameOf = (cik: string) => `explorer ${cik}`;

function readSeen(cik: string): Seen | null {
  try {
    const seen = JSON.parse(localStorage.getItem(nameOf(cik)) ?? 'null') as Seen | null;
    return typeof seen?.cursor === 'string' && typeof seen.at === 'string' ? seen : null;
  } catch {
    return null;
  }
}

/** Stores how far the reader has seen. Returns whether this browser lets the page store anything. */
function keepSeen(cik: string, cursor: string): boolean {
  try {
    localStorage.setItem(
      nameOf(cik),
      JSON.stringify({ cursor, at: new Date().toISOString() } satisfies Seen),
    );
    return true;
  } catch {
    return false;
  }
}

/**
 * Shows the changes of a company since the last visit in `panel`, and remembers this visit. Returns whether
 * there were any.
 */
export async function tellNews(panel: Element, viewed: NonNullable<ViewedCiks>): Promise<boolean> {
  const [cik] = viewed;
  const say = (text: string) => {
    (panel.querySelector('p') as Element).textContent = text;
    return false;
  };
  const seen = readSeen(cik);
  if (seen === null)
    return say(
      await begin(
        cik,
        'This is your first visit. From now on this page shows what is new since your last visit.',
      ),
    );
  const read = await readChanges({ ticker: cik, since: '0001-01-01', cursor: seen.cursor });
  if (read.trouble?.code === 'invalid_cursor')
    return say(
      await begin(
        cik,
        'The data was begun anew since you were here. From now on this page shows what is new.',
      ),
    );
  if (read.trouble) return say(read.trouble.text);
  // A reader who has left the company meanwhile has not seen the news.
  if (!panel.isConnected) return false;
  const { changes, isAll, cursor } = read;
  const before = told.get(cik);
  const news = { since: before?.since ?? seen.at, changes: [...(before?.changes ?? []), ...changes] };
  told.set(cik, news);
  say(newsText(news.since, news.changes, isAll));
  if (news.changes.length > 0) fill(panel.querySelector('div') as Element, newsTable(news.changes, viewed));
  if (cursor !== null) keepSeen(cik, cursor);
  return changes.length > 0;
}

/**
 * Stores the cursor of the end of the feed. Asks for changes since a date that no filing has: the answer is
 * empty and has that cursor. Returns `text` for the panel, or why the cursor could not be stored.
 */
async function begin(cik: string, text: string): Promise<string> {
  const { cursor, trouble } = await readChanges({ ticker: cik, since: '9999-12-31' });
  if (trouble) return trouble.text;
  return cursor !== null && keepSeen(cik, cursor)
    ? text
    : 'This browser does not let the page remember when you were here.';
}
