import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '../../src/files/bytes.ts';
import { whereMissing } from '../../src/files/local.ts';
import { makeDirectory, replaceFileSynced } from '../disk/directories.ts';
import type { Metrics, ParquetFile } from './parquet.ts';

/** A range of whole numbers, both ends included: sequences, or the numbers of companies. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** What the name of a data file says. */
export interface DataName {
  /** The range that the export took the rows from. */
  readonly range: Range;
  /** How many observations or companies the file is made of. */
  readonly records: number;
  readonly sha256: string;
}

/** A data file of a table. It never changes. */
export interface DataFile extends DataName {
  /** Below the folder of the table, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
  /** Years since 1970; null if its rows have no date, or the table is not divided. */
  readonly year: number | null;
  readonly metrics: Metrics;
}

const digits = 12;
const namePattern = /(?:^|\/)(\d{12})-(\d{12})-(\d+)-([0-9a-f]{64})\.parquet$/;

/** What the path of a data file says. Throws if it is not the path of one. */
export function dataNameOf(path: string): DataName {
  const [, first, last, records, sha256 = ''] = namePattern.exec(path) ?? [];
  if (first === undefined) throw new Error(`${path} is not named as a data file of an export`);
  return { range: { first: Number(first), last: Number(last) }, records: Number(records), sha256 };
}

/** Where a table keeps the data of a year. */
function folderOfYear(column: string | null, year: number | null): string {
  return column === null ? 'data' : `data/${column}_year=${year === null ? 'null' : 1970 + year}`;
}

/** The SHA-256 of the bytes of a file. */
export function digestOf({ bytes }: ParquetFile): string {
  return sha256Of(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/**
 * Writes a data file into the folder of a table, unless it is there. Its name ends with its digest, so the
 * same rows have the same file.
 */
export async function writeDataFile(
  tableFolder: string,
  file: ParquetFile,
  facts: Pick<DataFile, 'range' | 'records' | 'rows' | 'year'> & { readonly dividedBy: string | null },
): Promise<DataFile> {
  const { dividedBy, ...kept } = facts;
  const { bytes, metrics } = file;
  const sha256 = digestOf(file);
  const padded = (number: number) => String(number).padStart(digits, '0');
  const name = `${padded(facts.range.first)}-${padded(facts.range.last)}-${facts.records}-${sha256}.parquet`;
  const path = `${folderOfYear(dividedBy, facts.year)}/${name}`;
  const held = await stat(join(tableFolder, path)).catch(whereMissing(null));
  if (held?.size !== bytes.length) await writeNamed(join(tableFolder, path), bytes);
  return { path, sha256, bytes: bytes.length, metrics, ...kept };
}

/**
 * Writes a file under another name and renames it, so that it exists whole or not at all, and survives a power
 * cut.
 */
export async function writeNamed(path: string, content: string | Uint8Array): Promise<void> {
  await makeDirectory(dirname(path));
  await replaceFileSynced(path, content);
}
