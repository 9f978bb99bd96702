import { pageRows } from '../../build/site/company-view.ts';
import { newsTable, newsText } from '../../build/site/news.ts';
import type { ViewedCiks } from '../../build/site/rows.ts';
import type { Change } from '../../src/contract/records.ts';
import { byId, fill, say } from './page.ts';
import { ask } from './service.ts';
import type { ChangePage } from './source.ts';

/** How far a reader has seen the feed of a company, and when that was. */
interface Seen {
  readonly cursor: string;
  readonly at: string;
}

/** Pages of the feed that are read at once at most. */
const feedPagesMaximum = 5;

/** What this page has told of a company: since when, and which changes. It is kept until the page is left, although the cursor moves on. */
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

/** Keeps how far the reader has seen. Returns whether this browser lets the page keep anything. */
function keepSeen(cik: string, cursor: string): boolean {
  try {
    localStorage.setItem(nameOf(cik), JSON.stringify({ cursor, at: new Date().toISOString() } satisfies Seen));
    return true;
  } catch {
    return false;
  }
}

function feedPath(cik: string, since: string, cursor?: string): string {
  return `/v1/sec/changes?${new URLSearchParams({ ticker: cik, since, ...(cursor === undefined ? {} : { cursor }), limit: String(pageRows) })}`;
}

/** Tells what is new in a company since the reader was there, and then counts from now on. Returns whether anything was new. */
export async function tellNews(viewed: NonNullable<ViewedCiks>): Promise<boolean> {
  const [cik] = viewed;
  const seen = readSeen(cik);
  return seen ? tellSince(viewed, seen) : begin(cik, 'You are here for the first time: from now on this page tells what is new since you were here.');
}

/** Remembers where the feed ends now: a date that no filing has leaves nothing to read on the way there. */
async function begin(cik: string, text: string): Promise<boolean> {
  const { body, trouble } = await ask<ChangePage>(feedPath(cik, '9999-12-31'));
  if (body && !keepSeen(cik, body.meta.nextCursor)) say('news', 'This browser does not let the page remember when you were here.');
  else say('news', trouble?.text ?? text);
  return false;
}

async function tellSince(viewed: NonNullable<ViewedCiks>, { cursor: start, at }: Seen): Promise<boolean> {
  const [cik] = viewed;
  const found: Change[] = [];
  let cursor = start;
  let isAll = false;
  for (let read = 0; read < feedPagesMaximum && !isAll; read++) {
    const { body, trouble } = await ask<ChangePage>(feedPath(cik, '0001-01-01', cursor));
    if (trouble?.code === 'invalid_cursor') return begin(cik, 'The data was begun anew since you were here: what is new is counted from now on.');
    if (!body) {
      say('news', trouble?.text ?? '');
      return false;
    }
    found.push(...body.data);
    cursor = body.meta.nextCursor;
    isAll = body.data.length < pageRows;
  }
  const before = told.get(cik);
  const news = { since: before?.since ?? at, changes: [...(before?.changes ?? []), ...found] };
  told.set(cik, news);
  say('news', newsText(news.since, news.changes, isAll));
  const rows = byId('news-rows');
  if (rows && news.changes.length > 0) fill(rows, newsTable(news.changes, viewed));
  keepSeen(cik, cursor);
  return found.length > 0;
}
