import { pressReleaseName } from '../domain/exhibits.ts';
import { ownershipSentence } from '../contract/ownership-sentence.ts';
import type { Filing } from '../contract/records.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import { jsonTextOf, needleOf, type Extent, type Needle } from './members.ts';

// What a summary adds to its filing repeats members of the filing: in sentences, and seven times in addresses.
// So its texts are stored with placeholders, such as `{filedAt}`, and get the values when they are read. Rows of
// filings of one kind are then alike: compressed, a row takes 26 bytes in place of 92.

/** The members of a filing that placeholders stand for. */
const members = [
  'accessionNo',
  'companyName',
  'ticker',
  'filedAt',
  'detailUrl',
  'cik',
  'reportDate',
  'documentUrl',
] as const;

/** Parts of addresses in a filing: the address, and what is left of it. */
const parts: Readonly<Record<Part, readonly [Member, (address: string) => string]>> = {
  folder: ['detailUrl', parentOf],
  companyFolder: ['detailUrl', (address) => parentOf(parentOf(address))],
  documentFile: ['documentUrl', (address) => address.slice(address.lastIndexOf('/') + 1)],
};

/** What placeholders stand for that is made of a whole filing; null if it has nothing of the kind. */
const made: Readonly<Record<Made, (filing: Filing) => string | null>> = {
  /** What the document of a filing about ownership says. */
  ownershipSentence: ({ ownership }) => ownership && ownershipSentence(ownership),
  /** The file name of its press release. */
  pressRelease: pressReleaseName,
};

type Member = (typeof members)[number];
type Part = 'folder' | 'companyFolder' | 'documentFile';
type Made = 'ownershipSentence' | 'pressRelease';

/** A placeholder as it stands in a text. */
export const placeholder = (name: Member | Part | Made): string => `{${name}}`;

/** A text without placeholders as it has to be stored: `{}` stands for a brace. */
export const withoutPlaceholders = (text: string): string => text.replaceAll('{', '{}');

const anyPlaceholder = /\{([A-Za-z]*)\}/g;

/**
 * Puts values into the placeholders of JSON. `filing` is the JSON of the filing; its values get in as they are
 * written there. Throws `CorruptSnapshot` for a placeholder that is not known, or for which the filing has no text.
 */
export function filled(json: string, filing: Extent): string {
  return json.replace(anyPlaceholder, (_, name: string) => (name === '' ? '{' : valueOf(name, filing)));
}

function valueOf(name: string, filing: Extent): string {
  if (Object.hasOwn(made, name)) return madeOf(name as Made, filing);
  const [member, cut] = Object.hasOwn(parts, name) ? parts[name as Part] : [name as Member, null];
  const needle = needles.get(member);
  const value = needle && jsonTextOf(filing, needle);
  if (value === undefined || value === null)
    throw new CorruptSnapshot(`a summary has the placeholder {${name}}, and its filing has no such text`);
  return cut === null ? value : cut(value);
}

const needles: ReadonlyMap<string, Needle> = new Map(members.map((name) => [name, needleOf(name)]));

/** What is made of the whole filing, as JSON has it between quotes. */
function madeOf(name: Made, { bytes, from, to }: Extent): string {
  const text = made[name](JSON.parse(bytes.toString('utf8', from, to)) as Filing);
  if (text === null)
    throw new CorruptSnapshot(`a summary has the placeholder {${name}}, and its filing has nothing for it`);
  return JSON.stringify(text).slice(1, -1);
}

function parentOf(address: string): string {
  return address.slice(0, address.lastIndexOf('/'));
}
