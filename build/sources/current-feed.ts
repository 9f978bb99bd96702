import { XMLParser, XMLValidator } from 'fast-xml-parser';
import * as z from 'zod';
import type { PartyRole } from '../../src/contract/records.ts';
import { eventTypeOfForm, normalizeForm } from '../../src/domain/event-types.ts';
import { parseItems } from '../../src/domain/items.ts';
import { readStamp, writeEastern } from '../../src/time/eastern.ts';
import { hourSeconds, minuteMs } from '../../src/time/units.ts';
import { groupBy } from '../work/groups.ts';
import { distinctParties, refusalReason, type Party, type RefusedRow } from './source-rows.ts';
import { clean, decodeEntities, textOf } from './source-text.ts';

/** The acceptance time of a filing in the feed. */
export interface Acceptance {
  /** As written, such as `2025-12-12T18:02:10-05:00`. */
  readonly written: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Eastern wall-clock time, 14 digits `yyyymmddhhmmss`. */
  readonly eastern: string;
}

/** One entry of the feed: a filing in one role of one entity. */
export interface FeedEntry {
  readonly accessionNo: string;
  /**
   * The whole form, as the entry names it. The parameter `type` of a request matches prefixes, so nothing is
   * derived from it.
   */
  readonly form: string;
  readonly filedAt: string;
  /** Null if the entry has no time that can be understood, or midnight, when EDGAR is closed. */
  readonly accepted: Acceptance | null;
  readonly items: readonly string[];
  readonly party: Party;
}

/** A page of the feed: its entries, newest first, and the refused ones. */
export interface FeedPage {
  /** When upstream made the page, in milliseconds since 1970. */
  readonly madeAtMs: number;
  readonly entries: FeedEntry[];
  readonly refused: RefusedRow[];
}

/** What the feed says about a filing, with all its parties. */
export interface FeedFiling extends Omit<FeedEntry, 'party'> {
  readonly parties: readonly Party[];
}

/** Entries on a page of the feed: the most that upstream gives. */
export const entriesPerPage = 100;

/**
 * Returns the file name of a page. `start` is the number of entries (not filings) to skip, from the newest
 * one on.
 */
export function currentFeedFile(start: number): string {
  return `browse-edgar?action=getcurrent&count=${entriesPerPage}&start=${start}&type=&owner=include&output=atom`;
}

// The parser decodes and converts nothing: it never expands entities of a document type, and `007` stays a
// text.
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => name === 'entry' || name === 'category',
});

const text = z.string().catch('');
const Entry = z.object({
  title: text,
  summary: z
    .union([z.string(), z.object({ '#text': z.string() }).transform((value) => value['#text'])])
    .catch(''),
  link: z.object({ href: z.string() }).catch({ href: '' }),
  updated: text,
  category: z.array(z.object({ term: z.string() })).catch([]),
  id: text,
});
const Feed = z.object({
  feed: z.object({
    updated: z.string(),
    entry: z
      .array(Entry.catch({ title: '', summary: '', link: { href: '' }, updated: '', category: [], id: '' }))
      .default([]),
  }),
});
type Entry = z.infer<typeof Entry>;

const roles = new Map<string, PartyRole>([
  ['filer', 'filer'],
  ['issuer', 'issuer'],
  ['reporting', 'reporting_owner'],
  ['subject', 'subject'],
  ['filed by', 'filed_by'],
]);

/** A page of 100 entries has 1,700 tags, and fewer attributes. */
const tagsMaximum = 20_000;
/** Longer than any text of an entry: the longest recorded one, a summary with ten items, has 700 characters. */
const textMaximum = 4000;

/** All texts of an entry by name. */
const textsOf = ({ title, summary, link, updated, category, id }: Entry) => ({
  title,
  summary,
  link: link.href,
  updated,
  form: category[0]?.term ?? '',
  id,
});

/** The clocks of upstream's machines may differ by this much, so that an entry may be newer than its page. */
const clockDifferenceMs = 10 * minuteMs;

/**
 * Parses a page of the current-filings feed. An entry that cannot be understood is refused. Throws an `Error`
 * that tells the reason if the page is not an Atom feed or was cut off.
 */
