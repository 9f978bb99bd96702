import type { AnswerPlan } from '../contract/endpoints.ts';
import type { Turns } from './turns.ts';

/** Begins the buckets of a watchlist but the first: no other object begins so, and a text escapes its quotes. */
const bucketStart = ',{"ticker":';
const [listStart, listEnd] = ['{"data":[', '],"meta":{'] as const;

/**
 * Parses the body of an answer. A watchlist, which may have megabytes, is parsed bucket by bucket, with pauses
 * between. All other answers are short.
 */
export async function parsedInTurns(turns: Turns, { kind }: AnswerPlan, body: Buffer): Promise<unknown> {
  await turns.pause();
  const end = body.lastIndexOf(listEnd);
  if (kind !== 'watchlist' || end < listStart.length) return JSON.parse(body.toString());
  const data: unknown[] = [];
  for (let from = listStart.length; from < end; ) {
    const next = body.indexOf(bucketStart, from);
    const to = next === -1 ? end : next;
    data.push(JSON.parse(body.toString('utf8', from, to)));
    from = to + 1;
    await turns.pause();
  }
  return { data, ...(JSON.parse(`{${body.toString('utf8', end + 2)}`) as object) };
}
