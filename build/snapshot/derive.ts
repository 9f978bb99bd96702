import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { paths, snapshotFormat, snapshotId, tableNames, type FileEntry, type IndexPage, type Manifest, type PublicRoute, type RecordOf, type SnapshotSettings, type TableName } from '../../src/contract/snapshot.ts';
import { productVersion } from '../../src/contract/product.ts';
import { openApiDocument } from '../../src/openapi.ts';
import { sha256Of } from '../../src/table/file.ts';
import { syncDirectory, writeSynced } from '../files.ts';
import type { Ledger } from '../ledger/fold.ts';
import { createCatalogue, type Catalogue } from '../views/catalogue.ts';
import { demoDocument, healthDocument, rootDocument, statsDocument } from '../views/documents.ts';
import { views, type View } from '../views/tables.ts';
import { factsOf } from './facts.ts';
import { createHashedFile, createTableCutter } from './table-writer.ts';

/** A snapshot as it was just written. */
export interface Derived {
  readonly id: string;
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/** A file smaller than this gains nothing from being compressed. */
const compressFromBytes = 512;

/**
 * Writes the snapshot of a ledger into an empty directory. Same ledger, same settings, same bytes: nothing here reads a
 * clock, and every order is fixed. Every file is synced.
 */
export async function deriveSnapshot(ledger: Ledger, settings: SnapshotSettings, directory: string): Promise<Derived> {
  const catalogue = createCatalogue(ledger);
  const files: FileEntry[] = [];
  const tables: Record<string, IndexPage[]> = {};
  for (const folder of ['tables', 'documents', 'public/.well-known']) mkdirSync(join(directory, folder), { recursive: true });
  for (const name of tableNames) tables[name] = writeTable(directory, name, catalogue, files);
  for (const [name, document] of [['root', rootDocument()], ['health', healthDocument(catalogue)], ['stats', statsDocument(catalogue)]] as const) {
    files.push(writeFile(directory, paths.document(name), Buffer.from(JSON.stringify(document))));
  }
  const routes: Record<string, PublicRoute> = {};
  for (const { path, contentType, bytes } of publicDocuments(catalogue, settings)) routes[path] = writePublic(directory, path, contentType, bytes, files);
  for (const folder of ['tables', 'documents', 'public/.well-known', 'public']) await syncDirectory(join(directory, folder));

  const manifest: Manifest = {
    format: snapshotFormat,
    productVersion,
    settings,
    generatedAt: ledger.latestRun.createdAt,
    newestFiledAt: catalogue.newestFirst[0]?.filedAt ?? null,
    companyCount: catalogue.companies.length,
    filingCount: ledger.filings.length,
    lastSequence: ledger.batches.at(-1)?.lastSequence ?? 0,
    ledger: { id: ledger.id, batches: [...ledger.batches] },
    tables,
    routes,
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
  const bytes = `${JSON.stringify(manifest)}\n`;
  await writeSynced(join(directory, paths.manifest), bytes);
  await syncDirectory(directory);
  const manifestSha256 = sha256Of(bytes);
  return { id: snapshotId(manifest.generatedAt, manifestSha256), manifest, manifestSha256 };
}

function writeTable<Name extends TableName>(directory: string, name: Name, catalogue: Catalogue, files: FileEntry[]): IndexPage[] {
  const rows = createHashedFile(join(directory, paths.table(name)));
  const index = createHashedFile(join(directory, paths.index(name)));
  const cutter = createTableCutter(name, { block: rows.write, index: index.write });
  const view = views[name] as View<Name>;
  for (const { key, record } of view(catalogue)) cutter.add(key, JSON.stringify(record), factsOf(name, record as RecordOf<Name>));
  const { rows: rowCount, lines, pages } = cutter.finish();
  files.push(rows.finish(paths.table(name), rowCount), index.finish(paths.index(name), lines));
  return pages;
}

function writeFile(directory: string, path: string, bytes: Buffer): FileEntry {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  const file = createHashedFile(join(directory, path));
  file.write(bytes);
  return file.finish(path, null);
}

/** A document with its compressed twins, so that nothing is compressed while a client waits. */
function writePublic(directory: string, urlPath: string, contentType: string, bytes: Buffer, files: FileEntry[]): PublicRoute {
  const file = paths.public(urlPath);
  const route: PublicRoute = { contentType, file, br: null, gzip: null };
  files.push(writeFile(directory, file, bytes));
  if (bytes.length >= compressFromBytes) {
    route.br = `${file}.br`;
    route.gzip = `${file}.gz`;
    files.push(writeFile(directory, route.br, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })));
    files.push(writeFile(directory, route.gzip, gzipSync(bytes, { level: 9 })));
  }
  return route;
}

/** Everything that is served to anybody by its path. */
function publicDocuments(catalogue: Catalogue, settings: SnapshotSettings): { path: string; contentType: string; bytes: Buffer }[] {
  const json = (path: string, document: unknown) => ({ path, contentType: 'application/json', bytes: Buffer.from(JSON.stringify(document)) });
  const description = openApiDocument(settings.baseUrl);
  return [json('/demo', demoDocument(catalogue, settings)), json('/openapi.json', description), json('/.well-known/openapi.json', description)];
}
