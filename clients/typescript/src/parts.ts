import { changeKey, changesBehind, parsePosition, positionText, type Position } from './cursor.ts';
import { FilingEventsError } from './errors.ts';
import type { Change, Operations } from './generated.ts';
import { isEnd, pageRows, type ChangeFilter, type ChangePage } from './source.ts';
import type { RequestOptions } from './transport.ts';

/** The most companies of a request. A longer list is asked for in parts, each with a place of its own. */
const tickersMaximum = 250;
/** How many changes that name several parties are remembered, so that no second part of a list gives one again. */
const rememberedMaximum = 500;
/** Begins the last line of a text with several places: sequences that were handled, and that another part may bring. */
const handledWord = 'handled';

/**
 * The filters of the requests for a list of companies: one, or as many as the list needs.
 * Example: `filtersOfParts({ tickers: manyTickers }).length`.
 */
export function filtersOfParts(filter: ChangeFilter): readonly ChangeFilter[] {
  const { tickers } = filter;
  const entries = typeof tickers === 'string' ? tickers.split(',') : (tickers ?? []);
  if (entries.length <= tickersMaximum) return [filter];
  const parts: ChangeFilter[] = [];
  for (let at = 0; at < entries.length; at += tickersMaximum)
    parts.push({ ...filter, tickers: entries.slice(at, at + tickersMaximum) });
  return parts;
}

/** What reading in parts needs. Example: `{ feed: client, tellUnknown }`. */
export interface PartsClient {
  readonly feed: Pick<Operations<RequestOptions>, 'listChanges' | 'listBulkFiles'>;
  /** Is told which entries of a list no company has. */
  readonly tellUnknown: (entries: readonly string[]) => void;
}

/** Reads a list of companies in parts. Example: `createParts(client, filters, null, start)`. */
export interface Parts {
  /** Gives what there is now: a page for each change, in the order of sequences, with the text of all places behind it. */
  changes(options?: RequestOptions): AsyncIterable<ChangePage>;
  /** The text of all places, as they are now. */
  text(): string;
}

interface Part {
  readonly filter: ChangeFilter;
  position: Position;
  /** What is left of the page behind the position, and the cursor behind that page. */
  left: readonly Change[];
  next: string | null;
  /** Whether the feed had nothing more for this part when it was asked last. */
  isAtEnd: boolean;
}

/**
 * Goes on where a text says, as `changes` gives it. A part that the text does not have begins at a cursor, or at the date
 * of the filter. Example: `createParts(client, filtersOfParts(filter), saved, cursor)`.
 */
export function createParts(
  { feed, tellUnknown }: PartsClient,
  filters: readonly ChangeFilter[],
  saved: string | null,
  start: string | null,
): Parts {
  const { positions, handled } = parsePlaces(saved);
  const parts = filters.map(
    (filter, at): Part => ({
      filter,
      position: positions[at] ?? { cursor: start, sequence: 0 },
      left: [],
      next: null,
      isAtEnd: false,
    }),
  );

  /** Reads a page of a part, which has what is behind its position. A part of which no company is known has nothing, unless no part has one. */
  async function read(part: Part, options: RequestOptions | undefined, unknown: Set<Part>): Promise<void> {
    const { filter, position } = part;
    try {
      let left: readonly Change[] | null = null;
      part.next = position.cursor;
      // Before the last change that was handled, the place that was known still holds.
      for (part.isAtEnd = false; left === null && !part.isAtEnd; ) {
        const cursor = part.next ?? undefined;
        const page = await feed.listChanges({ ...filter, cursor, limit: pageRows }, options);
        tellUnknown(page.meta.unknown);
        left = position.sequence === 0 ? page.data : changesBehind(page.data, position);
        part.isAtEnd = isEnd(page);
        part.next = page.meta.nextCursor;
      }
      part.left = left ?? [];
      if (left?.length === 0) part.position = { cursor: part.next, sequence: 0 };
    } catch (error) {
      if (!(error instanceof FilingEventsError) || error.code !== 'company_not_found') throw error;
      if (unknown.add(part).size === parts.length) throw error;
      tellUnknown(filter.tickers as readonly string[]);
      part.isAtEnd = true;
    }
  }

  const text = () => placesText(parts, handled);
  return {
    text,
    async *changes(options) {
      const unknown = new Set<Part>();
      // What is published meanwhile waits: a part that was at its end before would have it later than the others.
      const end = (await feed.listBulkFiles({}, options)).data.at(-1)?.lastSequence ?? 0;
      for (const part of parts) part.isAtEnd = false;
      for (;;) {
        for (const part of parts)
          while (part.left.length === 0 && !part.isAtEnd) await read(part, options, unknown);
        const first = parts
          .filter((part) => sequenceOf(part) <= end)
          .sort((a, b) => sequenceOf(a) - sequenceOf(b))[0];
        const [change, ...left] = first?.left ?? [];
        if (!first || !change) return;
        first.left = left;
        first.position =
          left.length === 0
            ? { cursor: first.next, sequence: 0 }
            : { ...first.position, sequence: change.sequence, change: changeKey(change) };
        if (handled.includes(change.sequence)) continue;
        if (change.filing.parties.length > 1) handled.push(change.sequence);
        handled.splice(0, handled.length - rememberedMaximum);
        yield { changes: [change], cursor: text() };
      }
    },
  };
}

const sequenceOf = ({ left }: Part) => left[0]?.sequence ?? Infinity;

/** A line for each part, and one for what was handled. A text of a single part is its position. */
function placesText(parts: readonly Part[], handled: readonly number[]): string {
  const lines = parts.map(({ position }) => positionText(position));
  return [...lines, [handledWord, ...handled].join(' ')].join('\n');
}

function parsePlaces(text: string | null): { readonly positions: Position[]; readonly handled: number[] } {
  const lines = text?.split('\n') ?? [];
  const last = lines.at(-1)?.split(' ') ?? [];
  const handled = last[0] === handledWord ? last.slice(1).map(Number) : [];
  return { positions: (last[0] === handledWord ? lines.slice(0, -1) : lines).map(parsePosition), handled };
}
