import { contentsKinds, type WantedContents } from '../contents/contents-kinds.ts';
import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import type { LedgerContents } from '../ledger/contents.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import { fetchSource, type Fetched } from './fetch.ts';

/**
 * What came of asking for contents of a filing. `read`: the file was read; refusals name the values in it
 * that could not be. `refused`: the file as a whole cannot be understood; the refusal says why. `lost`: there is
 * no file (yet), or no answer.
 */
export type AskedContents =
  | { readonly kind: 'read'; readonly contents: LedgerContents; readonly refusals: readonly Refusal[] }
  | { readonly kind: 'refused'; readonly refusals: readonly [Refusal] }
  | Extract<Fetched<never>, { kind: 'lost' }>;

/** Asks for the file with contents of a filing, and reads it. Rejects like `fetchSource`. */
export async function askContents(
  client: EdgarClient,
  settings: EdgarSettings,
  { contents, accessionNo, file }: WantedContents,
): Promise<AskedContents> {
  const answer = await fetchSource(client, settings, contentsKinds[contents].source, file);
  if (answer.kind === 'lost') return answer;
  const refuse = (reason: string): Refusal => ({ cik: '', file, accessionNo, reason });
  if ('unfit' in answer.parsed) return { kind: 'refused', refusals: [refuse(answer.parsed.unfit)] };
  const { said, refused } = answer.parsed;
  return { kind: 'read', contents: { accessionNo, ...said }, refusals: refused.map(refuse) };
}
