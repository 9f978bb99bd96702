import { boundedAnswer } from '../answers/for-assistants.ts';
import { withSource, type AnswerSource } from '../requests/answer-source.ts';
import { ApiError, usualMessages } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import { inToolWords } from '../contract/unknown-values.ts';
import { tools, type Tool } from '../contract/tools.ts';
import type { Services } from '../requests/services.ts';
import { checkArguments } from '../query/arguments.ts';
import { mistakeOf } from '../answers/suggestions.ts';
import { keptResult, metaOf } from './result.ts';

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** The tool with a name; undefined if there is none. */
export function toolNamed(name: unknown): Tool | undefined {
  return typeof name === 'string' ? toolsByName.get(name) : undefined;
}

/**
 * Calls a tool for a caller, null without a key. Returns the result of a `tools/call` as JSON: structured
 * content, which is the REST answer or its compact form, and a text with its size. For wrong arguments and
 * for data that is not found, the result has `isError`, so that a model can read it and correct its call.
 * Rejects with faults of the service, and with `unauthorized` if the tool needs a key and the caller has
 * none.
 */
export async function callTool(
  services: Services,
  tool: Tool,
  given: unknown,
  caller: string | null,
): Promise<Buffer> {
  requireKeyFor(tool, caller);
  return withSource(services, async (source) => {
    try {
      const query = checkArguments(tool, given);
      const asked = `tool ${tool.name} ${JSON.stringify(query)}`;
      return await keptResult(source, caller, asked, () => resultOf(source, tool, query));
    } catch (error) {
      const { code, message } = await mistakeOf(source, tool, error, given);
      const text = `${code}: ${inToolWords(message)}`;
      return Buffer.from(JSON.stringify({ content: [{ type: 'text', text }], isError: true }));
    }
  });
}

/** Throws `unauthorized` if something needs a key and the caller has none. */
export function requireKeyFor({ access }: Pick<Tool, 'access'>, caller: string | null): void {
  if (access !== 'public' && caller === null) throw new ApiError('unauthorized', usualMessages.unauthorized);
}

async function resultOf(source: AnswerSource, tool: Tool, query: Query): Promise<Buffer> {
  const { text, json, size } = await boundedAnswer(source, tool, query);
  const content = JSON.stringify({ type: 'text', text, _meta: metaOf(size) });
  return Buffer.concat([
    Buffer.from(`{"content":[${content}],"structuredContent":`),
    json,
    Buffer.from(',"isError":false}'),
  ]);
}
