import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import type { Source } from '../sources/registry.ts';

/**
 * Why a file was not had: there is none (yet), upstream lets nobody ask for now, or it could not be had or
 * understood.
 */
export type LossCause = 'absent' | 'throttled' | 'failed';

/**
 * A file that was had and understood, with the instant (milliseconds since 1970) at which upstream made it,
 * and whether it is another one than when it was had before; or why not.
 */
export type Fetched<Parsed> =
  | { readonly kind: 'ok'; readonly parsed: Parsed; readonly asOfMs: number; readonly changed: boolean }
  | { readonly kind: 'lost'; readonly reason: string; readonly cause: LossCause };

/**
 * Fetches a file of a source and parses it. Rejects only where asking for the next file would make things
 * worse.
 */
export async function fetchSource<Parsed>(
  client: EdgarClient,
  settings: EdgarSettings,
  source: Source<Parsed>,
  file: string,
): Promise<Fetched<Parsed>> {
  const checked: { body: Buffer; parsed: Parsed }[] = [];
  try {
    const answer = await client.get(source.url(settings, file), {
      maxBytes: source.bytesMaximum,
      check: (body) => void checked.push({ body, parsed: source.parse(body, file) }),
    });
    if (answer.kind === 'absent')
      return { kind: 'lost', reason: `not there (${answer.status})`, cause: 'absent' };
    // The client shows a body to the check before it gives it out: what was parsed there is not parsed again.
    const known = checked.find(({ body }) => body === answer.body);
    return {
      kind: 'ok',
      parsed: known ? known.parsed : source.parse(answer.body, file),
      asOfMs: answer.asOfMs,
      changed: answer.changed,
    };
  } catch (error) {
    if (isFatal(error)) throw error;
    return {
      kind: 'lost',
      reason: (error as Error).message,
      cause: (error as { kind?: string }).kind === 'throttled' ? 'throttled' : 'failed',
    };
  }
}

/** Upstream refuses this client, or the run was stopped. */
function isFatal(error: unknown): boolean {
  return (
    (error as { kind?: string }).kind === 'user_agent_rejected' || (error as Error).name === 'AbortError'
  );
}
