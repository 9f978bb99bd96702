import createClient from 'openapi-fetch';
import type { paths } from './types.ts';

const client = createClient<paths>({ baseUrl: 'http://localhost:8787', headers: { 'x-api-key': 'key' } });

/** Compiled, not run: it says what the types of the answers are. */
export async function example(): Promise<string> {
  const { data, error } = await client.GET('/v1/sec/latest', {
    params: { query: { form: ['8-K', '8-K/A'], limit: 5 } },
  });
  if (error) return error.error.message;
  const profile = await client.GET('/v1/sec/company/{ticker}/profile', {
    params: { path: { ticker: 'AAPL' } },
  });
  const cursor: string | null = data.meta.nextCursor;
  const name: string | undefined = profile.data?.data.name;
  // @ts-expect-error there is no such member
  const wrong: string = data.meta.nothing;
  return `${data.data.map(({ accessionNo, items }) => `${accessionNo} ${items.join(' ')}`).join('\n')} ${cursor} ${name} ${wrong}`;
}
