import { tokensOf, type Size, charactersPerToken } from '../contract/tool-parameters.ts';
import { compacted } from './compact.ts';
import { inPasses } from '../table/passes.ts';
import { assemble, bytesOf } from './json.ts';
import { envelopePieces, filledEnvelope, type Body, type Page, type Piece } from './page.ts';
import type { LineOf } from './text.ts';

/** What tools and the agent answer: a text, and structured content. */
export interface BoundedAnswer {
  readonly text: string;
  /** The structured content as JSON; empty if the text stands alone. */
  readonly json: Buffer;
  /** The same as an object. */
  content(): unknown;
  readonly size: Size;
}

/** What an answer is to hold. */
export interface Budget {
  readonly maxTokens: number;
  /** Whether structured content stands beside the text, and then whether filings have all members there. */
  readonly content: 'none' | 'compact' | 'full';
}

/** How the words of an answer are made. */
export interface Words {
  /** The line of a row. */
  readonly line: LineOf;
  /**
   * The text around the lines of the first `count` rows. `envelope` has these rows, and `line` gives their
   * lines.
   */
  text(envelope: unknown, count: number, body: Pick<Body, 'cut' | 'leftOut'>, line: LineOf): string;
}

/** What the protocols write around text and structured content, the size included, in bytes, at most. */
const aroundBytes = 260;

/** The bytes that a budget leaves for text and structured content. */
export const bytesIn = (maxTokens: number): number => maxTokens * charactersPerToken - aroundBytes;

/** A row as an answer gives it. */
interface RenderedRow {
  /** With all members; undefined for an entry that is not there. */
  readonly record: unknown;
  /** As the structured content has it. */
  readonly shown: unknown;
  /** Empty if the text stands alone, and for an entry that is not there. */
  readonly json: string;
  readonly jsonBytes: number;
  /** Bytes of its line in a JSON text. */
  readonly lineBytes: number;
}

/**
 * Renders as many of the first rows of a page as fit a budget, as a text and as JSON. Each row is parsed once,
 * and no row is looked at behind the end of the budget. The least that a page gives, mostly a single row, is given
 * whatever its length is. `pause` is
 * called between rows, because an answer may have megabytes.
 */
export async function renderWithin(
  page: Page,
  { maxTokens, content }: Budget,
  words: Words,
  pause: () => Promise<void> | null,
): Promise<BoundedAnswer> {
  const bytesMaximum = bytesIn(maxTokens);
  const { least = 1 } = page;
  const lines = new Map<unknown, string>();
  const line: LineOf = (record) => lines.get(record) ?? words.line(record);
  const rows: RenderedRow[] = [];
  let bytes = 0;
  while (rows.length < page.count && (rows.length < least || bytes <= bytesMaximum)) {
    const row = rowOf(rows.length);
    rows.push(row);
    bytes += content === 'none' ? row.lineBytes : row.jsonBytes;
    await pause();
  }

  function rowOf(number: number): RenderedRow {
    const record = page.record(number);
    if (record === undefined) return { record, shown: record, json: '', jsonBytes: 0, lineBytes: 0 };
    lines.set(record, words.line(record));
    const shown = content === 'compact' ? compacted(record) : record;
    const json = content === 'compact' ? JSON.stringify(shown) : '';
    const jsonBytes = content === 'full' ? bytesOf([page.json([number])]) : Buffer.byteLength(json);
    return { record, shown, json, jsonBytes, lineBytes: Buffer.byteLength(JSON.stringify(line(record))) };
  }

  const json = (numbers: readonly number[]): Piece =>
    content === 'full' ? page.json(numbers) : numbers.flatMap((number) => rows[number]?.json || []).join(',');

  let isShortened = false;

  async function render(count: number) {
    const body = await inPasses(() => page.first(count, isShortened));
    const { envelope, leftOut } = body;
    const filled = filledEnvelope(
      envelope,
      rows.map(({ record }) => record),
    );
    const text = words.text(filled, count, body, line);
    const pieces = content === 'none' ? [] : envelopePieces(envelope, json);
    return {
      text,
      envelope,
      leftOut,
      pieces,
      bytes: bytesOf(pieces) + Buffer.byteLength(JSON.stringify(text)),
    };
  }

  // The last row may be one too many.
  const most = bytes > bytesMaximum && rows.length > least ? rows.length - 1 : rows.length;
  let count = most;
  let made = await render(count);
  if (made.bytes > bytesMaximum || count < page.count) {
    isShortened = true;
    made = await render(count);
  }
  while (made.bytes > bytesMaximum && count > least) {
    let over = made.bytes - bytesMaximum;
    while (over > 0 && count > least) {
      const { jsonBytes, lineBytes } = rows[--count] as RenderedRow;
      over -= jsonBytes + lineBytes;
    }
    made = await render(count);
  }
  // What stands around fewer rows may be shorter, so that one more has room.
  while (count + 1 < most) {
    const more = await render(count + 1);
    if (more.bytes > bytesMaximum) break;
    [made, count] = [more, count + 1];
  }
  await pause();
  const { text, envelope, leftOut, pieces } = made;
  const written = assemble(pieces);
  const structured = content === 'none' ? {} : { structuredTokens: tokensOf(written.length) };
  const shortened = count < page.count || (leftOut?.buckets ?? 0) > 0;
  const size = { tokens: tokensOf(text.length), ...structured, maxTokens, shortened };
  return {
    text,
    json: written,
    content: () =>
      filledEnvelope(
        envelope,
        rows.map(({ shown }) => shown),
      ),
    size,
  };
}
