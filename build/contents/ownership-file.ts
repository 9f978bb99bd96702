import { OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { familyOfForm } from '../../src/domain/form-family.ts';
import { mayTellOwnership } from '../../src/domain/reported-ownership.ts';
import type { FiledRow } from './contents-kinds.ts';
import { readForm144 } from './form-144-xml.ts';
import { readSchedule13 } from './schedule-13-xml.ts';
import { readSection16 } from './section-16-xml.ts';
import { americanDays, createValues, isoDays, type Values } from './values.ts';
import { parseXml, xmlOfSubmission, type XmlElement } from './xml-document.ts';

/** A document that was read, and what in it could not be: each value in words, which is null in the document. */
export interface ReadOwnership {
  readonly document: OwnershipDocument;
  readonly refused: readonly string[];
}

/** Kinds of documents, by namespace and name of their root. */
const kinds = new Map<string, (root: XmlElement) => ReadOwnership>([
  [' ownershipDocument', (root) => read(root, createValues(isoDays), readSection16)],
  [
    'http://www.sec.gov/edgar/ownership edgarSubmission',
    (root) => read(root, createValues(americanDays), readForm144),
  ],
  [
    'http://www.sec.gov/edgar/schedule13D edgarSubmission',
    (root) => read(root, createValues(americanDays), (each, values) => readSchedule13(each, '13D', values)),
  ],
  [
    'http://www.sec.gov/edgar/schedule13g edgarSubmission',
    (root) => read(root, createValues(americanDays), (each, values) => readSchedule13(each, '13G', values)),
  ],
]);

function read(
  root: XmlElement,
  values: Values,
  reader: (root: XmlElement, values: Values) => OwnershipDocument,
): ReadOwnership {
  const document = reader(root, values);
  return { document, refused: values.refused };
}

/**
 * Parses the document of a Form 3, 4, 5 or 144 or a Schedule 13D or 13G: its XML alone, or a full submission that
 * has it. Throws an `Error` that says what cannot be understood: such a document is refused as a whole.
 */
export function parseOwnership(body: Buffer): ReadOwnership {
  const { namespace, root } = parseXml(xmlOfSubmission(body));
  const kind = kinds.get(`${namespace} ${root.name}`);
  if (!kind) throw new Error(`it is ${JSON.stringify(root.name.slice(0, 60))}, no document about ownership`);
  const { document, refused } = kind(root);
  const issue = OwnershipDocument.safeParse(document).error?.issues[0];
  if (issue) throw new Error(`${issue.path.join('.')}: ${issue.message}`);
  return { document, refused };
}

/** Whether filings of a form may have a document about ownership. */
export const mayHaveOwnership = (form: string): boolean => mayTellOwnership(familyOfForm(form), form);

/** The folder that EDGAR puts before the name of an XML document, for the page that it makes of it. */
const renderedName = /^(?:xsl[^/]*\/)?([\w-][\w.-]*\.xml)$/i;

/**
 * Returns the paths below `/Archives/edgar/` of the file that has a filing's document about ownership: its XML, or,
 * where the name of the document is not known yet, as of a filing that only the feed has told, the full submission.
 * Null if the filing can have none: another form, or a document that is no XML, as before June 2003.
 */
export function ownershipFile({
  accessionNo,
  form,
  primaryDocument,
  subjectCik,
  filerCiks,
}: FiledRow): string | null {
  const cik = subjectCik ?? filerCiks[0];
  if (!mayHaveOwnership(form) || cik === undefined) return null;
  const folder = `data/${Number(cik)}`;
  if (primaryDocument === null) return `${folder}/${accessionNo}.txt`;
  const name = renderedName.exec(primaryDocument)?.[1];
  return name === undefined ? null : `${folder}/${accessionNo.replaceAll('-', '')}/${name}`;
}
