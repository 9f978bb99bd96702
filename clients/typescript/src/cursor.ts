import { FilingEventsError } from './errors.ts';
import type { Change } from './generated.ts';

/**
 * Keeps how far a follower is. The text is the cursor of a page, and behind it the last change of the next page that was
 * handled, if there is one. Example: `{ load: () => redis.get('cursor'), save: (text) => redis.set('cursor', text) }`.
 */
export interface CursorStore {
  /** The text that was saved last; null if there is none. */
  load(): Promise<string | null>;
  /** Keeps a text in place of the one before: whole, or not at all. */
  save(text: string): Promise<unknown>;
}

/** Keeps the cursor in memory, from a text that was saved before or from the beginning. Example: `memoryCursor()`. */
export function memoryCursor(text: string | null = null): CursorStore {
  let kept = text;
  return {
    load: async () => kept,
    save: async (next) => void (kept = next),
  };
}

/** How far a follower is. Example: `{ cursor: 'aH5…', sequence: 17, change: '0000320193-26-000079.1@2026-08-31T20:01:02.345Z' }`. */
export interface Position {
  /** The cursor of the page; null on the first page, which begins at a date. */
  readonly cursor: string | null;
  /** Changes of the page up to this sequence were handled; 0 if none was. */
  readonly sequence: number;
  /** What `changeKey` says of the change with this sequence. Texts of older versions do not have it. */
  readonly change?: string | undefined;
}

/** Stands for the cursor of the first page, which has none. */
const noCursor = '-';

/**
 * Reads what `positionText` wrote; a plain cursor of the service is a position, too.
 * Example: `parsePosition('aH5… 17 0000320193-26-000079.1@2026-08-31T20:01:02.345Z')`.
 */
export function parsePosition(text: string): Position {
  const match = /^(\S+)(?: (\d+)(?: (\S+))?)?$/.exec(text);
  if (!match) throw invalid('what the store of the cursor holds is no position');
  const [, cursor = noCursor, sequence = '0', change] = match;
  return { cursor: cursor === noCursor ? null : cursor, sequence: Number(sequence), change };
}

/**
 * Writes a position as text. Example: `positionText({ cursor: 'aH5…', sequence: 17, change })` is
 * `aH5… 17 0000320193-26-000079.1@2026-08-31T20:01:02.345Z`.
 */
export function positionText({ cursor, sequence, change }: Position): string {
  const page = cursor ?? noCursor;
  if (sequence === 0) return page;
  return change === undefined ? `${page} ${sequence}` : `${page} ${sequence} ${change}`;
}

/**
 * What tells a change from any other one that could have its sequence: the filing, the revision, and when the service
 * recorded it. A ledger that was restored from a backup and continued differently gives the same sequences to other
 * changes. Example: `changeKey(change)` is `0000320193-26-000079.1@2026-08-31T20:01:02.345Z`.
 */
export function changeKey({ filing, revision, observedAt }: Change): string {
  return `${filing.accessionNo}.${revision}@${observedAt ?? noCursor}`;
}

/**
 * The changes of a page behind the last one that was handled; null if the page ends before it, as where the service
 * went back to an older snapshot for a while. Throws `invalid_cursor` if the feed has another change in its place, or
 * none: then the sequence says nothing about what was handled. A position without a change proves nothing, so it gives
 * the whole page. Example: `changesBehind(page.changes, position)`.
 */
export function changesBehind(
  changes: readonly Change[],
  { sequence, change }: Pick<Position, 'sequence' | 'change'>,
): readonly Change[] | null {
  if (change === undefined) return changes;
  const at = changes.findIndex((each) => each.sequence >= sequence);
  const found = changes[at];
  if (found === undefined) return null;
  if (found.sequence === sequence && changeKey(found) === change) return changes.slice(at + 1);
  throw invalid(
    `the feed no longer has the change that was handled last, ${change} with the sequence ${sequence}: its ledger was restored from a backup and continued differently, or other changes are asked for than before. Begin again with since, or keep the first word of the position alone: then all changes behind that cursor come again`,
  );
}

const invalid = (message: string) => new FilingEventsError(message, { code: 'invalid_cursor' });
