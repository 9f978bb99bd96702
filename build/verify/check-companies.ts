import { companyOf, type CompanyProfile } from '../../src/contract/records.ts';
import { companyPartition } from '../../src/contract/company-filters.ts';
import { foldSymbol, isCik } from '../../src/domain/scalars.ts';
import { allPartition } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { createBalance } from './balance.ts';
import { checkKeys, checkNoNote, checkRowAlone, parseRow } from './check-rows.ts';
import type { ReadListed } from './filings.ts';
import type { MergedSegments } from './merged-segments.ts';
import { failAt, isSamePartition, rowExtentOf, type CheckedLine } from './checked-line.ts';

/**
 * Checks `company-filings`, `profiles`, `companies`, `search` and `symbols`: profiles count the filings in
 * the lists of their companies, every profile is in the list of companies, and symbols lead to profiles. What
 * profiles and searches are made of is not repeated here. Lists and profiles are sorted by company, and read
 * side by side. Returns the number of companies. Throws `CorruptSnapshot`.
 */
export function checkCompanies(merged: MergedSegments, readListed: ReadListed): number {
  const symbols = readSymbols(merged);
  const wanted = new Map([...symbols].map(([symbol, cik]) => [cik, symbol]));
  const companies = createBalance();
  const lists = listsOf(merged, readListed);
  let list = lists.next();
  let count = 0;
  for (const line of merged.lines('profiles')) {
    const profile = readProfile(line, symbols);
    const { cik } = profile;
    count++;
    wanted.delete(cik);
    companies.add(1, JSON.stringify(companyOf(profile)));
    while (list.done !== true && list.value.company < cik) list = lists.next();
    checkProfile(line, profile, list.done !== true && list.value.company === cik ? list.value : null);
  }
  while (list.done !== true) list = lists.next();
  const [orphan] = wanted;
  if (orphan)
    throw new CorruptSnapshot(
      `${merged.path(merged.segments.length - 1, 'symbols')}: ${orphan[1]} leads to ${orphan[0]}, which has no profile`,
    );

  let rows = 0;
  const isOfListed = new Set(['true', 'false'].map((value) => companyPartition('listed', value)));
  for (const line of merged.lines('companies')) {
    checkRowAlone(line);
    if (line.keys.partition === allPartition) companies.add(-1, rowExtentOf(line));
    else if (isOfListed.has(line.keys.partition)) rows++;
  }
  const path = merged.path(merged.segments.length - 1, 'companies');
  const difference = companies.difference();
  if (difference !== null)
    throw new CorruptSnapshot(`${path} does not hold the companies of the profiles: ${difference}`);
  if (rows !== count)
    throw new CorruptSnapshot(`${path} has ${rows} companies with and without symbols, not ${count}`);
  for (const line of merged.lines('search')) checkRowAlone(line);
  return count;
}

/** The number of filings of each form in the list of a company. */
interface CountedList {
  readonly company: string;
  /** The newest segment with a row of the list. */
  readonly segment: number;
  readonly forms: ReadonlyMap<string, number>;
}

function* listsOf(merged: MergedSegments, readListed: ReadListed): Generator<CountedList> {
  let last: CheckedLine | null = null;
  let forms = new Map<string, number>();
  let segment = 0;
  for (const line of merged.lines('company-filings')) {
    const form = readListed(line);
    if (last !== null && !isSamePartition(last, line)) {
      yield { company: last.partition, segment, forms };
      [forms, segment] = [new Map(), 0];
    }
    last = line;
    segment = Math.max(segment, line.table.segment);
    forms.set(form, (forms.get(form) ?? 0) + 1);
  }
  if (last !== null) yield { company: last.partition, segment, forms };
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

/** Holds a profile against itself, and against the list of its company. */
function checkProfile(
  line: CheckedLine,
  { ticker, tickers, forms, filingCount, latestFiling, latestFilingAt, relatedCiks }: CompanyProfile,
  list: CountedList | null,
): void {
  if (ticker !== (tickers[0] ?? null))
    failAt(line, `has the symbols ${tickers.join(', ')}, and ${ticker} first`);
  if (latestFilingAt !== (latestFiling?.filedAt ?? null))
    failAt(line, `has a newest filing of ${latestFiling?.filedAt}, not ${latestFilingAt}`);
  const total = forms.reduce((sum, { count }) => sum + count, 0);
  if (filingCount !== total) failAt(line, `counts ${filingCount} filings, its forms ${total}`);
  if (list === null) return;
  // A watchlist leaves out the segments behind that of the profile.
  if (line.table.segment < list.segment)
    failAt(line, `is not in segment ${list.segment}, which has filings of its company`);
  // Predecessors and successors share one list, which the newest of them has.
  if (relatedCiks.length > 0) return;
  const { forms: listed } = list;
  if (forms.length !== listed.size || forms.some(({ form, count }) => listed.get(form) !== count))
    failAt(line, 'counts other filings than company-filings holds');
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
