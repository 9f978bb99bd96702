import type { OpenBatch } from '../ledger/batch.ts';
import type { HeldContents, LedgerContents } from '../ledger/contents.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import type { KnownLedger } from './known.ts';

/** Contents that are looked up together: a document may be long. */
const contentsTogether = 500;

/**
 * Adds contents to a batch, sorted by accession number, each filing once, unless the ledger has them: what the document
 * itself says counts before what a data set says. Contents that no batch can hold are refused. Returns of how many
 * filings contents were added.
 */
export async function fillContents(
  contents: Iterable<LedgerContents> | AsyncIterable<LedgerContents>,
  known: Pick<KnownLedger, 'contents'>,
  batch: Pick<OpenBatch, 'addContents'>,
  refuse: (refusal: Refusal) => void,
): Promise<number> {
  let added = 0;
  let group: LedgerContents[] = [];
  async function addGroup(): Promise<void> {
    const before = await known.contents(group.map(({ accessionNo }) => accessionNo));
    const news = group.flatMap((each) => newsOf(each, before.get(each.accessionNo)));
    added += news.length;
    await batch.addContents(news, ({ accessionNo }, reason) => {
      added--;
      refuse({ cik: '', file: '', accessionNo, reason });
    });
    group = [];
  }
  for await (const each of contents) if (group.push(each) === contentsTogether) await addGroup();
  if (group.length > 0) await addGroup();
  return added;
}

/** What of contents the ledger does not have: nothing, or contents of one kind or several. */
function newsOf(
  { accessionNo, source, ownership, documents }: LedgerContents,
  held: HeldContents = {},
): LedgerContents[] {
  const isOwnershipNew =
    held.ownership === undefined || (held.ownership === 'data_set' && source === 'document');
  const said = {
    ...(ownership && isOwnershipNew ? { source, ownership } : {}),
    ...(documents && held.documents === undefined ? { documents } : {}),
  };
  return Object.keys(said).length === 0 ? [] : [{ accessionNo, ...said }];
}
