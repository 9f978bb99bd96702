import { CatalogIndex } from '../contract/catalog.ts';
import { checkSampleQuery } from '../query/target.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/http-answer.ts';
import { publicAnswer } from './document-answers.ts';

const parsed = new WeakMap<Snapshot, CatalogIndex>();

/** The index of a snapshot's catalog, parsed once. */
export function catalogIndexOf(snapshot: Snapshot): CatalogIndex {
  const known = parsed.get(snapshot);
  if (known) return known;
  const index = CatalogIndex.parse(JSON.parse(snapshot.documents.catalog.toString()));
  parsed.set(snapshot, index);
  return index;
}

/** Whether a path is a sample-only path of the snapshot. */
export function isSamplePath(snapshot: Snapshot, path: string): boolean {
  return Object.hasOwn(catalogIndexOf(snapshot).samples, path);
}

/**
 * The static sample of a sample-only path. Its parameters are checked but change nothing: the sample stays
 * the same. Null if there is no such path. Throws `invalid_parameter`.
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
  checkSampleQuery(known, query);
  const found = await publicAnswer(snapshot, file);
  if (!found) return null;
  // The file's own headers are for downloads.
  const { headers: _headers, ...others } = found;
  return others;
}
