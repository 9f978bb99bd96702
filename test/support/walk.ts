import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import type { Query } from '../../src/contract/parameters.ts';
import { parseQuery } from '../../src/query/target.ts';
import type { OpenSegmentsOnly } from './published.ts';

/** The texts of parameters by name, as a request has them; what is undefined is left out. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** The query of a request, whose texts are checked as those of an address are. Throws `ApiError`. */
export function queryOf(id: EndpointId, texts: Texts): Query {
  const endpoint = endpoints.find((each) => each.id === id) as Endpoint;
  const given = Object.entries(texts).filter((each): each is [string, string] => each[1] !== undefined);
  const search = new URLSearchParams(given.filter(([name]) => !endpoint.path.includes(`{${name}}`)));
  return parseQuery(endpoint, `http://localhost${endpoint.path}?${search}`, (name) => texts[name]);
}

/** The parsed body of the answer to a request. Throws `ApiError`. */
export const request = <Body>(
  { ask }: Pick<OpenSegmentsOnly, 'ask'>,
  id: EndpointId,
  texts: Texts,
): Promise<Body> => ask(id, queryOf(id, texts));

interface Page<Row, Meta> {
  readonly data: readonly Row[];
  readonly meta: Meta & { readonly nextCursor: string | null };
}

/**
 * The pages of a walk by cursor, up to the one that `isLast` names or the one without a cursor. `next` gives
 * the texts of every request but the first, to which the cursor is added.
 */
export async function walk<Row, Meta>(
  open: Pick<OpenSegmentsOnly, 'ask'>,
  id: EndpointId,
  first: Texts,
  next: Texts,
  isLast: (page: Page<Row, Meta>) => boolean,
): Promise<Page<Row, Meta>[]> {
  const pages: Page<Row, Meta>[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Row, Meta> = await request(open, id, cursor === undefined ? first : { ...next, cursor });
    pages.push(page);
    cursor = isLast(page) ? null : page.meta.nextCursor;
  }
  return pages;
}
