import { pageRows } from '../pages/parts/company-view.ts';
import { newsTable, newsText } from '../pages/parts/news-panel.ts';
import type { ViewedCiks } from '../pages/parts/filings-table.ts';
import type { Change } from '../../src/contract/records.ts';
import { fill } from './page.ts';
import { ask, type Outcome } from './ask-service.ts';
import type { ChangePage } from './filing-pages.ts';

/** How far the reader has seen the feed of a company, and when. */
interface Seen {
  readonly cursor: string;
  readonly at: string;
}

/** The most pages of the feed that are read at once. */
const feedPagesMaximum = 5;

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

function feedPath(cik: string, since: string, cursor?: string): string {
  return `/v1/sec/changes?${new URLSearchParams({ ticker: cik, since, ...(cursor === undefined ? {} : { cursor }), limit: String(pageRows) })}`;
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
  const read = await readSince(cik, seen.cursor);
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
  const { changes, isAll, cursor } = read.body;
  const before = told.get(cik);
  const news = { since: before?.since ?? seen.at, changes: [...(before?.changes ?? []), ...changes] };
  told.set(cik, news);
  say(newsText(news.since, news.changes, isAll));
  if (news.changes.length > 0) fill(panel.querySelector('div') as Element, newsTable(news.changes, viewed));
  keepSeen(cik, cursor);
  return changes.length > 0;
}

/**
 * Stores the cursor of the end of the feed. Asks for changes since a date that no filing has: the answer is
 * empty and has that cursor. Returns `text` for the panel, or why the cursor could not be stored.
 */
async function begin(cik: string, text: string): Promise<string> {
  const { body, trouble } = await ask<ChangePage>(feedPath(cik, '9999-12-31'));
  if (trouble) return trouble.text;
  return keepSeen(cik, body.meta.nextCursor)
    ? text
    : 'This browser does not let the page remember when you were here.';
}

/** The changes of a company after a cursor. */
async function readSince(
  cik: string,
  start: string,
): Promise<
  Outcome<{ readonly changes: readonly Change[]; readonly isAll: boolean; readonly cursor: string }>
> {
  const changes: Change[] = [];
  let cursor = start;
  for (let read = 0; read < feedPagesMaximum; read++) {
    const { body, trouble } = await ask<ChangePage>(feedPath(cik, '0001-01-01', cursor));
    if (trouble) return { trouble };
    changes.push(...body.data);
    cursor = body.meta.nextCursor;
    if (body.data.length < pageRows) return { body: { changes, cursor, isAll: true } };
  }
  return { body: { changes, cursor, isAll: false } };
}
