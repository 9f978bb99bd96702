import { hash } from 'node:crypto';
import { z } from 'zod';
import { Change, Filing, FilingSummary, type CompanyProfile } from '../../src/contract/records.ts';
import { feedOrder, tableDefinition, type Manifest, type SearchRow, type SymbolRow, type TableName } from '../../src/contract/snapshot.ts';
import { CorruptSnapshot } from '../../src/table/file.ts';
import { relatedCiks } from '../../src/contract/successors.ts';
import { ownershipFamilies } from '../ledger/parties.ts';
import type { RowFacts } from './facts.ts';

/** Checks the rows of a snapshot one by one, in the order in which `tableNames` lists the tables, and against each other. */
export interface RowCheck {
  /** The key of a row and what the index must say of it. Throws `CorruptSnapshot`. */
  row(name: TableName, blockKey: string, text: string): { key: string; facts: RowFacts };
  /** Compares the counts, after the last row. Throws `CorruptSnapshot`. */
  finish(stats: unknown, health: unknown): void;
}

/** How many rows a company has in a list, and a number that their accession numbers give in this order. */
interface Listed {
  count: number;
  chain: number;
}

const companyLists: readonly TableName[] = ['company-filings', 'company-events', 'company-changes'];
const changeHead = Change.omit({ filing: true });
const summaryTail = FilingSummary.pick({ summary: true, notInvestmentAdvice: true });
const noTags: readonly string[] = [];

/**
 * Makes the check of a snapshot. Every filing is parsed and checked by its schema once, in `latest`; wherever else it
 * stands its bytes must be those, which a digest shows faster than parsing them again.
 */
export function createRowCheck(manifest: Manifest): RowCheck {
  const filings = new Set<string>();
  const entries = new Set<string>();
  const newest = new Map<string, { sequence: number; revision: number; digest: string }>();
  const lists = new Map(companyLists.map((name) => [name, new Map<string, Listed>()]));
  const counts = new Map<TableName, number>();
  const profiles = new Set<string>();
  let insiderFilings = 0;
  let ciksAsSymbols = 0;

  function checkFiling(name: TableName, text: string): void {
    if (!filings.has(digestOf(text))) throw new CorruptSnapshot(`${name}: ${memberOf(text, 'accessionNo')} differs from its row in latest, or has none there`);
  }

  function checkRow(name: TableName, text: string): void {
    const { shape, record } = tableDefinition(name);
    if (name === 'latest') {
      const { eventType } = parse(name, Filing, text);
      filings.add(digestOf(text));
      if (ownershipFamilies.has(eventType)) insiderFilings++;
    } else if (name === 'changes') checkEntry(text);
    else if (name === 'company-changes') {
      if (!entries.has(digestOf(text))) throw new CorruptSnapshot(`${name}: an entry of ${memberOf(text, 'accessionNo')} is not one of changes`);
    } else if (name === 'summaries') {
      const at = text.lastIndexOf(',"summary":');
      parse(name, summaryTail, `{${text.slice(at + 1)}`);
      checkFiling(name, `${text.slice(0, at)}}`);
    } else if (shape === 'history' && name !== 'company-events') {
      checkFiling(name, text);
      if (name.endsWith('insider-trades') && !ownershipFamilies.has(memberOf(text, 'eventType'))) throw new CorruptSnapshot(`${name}: ${memberOf(text, 'accessionNo')} is not a Form 3, 4 or 5`);
    } else checkOther(name, parse(name, record, text));
  }

  /** An entry of the feed is the next revision of its filing. What the newest one says is compared with `latest` at the end. */
  function checkEntry(text: string): void {
    const at = text.indexOf(',"filing":');
    const { sequence, revision, corrected } = parse('changes', changeHead, `${text.slice(0, at)}}`);
    const filing = text.slice(at + ',"filing":'.length, -1);
    const digest = digestOf(filing);
    if (!filings.has(digest)) parse('changes', Filing, filing);
    const accessionNo = memberOf(filing, 'accessionNo');
    if (sequence !== entries.size + 1) throw new CorruptSnapshot(`changes: sequence ${sequence} follows ${entries.size}`);
    if (revision !== (newest.get(accessionNo)?.revision ?? 0) + 1 || (revision === 1) !== (corrected === undefined)) throw new CorruptSnapshot(`changes: revision ${revision} of ${accessionNo} is not the next one`);
    entries.add(digestOf(text));
    newest.set(accessionNo, { sequence, revision, digest });
  }

  /** Whether a row of a company's list counts as a filing of it: in its feed those do that say the newest of a filing that names it. */
  function isCounted(name: TableName, key: string, text: string): boolean {
    if (name !== 'company-changes') return true;
    const sequence = Number(text.slice('{"sequence":'.length, text.indexOf(',')));
    return newest.get(memberOf(text, 'accessionNo'))?.sequence === sequence && relatedCiks(key).some((cik) => text.includes(`{"cik":"${cik}"`));
  }

  function checkOther(name: TableName, record: unknown): void {
    if (name === 'profiles') checkProfile(record as CompanyProfile);
    if (name === 'symbols' && (record as SymbolRow).symbol === (record as SymbolRow).cik) ciksAsSymbols++;
    const ciks = name === 'symbols' ? [(record as SymbolRow).cik, (record as SymbolRow).listCik] : name === 'companies' ? [(record as SearchRow).company.cik] : [];
    for (const cik of ciks) if (!profiles.has(cik)) throw new CorruptSnapshot(`${name}: ${cik} has no profile`);
  }

  function checkProfile(profile: CompanyProfile): void {
    profiles.add(profile.cik);
    const found = companyLists.map((name) => [profile.cik, ...profile.relatedCiks].flatMap((cik) => lists.get(name)?.get(cik) ?? [])[0] ?? { count: 0, chain: 0 });
    companyLists.forEach((name, at) => {
      if (found[at]?.count !== profile.filingCount) throw new CorruptSnapshot(`profiles: ${profile.cik} counts ${profile.filingCount} filings, ${name} holds ${found[at]?.count}`);
    });
    if (found[0]?.chain !== found[1]?.chain) throw new CorruptSnapshot(`company-events: the rows of ${profile.cik} are not those of company-filings`);
    if (profile.forms.reduce((sum, { count }) => sum + count, 0) !== profile.filingCount) throw new CorruptSnapshot(`profiles: the forms of ${profile.cik} do not add up`);
    if (profile.latestFiling) checkFiling('profiles', JSON.stringify(profile.latestFiling));
  }

  return {
    row(name, blockKey, text) {
      checkRow(name, text);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const { keyMember, shape } = tableDefinition(name);
      const key = keyMember ? memberOf(text, keyMember) : shape === 'ranked' ? '' : blockKey;
      const list = lists.get(name);
      if (list && isCounted(name, key, text)) addTo(list, key, memberOf(text, 'accessionNo'));
      return { key, facts: factsOfText(name, text) };
    },
    finish(stats, health) {
      const expected: [string, unknown, number][] = [
        ['latest', filings.size, counts.get('latest') ?? 0],
        ['changes', counts.get('changes') ?? 0, manifest.lastSequence],
        ['filings in changes', newest.size, filings.size],
        ['summaries', counts.get('summaries') ?? 0, filings.size],
        ['insider-trades', counts.get('insider-trades') ?? 0, insiderFilings],
        ['companies', counts.get('companies') ?? 0, profiles.size],
        ['CIKs in symbols', ciksAsSymbols, profiles.size],
        ['manifest.filingCount', manifest.filingCount, filings.size],
        ['manifest.companyCount', manifest.companyCount, profiles.size],
        ['manifest.lastSequence', manifest.lastSequence, manifest.ledger.batches.at(-1)?.lastSequence ?? 0],
        ['stats.filingCount', (stats as { data: { filingCount: unknown } }).data.filingCount, filings.size],
        ['health.filingCount', (health as { filingCount: unknown }).filingCount, filings.size],
      ];
      for (const [accessionNo, { digest }] of newest) if (!filings.has(digest)) throw new CorruptSnapshot(`changes: ${accessionNo} differs from its row in latest, or has none there`);
      for (const [name, list] of lists) for (const cik of list.keys()) if (!profiles.has(cik)) throw new CorruptSnapshot(`${name}: ${cik} has no profile`);
      for (const [what, found, wanted] of expected) if (found !== wanted) throw new CorruptSnapshot(`${what} is ${String(found)}, not ${wanted}`);
    },
  };
}

