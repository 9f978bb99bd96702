import type { Operations, PagedOperation } from './generated.ts';
import { pageRows } from './source.ts';
import type { RequestOptions } from './transport.ts';

type Client = Pick<Operations<RequestOptions>, PagedOperation>;

/** Parameters of a paged operation. Example: `const all: PagedParameters<'listCompanies'> = { exchange: 'NYSE' }`. */
export type PagedParameters<Id extends PagedOperation> = Omit<
  NonNullable<Parameters<Client[Id]>[0]>,
  'cursor'
>;

/** A page of an operation. Example: `const page: PageOf<'listCompanies'> = await client.listCompanies()`. */
export type PageOf<Id extends PagedOperation> = Awaited<ReturnType<Client[Id]>>;

/** A row of an operation. Example: `const filing: RowOf<'listLatestFilings'> = page.data[0]`. */
export type RowOf<Id extends PagedOperation> = PageOf<Id>['data'][number];

/** Gives the pages of an operation, up to the last one. Example: `pagesOf(client, 'listCompanies', { exchange: 'NYSE' })`. */
export async function* pagesOf<Id extends PagedOperation>(
  client: Client,
  id: Id,
  parameters: PagedParameters<Id>,
  options?: RequestOptions,
): AsyncGenerator<PageOf<Id>> {
  // Each of these operations takes a cursor, which types cannot say of all of them at once.
  const ask = client[id] as (parameters: object, options?: RequestOptions) => Promise<PageOf<Id>>;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ask(cursor === undefined ? parameters : { ...parameters, cursor }, options);
    cursor = page.meta.nextCursor;
    yield page;
  }
}

/** Gives the rows of all pages, which are as long as they can be unless a limit is given. Example: `rowsOf(client, 'listCompanyFilings', { ticker: 'AAPL' })`. */
export async function* rowsOf<Id extends PagedOperation>(
  client: Client,
  id: Id,
  parameters: PagedParameters<Id>,
  options?: RequestOptions,
): AsyncGenerator<RowOf<Id>> {
  const asked = { limit: pageRows, ...parameters };
  for await (const { data } of pagesOf(client, id, asked, options)) yield* data as RowOf<Id>[];
}
