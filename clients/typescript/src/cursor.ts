import { open, readFile, rename } from 'node:fs/promises';
import { FilingEventsError } from './errors.ts';

/**
 * Keeps how far a follower is. The text is the cursor of a page, and behind it the sequence of the last change of the
 * next page that was handled, if there is one. Example: `{ load: () => redis.get('cursor'), save: (text) => redis.set('cursor', text) }`.
 */
export interface CursorStore {
  /** The text that was saved last; null if there is none. */
  load(): Promise<string | null>;
  /** Keeps a text in place of the one before: whole, or not at all. */
  save(text: string): Promise<unknown>;
}

/**
 * Keeps the cursor in a file, which is replaced as a whole: a kill or a power cut leaves the old text or the new one.
 * Only one program at a time may use a file. Example: `fileCursor('state')`.
 */
export function fileCursor(path: string): CursorStore {
  return {
    async load() {
      try {
        return (await readFile(path, 'utf8')).trim() || null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async save(text) {
      const aside = `${path}.new`;
      const file = await open(aside, 'w');
      try {
        await file.writeFile(`${text}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, path);
    },
  };
}

/** Keeps the cursor in memory, from a text that was saved before or from the beginning. Example: `memoryCursor()`. */
export function memoryCursor(text: string | null = null): CursorStore {
  let kept = text;
  return {
    load: async () => kept,
    save: async (next) => void (kept = next),
  };
}

/** How far a follower is. Example: `{ cursor: 'aH5…', sequence: 17 }`. */
export interface Position {
  /** The cursor of the page; null on the first page, which begins at a date. */
  readonly cursor: string | null;
  /** Changes of the page up to this sequence were handled. */
  readonly sequence: number;
}

/** Stands for the cursor of the first page, which has none. */
const noCursor = '-';

/** Reads what `positionText` wrote; a plain cursor of the service is a position, too. Example: `parsePosition('aH5… 17')`. */
export function parsePosition(text: string): Position {
  const match = /^(\S+)(?: (\d+))?$/.exec(text);
  if (!match)
    throw new FilingEventsError('what the store of the cursor holds is no position', {
      code: 'invalid_cursor',
    });
  const cursor = match[1] ?? noCursor;
  return { cursor: cursor === noCursor ? null : cursor, sequence: Number(match[2] ?? 0) };
}

/** Writes a position as text. Example: `positionText({ cursor: 'aH5…', sequence: 17 })` is `aH5… 17`. */
export function positionText({ cursor, sequence }: Position): string {
  return sequence === 0 ? (cursor ?? noCursor) : `${cursor ?? noCursor} ${sequence}`;
}
