import { ownershipFamilies } from './event-types.ts';

/**
 * The folder, below that of the filing, in the address of an XML document that EDGAR renders as a web page
 * (`…/000104581026000021/xslF345X05/form4.xml`).
 */
const rendered = /(?<=\/\d{18}\/)xsl[^/]*\/(?=[^/]+\.xml$)/i;

/**
 * Returns the address of the XML data of a Form 3, 4 or 5, from the address of the page that people read: the
 * same without the folder that renders it. Null for other forms, and where the document is no XML.
 */
export function xmlAddressOf(eventType: string, documentUrl: string | null): string | null {
  if (!ownershipFamilies.has(eventType) || documentUrl === null || !rendered.test(documentUrl)) return null;
  return documentUrl.replace(rendered, '');
}
