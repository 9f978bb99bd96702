import { foldSymbol, isCik } from '../../src/domain/scalars.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import type { ProfileRow } from '../../src/format/profile-rows.ts';
import type { TableName } from '../../src/format/snapshot.ts';
import { createFinder } from '../../src/table/finder.ts';
import { makeLineRest } from '../../src/table/line.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { Totals } from '../fold/counted-totals.ts';
import { foldCompanies, rowOfProfile } from '../fold/fold-companies.ts';
import { foldTables, ledgerCompanies } from '../fold/fold-tables.ts';
import type { PastTables } from '../fold/past.ts';
import { createRuns } from '../segments/runs.ts';
import type { StoredLine } from '../segments/table-files.ts';
import type { LineSink } from './line-sums.ts';
import { checkNoNote, failAt, parseRow } from './rows.ts';

/** The tables whose rows follow from profiles, and from the lists and feeds of companies. */
export const companyTables = ['profiles', 'companies', 'search'] as const satisfies readonly TableName[];

/** Bytes of ledger rows of companies in memory. */
const heldMaximum = 32 * 1024 * 1024;

/** The tables of a segment with its companies, and where their rows go. */
export interface SegmentCompanies {
  /** Reads a table of the segment to its end, once. `path` is the file with its rows. */
  readonly lines: (table: TableName) => Generator<StoredLine>;
  readonly path: (table: TableName) => string;
  /** The tables of the segments before it. */
  readonly past: Pick<PastTables, 'older'>;
  /** A folder that need not exist, for ledger rows that are too many for memory. */
  readonly scratch: string;
  readonly totals: Pick<Totals, 'addCompany'>;
  readonly sink: LineSink;
}

/**
 * Adds the lines that the fold makes of companies. Their names, symbols and facts are in no log: they are taken
 * from the profiles of the segment, and all else is made again of its lists and feeds and of older profiles.
 * Reads symbols: they lead to profiles. Throws `CorruptSnapshot`, and any error if lists or feeds are not what
 * the log gives.
 */
export function addCompanyRows({ lines, path, past, scratch, totals, sink }: SegmentCompanies): void {
  const symbols = readSymbols(path('symbols'), lines('symbols'));
  const leads = new Map([...symbols].map(([symbol, cik]) => [cik, symbol]));
  const rows = createRuns(scratch, { [ledgerCompanies]: foldTables[ledgerCompanies] });
  const findOlder = createFinder(past.older('profiles'));
  for (const line of lines('profiles')) {
    const profile = parseRow(path('profiles'), 'profiles', line);
    const { cik, tickers } = profile;
    if (line.keys.partition !== cik) failAt(path('profiles'), line, `holds the row of ${cik}`);
    leads.delete(cik);
    const older = findOlder(cik);
    const row = JSON.stringify(rowOfProfile(profile));
    // The fold has a ledger row for it only if that says something new; else its filings bring it here.
    if (older && JSON.stringify(rowOfProfile(JSON.parse(rowBytes(older).toString()) as ProfileRow)) === row)
      continue;
    for (const symbol of tickers.map(foldSymbol))
      if (!isCik(symbol) && !symbols.has(symbol))
        failAt(path('profiles'), line, `has the symbol ${symbol}, which is not in ${path('symbols')}`);
    rows.add(ledgerCompanies, newestCikOf(cik), cik, row);
    if (rows.held() > heldMaximum) rows.flush();
  }
  for (const [cik, symbol] of leads)
    failAt(
      path('symbols'),
      { keys: { partition: symbol, sort: '' } },
      `leads to ${cik}, which is not in ${path('profiles')}`,
    );
  foldCompanies({
    runs: {
      lines: (table) => (table === ledgerCompanies ? rows.lines(table) : lines(table as TableName)),
    },
    companyRuns: {
      add: (table, partition, sort, row, note) =>
        sink.add(table, partition, sink.digests.restOf(makeLineRest(sort, row, note)), 1),
      held: () => 0,
      flush() {},
    },
    heldMaximum: Infinity,
    past,
    totals,
  });
}

/** Reads which company each symbol belongs to: some ten thousand, however many filings there are. */
function readSymbols(path: string, lines: Iterable<StoredLine>): Map<string, string> {
  const symbols = new Map<string, string>();
  for (const line of lines) {
    checkNoNote(path, line);
    const { symbol, cik } = parseRow(path, 'symbols', line);
    if (line.keys.partition !== symbol || line.keys.sort !== '')
      failAt(path, line, `holds the row of ${symbol}`);
    if (foldSymbol(symbol) !== symbol || isCik(symbol)) failAt(path, line, 'is not a folded symbol');
    symbols.set(symbol, cik);
  }
  return symbols;
}
