import { listLatestFilings as byHeyApi } from './hey-api/index.ts';
import { listLatestFilings as byOrval } from './orval/client.ts';

/** Compiled, not run: it says what the clients that two generators make give. */
export async function example(): Promise<string> {
  const query = { form: ['8-K', '8-K/A'], limit: 5 };
  const { data, error } = await byHeyApi({ query });
  if (!data) return error.error.message;
  // @ts-expect-error there is no such member
  const wrong: string = data.meta.nothing;
  const other = await byOrval(query);
  if (other.status !== 200) return other.status === 400 ? other.data.error.message : '';
  // @ts-expect-error there is no such member
  const wrongToo: string = other.data.meta.nothing;
  const cursors: readonly (string | null)[] = [data.meta.nextCursor, other.data.meta.nextCursor];
  const rows = [...data.data, ...other.data.data].map(
    ({ accessionNo, items }) => `${accessionNo} ${items.join(' ')}`,
  );
  return [...rows, ...cursors, wrong, wrongToo].join('\n');
}
