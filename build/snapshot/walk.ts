import type { Manifest, TableName } from '../../src/contract/snapshot.ts';
import { createChunkCache } from '../../src/table/cache.ts';
import { lineText, textMember, type Chunk } from '../../src/table/chunk.ts';
import { openTable, type Block } from '../../src/table/table.ts';

const accessionNeedle = Buffer.from('"accessionNo":"');

/** Enough for the block that is looked at, the one that is read, and their page of the index. */
const walkCacheBytes = 256 * 1024;

/** Every block of a table with its rows, in order, read with the runtime's own reader. Throws `CorruptSnapshot`. */
export async function* walkBlocks(directory: string, manifest: Manifest, name: TableName): AsyncGenerator<{ block: Block; chunk: Chunk }> {
  const table = await openTable(directory, name, manifest.tables[name] ?? [], createChunkCache(walkCacheBytes), directory);
  try {
    let block = await table.at({ page: 0, line: 0 });
    while (block) {
      // The next block is read while the rows of this one are looked at.
      const following: Block | undefined = await table.next(block.place);
      if (following) table.readAhead(following);
      yield { block, chunk: await table.read(block) };
      block = following;
    }
  } finally {
    await table.close();
  }
}

/** The lines of a table as text, in order. */
export async function* walkLines(directory: string, manifest: Manifest, name: TableName): AsyncGenerator<string> {
  for await (const { chunk } of walkBlocks(directory, manifest, name)) {
    for (let line = 0; line < chunk.ends.length; line++) yield lineText(chunk, line);
  }
}

/** The accession numbers of the change feed of a snapshot, in its order: one for each observation. */
export async function* readAccessions(directory: string, manifest: Manifest): AsyncGenerator<string> {
  for await (const { chunk } of walkBlocks(directory, manifest, 'changes')) {
    for (let line = 0; line < chunk.ends.length; line++) yield textMember(chunk, line, accessionNeedle) ?? '';
  }
}
