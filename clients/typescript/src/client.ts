import { requireFiles } from './bulk-list.ts';
import { createChanges, type Changes } from './changes.ts';
import type { Operations, PagedOperation } from './generated.ts';
import { createOperations } from './operations.ts';
import { pagesOf, rowsOf, type PagedParameters, type PageOf, type RowOf } from './pages.ts';
import type { ChangeFilter } from './source.ts';
import { pagesByStream } from './streaming.ts';
import { tell } from './tell.ts';
import { createTransport, type ClientSettings, type RequestOptions } from './transport.ts';

/**
 * A client of the service: a method for each operation by its name, and the lists as iterables.
 * Example: `(await client.getCompanyProfile({ ticker: 'AAPL' })).data.name`.
 */
export interface Client extends Operations<RequestOptions> {
  /** The change feed. Example: `for await (const change of client.changes({ form: '8-K' }).follow()) …`. */
  changes(filter?: ChangeFilter): Changes;
  /** The pages of a history. Example: `for await (const { meta } of client.pages('listLatestFilings', {})) …`. */
  pages<Id extends PagedOperation>(
    id: Id,
    parameters: PagedParameters<Id>,
    options?: RequestOptions,
  ): AsyncIterable<PageOf<Id>>;
  /** The rows of a history. Example: `for await (const filing of client.rows('listCompanyFilings', { ticker: 'AAPL' })) …`. */
  rows<Id extends PagedOperation>(
    id: Id,
    parameters: PagedParameters<Id>,
    options?: RequestOptions,
  ): AsyncIterable<RowOf<Id>>;
}

const printUnknown = (entries: readonly string[]) =>
  tell(`the service holds no company with the ticker symbol or CIK ${entries.join(', ')}`);

/** Tells of each entry once. */
function tellingOnce(tell: (entries: readonly string[]) => void): (entries: readonly string[]) => void {
  const told = new Set<string>();
  return (entries) => {
    const others = entries.filter((each) => !told.has(each));
    for (const each of others) told.add(each);
    if (others.length > 0) tell(others);
  };
}

/** Makes a client. Example: `createClient({ baseUrl: 'http://127.0.0.1:8787', apiKey: 'key' })`. */
export function createClient(settings: ClientSettings): Client {
  const transport = createTransport(settings);

  const operations = createOperations(transport, settings);
  const methods: Operations<RequestOptions> = {
    ...operations,
    async listBulkFiles(parameters, options) {
      const list = await operations.listBulkFiles(parameters, options);
      requireFiles(list.data);
      return list;
    },
  };
  return {
    ...methods,
    changes: (filter = {}) =>
      createChanges(
        {
          feed: methods,
          source: (start, signal) => pagesByStream({ feed: methods, transport }, start, signal),
          tellUnknown: tellingOnce(settings.onUnknown ?? printUnknown),
        },
        filter,
      ),
    pages: (id, parameters, options) => pagesOf(methods, id, parameters, options),
    rows: (id, parameters, options) => rowsOf(methods, id, parameters, options),
  };
}
