import type { PartyRole } from '../../src/contract/records.ts';
import { eventTypeOfForm, normalizeForm } from '../../src/domain/event-types.ts';
import { parseItems } from '../../src/domain/items.ts';
import { readStamp } from '../../src/time/eastern.ts';
import { clean, dayOfDigits, distinctParties, refusalReason, type Party } from './source-rows.ts';

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
  readonly acceptedAt: string | null;
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

/** The forms of a line: `<NAME>value`, `</NAME>` or `NAME OF WORDS: value`. */
const tagPattern = /^\s*<(\/?)([A-Z][A-Z0-9-]*)>(.*)$/;
const wordsPattern = /^\s*([A-Z][A-Z0-9 ()-]*):(.*)$/;

interface Line {
  readonly name: string;
  readonly value: string;
  readonly isEnd: boolean;
}

function readLine(line: string): Line | null {
  const tag = tagPattern.exec(line);
  if (tag) return { name: tag[2] ?? '', value: clean(tag[3] ?? ''), isEnd: tag[1] === '/' };
  const words = wordsPattern.exec(line);
  return (
    words && {
      name: (words[1] ?? '').trim().replaceAll(' ', '-'),
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
  const lines = headerLines(body.toString('latin1'));
  const first = (names: readonly string[]) => lines.find(({ name }) => names.includes(name))?.value ?? '';
  const own = first(members.accessionNo);
  if (own !== accessionNo)
    throw new Error(own === '' ? 'it has no accession number' : `it is about ${own.slice(0, 40)}`);
  const form = normalizeForm(first(members.form));
  const filedAt = dayOfDigits(first(members.filedAt)) ?? first(members.filedAt);
  const reason = refusalReason(own, form, filedAt);
  if (reason !== null) throw new Error(reason);
  const parties = readParties(lines);
  if (parties.length === 0) throw new Error('it names no entity');
  return {
    accessionNo,
    form,
    filedAt,
    reportDate: dayOfDigits(first(members.reportDate)),
    acceptedAt: readAcceptance(first(members.acceptedAt)),
    items: readItems(lines, form),
    parties,
  };
}

/** Returns the lines from the beginning of the header to its end. */
function headerLines(text: string): Line[] {
  const lines = text
    .split(/\r?\n/)
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

/** Reads the name and CIK of each section of an entity, whichever group of lines has them. */
function readParties(lines: readonly Line[]): Party[] {
  const parties: { role: PartyRole; section: string; name: string; cik: string }[] = [];
  for (const { name, value, isEnd } of lines) {
    const role = sections.get(name);
    const current = parties.at(-1);
    if (role !== undefined && !isEnd && value === '')
      parties.push({ role, section: name, name: '', cik: '' });
    else if (current && nameMembers.has(name)) current.name ||= value;
    else if (current && cikMembers.has(name)) current.cik ||= value;
    else if (nameMembers.has(name) || cikMembers.has(name))
      throw new Error(`${name} stands outside of every known section`);
  }
  const broken = parties.find(({ cik, name }) => name === '' || !/^\d{1,10}$/.test(cik));
  if (broken)
    throw new Error(
      `${broken.section} has the CIK ${JSON.stringify(broken.cik.slice(0, 40))} and the name ${JSON.stringify(broken.name.slice(0, 100))}`,
    );
  return distinctParties(parties.map(({ cik, name, role }) => ({ cik: cik.padStart(10, '0'), name, role })));
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
