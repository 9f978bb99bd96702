import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import type { Source } from '../sources/registry.ts';

/** A file that was had and understood, with the instant (milliseconds since 1970) at which upstream made it; or why not. */
export type Fetched<Parsed> = { readonly kind: 'ok'; readonly parsed: Parsed; readonly asOfMs: number } | { readonly kind: 'lost'; readonly reason: string };

/** Fetches a file of a source and parses it. Rejects only where asking for the next file would make things worse. */
export async function fetchSource<Parsed>(client: EdgarClient, settings: EdgarSettings, source: Source<Parsed>, file: string): Promise<Fetched<Parsed>> {
  const checked: { body: Buffer; parsed: Parsed }[] = [];
  try {
    const answer = await client.get(source.url(settings, file), {
      maxBytes: source.bytesMaximum,
      check: (body) => void checked.push({ body, parsed: source.parse(body, file) }),
    });
    if (answer.kind === 'absent') return { kind: 'lost', reason: `not there (${answer.status})` };
    // The client shows a body to the check before it gives it out: what was parsed there is not parsed again.
    const known = checked.find(({ body }) => body === answer.body);
    return { kind: 'ok', parsed: known ? known.parsed : source.parse(answer.body, file), asOfMs: answer.asOfMs };
  } catch (error) {
    if (isFatal(error)) throw error;
    return { kind: 'lost', reason: (error as Error).message };
  }
}

/** Upstream refuses this client, or the run was stopped. */
function isFatal(error: unknown): boolean {
  return (error as { kind?: string }).kind === 'refused' || (error as Error).name === 'AbortError';
}
