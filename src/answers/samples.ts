import { CatalogIndex, type SampleQuery } from '../contract/catalog.ts';
import { ApiError, shown } from '../contract/errors.ts';
import { parameters } from '../contract/parameters.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { z } from 'zod';
import type { Answer } from '../http/answer.ts';
import { publicAnswer } from './documents.ts';

const parsed = new WeakMap<Snapshot, CatalogIndex>();
const textCharactersMaximum = 100;

/** What the catalog of a snapshot has, read once. */
export function catalogIndexOf(snapshot: Snapshot): CatalogIndex {
  const known = parsed.get(snapshot);
  if (known) return known;
  const index = CatalogIndex.parse(JSON.parse(snapshot.documents.catalog.toString()));
  parsed.set(snapshot, index);
  return index;
}

/** Whether a path is a sample-only one of the snapshot. */
export function isSamplePath(snapshot: Snapshot, path: string): boolean {
  return Object.hasOwn(catalogIndexOf(snapshot).samples, path);
}

/**
 * The static sample of a sample-only path. Its parameters are checked like any others, and then ask for
 * nothing: the sample stays the same. Null if there is no such path. Throws `invalid_parameter`.
 */
export async function sampleAnswer(
  snapshot: Snapshot,
  path: string,
  query: URLSearchParams,
): Promise<Answer | null> {
  if (!isSamplePath(snapshot, path)) return null;
  const { file, parameters: known } = catalogIndexOf(snapshot).samples[
    path
  ] as CatalogIndex['samples'][string];
  for (const name of new Set(query.keys())) {
    const parameter = known.find((each) => each.name === name);
    if (!parameter)
      throw new ApiError(
        'invalid_parameter',
        `${shown(name)}: this operation takes ${known.map((each) => each.name).join(', ') || 'no parameters'}`,
      );
    check(parameter, query.getAll(name));
  }
  const found = await publicAnswer(snapshot, file);
  // The headers of the file are for those who download it.
  return found
    ? {
        contentType: found.contentType,
        etag: found.etag,
        body: found.body,
        ...(found.br ? { br: found.br } : {}),
        ...(found.gzip ? { gzip: found.gzip } : {}),
      }
    : null;
}

function check({ name, type }: z.infer<typeof SampleQuery>, values: readonly string[]): void {
  const [value = ''] = values;
  if (values.length > 1)
    throw new ApiError('invalid_parameter', `${name}: must be given once, not ${values.length} times`);
  const isGood =
    type === 'date'
      ? parameters.since.parse.safeParse(value).success
      : value.trim() !== '' && value.length <= textCharactersMaximum && !/\p{Cc}/u.test(value);
  const allowed =
    type === 'date' ? parameters.since.allowed : `a text of 1 to ${textCharactersMaximum} characters`;
  if (!isGood) throw new ApiError('invalid_parameter', `${name}: must be ${allowed}, not ${shown(value)}`);
}