function addTo(list: Map<string, Listed>, key: string, accessionNo: string): void {
  const listed = list.get(key) ?? { count: 0, chain: 0 };
  if (listed.count++ === 0) list.set(key, listed);
  for (let at = 0; at < accessionNo.length; at++) listed.chain = Math.imul(listed.chain ^ accessionNo.charCodeAt(at), 16_777_619);
}

function digestOf(text: string): string {
  return hash('sha1', text, 'base64').slice(0, 12);
}

function parse<Schema extends z.ZodType>(name: TableName, schema: Schema, text: string): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CorruptSnapshot(`${name}: ${(error as Error).message} in ${text.slice(0, 200)}`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CorruptSnapshot(`${name}: ${result.error.issues[0]?.path.join('.')}: ${result.error.issues[0]?.message} in ${text.slice(0, 200)}`);
}

/** A text member of a row, found as the runtime finds it; empty if it is null or missing. */
function memberOf(text: string, member: string): string {
  const needle = `"${member}":"`;
  const at = text.indexOf(needle);
  return at === -1 ? '' : text.slice(at + needle.length, text.indexOf('"', at + needle.length));
}

function factsOfText(name: TableName, text: string): RowFacts {
  const { shape, tagged } = tableDefinition(name);
  if (shape === 'record' || shape === 'ranked') return { order: '', filedAt: '', tags: noTags };
  const filedAt = memberOf(text, 'filedAt');
  const tags = tagged ? [memberOf(text, 'form'), memberOf(text, 'eventType')] : noTags;
  if (shape === 'feed') return { order: feedOrder(Number(text.slice('{"sequence":'.length, text.indexOf(',')))), filedAt, tags };
  return { order: `${filedAt} ${memberOf(text, 'acceptanceDateTime')} ${memberOf(text, 'accessionNo')}`, filedAt, tags };
}
