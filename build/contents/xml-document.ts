import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { clean, decodeWindowsReferences, textOf } from '../sources/source-text.ts';

/** An element of a document about ownership, by its name without a prefix. */
export interface XmlElement {
  readonly name: string;
  /** Its text, decoded once, as written; of an element with children, of no use. */
  readonly text: string;
  /** Its attribute `id`; empty if it has none. */
  readonly id: string;
  readonly children: readonly XmlElement[];
}

/** A document that was read: its root, and the namespace of it; empty if it has none. */
export interface XmlDocument {
  readonly namespace: string;
  readonly root: XmlElement;
}

/**
 * Bounds of a document. The longest recorded one has 77 KB, 2,300 elements and eight levels; by their schemas, one
 * with all its rows and persons has 6,000 elements and, with the text of all items, 600 KB.
 */
export const xmlBounds = { bytes: 4 * 1024 * 1024, elements: 20_000, levels: 16, attributes: 32 };

/** The namespace of addresses and names, which the schemas of Form 144 and Schedules 13D and 13G share. */
const commonNamespace = 'http://www.sec.gov/edgar/common';

/**
 * Parses a document. Elements of other namespaces than that of the root and the common one are left out, whatever
 * prefixes the document has. Throws an `Error` that tells the reason if it is not well-formed, is beyond
 * `xmlBounds`, has a document type or an entity of its own, or is in an encoding that is not known. The parser is
 * `saxes`: it checks names, nesting and namespaces, five times as fast as `fast-xml-parser` with its validator.
 */
export function parseXml(body: Buffer): XmlDocument {
  if (body.length > xmlBounds.bytes)
    throw new Error(`it has ${body.length} bytes, the most is ${xmlBounds.bytes}`);
  const text = decoded(body).trimStart();
  if (/<!DOCTYPE/i.test(text)) throw new Error('it has a document type');
  const parser = new SaxesParser({ xmlns: true, position: false });
  /** The elements that are open, each with the children that were read; null for one that is left out. */
  const open: (Draft | null)[] = [];
  let document: XmlDocument | null = null;
  let [elements, attributes] = [0, 0];
  let beyond: string | null = null;
  const refuse = (reason: string) => {
    beyond = reason;
    throw new Error(reason);
  };
  // A parser with more than six handlers is five times as slow: its members then no longer fit into a fast object.
  parser.on('attribute', () => {
    if (++attributes > xmlBounds.attributes)
      refuse(`it has more than ${xmlBounds.attributes} attributes in an element`);
  });
  parser.on('opentag', ({ local, uri, attributes: { id } }) => {
    attributes = 0;
    if (++elements > xmlBounds.elements) refuse(`it has more than ${xmlBounds.elements} elements`);
    if (open.length >= xmlBounds.levels) refuse(`it is nested more than ${xmlBounds.levels} levels deep`);
    const parent = open.at(-1);
    const element: Draft = { name: local, text: '', id: id?.value ?? '', children: [] };
    if (open.length === 0) document = { namespace: uri, root: element };
    const isOurs = uri === document?.namespace || uri === commonNamespace;
    if (parent && isOurs) parent.children.push(element);
    open.push(parent === null || !isOurs ? null : element);
  });
  const addText = (piece: string) => {
    const element = open.at(-1);
    if (element) element.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  try {
    parser.write(withoutBareAmpersands(text)).close();
  } catch (error) {
    throw new Error(beyond ?? `it is not XML: ${clean((error as Error).message).slice(0, 200)}`);
  }
  if (document === null) throw new Error('it is empty');
  return document;
}

interface Draft extends XmlElement {
  text: string;
  readonly children: Draft[];
}

/**
 * Returns a text in which each ampersand is one: EDGAR has accepted names such as `FENNER & SMITH`. What looks like an
 * entity that XML does not have stays a text, too. A reference to a control of Unicode becomes the character that it is
 * in Windows-1252. A document with sections of CDATA is left as it is.
 */
function withoutBareAmpersands(text: string): string {
  if (!text.includes('&') || text.includes('<![CDATA[')) return text;
  return decodeWindowsReferences(text).replace(
    /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/g,
    '&amp;',
  );
}

/** Bytes at the beginning of a text in UTF-16, and the name of the encoding. */
const marks: readonly (readonly [bytes: string, encoding: string])[] = [
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

/**
 * The text of a document, without what no text of a source keeps. Its encoding is the one that it declares; where
 * it declares UTF-8 or nothing and is no UTF-8, Windows-1252, which agents then mean.
 */
function decoded(body: Buffer): string {
  const mark = marks.find(([bytes]) => body.toString('hex', 0, 2) === bytes);
  const declared = /^[^>]{0,100}\bencoding\s*=\s*["']([^"']{1,40})["']/.exec(body.toString('latin1', 0, 200));
  const named = (mark?.[1] ?? declared?.[1] ?? 'utf-8').toLowerCase();
  if (named === 'utf-8' && isUtf8(body)) return textOf(body, 'utf8');
  const decoder = decoderOf(named === 'utf-8' ? 'windows-1252' : named);
  // Node knows it, and decodes it wrongly.
  if (decoder.encoding === 'windows-1252') return textOf(body, 'windows-1252');
  return textOf(Buffer.from(decoder.decode(body)), 'utf8');
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    throw new Error(`it is in the encoding ${JSON.stringify(encoding)}`);
  }
}

const [beginning, ending] = [Buffer.from('<XML>'), Buffer.from('</XML>')];

/**
 * Returns the XML of the first document in a full submission, where it stands between `<XML>` and `</XML>`; other
 * bytes as they are. Throws an `Error` if the submission has none in its first document, or was cut off.
 */
export function xmlOfSubmission(body: Buffer): Buffer {
  const head = body.toString('latin1', 0, 200).trimStart();
  if (!head.startsWith('<SEC-') && !head.startsWith('-----BEGIN PRIVACY') && !head.startsWith('<DOCUMENT>'))
    return body;
  const from = body.indexOf(beginning);
  const firstEnd = body.indexOf('</DOCUMENT>');
  if (from < 0 || (firstEnd >= 0 && firstEnd < from)) throw new Error('its first document is no XML');
  const to = body.indexOf(ending, from);
  if (to < 0) throw new Error('it is cut off');
  // A line feed stands before the declaration, which has to be the first thing in XML.
  let start = from + beginning.length;
  while (start < to && (body[start] as number) <= 0x20) start++;
  return body.subarray(start, to);
}
