import { eventStreamType } from '../contract/parameters.ts';
import { bytesAnswer, type Answer } from '../http/http-answer.ts';
import { extentOf } from '../rows/parts.ts';
import type { MergedRow } from '../table/merged-walk.ts';
import { assemble } from './json.ts';
import type { Piece } from './page.ts';

/** Changes that a feed or a stream goes through, in the order of their sequences. */
export interface ChangePage {
  readonly rows: readonly MergedRow[];
  /** The entry of a watchlist that each row concerns; absent for a feed. */
  readonly tickers?: readonly string[];
  /** Entries of the request that name no company. */
  readonly unknown?: readonly string[];
  /** Whether there are no more changes now. */
  readonly isWhole: boolean;
  /** The cursor that goes on behind the first `count` rows, at least one. */
  cursorAfter(count: number): string;
  /** The cursor that goes on behind all that was read: behind the last row, or behind the snapshot. */
  cursor(): string;
}

/**
 * Renders the next events of a stream (server-sent events, HTML standard, section 9.2): one for each change,
 * whose `id` is the cursor behind it. A page that ended early without one has an id alone. The change of a
 * watchlist begins with the entry that it concerns. The first page of a stream says which entries are unknown.
 */
export function eventsOf(page: ChangePage, isFirst: boolean): Answer {
  const { rows, tickers, unknown = [], isWhole } = page;
  const pieces: Piece[] = isFirst ? unknown.map((entry) => `: no company is known as ${entry}\n\n`) : [];
  for (const [at, row] of rows.entries()) {
    const { bytes, from, to } = extentOf(row);
    const head = `event: change\nid: ${page.cursorAfter(at + 1)}\ndata: `;
    if (tickers === undefined) pieces.push(head, { extents: [{ bytes, from, to }] });
    else
      pieces.push(`${head}{"ticker":${JSON.stringify(tickers[at])},`, {
        extents: [{ bytes, from: from + 1, to }],
      });
    pieces.push('\n\n');
  }
  // A client that is cut off after many pages without a change does not begin again.
  if (rows.length === 0 && !isWhole) pieces.push(`id: ${page.cursor()}\n\n`);
  return {
    ...bytesAnswer(eventStreamType, assemble(pieces)),
    end: { isEmpty: rows.length === 0, isWhole, cursor: page.cursor() },
  };
}
