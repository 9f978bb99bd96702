import { ApiError, mustBe } from '../contract/errors.ts';
import { prompts } from '../contract/prompts.ts';
import { listedResources, resourceTemplates } from '../contract/resources.ts';
import { tools } from '../contract/tools.ts';
import type { Turns } from '../requests/turns.ts';
import { listedTool } from './listed-tools.ts';

/** How many entries a page of a list has. */
const pageEntries = 50;

const listedPrompts = prompts.map(({ name, title, description, arguments: own }) => ({
  name,
  title,
  description,
  arguments: own.map(({ parameter, required = false }) => ({
    name: parameter.name,
    description: `${parameter.description} Must be ${parameter.allowed}.`,
    required,
  })),
}));

const listedTemplates = resourceTemplates.map(({ uriTemplate, name, title, description, reads }) => ({
  uriTemplate,
  name,
  title,
  description,
  ...(reads.answer.kind === 'reference' ? { mimeType: 'text/plain' } : {}),
}));

const lists = {
  'tools/list': new Map<string, Buffer>(),
  'resources/list': pagesOf(
    'resources',
    listedResources.map((each) => ({ ...each, mimeType: 'text/plain' })),
  ),
  'resources/templates/list': pagesOf('resourceTemplates', listedTemplates),
  'prompts/list': pagesOf('prompts', listedPrompts),
} as const;

/** A method that lists what there is. */
export type ListMethod = keyof typeof lists;

/** The pages of a list by their cursors, each a result as JSON. They change only with a release of the service. */
function pagesOf(member: string, entries: readonly { readonly name: string }[]): Map<string, Buffer> {
  const cursorAt = (at: number) => Buffer.from(`${member} ${at}`).toString('base64url');
  const starts = entries.flatMap((_, at) => (at % pageEntries === 0 ? [at] : []));
  return new Map(
    starts.map((at) => {
      const next = at + pageEntries;
      const more = next < entries.length ? { nextCursor: cursorAt(next) } : {};
      const page = { [member]: entries.slice(at, next), ...more };
      return [at === 0 ? '' : cursorAt(at), Buffer.from(JSON.stringify(page))];
    }),
  );
}

/**
 * A page of a list. Throws `invalid_cursor` for a cursor that no page has. Making the schemas of all tools holds
 * the event loop for 40 ms, so whoever asks for them first lets other requests go on between two of them.
 */
export async function listedPage(
  method: ListMethod,
  cursor: unknown,
  pause: Turns['pause'],
): Promise<Buffer> {
  if (method === 'tools/list' && lists[method].size === 0) {
    const listed = [];
    for (const tool of tools) {
      listed.push(listedTool(tool));
      await pause();
    }
    for (const [at, page] of pagesOf('tools', listed)) lists[method].set(at, page);
  }
  const page = cursor === undefined ? lists[method].get('') : lists[method].get(String(cursor));
  if (!page || cursor === '')
    throw new ApiError('invalid_cursor', mustBe('cursor', `the nextCursor of ${method}`, cursor));
  return page;
}
