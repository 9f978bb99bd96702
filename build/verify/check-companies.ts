import type { Company, CompanyProfile } from '../../src/contract/records.ts';
import { filterRowsOf } from '../../src/contract/company-filters.ts';
import { postingsOf, rankOf } from '../../src/format/search-rows.ts';
import { foldSymbol, isCik } from '../../src/domain/scalars.ts';
import { allPartition, feedOrder } from '../../src/format/snapshot.ts';
import { newestCikOf, relatedCiks } from '../../src/domain/successors.ts';
import { makeLine } from '../../src/table/line.ts';
import { lineBytes } from '../../src/table/table.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { countsByForm } from '../fold/fold-companies.ts';
import { createBalance, describePart, digestOf, digestUnder, replacedPart, type Balance } from './balance.ts';
import { withNote } from './expected.ts';
import type { FilingTotals } from './filings.ts';
import type { MergedSegments } from './merged-segments.ts';
import { checkKeys, checkRowAlone, parseRow, checkNoNote } from './check-rows.ts';
import { failAt, rowOf, tailOf, tailWithoutNote, type CheckedLine } from './verified-table.ts';

/** The contents of the lists of a company. */
interface Listed {
  readonly forms: Map<string, number>;
  /** The sort key of its newest filing in `company-changes`; null if it has none. */
  newestEntry: string | null;
  /** Its newest filing as JSON. */
  newest: string | null;
  latestIngestedAt: string | null;
}

interface ProfileLine {
  readonly line: CheckedLine;
  readonly profile: CompanyProfile;
}

/** Predecessors and successors, whose filings are listed together. */
interface Chain {
  readonly listed: Listed;
  readonly profiles: readonly ProfileLine[];
}

/** The rows that profiles give other tables. */
interface CompanyBalances {
  readonly companies: Balance;
  readonly search: Balance;
}

const filingNeedle = Buffer.from(',"filing":');
const ingestedAtNeedle = Buffer.from('"ingestedAt":"');
const quote = 0x22;

/**
 * Checks `company-filings`, `company-changes`, `profiles`, `companies`, `search` and `symbols`: each one,
 * against each other, and against the lists of all filings. Lists and profiles are sorted by company and read
 * side by side. Returns the number of companies. Throws `CorruptSnapshot`.
 */
export function checkCompanies(
  merged: MergedSegments,
  { companyFilings, companyChanges }: Pick<FilingTotals, 'companyFilings' | 'companyChanges'>,
): number {
  const balances: CompanyBalances = { companies: createBalance(), search: createBalance() };
  const symbols = readSymbols(merged);
  const wanted = new Map([...symbols].map(([symbol, cik]) => [cik, symbol]));
  // Chains, of which there are few, are compared at the end, because their lists may come before or after
  // their profiles.
  const chains = new Map<string, Chain>();
  const filings = createCursor(
    merged.lines('company-filings', (line) => takeFiling(line, companyFilings, replacedPart)),
  );
  const feed = createCursor(merged.lines('company-changes'));
  const profiles = createCursor(
    merged.lines('profiles', (line) =>
      addProfile(balances, line.table.segment, parseRow('profiles', line), replacedPart),
    ),
  );
  let count = 0;
  let wrong: WrongProfile | null = null;
  for (
    let company = nextCompany(filings, feed, profiles);
    company !== null;
    company = nextCompany(filings, feed, profiles)
  ) {
    const listed = emptyList();
    for (const line of filings.take(company)) addFiling(listed, line, companyFilings);
    for (const line of feed.take(company)) addEntry(listed, line, companyChanges);
    const own = [...profiles.take(company)].map((line) => ({ line, profile: readProfile(line, symbols) }));
    for (const { line, profile } of own) {
      count++;
      wanted.delete(profile.cik);
      addProfile(balances, line.table.segment, profile, '');
    }
    const newest = newestCikOf(company);
    if (relatedCiks(company).length > 1) {
      const chain = chains.get(newest) ?? { listed: emptyList(), profiles: [] };
      chains.set(newest, {
        listed: newest === company ? listed : chain.listed,
        profiles: [...chain.profiles, ...own],
      });
    } else for (const each of own) wrong ??= faultOf(each.profile, listed, [company], each.line);
  }
  for (const { listed, profiles: held } of chains.values()) {
    for (const { profile, line } of held)
      wrong ??= faultOf(
        profile,
        listed,
        held.map(({ profile: { cik } }) => cik),
        line,
      );
  }
  const [orphan] = wanted;
  if (orphan)
    throw new CorruptSnapshot(
      `${merged.path(merged.segments.length - 1, 'symbols')}: ${orphan[1]} leads to ${orphan[0]}, which has no profile`,
    );
  const describeDifference =
    (table: 'company-filings' | 'company-changes', what: string) =>
    (segment: number, part: string, difference: string) =>
      `${merged.path(segment, table)} does not hold ${what}: ${describePart(part)}${difference}`;
  companyFilings.settle(
    describeDifference('company-filings', 'the filings of the feed under the companies of their parties'),
  );
  companyChanges.settle(
    describeDifference('company-changes', 'the entries of changes under the companies that they concern'),
  );
  // A wrong profile is reported last. By now the lists are known to be right, so the error is in the profile.
  if (wrong) failAt(wrong.line, wrong.what);
  checkRowsOfProfiles(merged, balances);
  return count;
}

