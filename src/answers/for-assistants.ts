import { limitBounds, type Query } from '../contract/parameters.ts';
import { details, maxTokensBounds } from '../contract/tool-parameters.ts';
import type { Tool } from '../contract/tools.ts';
import { bytesIn, renderWithin, type BoundedAnswer } from '../render/bounded.ts';
import { printableText } from '../render/filer-text.ts';
import { coverageText, lineOf, textOf } from '../render/text.ts';
import type { Coverage } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { both, inPasses } from '../table/passes.ts';
import { findPage } from './answer.ts';
import { findCompany } from './company-answers.ts';
import { suggestions } from './suggestions.ts';

/** What answers to assistants are made from. */
export interface Source {
  readonly snapshot: Snapshot;
  /** What the snapshot covers now. Texts say it. */
  readonly coverage: Coverage;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Call it where work may pause; see `Turns`. */
  readonly pause: () => Promise<void> | null;
}

/** No row has fewer bytes: its line of the text alone, and together with the structured content. */
const leastBytes = {
  filing: { text: 60, all: 300 },
  company: { text: 40, all: 150 },
  transaction: { text: 20, all: 200 },
} as const;

/**
 * Answers a checked query of a tool or skill with at most `maxTokens` tokens of text and structured content. A
 * list that is longer has fewer rows, and its cursors go on after the last row that is given. With `parts` text
 * there is no structured content, and all of the budget is for the text. Throws as `findPage` does.
 */
export async function boundedAnswer(
  { snapshot, coverage, now, pause }: Source,
  tool: Pick<Tool, 'answer'>,
  query: Query,
  parts: 'text' | 'all' = 'all',
): Promise<BoundedAnswer> {
  const { kind } = tool.answer;
  const { maxTokens = maxTokensBounds.default, limit = limitBounds.default, accessionNos = [] } = query;
  const row =
    kind === 'search' || kind === 'companies'
      ? 'company'
      : kind === 'transactions'
        ? 'transaction'
        : 'filing';
  const least = leastBytes[row][parts];
  // With one row more than can fit, the budget always is what ends the answer.
  const limitRead = Math.min(limit, Math.max(1, Math.ceil(bytesIn(maxTokens) / least)) + 1);
  const page = await findPage(
    snapshot,
    tool.answer,
    limitRead < limit ? { ...query, limit: limitRead } : query,
    now(),
  );
  await pause();
  const isOfCompany = /^(history|feed|transactions|counts)$/.test(kind) && query.ticker !== undefined;
  const [company, suggested] = await inPasses(() =>
    both(
      () => (isOfCompany ? findCompany(snapshot, query.ticker as string) : null),
      () => suggestions(snapshot, page.unknown ?? []),
    ),
  );
  const content = parts === 'text' ? 'none' : (query.detail ?? details[0]);
  return renderWithin(
    page,
    { maxTokens, content },
    {
      line: lineOf(tool),
      text(envelope, count, { cut, leftOut }, line) {
        const shortened =
          count < page.count || (leftOut?.buckets ?? 0) > 0
            ? { maxTokens, unanswered: accessionNos.slice(count) }
            : undefined;
        const context = { query, coverage, company, cut, leftOut, shortened, line };
        const answered = textOf(tool, envelope, context);
        // The reference is the same whatever was filed.
        if (kind === 'reference') return answered;
        return [printableText(`${coverageText(coverage)}\n${answered}`), ...suggested].join('\n');
      },
    },
    pause,
  );
}
