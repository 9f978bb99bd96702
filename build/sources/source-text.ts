import { unprintable } from '../../src/domain/unprintable.ts';

/**
 * Characters that no text of a source keeps. Controls (`Cc`), line and paragraph separators (`Zl`, `Zp`) and
 * halves of surrogate pairs (`Cs`) end lines, steer terminals, or fit into no file. Format characters (`Cf`)
 * are invisible: they turn the direction of a text, join or divide words, or hide a text in another one. All
 * of them are taken out, soft hyphens and joiners too: two names that look alike are then the same, and no
 * name of EDGAR is known to need one (none of 98,000 recorded rows has one).
 */
const unwritable = new RegExp(`[${unprintable}]`, 'u');
const unwritableRuns = new RegExp(`[${unprintable}]+`, 'gu');
const onlyFormat = /^\p{Cf}+$/u;

/** What a run of unwritable characters becomes: nothing if it is invisible, else a space. */
const replacement = (run: string) => (onlyFormat.test(run) ? '' : ' ');

/**
 * Returns a text of a source as it may be kept: in one line, without unwritable characters, and without spaces
 * around it if there were such characters. A text without them is returned as it is.
 */
export function writable(text: string): string {
  return unwritable.test(text) ? text.replace(unwritableRuns, replacement).trim() : text;
}

/** Like `writable`, and always without spaces around it. */
export function clean(text: string): string {
  return writable(text).trim();
}

/** Like `unwritable`, without what divides lines and columns. */
const notInLines = String.raw`[[${unprintable}]--[\t\n\r]]`;
const unwritableInLines = new RegExp(notInLines, 'v');
const runsInLines = new RegExp(`${notInLines}+`, 'gv');

/**
 * The characters of Windows-1252 whose numbers are controls elsewhere, from 128 on. `TextDecoder` does not know them in
 * most versions of Node since 20.18.3 (nodejs/node#56542).
 */
const ofWindows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Decodes bytes as Windows-1252. */
const windowsText = (body: Buffer): string =>
  body
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (control) => ofWindows[control.charCodeAt(0) - 0x80] as string);

/**
 * Decodes a file of lines or of XML. Tabs and ends of lines stay, for the parser to find what they divide.
 * What the parser decodes itself, such as entities, has to pass `clean` again.
 */
export function textOf(body: Buffer, encoding: 'latin1' | 'utf8' | 'windows-1252'): string {
  const text = encoding === 'windows-1252' ? windowsText(body) : body.toString(encoding);
  return unwritableInLines.test(text) ? text.replace(runsInLines, replacement) : text;
}

/**
 * Returns the lines of a text, without their ends. Throws an `Error` if there are more than `linesMaximum`,
 * before it makes them.
 */
export function linesOf(text: string, linesMaximum: number): string[] {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    if (++lines > linesMaximum) throw new Error(`it has more than ${linesMaximum} lines`);
  return text.split(/\r?\n/);
}

/**
 * Bounds of a JSON file, which hold for every kind that EDGAR has: the longest recorded one has 4 MB, five
 * levels and 200,000 values; another has 10,500 arrays.
 */
export const jsonBounds = { depth: 32, groups: 250_000, values: 5_000_000 };

/**
 * Parses a JSON file of a source. All its texts are writable. Throws an `Error` that tells the reason if it is
 * no JSON, or nested or divided beyond `jsonBounds`: parsed, sixty megabytes of brackets would take three
 * gigabytes.
 */
export function jsonOf(body: Buffer): unknown {
  const { mayBeUnwritable } = lookThrough(body);
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (error) {
    throw new Error(`it is not JSON: ${clean((error as Error).message)}`);
  }
  return mayBeUnwritable ? writableValue(value) : value;
}

/** Makes all texts of a parsed value writable, in place. Its depth is bounded. */
function writableValue(value: unknown): unknown {
  if (typeof value === 'string') return writable(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (typeof member === 'string' || typeof member === 'object') members[key] = writableValue(member);
  }
  return value;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
/** From this byte on, characters are controls or not of ASCII. */
const firstSpecial = 0x7f;

/**
 * Counts groups and values in one pass over the bytes, whether or not they are JSON, and tells whether a text
 * may have unwritable characters. Where JSON is right, a control in a text is escaped.
 */
function lookThrough(body: Buffer): { readonly mayBeUnwritable: boolean } {
  let [depth, groups, values] = [0, 0, 0];
  let mayBeUnwritable = false;
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case quote:
        for (at++; at < body.length && body[at] !== quote; at++) {
          const byte = body[at] as number;
          if (byte === backslash) at++;
          if (byte === backslash || byte >= firstSpecial) mayBeUnwritable = true;
        }
        break;
      case comma:
        values++;
        break;
      case openArray:
      case openObject:
        groups++;
        if (++depth > jsonBounds.depth)
          throw new Error(`it is nested more than ${jsonBounds.depth} levels deep`);
        break;
      case closeArray:
      case closeObject:
        depth--;
    }
  }
  if (groups > jsonBounds.groups) throw new Error(`it has ${groups} arrays and objects`);
  if (values > jsonBounds.values) throw new Error(`it has ${values} values`);
  return { mayBeUnwritable };
}

const entities = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Returns the character of a numeric reference. Numbers from 128 to 159 are controls in Unicode: browsers take them for
 * characters of Windows-1252, as who wrote them did (`&#146;`).
 */
const characterOf = (code: number): string => ofWindows[code - 0x80] ?? String.fromCodePoint(code);

/** Decodes the numeric references to characters of Windows-1252 in a text, and leaves everything else as it is. */
export function decodeWindowsReferences(text: string): string {
  return text.replace(/&#(?:0{0,4}1[2-5]\d|x0{0,4}[89][0-9a-f]);/gi, (whole) => {
    const code = Number(whole.slice(2, -1).replace(/^x/i, '0x'));
    return ofWindows[code - 0x80] ?? whole;
  });
}

/**
 * Decodes the five entities of XML and numeric character references, once. Any other entity stays as it is.
 */
export function decodeEntities(value: string): string {
  return value.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi,
    (whole, decimal?: string, hexadecimal?: string, name = '') => {
      const code = decimal ? Number(decimal) : hexadecimal ? parseInt(hexadecimal, 16) : null;
      if (code === null) return entities.get(name) ?? whole;
      return code <= 0x10ffff ? characterOf(code) : whole;
    },
  );
}
