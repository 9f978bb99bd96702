import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import { failureKindOf, isClientRejected } from '../edgar/outcome.ts';
import type { Source } from '../sources/registry.ts';

/**
 * Why a file could not be fetched. `absent`: there is no such file (yet). `throttled`: upstream blocks this
 * address. `failed`: it could not be fetched or understood.
 */
export type LossCause = 'absent' | 'throttled' | 'failed';

/**
 * A file that was fetched and parsed; `asOfMs` is when upstream made it, in milliseconds since 1970, and
 * `changed` is false if the cache had the same file. Or the reason why there is none.
 */
export type Fetched<Parsed> =
  | { readonly kind: 'ok'; readonly parsed: Parsed; readonly asOfMs: number; readonly changed: boolean }
  | { readonly kind: 'lost'; readonly reason: string; readonly cause: LossCause };

/**
 * Fetches a file of a source and parses it. Rejects only if further requests would make things worse: see
 * `isFatal`.
 */
export async function fetchSource<Parsed>(
  client: EdgarClient,
  settings: EdgarSettings,
  source: Source<Parsed>,
  file: string,
): Promise<Fetched<Parsed>> {
  try {
    const answer = await client.get(source.url(settings, file), {
      maxBytes: source.bytesMaximum,
      parse: (body) => source.parse(body, file),
    });
    return answer.kind === 'absent'
      ? { kind: 'lost', reason: `not there (${answer.status})`, cause: 'absent' }
      : answer;
  } catch (error) {
    if (isFatal(error)) throw error;
    return {
      kind: 'lost',
      reason: (error as Error).message,
      cause: failureKindOf(error) === 'throttled' ? 'throttled' : 'failed',
    };
  }
}

/** Whether upstream does not accept this client, or the run was stopped. */
export function isFatal(error: unknown): boolean {
  return isClientRejected(error) || (error as Error).name === 'AbortError';
}
