import { cikNamed } from '../answers/company-answers.ts';
import { withSource, type AnswerSource } from '../requests/answer-source.ts';
import { tokensOf, maxTokensBounds } from '../contract/tool-parameters.ts';
import { ApiError, mustBe } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import { prompts, type Prompt } from '../contract/prompts.ts';
import { foldSymbol } from '../domain/scalars.ts';
import { checkArguments } from '../query/arguments.ts';
import type { Services } from '../requests/services.ts';
import { requireKeyFor } from './call.ts';
import { both, inPasses } from '../table/passes.ts';
import { resourceText, type ResourceText } from './read-resource.ts';
import { keptResult, metaOf, smallResult } from './result.ts';
import { resourceNamed } from './uri.ts';

const promptsByName = new Map(prompts.map((prompt) => [prompt.name, prompt]));

/** The prompt with a name; undefined if there is none. */
export function promptNamed(name: unknown): Prompt | undefined {
  return typeof name === 'string' ? promptsByName.get(name) : undefined;
}

/** The error for a prompt that there is not. */
export function unknownPrompt(name: unknown): ApiError {
  return new ApiError(
    'not_found',
    mustBe('name', `one of the prompts ${[...promptsByName.keys()].join(', ')}`, name),
  );
}

/** The least budget of a resource, in tokens: with it, it gives a single row. */
const leastTokens = 1;

/**
 * Makes a prompt for a caller. Returns the result of a `prompts/get` as JSON: the question, then the texts of
 * the resources that an answer needs. All of it together keeps to `maxTokens`, as a tool does. Throws
 * `ApiError`, and `unauthorized` without a key.
 */
export async function getPrompt(
  services: Services,
  prompt: Prompt,
  given: unknown,
  caller: string | null,
): Promise<Buffer> {
  requireKeyFor({ access: 'keyed' }, caller);
  return withSource(services, async (source) => {
    const query = checkArguments(prompt, given);
    await requireTwo(source, query);
    const asked = `prompt ${prompt.name} ${JSON.stringify(query)}`;
    return keptResult(source, caller, asked, async () => smallResult(await promptOf(source, prompt, query)));
  });
}

/** Throws `invalid_parameter` if a company is to be compared with itself, by whatever symbols or CIK it is named. */
async function requireTwo({ snapshot }: AnswerSource, { ticker = '', otherTicker }: Query): Promise<void> {
  if (otherTicker === undefined) return;
  const [one, other] = await inPasses(() =>
    both(
      () => cikNamed(snapshot, ticker),
      () => cikNamed(snapshot, otherTicker),
    ),
  );
  if (foldSymbol(ticker) === foldSymbol(otherTicker) || (one !== null && one === other))
    throw new ApiError(
      'invalid_parameter',
      mustBe('otherTicker', 'another company than ticker', otherTicker),
    );
}

async function promptOf(source: AnswerSource, prompt: Prompt, query: Query): Promise<object> {
  const { maxTokens = maxTokensBounds.default } = query;
  const question = prompt.ask(query);
  const uris = prompt.reads(query);
  const resources: ResourceText[] = [];
  let left = maxTokens - tokensOf(question.length);
  for (const [at, uri] of uris.entries()) {
    // What an earlier resource leaves over is for the later ones.
    const share = Math.max(leastTokens, Math.floor(left / (uris.length - at)));
    const { text, size } = await resourceText(source, resourceNamed(uri), share);
    left -= size.tokens;
    resources.push({ uri, mimeType: 'text/plain', text, _meta: metaOf(size) });
    await source.pause();
  }
  const size = { tokens: tokensOf(question.length), maxTokens, shortened: false };
  return {
    description: prompt.title,
    messages: [
      { role: 'user', content: { type: 'text', text: question, _meta: metaOf(size) } },
      ...resources.map((resource) => ({ role: 'user', content: { type: 'resource', resource } })),
    ],
  };
}