const emptyList = (): Listed => ({
  forms: new Map(),
  newestEntry: null,
  newest: null,
  latestIngestedAt: null,
});

/** Lines by company. */
interface Cursor {
  /** The next company; null at the end. */
  next(): string | null;
  /** The lines of a company, if it is the next one. */
  take(company: string): Generator<CheckedLine>;
}

function createCursor(lines: Generator<CheckedLine>): Cursor {
  let line = lines.next();
  return {
    next: () => (line.done === true ? null : line.value.keys.partition),
    *take(company) {
      for (; line.done !== true && line.value.keys.partition === company; line = lines.next())
        yield line.value;
    },
  };
}

function nextCompany(...cursors: readonly Cursor[]): string | null {
  let found: string | null = null;
  for (const cursor of cursors) {
    const next = cursor.next();
    if (next !== null && (found === null || next < found)) found = next;
  }
  return found;
}

function takeFiling(line: CheckedLine, companyFilings: Balance, state: string): void {
  companyFilings.take(line.table.segment, state, digestUnder(line.keys.partition, digestOf(tailOf(line))));
}

function addFiling(listed: Listed, line: CheckedLine, companyFilings: Balance): void {
  takeFiling(line, companyFilings, '');
  listed.newestEntry ??= feedOrder(parseRow('company-filings', line).sequence);
  const form = line.facts.labels[0] ?? '';
  listed.forms.set(form, (listed.forms.get(form) ?? 0) + 1);
}

function addEntry(listed: Listed, line: CheckedLine, companyChanges: Balance): void {
  const digest = withNote(digestOf(tailWithoutNote(line)), line.note);
  companyChanges.take(line.table.segment, '', digestUnder(line.keys.partition, digest));
  const row = rowOf(line);
  if (line.keys.sort === listed.newestEntry)
    listed.newest = row.toString('utf8', row.indexOf(filingNeedle) + filingNeedle.length, row.length - 1);
  const at = row.indexOf(ingestedAtNeedle) + ingestedAtNeedle.length;
  const ingestedAt = at < ingestedAtNeedle.length ? null : row.toString('latin1', at, row.indexOf(quote, at));
  if (ingestedAt !== null && (listed.latestIngestedAt === null || ingestedAt > listed.latestIngestedAt))
    listed.latestIngestedAt = ingestedAt;
}

function readProfile(line: CheckedLine, symbols: ReadonlyMap<string, string>): CompanyProfile {
  checkNoNote(line);
  const profile = parseRow('profiles', line);
  checkKeys(line, { partition: profile.cik, sort: '' });
  for (const symbol of profile.tickers.map(foldSymbol))
    if (!isCik(symbol) && !symbols.has(symbol))
      failAt(line, `has the symbol ${symbol}, which is not in symbols`);
  return profile;
}

