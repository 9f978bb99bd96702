import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { paths, snapshotFormat, snapshotId, tableNames, type DocumentName, type FileEntry, type IndexPage, type Manifest, type SnapshotSettings, type TableName } from '../../src/contract/snapshot.ts';
import { productVersion } from '../../src/contract/product.ts';
import type { IntentTally } from '../../src/contract/validation.ts';
import { sha256Of } from '../../src/table/file.ts';
import type { Market } from '../catalog/content.ts';
import { catalogIndex, marketsOf } from '../catalog/files.ts';
import { healthDocument, rootDocument, statsDocument, subscriptionDocument } from '../documents/documents.ts';
import type { Overview } from '../documents/overview.ts';
import { overviewOf } from '../documents/overview-of-catalogue.ts';
import { syncDirectory, writeSynced } from '../files.ts';
import { emptyTally } from '../intents/count.ts';
import { validationDocuments } from '../intents/documents.ts';
import type { Ledger } from '../ledger/fold.ts';
import { askExamples } from '../public/examples.ts';
import { publicFiles } from '../public/files.ts';
import { quietProgress, type Progress } from '../progress.ts';
import { createCatalogue, type Catalogue } from '../views/catalogue.ts';
import { views, type View } from '../views/tables.ts';
import { factsOfFiling } from './facts.ts';
import { withTwins, writeFiles } from './file-writer.ts';
import { createHashedFile, createTableCutter } from './table-writer.ts';

/** A snapshot as it was just written. */
export interface Derived {
  readonly id: string;
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/**
 * Writes the snapshot of a ledger, and of the intents so far, into an empty directory, in stages: the data; the examples,
 * which are what the data answers; the public documents, which show them; and the manifest, which names all of it. Same
 * ledger, same settings, same intents, same bytes: nothing here reads a clock, and every order is fixed. Every file is synced.
 */
export async function deriveSnapshot(ledger: Ledger, settings: SnapshotSettings, directory: string, tally: IntentTally = emptyTally, progress: Progress = quietProgress): Promise<Derived> {
  progress.begin('writing tables', 'rows');
  const catalogue = createCatalogue(ledger);
  const overview = overviewOf(catalogue);
  const markets = marketsOf(overview);
  for (const folder of ['tables', 'documents', 'public']) mkdirSync(join(directory, folder), { recursive: true });
  const data = await writeData(catalogue, overview, keyedDocuments(overview, settings, tally, markets), settings, directory, progress);
  const examples = await askExamples(directory, data, overview);
  progress.begin('making pages', 'files');
  const made = publicFiles({ overview, settings, markets, examples });
  progress.begin('compressing pages', 'files', made.length);
  const published = made.map((file) => {
    const written = { path: file.path, ...withTwins(file) };
    progress.step();
    return written;
  });
  const files = [...data.files, ...(await writeFiles(directory, published.flatMap((each) => each.files)))];
  const manifest: Manifest = {
    ...data,
    routes: Object.fromEntries(published.map(({ path, route }) => [path, route])),
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
  await syncFolders(directory);
  const bytes = `${JSON.stringify(manifest)}\n`;
  await writeSynced(join(directory, paths.manifest), bytes);
  await syncDirectory(directory);
  const manifestSha256 = sha256Of(bytes);
  return { id: snapshotId(manifest.generatedAt, manifestSha256), manifest, manifestSha256 };
}

/** Writes the tables and the keyed documents, and gives the manifest of these alone. */
async function writeData(catalogue: Catalogue, overview: Overview, documents: readonly KeyedDocument[], settings: SnapshotSettings, directory: string, progress: Progress): Promise<Manifest> {
  const { ledger } = catalogue;
  const { isSample, latestRun, newestFiledAt, companyCount, filingCount, lastSequence } = overview;
  const files: FileEntry[] = [];
  const tables: Record<string, IndexPage[]> = {};
  progress.expect(rowsAtLeast(catalogue), false);
  for (const name of tableNames) tables[name] = writeTable(directory, name, catalogue, files, progress);
  files.push(...(await writeFiles(directory, documents.map(([name, document]) => ({ path: paths.document(name), bytes: Buffer.from(JSON.stringify(document)) })))));
  return {
    format: snapshotFormat,
    productVersion,
    settings,
    ...(isSample ? { sample: true as const } : {}),
    generatedAt: latestRun.createdAt,
    newestFiledAt,
    companyCount,
    filingCount,
    lastSequence,
    ledger: { id: ledger.id, batches: [...ledger.batches] },
    tables,
    routes: {},
    files,
  };
}

type KeyedDocument = readonly [name: DocumentName, document: unknown];

/** Every keyed document. The tally is one of them, so that a snapshot can be derived again from its ledger and itself. */
function keyedDocuments(overview: Overview, settings: SnapshotSettings, tally: IntentTally, markets: readonly Market[]): KeyedDocument[] {
  const slugs = markets.map(({ slug }) => slug);
  return [
    ['root', rootDocument(overview)],
    ['health', healthDocument(overview, settings)],
    ['stats', statsDocument(overview, settings)],
    ['subscription', subscriptionDocument(settings)],
    ['catalog', catalogIndex(markets)],
    ['intents', tally],
    ...validationDocuments(tally, slugs, overview.latestRun).map(({ name, document }) => [name, document] as const),
  ];
}

/** How many rows the tables have, without those of insiders and symbols, which are only known once they are made. */
function rowsAtLeast({ ledger, lists, feeds, companies }: Catalogue): number {
  const rowsOf = (groups: Catalogue['lists']) => [...groups.values()].reduce((sum, group) => sum + group.length, 0);
  return 2 * ledger.filings.length + ledger.observations.length + 2 * rowsOf(lists) + rowsOf(feeds) + 2 * companies.length;
}

async function syncFolders(directory: string): Promise<void> {
  const folders = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  // The deepest first: a folder is only safe in one that is.
  for (const folder of folders.sort((a, b) => b.length - a.length)) await syncDirectory(folder);
}

function writeTable<Name extends TableName>(directory: string, name: Name, catalogue: Catalogue, files: FileEntry[], progress: Progress): IndexPage[] {
  const rows = createHashedFile(join(directory, paths.table(name)));
  const index = createHashedFile(join(directory, paths.index(name)));
  const cutter = createTableCutter(name, { block: rows.write, index: index.write });
  const view = views[name] as View<Name>;
  for (const { key, json, filing, sequence } of view(catalogue)) {
    cutter.add(key, json, factsOfFiling(name, filing, sequence));
    progress.step();
  }
  const { rows: rowCount, lines, pages } = cutter.finish();
  files.push(rows.finish(paths.table(name), rowCount), index.finish(paths.index(name), lines));
  return pages;
}
