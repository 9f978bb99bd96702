import { mistakeOf } from '../answers/suggestions.ts';
import { boundedAnswer } from '../answers/for-assistants.ts';
import type { BoundedAnswer } from '../render/bounded.ts';
import { withSource, type AnswerSource } from '../requests/answer-source.ts';
import { sizeMember, type Size } from '../contract/tool-parameters.ts';
import { ApiError } from '../contract/errors.ts';
import { inToolWords } from '../contract/unknown-values.ts';
import type { Query } from '../contract/parameters.ts';
import { checkArguments } from '../query/arguments.ts';
import type { Services } from '../requests/services.ts';
import { requireKeyFor } from './call.ts';
import { keptResult, metaOf, smallResult } from './result.ts';
import type { NamedResource } from './uri.ts';

/** A text of a resource. */
export interface ResourceText {
  readonly uri: string;
  readonly mimeType: 'text/plain' | 'application/json';
  readonly text: string;
  readonly _meta?: { readonly [sizeMember]: Size };
}

/**
 * Reads a resource for a caller, null without a key. Returns the result of a `resources/read` as JSON: what
 * its tool gives, a text with its size and then the structured content; of the reference the text alone.
 * Throws `ApiError` with the words of the tool.
 */
export async function readResource(
  services: Services,
  uri: string,
  named: NamedResource,
  caller: string | null,
): Promise<Buffer> {
  const { reads } = named.template;
  requireKeyFor(reads, caller);
  return withSource(services, (source) =>
    withDescription(source, named, () => {
      const query = checkArguments(reads, named.given);
      return keptResult(source, caller, `resource ${JSON.stringify(uri)}`, async () => {
        const parts = reads.answer.kind === 'reference' ? 'text' : 'all';
        const { text, json, size } = await boundedAnswer(source, reads, query, parts);
        const contents: ResourceText[] = [{ uri, mimeType: 'text/plain', text, _meta: metaOf(size) }];
        if (parts === 'all') contents.push({ uri, mimeType: 'application/json', text: json.toString() });
        return smallResult({ contents });
      });
    }),
  );
}

/** The text of a resource with a budget of its own, for prompts. Throws `ApiError` with the words of the tool. */
export async function resourceText(
  source: AnswerSource,
  named: NamedResource,
  maxTokens: number,
): Promise<BoundedAnswer> {
  const { reads } = named.template;
  return withDescription(source, named, () => {
    const query: Query = { ...checkArguments(reads, named.given), maxTokens };
    return boundedAnswer(source, reads, query, 'text');
  });
}

/**
 * Does something with a resource. A mistake of the client is thrown in the words in which the tool would tell
 * it.
 */
async function withDescription<Result>(
  source: AnswerSource,
  { template: { reads }, given }: NamedResource,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = await mistakeOf(source, reads, error, given);
    throw new ApiError(code, inToolWords(message));
  }
}
