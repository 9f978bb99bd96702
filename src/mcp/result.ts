import type { AnswerSource } from '../requests/answer-source.ts';
import { sizeMember, type Size } from '../contract/tool-parameters.ts';
import { bytesAnswer } from '../http/http-answer.ts';
import { beginAnswer } from '../requests/caller.ts';

/**
 * The result for what is asked, from the response cache or made and kept there. `asked` tells it from all
 * others. Rejects with `overloaded`.
 */
export async function keptResult(
  { services, snapshot, coverage }: AnswerSource,
  caller: string | null,
  asked: string,
  make: () => Promise<Buffer>,
): Promise<Buffer> {
  const { responses } = services;
  // Texts say whether the data is stale, so stale and fresh answers have different cache keys.
  const key = `${asked} ${coverage.isStale ? 'stale ' : ''}${coverage.fetchedAt}`;
  const known = responses.get(snapshot.id, key);
  if (known) return known.body();
  await beginAnswer(services, caller);
  const made = await make();
  return responses.keep(snapshot.id, key, bytesAnswer('application/json', made)).body();
}

/** A result that is small: it is written at once. */
export function smallResult(result: object): Buffer {
  return Buffer.from(JSON.stringify(result));
}

/** The `_meta` of a text: its size. */
export function metaOf(size: Size): { readonly [sizeMember]: Size } {
  return { [sizeMember]: size };
}
