import { isDeepStrictEqual } from 'node:util';
import { parseOwnership } from '../../../build/contents/ownership-file.ts';
import type { LedgerContents } from '../../../build/ledger/contents.ts';
import { exhibitsOf } from '../../../src/domain/exhibits.ts';
import { documentsOf } from '../../support/index-pages.ts';
import { ownershipXml } from '../../support/ownership-documents.ts';
import type { PublishedFiling } from '../clients.ts';
import { toldBy } from '../edgar/documents.ts';
import type { Filing } from '../edgar/truth.ts';
import { volume, type World } from '../world.ts';

/** The contents that the ledger has at the end, by accession number, the newest of each. */
export function contentsOfLedger({ look }: World): Map<string, LedgerContents> {
  const files: string[] = [];
  const walk = (folder: string) => {
    for (const entry of look.list(folder)) {
      const path = `${folder}/${entry.name}`;
      if (look.stat(path).isDirectory()) walk(path);
      else if (/^contents-\d+\.jsonl$/.test(entry.name)) files.push(path);
    }
  };
  walk(`${volume}/ledger/batches`);
  const found = new Map<string, LedgerContents>();
  for (const path of files.sort())
    for (const line of look.readWhole(path).toString().split('\n').filter(Boolean)) {
      const contents = JSON.parse(line) as LedgerContents;
      found.set(contents.accessionNo, { ...found.get(contents.accessionNo), ...contents });
    }
  return found;
}

/**
 * What is wrong with the contents of a filing at the end. A filing that the follower saw has them, unless no index lists
 * it, which asks again when the follower has given up. Contents are always what the document says, and are served so.
 */
export function contentsFaults(
  world: World,
  filing: Filing,
  contents: LedgerContents | undefined,
  published: Pick<PublishedFiling, 'ownership' | 'exhibits'>,
  isSeen: boolean,
): string[] {
  const isDue = isSeen && filing.indexDay !== null;
  return [
    ...ownershipFaults(world, filing, contents, published, isDue),
    ...listFaults(filing, contents, published, isDue),
  ];
}

function listFaults(
  filing: Filing,
  contents: LedgerContents | undefined,
  published: Pick<PublishedFiling, 'exhibits'>,
  isDue: boolean,
): string[] {
  if (!contents?.documents) return isDue ? ['its documents are not listed at the end, EDGAR lists them'] : [];
  const documents = documentsOf(filing);
  return [
    ...(isDeepStrictEqual(contents.documents, documents) ? [] : ["its list of documents is not EDGAR's"]),
    ...(isDeepStrictEqual(published.exhibits, exhibitsOf(documents))
      ? []
      : [`its exhibits are ${JSON.stringify(published.exhibits)}, EDGAR lists others`]),
  ];
}

function ownershipFaults(
  world: World,
  filing: Filing,
  contents: LedgerContents | undefined,
  published: Pick<PublishedFiling, 'ownership'>,
  isDue: boolean,
): string[] {
  if (filing.document === null) return contents?.ownership ? ['it has contents, EDGAR has no document'] : [];
  if (!contents?.ownership) return isDue ? ['it has no contents at the end, EDGAR has its document'] : [];
  const { document } = parseOwnership(Buffer.from(ownershipXml(toldBy(world.truth, filing))));
  const faults: string[] = [];
  if (!isDeepStrictEqual(contents.ownership, document))
    faults.push('its contents are not what its document says');
  if (!isDeepStrictEqual(published.ownership, document.ownership))
    faults.push(`its ownership is ${JSON.stringify(published.ownership)}, its document says otherwise`);
  return faults;
}
