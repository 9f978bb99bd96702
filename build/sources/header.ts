import type { PartyRole } from '../../src/contract/records.ts';
import { eventTypeOfForm, normalizeForm } from '../../src/domain/event-types.ts';
import { parseItems } from '../../src/domain/items.ts';
import { readStamp } from '../../src/time/eastern.ts';
import { dayOfDigits, distinctParties, refusalReason, type Party } from './source-rows.ts';
import { clean, linesOf, textOf } from './source-text.ts';

/** The SGML header of a filing. */
export interface Header {
  readonly accessionNo: string;
  readonly form: string;
  readonly filedAt: string;
  readonly reportDate: string | null;
  /**
   * Eastern wall-clock time, 14 digits: the best source of the acceptance time. Null in headers from before
   * 2001, which have none.
   */
  readonly acceptedEastern: string | null;
  /** Null in a header that describes its items in words instead of codes. */
  readonly items: readonly string[] | null;
  /** In the order of the header. */
  readonly parties: readonly Party[];
}

/** Returns the path of a filing's header below `/Archives/edgar/`. Any CIK that the filing names works. */
export function headerFile(cik: string, accessionNo: string): string {
  return `data/${Number(cik)}/${accessionNo.replaceAll('-', '')}/${accessionNo}.hdr.sgml`;
}

/**
 * The roles of sections, by name with hyphens between words. A letter of the SEC's staff is `FILED FOR` the
 * company that gets it, which EDGAR lists as its filer.
 */
const sections = new Map<string, PartyRole>([
  ['FILER', 'filer'],
  ['FILED-FOR', 'filer'],
  ['ISSUER', 'issuer'],
  ['REPORTING-OWNER', 'reporting_owner'],
  ['SUBJECT-COMPANY', 'subject'],
  ['FILED-BY', 'filed_by'],
  ['DEPOSITOR', null],
  ['SECURITIZER', null],
  ['UNDERWRITER', null],
  ['SERIAL-COMPANY', null],
]);

/**
 * The names of each member in headers with tags (`<PERIOD>`), and in headers with words (`CONFORMED PERIOD OF
 * REPORT:`).
 */
const members = {
  accessionNo: ['ACCESSION-NUMBER'],
  form: ['TYPE', 'CONFORMED-SUBMISSION-TYPE'],
  filedAt: ['FILING-DATE', 'FILED-AS-OF-DATE'],
  reportDate: ['PERIOD', 'CONFORMED-PERIOD-OF-REPORT'],
  acceptedAt: ['ACCEPTANCE-DATETIME'],
} as const;
const nameMembers = new Set(['CONFORMED-NAME', 'COMPANY-CONFORMED-NAME']);
const cikMembers = new Set(['CIK', 'CENTRAL-INDEX-KEY']);

/** Groups of lines in which a section has the name and CIK of its entity. */
const dataGroups = new Set(['COMPANY-DATA', 'OWNER-DATA']);

/** The forms of a line: `<NAME>value`, `</NAME>` or `NAME OF WORDS: value`. */
const tagPattern = /^\s*<(\/?)([A-Z][A-Z0-9_-]*)>(.*)$/;
const wordsPattern = /^\s*([A-Z][A-Z0-9 ()_-]*):(.*)$/;

/** Hundreds of entities that file together have some ten thousand lines. */
const linesMaximum = 200_000;

interface Line {
  readonly name: string;
  readonly value: string;
  readonly isEnd: boolean;
}

/** The name of a line with hyphens between its words, however EDGAR divides them. */
const nameOf = (name: string) => name.replaceAll(/[ _]/g, '-');

function readLine(line: string): Line | null {
  const tag = tagPattern.exec(line);
  if (tag) return { name: nameOf(tag[2] ?? ''), value: clean(tag[3] ?? ''), isEnd: tag[1] === '/' };
  const words = wordsPattern.exec(line);
  return (
    words && {
      name: nameOf((words[1] ?? '').trim()),
      value: clean(words[2] ?? ''),
      isEnd: false,
    }
  );
}

/**
 * Parses the SGML header of a filing: the tags of `.hdr.sgml`, or the words at the beginning of a complete
 * submission. Throws an `Error` that says what cannot be understood, also if the header was cut off, because
 * parties could be missing.
 */
