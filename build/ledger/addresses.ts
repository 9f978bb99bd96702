import type { FilingSummary } from '../../src/contract/records.ts';
import { ownershipFamilies } from '../../src/contract/event-types.ts';

/** The members of the published record from which the addresses of a filing are made. */
export interface AddressedFiling {
  readonly accessionNo: string;
  /** Any company that the filing names. */
  readonly cik: string;
  readonly eventType: string;
  readonly filedAt: string | null;
  readonly primaryDocument: string | null;
}

const archive = 'https://www.sec.gov/Archives/edgar/data';

/** The folder of a filing's files on www.sec.gov. */
const folder = (cik: string, accessionNo: string) =>
  `${archive}/${Number(cik)}/${accessionNo.replaceAll('-', '')}`;

/**
 * Returns the address of the filing index on www.sec.gov, which lists the documents of a filing. It exists
 * for filings of all years.
 */
export function detailUrl(cik: string, accessionNo: string): string {
  return `${folder(cik, accessionNo)}/${accessionNo}-index.htm`;
}

/**
 * Document names that EDGAR made up and that have no file: parts of early submissions (`0001.txt`), and
 * submissions on paper.
 */
const withoutFile = /^\d{4}\.txt$|\.paper$/i;

/** The folder in the name of an XML document that EDGAR renders as a web page (`xslF345X05/form4.xml`). */
const rendered = /^xsl[^/]*\/(?=[^/]+\.xml$)/i;

/** Returns the address of a document; null if its name cannot be a file. */
function documentAddress({ cik, accessionNo }: AddressedFiling, name: string | null): string | null {
  if (name === null || withoutFile.test(name)) return null;
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return null;
  // `encodeURIComponent` throws for half a surrogate pair. Rows of the ledger have none.
  return [
    folder(cik, accessionNo),
    ...parts.map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd'))),
  ].join('/');
}

/**
 * Returns the address of the primary document, as people read it: an XML document as the web page that EDGAR
 * renders.
 */
export function documentUrl(filing: AddressedFiling): string | null {
  return documentAddress(filing, filing.primaryDocument);
}

/**
 * Returns the address of the XML data of a Form 3, 4 or 5: the primary document without the folder that
 * renders it.
 */
function xmlUrl(filing: AddressedFiling): string | null {
  const name = filing.primaryDocument;
  const isXml = ownershipFamilies.has(filing.eventType) && name !== null && rendered.test(name);
  return isXml ? documentAddress(filing, name.replace(rendered, '')) : null;
}

/**
 * Since this day, all filings that were looked at have a separate header file; none of the filings before it
 * has one.
 */
const headersSince = '2010-01-01';

/** The login in the accession numbers of submissions on paper. */
const paperLogin = '9999999997';

function headerUrl({ cik, accessionNo, filedAt }: AddressedFiling): string | null {
  const hasHeader = filedAt !== null && filedAt >= headersSince && !accessionNo.startsWith(paperLogin);
  return hasHeader ? `${folder(cik, accessionNo)}/${accessionNo}.hdr.sgml` : null;
}

/** Returns all addresses of a filing. `text` is the address that EDGAR's own indexes give. */
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
