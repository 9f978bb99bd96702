import { boundedAnswer } from '../assistants/bounded.ts';
import type { Answer } from '../http/answer.ts';
import { beginAnswer } from '../requests/caller.ts';
import { ApiError, errorStatus, usualMessages } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import { tools, type Tool } from '../contract/tools.ts';
import type { Services } from '../requests/services.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { checkArguments } from '../query/arguments.ts';
import { describedError } from '../answers/described.ts';
import { coverageToTheMinute, type Coverage } from '../snapshot/coverage.ts';

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** The tool with a name; undefined if there is none. */
export function toolNamed(name: unknown): Tool | undefined {
  return typeof name === 'string' ? toolsByName.get(name) : undefined;
}

/**
 * Calls a tool for a caller, null without a key. Returns the result of a `tools/call` as JSON: structured content, which is the REST
 * answer or its compact form, and a text. For wrong arguments and for data that is not found, the result has
 * `isError`, so that a model can read it and correct its call. Rejects with faults of the service, and with
 * `unauthorized` if the tool needs a key and the caller has none.
 */
export async function callTool(
  services: Services,
  tool: Tool,
  given: unknown,
  caller: string | null,
): Promise<Buffer> {
  if (tool.access !== 'public' && caller === null)
    throw new ApiError('unauthorized', usualMessages.unauthorized);
  const { follower, responses, now } = services;
  return follower.use(async (snapshot) => {
    const coverage = coverageToTheMinute(snapshot, now());
    try {
      const query = checkArguments(tool, given);
      // The text says whether the data is stale, so stale and fresh answers have different cache keys.
      const asked = `${tool.name} ${coverage.isStale ? 'stale ' : ''}${coverage.fetchedAt} ${JSON.stringify(query)}`;
      const known = responses.get(snapshot.id, asked);
      if (known) return known.body();
      await beginAnswer(services, caller);
      return responses
        .keep(snapshot.id, asked, await resultOf(services, snapshot, tool, query, coverage))
        .body();
    } catch (error) {
      if (!(error instanceof ApiError) || errorStatus[error.code] >= 500) throw error;
      return Buffer.from(
        JSON.stringify({
          content: [
            {
              type: 'text',
              text: `${error.code}: ${await describedError(snapshot, tool, error, given, coverage)}`,
            },
          ],
          isError: true,
        }),
      );
    }
  });
}

async function resultOf(
  services: Services,
  snapshot: Snapshot,
  tool: Tool,
  query: Query,
  coverage: Coverage,
): Promise<Answer> {
  const { text, json, answer } = await boundedAnswer(services, snapshot, tool, query, coverage);
  const result = Buffer.concat([
    Buffer.from(`{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":`),
    json,
    Buffer.from(',"isError":false}'),
  ]);
  return { ...answer, body: () => result };
}