export function parseHeader(body: Buffer, accessionNo: string): Header {
  const lines = headerLines(textOf(body, 'latin1'));
  const first = (names: readonly string[]) => lines.find(({ name }) => names.includes(name))?.value ?? '';
  const own = first(members.accessionNo);
  if (own !== accessionNo)
    throw new Error(own === '' ? 'it has no accession number' : `it is about ${own.slice(0, 40)}`);
  const form = normalizeForm(first(members.form));
  const filedAt = dayOfDigits(first(members.filedAt)) ?? first(members.filedAt);
  const accepted = dayOfDigits(first(members.acceptedAt).slice(0, 8));
  const reason = refusalReason(own, form, filedAt, accepted);
  if (reason !== null) throw new Error(reason);
  const parties = readParties(lines);
  if (parties.length === 0) throw new Error('it names no entity');
  return {
    accessionNo,
    form,
    filedAt,
    reportDate: dayOfDigits(first(members.reportDate)),
    acceptedEastern: readAcceptance(first(members.acceptedAt)),
    items: readItems(lines, form),
    parties,
  };
}

/** Returns the lines from the beginning of the header to its end. */
function headerLines(text: string): Line[] {
  const lines = linesOf(text, linesMaximum)
    .map(readLine)
    .filter((line) => line !== null);
  const begin = lines.findIndex(
    ({ name, isEnd }) => !isEnd && (name === 'SEC-HEADER' || name === 'SUBMISSION'),
  );
  if (begin < 0) throw new Error('it is not an SGML header');
  const end = lines.findIndex(
    ({ name, isEnd }, at) =>
      at > begin && (isEnd ? name === 'SEC-HEADER' || name === 'SUBMISSION' : name === 'DOCUMENT'),
  );
  if (end < 0) throw new Error('it is cut off');
  return lines.slice(begin + 1, end);
}

/** An entity of the header as far as it is read. */
interface Section {
  readonly name: string;
  readonly role: PartyRole;
  entity: string;
  cik: string;
}

/**
 * Reads the name and CIK of each section of an entity, whichever group of lines has them. EDGAR has added
 * sections over the years. One that is not in `sections` is told by its group of data, or by the name of an
 * entity: whoever is named in it is a party without a role. Its end closes a section.
 */
function readParties(lines: readonly Line[]): Party[] {
  const read: Section[] = [];
  let current: Section | null = null;
  /** The last line that may begin a section. */
  let opening = '';
  const begin = (name: string): Section => {
    const section = { name, role: sections.get(name) ?? null, entity: '', cik: '' };
    read.push(section);
    return section;
  };
  for (const { name, value, isEnd } of lines) {
    if (isEnd) {
      if (name === current?.name) current = null;
    } else if (sections.has(name) && value === '') current = begin(name);
    else if (dataGroups.has(name)) {
      if (current === null || current.entity !== '' || current.cik !== '') current = begin(opening);
    } else if (nameMembers.has(name)) {
      if (current === null || current.entity !== '') current = begin(opening);
      current.entity = value;
    } else if (cikMembers.has(name)) {
      // Some groups name series and companies by a CIK alone, as in a merger of funds: no party of the filing.
      if (current) current.cik ||= value;
    } else if (value === '') opening = name;
  }
  const broken = read.find(({ cik, entity }) => entity === '' || !/^\d{1,10}$/.test(cik));
  if (broken)
    throw new Error(
      `${broken.name} has the CIK ${JSON.stringify(broken.cik.slice(0, 40))} and the name ${JSON.stringify(broken.entity.slice(0, 100))}`,
    );
  const parties = read.map(({ cik, entity, role, name }) => ({
    party: { cik: cik.padStart(10, '0'), name: entity, role },
    isKnown: sections.has(name),
  }));
  const known = new Set(parties.filter(({ isKnown }) => isKnown).map(({ party }) => party.cik));
  return distinctParties(
    parties.filter(({ party, isKnown }) => isKnown || !known.has(party.cik)).map(({ party }) => party),
  );
}

function readItems(lines: readonly Line[], form: string): string[] | null {
  if (lines.some(({ name }) => name === 'ITEM-INFORMATION')) return null;
  return parseItems(
    eventTypeOfForm(form),
    lines
      .filter(({ name, isEnd }) => name === 'ITEMS' && !isEnd)
      .map(({ value }) => value)
      .join(','),
  );
}

/** Midnight stands for an unknown time of day: EDGAR is closed then. */
function readAcceptance(digits: string): string | null {
  if (!/^\d{14}$/.test(digits) || digits.endsWith('000000')) return null;
  const stamp = digits.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6');
  return Number.isNaN(readStamp(stamp)) ? null : digits;
}