export function parseCurrentFeed(body: Buffer): FeedPage {
  const isUtf8 = /^[^>]*encoding=["']utf-8["']/i.test(body.toString('latin1', 0, 200));
  const xml = textOf(body, isUtf8 ? 'utf8' : 'latin1');
  for (const part of ['<', '='])
    if (countOf(xml, part, tagsMaximum) > tagsMaximum)
      throw new Error(`it has more than ${tagsMaximum} tags or attributes`);
  if (/<!DOCTYPE/i.test(xml)) throw new Error('it is not XML as in a feed: it has a document type');
  const fault = XMLValidator.validate(xml);
  if (fault !== true) throw new Error(`it is not XML: line ${fault.err.line}: ${fault.err.msg}`);
  const parsed = Feed.safeParse(parser.parse(xml));
  if (!parsed.success) throw new Error('it is not an Atom feed with the time at which it was made');
  const { updated, entry } = parsed.data.feed;
  const made = readInstant(updated);
  if (made === null) throw new Error(`it was made at ${JSON.stringify(updated.slice(0, 40))}`);
  const page: FeedPage = { madeAtMs: made.atMs, entries: [], refused: [] };
  for (const each of entry) {
    const read = readEntry(each, made.atMs);
    if ('reason' in read) page.refused.push(read);
    else page.entries.push(read);
  }
  return page;
}

/**
 * Returns the reason why a page is out of date, such as one from a shared cache; null if it is current. It is
 * compared with the newest page seen before, not with the clock of this machine, which may be wrong by hours.
 */
export function whyOutdated(page: FeedPage, newestMadeAtMs: number): string | null {
  if (page.madeAtMs >= newestMadeAtMs - clockDifferenceMs) return null;
  return `it was made at ${new Date(page.madeAtMs).toISOString()}, a page seen before at ${new Date(newestMadeAtMs).toISOString()}`;
}

/**
 * Groups the entries of one page or several into filings, in the order in which they are listed. Pages shift
 * while they are read, so an entry may come twice. If an accession number has two forms, the first entry
 * counts.
 */
export function filingsOfFeed(entries: Iterable<FeedEntry>): FeedFiling[] {
  return [...groupBy(entries, ({ accessionNo }) => accessionNo).values()].map((group) => {
    const { party: _, ...first } = group[0] as FeedEntry;
    return {
      ...first,
      accepted: group.find(({ accepted }) => accepted !== null)?.accepted ?? null,
      parties: distinctParties(group.map(({ party }) => party)),
    };
  });
}

function readEntry(entry: Entry, madeAtMs: number): FeedEntry | RefusedRow {
  const tooLong = Object.entries(textsOf(entry)).find(([, { length }]) => length > textMaximum);
  if (tooLong) return { accessionNo: '', reason: `its ${tooLong[0]} has ${tooLong[1].length} characters` };
  const summary = clean(decodeEntities(entry.summary)).replaceAll(/<\/?b>/g, ' ');
  const accessionNo = /accession-number=(\S+)/.exec(entry.id)?.[1] ?? '';
  const form = normalizeForm(decodeEntities(entry.category[0]?.term ?? ''));
  const filedAt = /Filed:\s*(\S+)/.exec(summary)?.[1] ?? '';
  const refuse = (reason: string): RefusedRow => ({ accessionNo: accessionNo.slice(0, 40), reason });
  const reason = refusalReason(accessionNo, form, filedAt, new Date(madeAtMs).toISOString());
  if (reason !== null) return refuse(reason);
  const others = [
    /AccNo:\s*(\S+)/.exec(summary)?.[1],
    /\/(\d{10}-\d{2}-\d{6})-index\.html?$/.exec(entry.link.href)?.[1],
  ];
  const other = others.find((each) => each !== undefined && each !== accessionNo);
  if (other !== undefined) return refuse(`it also names ${other.slice(0, 40)}`);
  const title = readTitle(clean(decodeEntities(entry.title)));
  if (title === null || normalizeForm(title.form) !== form)
    return refuse(`title ${JSON.stringify(entry.title.slice(0, 100))}`);
  const accepted = readInstant(entry.updated);
  if (accepted && accepted.atMs > madeAtMs + clockDifferenceMs)
    return refuse(`accepted at ${accepted.written}, after the page was made`);
  const rawItems = [...summary.matchAll(/<br\s*\/?>\s*Item ([\w.]+):/g)].map(([, code]) => code).join(',');
  return {
    accessionNo,
    form,
    filedAt,
    accepted: accepted?.eastern.endsWith('000000') ? null : accepted,
    items: parseItems(eventTypeOfForm(form), rawItems),
    party: { cik: title.cik, name: title.name, role: roles.get(title.role.trim().toLowerCase()) ?? null },
  };
}

/**
 * Reads a title, `8-K - ACME CORP (0000001234) (Filer)`. The name may have hyphens and parentheses, too: it
 * begins after the first hyphen between spaces, and ends before the last two parentheses. Null if the text is
 * no such title.
 */
function readTitle(title: string): { form: string; name: string; cik: string; role: string } | null {
  const end = / \((\d{10})\) \(([^()]*)\)$/.exec(title);
  const formEnd = title.indexOf(' - ');
  if (!end || formEnd < 0) return null;
  const name = title.slice(formEnd + ' - '.length, end.index).trim();
  const [, cik = '', role = ''] = end;
  return name === '' ? null : { form: title.slice(0, formEnd), name, cik, role };
}

/** Counts how often a text has a part, and stops one after `maximum`. */
function countOf(value: string, part: string, maximum: number): number {
  let count = 0;
  for (let at = value.indexOf(part); at >= 0 && count <= maximum; at = value.indexOf(part, at + 1)) count++;
  return count;
}

/**
 * Reads an instant with an offset. Null if the text is not such an instant, or not of the years 1987 to 2099.
 */
function readInstant(raw: string): Acceptance | null {
  const written = raw.trim();
  const offset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))$/.exec(written);
  const local = readStamp(written);
  if (!offset || Number.isNaN(local)) return null;
  const [, sign = '+', hours = '0', minutes = '0'] = offset;
  const utcSeconds = local - (sign === '-' ? -1 : 1) * (Number(hours) * hourSeconds + Number(minutes) * 60);
  return {
    written,
    atMs: utcSeconds * 1000,
    eastern: writeEastern(utcSeconds),
  };
}