interface WrongProfile {
  readonly line: CheckedLine;
  readonly what: string;
}

/** Compares a profile with the lists of its chain. Null if they agree. */
function faultOf(
  profile: CompanyProfile,
  listed: Listed,
  held: readonly string[],
  line: CheckedLine,
): WrongProfile | null {
  const { cik, ticker, tickers, forms, filingCount, latestFiling, latestFilingAt, latestIngestedAt } =
    profile;
  const counts = countsByForm(listed.forms);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const related = relatedCiks(cik).filter((each) => each !== cik && held.includes(each));
  const rules: readonly (readonly [boolean, string])[] = [
    [filingCount === total, `counts ${filingCount} filings, company-filings holds ${total}`],
    [JSON.stringify(forms) === JSON.stringify(counts), 'counts other forms than company-filings holds'],
    [
      JSON.stringify(latestFiling) === (listed.newest ?? 'null'),
      'has another newest filing than company-filings',
    ],
    [
      latestFilingAt === (latestFiling?.filedAt ?? null),
      `has a newest filing of ${latestFiling?.filedAt}, not ${latestFilingAt}`,
    ],
    [
      latestIngestedAt === listed.latestIngestedAt,
      `has a filing that was recorded at ${latestIngestedAt}, company-changes ends at ${listed.latestIngestedAt}`,
    ],
    [ticker === (tickers[0] ?? null), `has the symbols ${tickers.join(', ')}, and ${ticker} first`],
    [
      JSON.stringify(profile.relatedCiks) === JSON.stringify(related),
      `is related to ${related.join(', ') || 'nobody'}, not to ${profile.relatedCiks.join(', ') || 'nobody'}`,
    ],
  ];
  const what = rules.find(([holds]) => !holds)?.[1];
  return what === undefined ? null : { line, what };
}

function addProfile(
  { companies, search }: CompanyBalances,
  segment: number,
  profile: CompanyProfile,
  state: string,
): void {
  const { cik, ticker, name, exchange, updatedAt, filingCount, latestFilingAt } = profile;
  const company: Company = { cik, ticker, name, exchange, updatedAt, filingCount, latestFilingAt };
  companies.add(
    segment,
    state,
    digestOf(makeLine({ partition: allPartition, sort: rankOf(profile) }, JSON.stringify(company))),
  );
  for (const [balance, { keys, row }] of [
    [companies, filterRowsOf(profile)],
    [search, postingsOf(profile)],
  ] as const) {
    const json = JSON.stringify(row);
    for (const key of keys) balance.add(segment, state, digestOf(makeLine(key, json)));
  }
}

function checkRowsOfProfiles(merged: MergedSegments, balances: CompanyBalances): void {
  for (const table of ['companies', 'search'] as const) {
    const take = (line: CheckedLine, state: string) =>
      balances[table].take(line.table.segment, state, digestOf(lineBytes(line)));
    for (const line of merged.lines(table, (line) => take(line, replacedPart))) {
      checkRowAlone(line);
      take(line, '');
    }
    balances[table].settle(
      (segment, part, difference) =>
        `${merged.path(segment, table)} does not hold what the profiles give: ${describePart(part)}${difference}`,
    );
  }
}

/**
 * Reads which company each symbol belongs to. There are some ten thousand symbols, however many filings there
 * are.
 */
function readSymbols(merged: MergedSegments): Map<string, string> {
  const symbols = new Map<string, string>();
  for (const line of merged.lines('symbols')) {
    checkNoNote(line);
    const { symbol, cik } = parseRow('symbols', line);
    checkKeys(line, { partition: symbol, sort: '' });
    if (foldSymbol(symbol) !== symbol || isCik(symbol)) failAt(line, 'is not a folded symbol');
    symbols.set(symbol, cik);
  }
  return symbols;
}
