import { ownershipSource } from '../contents/ownership-source.ts';
import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import type { LedgerContents } from '../ledger/contents.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import { fetchSource, type Fetched } from './fetch.ts';

/** A filing, and the path of its document below `/Archives/edgar/`. */
export interface WantedContents {
  readonly accessionNo: string;
  readonly file: string;
}

/**
 * What came of asking for the contents of a filing. `read`: the document was read; refusals name the values in it
 * that could not be. `refused`: the document as a whole cannot be understood; the refusal says why. `lost`: there is
 * no document (yet), or no answer.
 */
export type AskedContents =
  | { readonly kind: 'read'; readonly contents: LedgerContents; readonly refusals: readonly Refusal[] }
  | { readonly kind: 'refused'; readonly refusals: readonly [Refusal] }
  | Extract<Fetched<never>, { kind: 'lost' }>;

/** Asks for the document of a filing, and reads it. Rejects like `fetchSource`. */
export async function askContents(
  client: EdgarClient,
  settings: EdgarSettings,
  { accessionNo, file }: WantedContents,
): Promise<AskedContents> {
  const answer = await fetchSource(client, settings, ownershipSource, file);
  if (answer.kind === 'lost') return answer;
  const refuse = (reason: string): Refusal => ({ cik: '', file, accessionNo, reason });
  if ('unfit' in answer.parsed) return { kind: 'refused', refusals: [refuse(answer.parsed.unfit)] };
  const { document, refused } = answer.parsed;
  return {
    kind: 'read',
    contents: { accessionNo, source: 'document', ownership: document },
    refusals: refused.map(refuse),
  };
}
