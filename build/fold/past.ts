import { extentOf, filingExtentOf, sequenceOfSummary } from '../../src/rows/parts.ts';
import type { CompanyEntry, Filing } from '../../src/contract/records.ts';
import { factsFrom } from '../../src/domain/company-facts.ts';
import { accessionNoOf, filingPartition } from '../../src/format/filing-partition.ts';
import type { ProfileRow } from '../../src/format/profile-rows.ts';
import type { TableName } from '../../src/format/snapshot.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import { noteOf, type Keys } from '../../src/table/line.ts';
import { rowBytes, type Table } from '../../src/table/table.ts';
import type { KnownFiling } from '../ledger/observation.ts';
import type { HeldContents } from '../ledger/contents.ts';
import type { LedgerCompany } from '../ledger/ledger-rows.ts';
import { contentsNames, type ContentsName } from '../../src/settings/settings.ts';
import type { Log } from '../../src/table/open-log.ts';
import { createFinder } from '../../src/table/finder.ts';
import type { RunLine } from '../segments/run-line.ts';
import type { Presence } from './presence.ts';
import { contentsRowOf, heldOfRows, type StoredContents } from './contents-rows.ts';
import { sequenceOf } from './summary-row.ts';
import type { SummaryNote } from './observation-rows.ts';
import { ledgerCompanies, type LedgerCompanyRow } from './fold-tables.ts';

/** The tables in which a fold looks up what earlier batches said. */
export interface PastTables {
  /** Returns the table of this name of each earlier segment, the newest first. */
  readonly older: (table: TableName) => readonly Table[];
  /** Makes a look-up of lines in the runs that this fold has written so far. */
  readonly finder: (table: string) => (keys: Keys) => RunLine | null;
  /** Returns the line of a filing that is in memory. */
  readonly held: (table: 'summaries' | ContentsName, partition: string) => RunLine | null;
}

/**
 * Looks up the newest observation of each filing: its summary tells where it is in the log. Returns them by
 * accession number, without filings that no earlier batch has. `presence` saves looking through the runs.
 * Throws `CorruptSnapshot`.
 */
export function knownFilings(
  { older, finder, held }: PastTables,
  log: Pick<Log, 'entry'>,
  presence: Presence,
  accessionNos: Iterable<string>,
): Map<string, KnownFiling> {
  const findNew = finder('summaries');
  const olderTables = older('summaries');
  const findOld = createFinder(olderTables);
  const asked =
    olderTables.length > 0 ? [...accessionNos] : [...accessionNos].filter((each) => presence.mayHave(each));
  const known = new Map<string, KnownFiling>();
  const summaries: { accessionNo: string; sequence: number; note: SummaryNote }[] = [];
  for (const partition of asked.map(filingPartition).sort()) {
    const accessionNo = accessionNoOf(partition);
    const young = presence.mayHave(accessionNo)
      ? (held('summaries', partition) ?? findNew({ partition, sort: '' }))
      : null;
    if (young) {
      add(accessionNo, sequenceOf(young.row as string), young.note);
      continue;
    }
    const row = findOld(partition);
    if (row) add(accessionNo, sequenceOfSummary(extentOf(row)), noteOf(row.block, row.line) ?? undefined);
  }
  // In the order of the log, neighbours are in the same member.
  for (const { accessionNo, sequence, note } of summaries.sort((a, b) => a.sequence - b.sequence)) {
    const { bytes, from, to } = filingExtentOf(log.entry(sequence));
    const filing = JSON.parse(bytes.toString('utf8', from, to)) as Filing;
    known.set(accessionNo, { filing, revision: 1, ...note });
  }
  return known;

  function add(accessionNo: string, sequence: number, note = '{}'): void {
    summaries.push({ accessionNo, sequence, note: JSON.parse(note) as SummaryNote });
  }
}

/**
 * Looks up the newest row of each company. Returns them by CIK, without companies that no earlier batch has.
 * Throws `CorruptSnapshot`.
 */
export function knownCompanies(
  { older, finder }: PastTables,
  ciks: Iterable<string>,
): Map<string, LedgerCompanyRow> {
  const findNew = finder(ledgerCompanies);
  const findOld = createFinder(older('profiles'));
  const known = new Map<string, LedgerCompanyRow>();
  for (const cik of [...new Set(ciks)].sort()) {
    const young = findNew({ partition: newestCikOf(cik), sort: cik });
    if (young) known.set(cik, JSON.parse(young.row as string) as LedgerCompanyRow);
    else {
      const row = findOld(cik);
      if (row === null) continue;
      const profile = JSON.parse(rowBytes(row).toString()) as ProfileRow;
      known.set(cik, { ...companyOfProfile(profile), updatedAt: profile.updatedAt });
    }
  }
  return known;
}

/**
 * Looks up the rows of contents as JSON, by accession number, without filings that have none. They are not parsed:
 * mostly only the source is asked for. Throws `CorruptSnapshot`.
 */
export function knownContents(
  { older, finder, held }: PastTables,
  presence: Presence,
  accessionNos: Iterable<string>,
): Map<string, StoredContents> {
  const known = new Map<string, StoredContents>();
  const sorted = Array.from(accessionNos, filingPartition).sort();
  for (const table of contentsNames) {
    const findNew = finder(table);
    const findOld = createFinder(older(table));
    const add = (accessionNo: string, row: string) =>
      void known.set(accessionNo, { ...known.get(accessionNo), [table]: row });
    for (const partition of sorted) {
      const accessionNo = accessionNoOf(partition);
      const young = presence.mayHave(accessionNo)
        ? (held(table, partition) ?? findNew({ partition, sort: '' }))
        : null;
      if (young) {
        add(accessionNo, contentsRowOf(young.row as string));
        continue;
      }
      const row = findOld(partition);
      if (row) add(accessionNo, rowBytes(row).toString());
    }
  }
  return known;
}

/** Which contents filings have, by accession number, without filings that have none. Throws `CorruptSnapshot`. */
export function heldContents(
  past: PastTables,
  presence: Presence,
  accessionNos: Iterable<string>,
): Map<string, HeldContents> {
  const found = knownContents(past, presence, accessionNos);
  return new Map([...found].map(([accessionNo, rows]) => [accessionNo, heldOfRows(rows)]));
}

/** Makes the ledger's row of a company from its profile, which has all members of the row. */
export function companyOfProfile(profile: CompanyEntry): LedgerCompany {
  const { cik, name, tickers, exchange, formerNames, formerNamePeriods = [] } = profile;
  const facts = factsFrom((fact) => profile[fact] ?? undefined);
  const hasFacts = Object.values(facts).some((fact) => fact !== null && fact !== undefined);
  return {
    cik,
    name,
    tickers,
    exchange,
    formerNames,
    ...(hasFacts ? { facts } : {}),
    ...(formerNamePeriods.length > 0 ? { formerNamePeriods } : {}),
  };
}
