import { readCompanies, readFilings } from '../../build/ledger/read.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { headsOf } from './heads.ts';

/**
 * What a ledger says at its end: how many batches it has, and the newest row of each filing, by accession
 * number, and company.
 */
export interface LedgerRows {
  readonly batches: number;
  readonly filings: readonly LedgerFiling[];
  readonly companies: readonly LedgerCompany[];
}

/** Reads a ledger; there is nothing in one that is not there. Throws `BrokenLedger`. */
export async function readRows(directory: string): Promise<LedgerRows> {
  const filings = new Map<string, LedgerFiling>();
  const companies = new Map<string, LedgerCompany>();
  const heads = await headsOf(directory);
  for (const { head } of heads) {
    for await (const { rows } of readCompanies(directory, head))
      for (const company of rows) companies.set(company.cik, company);
    for await (const { rows } of readFilings(directory, head))
      for (const row of rows) filings.set(row.accessionNo, row);
  }
  return {
    batches: heads.length,
    filings: [...filings.values()].sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1)),
    companies: [...companies.values()].sort((a, b) => (a.cik < b.cik ? -1 : 1)),
  };
}
