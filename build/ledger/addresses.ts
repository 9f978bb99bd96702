import type { FilingSummary } from '../../src/contract/records.ts';
import { ownershipFamilies } from '../../src/contract/event-types.ts';

/** What the addresses of a filing follow from; the members are those of the published record. */
export interface AddressedFiling {
  readonly accessionNo: string;
  /** Any company that the filing names. */
  readonly cik: string;
  readonly eventType: string;
  readonly filedAt: string | null;
  readonly primaryDocument: string | null;
}

const archive = 'https://www.sec.gov/Archives/edgar/data';

/** Folder of a filing's files on www.sec.gov. */
const folder = (cik: string, accessionNo: string) =>
  `${archive}/${Number(cik)}/${accessionNo.replaceAll('-', '')}`;

/** The filing index on www.sec.gov, which lists the documents of a filing; it exists for every era. */
export function detailUrl(cik: string, accessionNo: string): string {
  return `${folder(cik, accessionNo)}/${accessionNo}-index.htm`;
}

/**
 * Names of documents that EDGAR made up and has no file for: parts of early submissions (`0001.txt`), and
 * what came on paper.
 */
const withoutFile = /^\d{4}\.txt$|\.paper$/i;

/**
 * The folder that EDGAR puts before the name of an XML document to show it as a page
 * (`xslF345X05/form4.xml`).
 */
const rendered = /^xsl[^/]*\/(?=[^/]+\.xml$)/i;

/** A document of a filing; null for a name that cannot be a file. */
function documentAddress({ cik, accessionNo }: AddressedFiling, name: string | null): string | null {
  if (name === null || withoutFile.test(name)) return null;
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return null;
  // No address can hold half a surrogate pair; a file of the ledger holds none.
  return [
    folder(cik, accessionNo),
    ...parts.map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd'))),
  ].join('/');
}

/**
 * What a person reads of a filing: its primary document, for XML documents as the page that EDGAR makes of
 * it.
 */
export function documentUrl(filing: AddressedFiling): string | null {
  return documentAddress(filing, filing.primaryDocument);
}

/** The data of a Form 3, 4 or 5: the same document without the folder that makes it a page. */
function xmlUrl(filing: AddressedFiling): string | null {
  const name = filing.primaryDocument;
  const isXml = ownershipFamilies.has(filing.eventType) && name !== null && rendered.test(name);
  return isXml ? documentAddress(filing, name.replace(rendered, '')) : null;
}

/**
 * Headers as files of their own were found for every filing that was looked at since this day, and looked for
 * in none before.
 */
const headersSince = '2010-01-01';

/** The login that EDGAR gives to submissions on paper. */
const paperLogin = '9999999997';

function headerUrl({ cik, accessionNo, filedAt }: AddressedFiling): string | null {
  const hasHeader = filedAt !== null && filedAt >= headersSince && !accessionNo.startsWith(paperLogin);
  return hasHeader ? `${folder(cik, accessionNo)}/${accessionNo}.hdr.sgml` : null;
}

/** Every address of a filing. `text` is the one that EDGAR's own indexes give. */
export function linksOf(filing: AddressedFiling): FilingSummary['links'] {
  const { cik, accessionNo } = filing;
  return {
    index: detailUrl(cik, accessionNo),
    document: documentUrl(filing),
    text: `${archive}/${Number(cik)}/${accessionNo}.txt`,
    header: headerUrl(filing),
    xml: xmlUrl(filing),
  };
}
