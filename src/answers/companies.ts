import { ApiError } from '../contract/errors.ts';
import { foldSymbol } from '../contract/shapes.ts';
import type { RecordTable, SymbolRow } from '../contract/snapshot.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { lineText } from '../table/chunk.ts';
import { findRecord } from '../table/record.ts';
import { jsonAnswer, type Answer } from './body.ts';

/** What a ticker symbol or CIK leads to; undefined if nobody knows it. */
export async function findCompany(snapshot: Snapshot, symbol: string): Promise<SymbolRow | undefined> {
  const row = await findRecord(snapshot.tables.symbols, foldSymbol(symbol));
  return row && (JSON.parse(lineText(row.chunk, row.line)) as SymbolRow);
}

/** The same for a request that names one company. Throws `company_not_found`. */
export async function requireCompany(snapshot: Snapshot, symbol: string): Promise<SymbolRow> {
  const company = await findCompany(snapshot, symbol);
  if (!company) throw new ApiError('company_not_found', `ticker: no company of this service has the ticker symbol or CIK ${JSON.stringify(symbol)}`);
  return company;
}

/** The profile of a company. Throws `company_not_found`. */
export async function profileAnswer(snapshot: Snapshot, table: RecordTable, symbol: string): Promise<Answer> {
  const { cik } = await requireCompany(snapshot, symbol);
  const row = await findRecord(snapshot.tables[table], cik);
  if (!row) throw new ApiError('company_not_found', `ticker: ${cik} has no profile`);
  const meta = JSON.stringify({ generatedAt: snapshot.manifest.generatedAt, notInvestmentAdvice: true });
  return jsonAnswer(['{"data":', [{ chunk: row.chunk, from: row.line, to: row.line + 1 }], `,"meta":${meta}}`]);
}

/** The summary of a filing. Throws `filing_not_found`. */
export async function summaryAnswer(snapshot: Snapshot, table: RecordTable, accessionNo: string): Promise<Answer> {
  const row = await findRecord(snapshot.tables[table], accessionNo);
  if (!row) throw new ApiError('filing_not_found', `accessionNo: this service has no filing ${accessionNo}`);
  return jsonAnswer(['{"data":', [{ chunk: row.chunk, from: row.line, to: row.line + 1 }], '}']);
}
