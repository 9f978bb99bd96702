import type * as z from 'zod';
import type { Query } from '../contract/parameters.ts';

/**
 * What a request asks for as `meta` says it, by the schema of its filters: a list with commas between its values, and null
 * where nothing was asked. `bounds` are those that were applied, and what is said in other words.
 */
export function applied<Schema extends z.ZodObject>(
  { shape }: Schema,
  query: Query,
  bounds: { readonly [name: string]: string | null | undefined } = {},
): z.infer<Schema> {
  const asked: Readonly<Record<string, unknown>> = { ...query, ...bounds };
  return Object.fromEntries(
    Object.keys(shape).map((name) => {
      const value = asked[name] ?? null;
      return [name, Array.isArray(value) ? value.join(',') : value];
    }),
  ) as z.infer<Schema>;
}
