import * as z from 'zod';
import type { ChangeFilter } from '../../clients/typescript/src/index.ts';
import { corrections, webhookCorrections } from '../../src/contract/corrections.ts';
import { eachFilter, type FilterName } from '../../src/contract/filing-filters.ts';
import { feedTickersMaximum } from '../../src/contract/parameters.ts';
import { ContentError } from '../../src/files/watch.ts';
import { checkLiteral } from './public-addresses.ts';

/** A customer's address, and what is delivered to it. */
export interface Endpoint {
  readonly name: string;
  readonly url: URL;
  /** Each message is signed with each of them: there are two while one is changed. */
  readonly secrets: readonly string[];
  /** As the change feed takes it. */
  readonly filter: ChangeFilter;
  /** Where deliveries begin, if there were none yet; null for the end of the feed. */
  readonly cursor: string | null;
}

const secretBytesMinimum = 24;
const secretBytesMaximum = 64;
const endpointsMaximum = 10_000;

const secret = z.string().refine((text) => {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? '';
  const bytes = Buffer.from(encoded, 'base64');
  return (
    bytes.toString('base64') === encoded &&
    bytes.length >= secretBytesMinimum &&
    bytes.length <= secretBytesMaximum
  );
}, `must be whsec_ and ${secretBytesMinimum} to ${secretBytesMaximum} random bytes in base64`);

/** One text with commas between values, or a list of values. */
const values = z.union(
  [z.string().min(1), z.array(z.string().min(1)).min(1)],
  'must be a text or a list of texts',
);

/** A member for each filter of filings, as the change feed takes it. */
function filterShape() {
  const shapeOf = ({ takes }: (typeof eachFilter)[number]): z.ZodType => {
    if (takes === 'amount') return z.number().min(0, 'must be US dollars, 0 or more');
    if (takes === 'truth') return z.boolean('must be true or false');
    return takes === undefined ? values : z.string().min(1);
  };
  const members = eachFilter.map((filter) => [filter.name, shapeOf(filter).optional()]);
  return Object.fromEntries(members) as Readonly<Record<FilterName, z.ZodOptional<z.ZodType>>>;
}

const endpoint = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'must be 1 to 64 letters, digits, dots, hyphens and underscores',
    ),
  url: z.string(),
  secrets: z
    .array(secret)
    .min(1, 'must have a secret')
    .max(2, 'must have one secret, or two while it is changed'),
  tickers: z
    .array(z.string().min(1))
    .min(1)
    .max(feedTickersMaximum, `must have at most ${feedTickersMaximum} companies`)
    .optional(),
  ...filterShape(),
  // What the parameter of the feed takes: without the member, nothing that is restated or filled in.
  corrections: values
    .refine(
      (each) => corrections.parse.safeParse([each].flat().join()).success,
      `must be ${corrections.allowed}`,
    )
    .default(webhookCorrections),
  cursor: z.string().min(1).optional(),
});

const file = z.strictObject({
  endpoints: z.array(endpoint).max(endpointsMaximum, `must be at most ${endpointsMaximum}`),
});

/**
 * Reads the file of endpoints. `isPrivateAllowed` allows `http` and addresses that are not public. Throws a
 * `ContentError` with one line that names the endpoint; it never has a secret.
 */
export function parseEndpoints(text: string, isPrivateAllowed: boolean): Endpoint[] {
  const read = file.safeParse(parseJson(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ContentError(`${pathText(issue?.path ?? [])}${issue?.message ?? 'is wrong'}`);
  }
  const names = new Set<string>();
  return read.data.endpoints.map(({ name, url, secrets, cursor = null, ...filter }) => {
    if (names.has(name)) throw new ContentError(`two endpoints have the name ${name}`);
    names.add(name);
    return {
      name,
      url: parseAddress(name, url, isPrivateAllowed),
      secrets,
      // The families are checked by the feed, which names the nearest one.
      filter: filter as ChangeFilter,
      cursor,
    };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser would quote the text, which has secrets.
    throw new ContentError('must be JSON: {"endpoints": [{"name", "url", "secrets", …}]}');
  }
}

const pathText = (path: readonly PropertyKey[]) =>
  path.length === 0
    ? ''
    : `${path
        .map((each) => (typeof each === 'number' ? `[${each}]` : `.${String(each)}`))
        .join('')
        .slice(1)}: `;

function parseAddress(name: string, text: string, isPrivateAllowed: boolean): URL {
  const refuse = (reason: string) => new ContentError(`${name}: url: ${reason}`);
  if (!URL.canParse(text)) throw refuse('must be an address');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(isPrivateAllowed && url.protocol === 'http:'))
    throw refuse('must begin with https:// (http:// only with --allow-private)');
  if (url.username !== '' || url.password !== '') throw refuse('must have no user and no password');
  url.hash = '';
  if (!isPrivateAllowed) {
    try {
      checkLiteral(url);
    } catch (error) {
      throw refuse((error as Error).message);
    }
  }
  return url;
}
