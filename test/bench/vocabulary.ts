import type { StatsResponse } from '../../src/contract/envelopes.ts';
import type { Filing } from '../../src/contract/records.ts';
import { allPartition, type Manifest, type SymbolRow } from '../../src/contract/snapshot.ts';
import type { z } from 'zod';
import { feedLogOf } from '../../src/answers/rows.ts';
import { encodeFeedCursor } from '../../src/cursor.ts';
import { isHiding } from '../../src/segments/line.ts';
import { rowBytes, type BlockEntry, type Table } from '../../src/segments/table.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { createChunkCache } from '../../src/table/cache.ts';

/** What can be asked of a snapshot: values that it knows. */
export interface Vocabulary {
  readonly manifest: Manifest;
  /** Folded ticker symbols and CIKs. */
  readonly symbols: readonly string[];
  /** Names of companies. */
  readonly names: readonly string[];
  /** Every form and event family, rare ones and frequent ones once each. */
  readonly forms: readonly string[];
  readonly eventTypes: readonly string[];
  /** Filings from all over the history. */
  readonly filings: readonly Filing[];
  /** Cursors of the change feed, from all over it. */
  readonly feedCursors: readonly string[];
}

const rowsSampled = 1000;
const cursorsSampled = 200;
const cacheBytes = 8 * 1024 * 1024;

/** Reads what the snapshot of a directory knows. `random` gives numbers in [0, 1). */
export async function readVocabulary(directory: string, id: string, manifest: Manifest, random: () => number): Promise<Vocabulary> {
  const folder = openPartFolder(directory);
  try {
    const snapshot = await openSnapshot(createSnapshotReader(folder, createChunkCache(cacheBytes), cacheBytes), id, manifest);
    const stats = JSON.parse(snapshot.documents.stats.toString()) as Pick<z.infer<typeof StatsResponse>, 'data'>;
    const filings = await sampleRows<Filing>(snapshot.tables('latest'), allPartition, random);
    const symbols = await sampleRows<SymbolRow>(snapshot.tables('symbols'), null, random);
    const companies = await sampleRows<{ cik: string; name: string }>(snapshot.tables('profiles'), null, random);
    return {
      manifest, filings,
      symbols: [...symbols.map(({ symbol }) => symbol), ...companies.map(({ cik }) => cik)],
      names: companies.map(({ name }) => name),
      forms: stats.data.forms.map(({ form }) => form),
      eventTypes: stats.data.eventTypes.map(({ eventType }) => eventType),
      feedCursors: await sampleCursors(snapshot, filings, random),
    };
  } finally {
    await folder.close();
  }
}

/** Rows at random places of tables; `partition` names the only one that counts, null all of them. */
async function sampleRows<Row>(tables: readonly Table[], partition: string | null, random: () => number): Promise<Row[]> {
  const blocks: { readonly table: Table; readonly entry: BlockEntry }[] = [];
  for (const table of tables) {
    const from = { partition: partition ?? '', sort: table.head.direction === 'ascending' ? '' : '\uffff' };
    for await (const entry of table.blocksFrom(from)) if (partition === null || entry.partition <= partition) blocks.push({ table, entry });
  }
  const rows: Row[] = [];
  while (rows.length < rowsSampled) {
    const { table, entry } = blocks[Math.floor(random() * blocks.length)] as (typeof blocks)[number];
    const chunk = await table.read(entry);
    const line = Math.floor(random() * chunk.ends.length);
    if (!isHiding(chunk, line)) rows.push(JSON.parse(rowBytes({ chunk, line }).toString()) as Row);
  }
  return rows;
}

async function sampleCursors(snapshot: Snapshot, filings: readonly Filing[], random: () => number): Promise<string[]> {
  const log = feedLogOf(snapshot);
  const cursors: string[] = [];
  for (const { filedAt } of filings.slice(0, cursorsSampled)) cursors.push(await encodeFeedCursor(log, filedAt ?? '', Math.floor(random() * (snapshot.manifest.lastSequence + 1))));
  return cursors;
}
