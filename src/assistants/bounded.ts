import type { z } from 'zod';
import { answer } from '../answers/answer.ts';
import { describedAnswer } from '../answers/described.ts';
import type { SectionBody } from '../answers/reference-sections.ts';
import type { DemoResponse } from '../contract/envelopes.ts';
import { limitBounds, type Query, type ShortenedQuery } from '../contract/parameters.ts';
import { charactersPerToken, details, maxTokensBounds } from '../contract/tool-parameters.ts';
import type { Tool } from '../contract/tools.ts';
import type { Answer } from '../http/http-answer.ts';
import { parsedInTurns } from '../requests/parse.ts';
import { compactContent, type Content } from './compact.ts';
import type { AnswerSource } from './answer-source.ts';
import { tokensOf, type Size } from '../contract/size.ts';

/** What tools and the agent answer: a text, and the structured content. */
export interface BoundedAnswer extends Content {
  readonly text: string;
  readonly size: Size;
  /** The REST answer that it was made of. */
  readonly answer: Answer;
}

/** What the protocols write around text and structured content, the size included, in bytes, at most. */
const aroundBytes = 260;

/** No row has fewer bytes: its line of the text alone, and together with the structured content. */
const leastBytes = {
  filing: { text: 60, all: 300 },
  company: { text: 40, all: 150 },
  value: { text: 6, all: 30 },
} as const;

/** Whether an answer has structured content beside its text. */
export type Parts = 'text' | 'all';

/** What stands around the rows of most lists is about as long as so many rows. */
const aroundRows = 2;

/** After so many answers that were too long, the number of rows is halved. */
const estimatesMaximum = 3;

/**
 * Answers a checked query of a tool or skill with at most `maxTokens` tokens of text and structured content.
 * If the answer is longer, it is made again for fewer rows, so its cursors go on after the last row that is
 * given. A single row is given whatever its length is. With `parts` text the structured content is empty, and
 * all of the budget is for the text.
 */
export async function boundedAnswer(
  { services: { now, turns }, snapshot, coverage }: AnswerSource,
  tool: Pick<Tool, 'answer'>,
  query: Query,
  parts: Parts = 'all',
): Promise<BoundedAnswer> {
  const maxTokens = query.maxTokens ?? maxTokensBounds.default;
  const bytesMaximum = maxTokens * charactersPerToken - aroundBytes;
  const list = listOf(tool, query);
  let rows = Math.max(1, Math.ceil(bytesMaximum / leastBytes[list?.of ?? 'filing'][parts]));
  let longer: { readonly count: number; readonly bytes: number } | null = null;
  for (let estimates = 0; ; estimates++) {
    const shortened = list !== null && rows < list.asked ? list.shortened(rows) : query;
    const made = await answer(snapshot, tool.answer, shortened, now());
    const body = made.body();
    const whole = await parsedInTurns(turns, tool.answer, body);
    const count = list === null ? 1 : list.countIn(whole, shortened);
    const isCut = shortened !== query && count >= rows && hasMore(made, list, whole);
    const text = await describedAnswer(snapshot, tool, shortened, whole, coverage, {
      cut: made.cut,
      shortened: isCut ? { maxTokens, unanswered: query.accessionNos?.slice(rows) ?? [] } : undefined,
    });
    await turns.pause();
    const isFull = (query.detail ?? details[0]) === 'full';
    const content =
      parts === 'text'
        ? { parsed: null, json: Buffer.alloc(0) }
        : isFull
          ? { parsed: whole, json: body }
          : await compactContent(turns, whole);
    const bytes = content.json.length + Buffer.byteLength(JSON.stringify(text));
    if (bytes <= bytesMaximum || count <= 1) {
      const structured = parts === 'text' ? {} : { structuredTokens: tokensOf(content.json.length) };
      const size = { tokens: tokensOf(text.length), ...structured, maxTokens, shortened: isCut };
      return { ...content, text, answer: made, size };
    }
    // The answer before this one had more rows: from both follows how long a row is.
    const rowBytes: number = longer
      ? (longer.bytes - bytes) / (longer.count - count)
      : bytes / (count + aroundRows);
    const tooMany = Math.ceil((bytes - bytesMaximum) / Math.max(rowBytes, 1));
    rows = estimates < estimatesMaximum ? Math.max(1, count - tooMany) : Math.floor(count / 2);
    longer = { count, bytes };
  }
}

/** Whether there is more than a shortened answer gives, as far as the answer tells. */
function hasMore(made: Answer, list: List | null, body: unknown): boolean {
  if (list?.of !== 'value') return made.next !== undefined || list?.hasCursor === false;
  const { count, total } = (body as SectionBody).meta;
  return count < total;
}

/** How the answer of a list is shortened. */
interface List {
  readonly of: keyof typeof leastBytes;
  /** The most rows that the query asks for. */
  readonly asked: number;
  /** The query for fewer rows. */
  shortened(rows: number): ShortenedQuery;
  /** The rows of an answer to such a query. */
  countIn(body: unknown, shortened: Query): number;
  /** Whether its answers have a cursor. */
  readonly hasCursor: boolean;
}

/** The list that a query asks for; null if the answer is a single record. */
function listOf({ answer: { kind } }: Pick<Tool, 'answer'>, query: Query): List | null {
  const { limit = limitBounds.default, tickers = [], accessionNos = [] } = query;
  const countOf = (body: unknown) => (body as { meta: { count: number } }).meta.count;
  const withLimit = (rows: number) => ({ ...query, limit: rows });
  switch (kind) {
    case 'history':
    case 'feed':
      return { of: 'filing', asked: limit, shortened: withLimit, countIn: countOf, hasCursor: true };
    case 'companies':
      return { of: 'company', asked: limit, shortened: withLimit, countIn: countOf, hasCursor: true };
    case 'reference':
      return { of: 'value', asked: Infinity, shortened: withLimit, countIn: countOf, hasCursor: false };
    case 'search':
      return { of: 'company', asked: limit, shortened: withLimit, countIn: countOf, hasCursor: false };
    case 'demo':
      return { of: 'filing', asked: limit, shortened: withLimit, countIn: demoRows, hasCursor: false };
    case 'watchlist':
      return {
        of: 'filing',
        asked: limit * tickers.length,
        shortened: (rows) => ({ ...query, rows }),
        countIn: countOf,
        hasCursor: true,
      };
    case 'filings':
      return {
        of: 'filing',
        asked: accessionNos.length,
        shortened: (rows) => ({ ...query, accessionNos: accessionNos.slice(0, rows) }),
        countIn: (_, { accessionNos: answered = [] }) => answered.length,
        hasCursor: false,
      };
    default:
      return null;
  }
}

/** The rows of the longer of the two lists of the sample. */
function demoRows(body: unknown): number {
  const { data } = body as z.infer<typeof DemoResponse>;
  return Math.max(data.latestFilings.length, data.latestInsiderTrades.length);
}
