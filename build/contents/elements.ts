import type { Address } from '../../src/contract/ownership-document.ts';
import type { Values } from './values.ts';
import type { XmlElement } from './xml-document.ts';

/**
 * The only child of a name; undefined if there is none. Throws an `Error` if there are several: which one counts is
 * not for us to say.
 */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  let found: XmlElement | undefined;
  for (const child of element?.children ?? []) {
    if (child.name !== name) continue;
    if (found) throw new Error(`it has ${name} twice in ${element?.name}`);
    found = child;
  }
  return found;
}

/** All children of a name, in the order of the document. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The text of the only child of a name. */
export function textIn(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text;
}

/** The texts of all children of a name that have one. */
export function textsIn(element: XmlElement | undefined, name: string, values: Values): string[] {
  return childrenOf(element, name).flatMap((child) => values.text(child.text) ?? []);
}

/** An address of Form 144 or Schedule 13D or 13G, whose parts are of the common namespace. */
export function addressIn(element: XmlElement | undefined, values: Values): Address | null {
  if (element === undefined) return null;
  return {
    street1: values.text(textIn(element, 'street1')),
    street2: values.text(textIn(element, 'street2')),
    city: values.text(textIn(element, 'city')),
    stateOrCountry: values.text(textIn(element, 'stateOrCountry')),
    stateDescription: null,
    zipCode: values.text(textIn(element, 'zipCode')),
    isNonUs: null,
    nonUsTerritory: null,
    country: null,
  };
}

/** The previous accession number of an amendment. */
export function previousAccessionIn(header: XmlElement | undefined, values: Values): string | null {
  const given = values.text(textIn(header, 'previousAccessionNumber'));
  if (given === null) return null;
  const dashed = given.replace(/^(\d{10})(\d{2})(\d{6})$/, '$1-$2-$3');
  return values.choice(
    dashed,
    'previousAccessionNumber',
    /^\d{10}-\d{2}-\d{6}$/.test(dashed) ? { [dashed]: dashed } : {},
  );
}
