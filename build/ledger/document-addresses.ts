import { pressReleaseName } from '../../src/domain/exhibits.ts';
import type { Filing, FilingSummary } from '../../src/contract/records.ts';
import { xmlAddressOf } from '../../src/domain/rendered-documents.ts';

/** The members of the published record from which the addresses of a filing are made. */
export interface AddressedFiling {
  readonly accessionNo: string;
  /** Any company that the filing names. */
  readonly cik: string;
  readonly eventType: string;
  readonly filedAt: string | null;
  readonly primaryDocument: string | null;
  readonly exhibits: Filing['exhibits'];
}

const archive = 'https://www.sec.gov/Archives/edgar/data';

/** The folder of a filing's files on www.sec.gov. */
const folder = (cik: string, accessionNo: string) =>
  `${archive}/${Number(cik)}/${accessionNo.slice(0, 10)}${accessionNo.slice(11, 13)}${accessionNo.slice(14)}`;

/**
 * Returns the addresses of the filing index on www.sec.gov, which lists the documents of a filing and exists
 * for filings of all years, and of the primary document, as people read it: an XML document as the web page
 * that EDGAR renders. The latter is null if its name cannot be a file.
 */
export function addressesOf({
  cik,
  accessionNo,
  primaryDocument,
}: Pick<AddressedFiling, 'cik' | 'accessionNo' | 'primaryDocument'>): {
  readonly detailUrl: string;
  readonly documentUrl: string | null;
} {
  const base = folder(cik, accessionNo);
  return { detailUrl: detailIn(base, accessionNo), documentUrl: documentIn(base, primaryDocument) };
}

const detailIn = (base: string, accessionNo: string) => `${base}/${accessionNo}-index.htm`;

/**
 * Document names that EDGAR made up and that have no file: parts of early submissions (`0001.txt`), and
 * submissions on paper.
 */
const withoutFile = /^\d{4}\.txt$|\.paper$/i;

/** Names that are written in an address as they are: nearly all. */
const plainName = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

function documentIn(base: string, name: string | null): string | null {
  if (name === null || withoutFile.test(name)) return null;
  if (plainName.test(name)) return `${base}/${name}`;
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return null;
  // `encodeURIComponent` throws for half a surrogate pair. Rows of the ledger have none.
  return [base, ...parts.map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd')))].join('/');
}

/**
 * Since this day, all filings that were looked at have a separate header file; none of the filings before it
 * has one.
 */
const headersSince = '2010-01-01';

/** The login in the accession numbers of submissions on paper. */
const paperLogin = '9999999997';

/** Whether a filing has a separate header file. */
export function hasHeaderFile({
  accessionNo,
  filedAt,
}: Pick<AddressedFiling, 'accessionNo' | 'filedAt'>): boolean {
  return filedAt !== null && filedAt >= headersSince && !accessionNo.startsWith(paperLogin);
}

/** Returns all addresses of a filing. `text` is the address that EDGAR's own indexes give. */
export function linksOf(filing: AddressedFiling): FilingSummary['links'] {
  const { cik, accessionNo, eventType } = filing;
  const base = folder(cik, accessionNo);
  const document = documentIn(base, filing.primaryDocument);
  const release = pressReleaseName(filing);
  return {
    index: detailIn(base, accessionNo),
    document,
    text: `${archive}/${Number(cik)}/${accessionNo}.txt`,
    header: hasHeaderFile(filing) ? `${base}/${accessionNo}.hdr.sgml` : null,
    xml: xmlAddressOf(eventType, document),
    pressRelease: release && `${base}/${release}`,
  };
}
