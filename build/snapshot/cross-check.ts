import { createHash } from 'node:crypto';
import type { Change, CompanyProfile, Event, Filing, FilingSummary } from '../../src/contract/records.ts';
import { tableDefinition, type Manifest, type RecordOf, type SearchRow, type SymbolRow, type TableName } from '../../src/contract/snapshot.ts';
import { CorruptSnapshot } from '../../src/table/file.ts';

/** Compares the tables of a snapshot with each other while they are read. Throws `CorruptSnapshot`. */
export interface CrossCheck {
  row(name: TableName, key: string, record: RecordOf<TableName>): void;
  /** Compares the documents' counts, after the last row. */
  finish(stats: unknown, health: unknown): void;
}

const companyLists: readonly TableName[] = ['company-filings', 'company-events', 'company-changes'];

/** Makes the check for a snapshot. It keeps a short digest of each filing, and counts. */
export function createCrossCheck(manifest: Manifest): CrossCheck {
  const digests = new Map<string, string>();
  const listed = new Map<string, Map<string, number>>(companyLists.map((name) => [name, new Map()]));
  const counts = new Map<TableName, number>();
  const profiles = new Set<string>();
  let sequence = 0;

  function sameFiling(name: TableName, filing: Filing): void {
    const known = digests.get(filing.accessionNo);
    if (known === undefined) throw new CorruptSnapshot(`${name}: ${filing.accessionNo} is not in latest`);
    if (known !== digest(filing)) throw new CorruptSnapshot(`${name}: ${filing.accessionNo} differs from its row in latest`);
  }

  function profile(row: CompanyProfile): void {
    profiles.add(row.cik);
    const listKey = [row.cik, ...row.relatedCiks].find((cik) => listed.get('company-filings')?.has(cik)) ?? row.cik;
    for (const name of companyLists) {
      const found = listed.get(name)?.get(listKey) ?? 0;
      if (found !== row.filingCount) throw new CorruptSnapshot(`profiles: ${row.cik} counts ${row.filingCount} filings, ${name} holds ${found}`);
    }
    if (row.forms.reduce((sum, { count }) => sum + count, 0) !== row.filingCount) throw new CorruptSnapshot(`profiles: the forms of ${row.cik} do not add up`);
    if (row.latestFiling) sameFiling('profiles', row.latestFiling);
  }

  return {
    row(name, key, record) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const list = listed.get(name);
      list?.set(key, (list.get(key) ?? 0) + 1);
      if (name === 'latest') {
        const filing = record as Filing;
        if (digests.has(filing.accessionNo)) throw new CorruptSnapshot(`latest: ${filing.accessionNo} stands twice`);
        digests.set(filing.accessionNo, digest(filing));
      } else if (name === 'profiles') profile(record as CompanyProfile);
      else if (name === 'summaries') {
        const { summary: _summary, notInvestmentAdvice: _advice, ...filing } = record as FilingSummary;
        sameFiling(name, filing);
      } else if (name === 'symbols') {
        if (!profiles.has((record as SymbolRow).cik)) throw new CorruptSnapshot(`symbols: ${key} leads to ${(record as SymbolRow).cik}, which has no profile`);
      } else if (name === 'companies') {
        if (!profiles.has((record as SearchRow).company.cik)) throw new CorruptSnapshot(`companies: ${(record as SearchRow).company.cik} has no profile`);
      } else if (tableDefinition(name).shape === 'feed') {
        const change = record as Change;
        if (name === 'changes' && change.sequence !== ++sequence) throw new CorruptSnapshot(`changes: sequence ${change.sequence} stands at place ${sequence}`);
        sameFiling(name, change.filing);
      } else if (name === 'company-events') {
        if (!digests.has((record as Event).accessionNo)) throw new CorruptSnapshot(`${name}: ${(record as Event).accessionNo} is not in latest`);
      } else sameFiling(name, record as Filing);
    },
    finish(stats, health) {
      const filings = digests.size;
      const expected: [string, unknown, number][] = [
        ['changes', counts.get('changes') ?? 0, filings],
        ['summaries', counts.get('summaries') ?? 0, filings],
        ['companies', counts.get('companies') ?? 0, profiles.size],
        ['manifest.filingCount', manifest.filingCount, filings],
        ['manifest.companyCount', manifest.companyCount, profiles.size],
        ['manifest.lastSequence', manifest.lastSequence, sequence],
        ['stats.filingCount', (stats as { data: { filingCount: unknown } }).data.filingCount, filings],
        ['health.filingCount', (health as { filingCount: unknown }).filingCount, filings],
      ];
      for (const [what, found, wanted] of expected) if (found !== wanted) throw new CorruptSnapshot(`${what} is ${String(found)}, not ${wanted}`);
    },
  };
}

function digest(filing: Filing): string {
  return createHash('sha1').update(JSON.stringify(filing)).digest('base64').slice(0, 12);
}
