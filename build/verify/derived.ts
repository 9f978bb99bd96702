import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productVersion } from '../../src/contract/product.ts';
import { paths, type DocumentName, type FileReference, type Manifest } from '../../src/contract/snapshot.ts';
import { RecordedIntents } from '../../src/contract/validation.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { bulkListOf, createSnapshotReader, openSegments } from '../../src/snapshot/open.ts';
import { createChunkCache } from '../../src/table/chunk-cache.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { daysOf } from '../ledger/days.ts';
import type { BatchHead } from '../ledger/read.ts';
import { deriveFiles } from '../snapshot/derive.ts';
import type { DeriveFiles } from './ledger.ts';

const cacheBytes = 32 * 1024 * 1024;

/**
 * Derives the documents and public files of a snapshot again: from its ledger, and from what no ledger tells,
 * its settings, its counts of intents, and what a compressor made of the files of the change feed, which were
 * compared with the feed before. Only the version that made them makes the same: throws for another one.
 * Throws `CorruptSnapshot` for counts that are none.
 */
export function derivingAgain(directory: string, manifest: Manifest): DeriveFiles {
  return async ({ directory: made, segments: entries, heads }) => {
    if (manifest.productVersion !== productVersion) {
      throw new Error(
        `the segments are what the ledger gives; documents and pages are of version ${manifest.productVersion}, which alone can make them again: this is version ${productVersion}`,
      );
    }
    const { head } = heads.at(-1) as BatchHead;
    const intents = await readIntentsOf(directory, manifest);
    const {
      data: parts,
      meta: { rowsPerFile },
    } = bulkListOf({
      bulk: await readFile(join(directory, paths.file(manifest.documents['bulk']?.sha256 ?? ''))),
    });
    return withPartFolder(made, async (folder) => {
      const segments = await openSegments(createSnapshotReader(folder, createChunkCache(cacheBytes), 1), {
        segments: [...entries],
      });
      const { documents, publicFiles } = await deriveFiles(segments, [...entries], {
        settings: manifest.settings,
        intents,
        latestRun: head.run,
        isSample: manifest.sample === true,
        ledger: manifest.ledger,
        bulk: { parts, rowsPerFile },
        days: daysOf(heads),
      });
      return {
        documents: Object.fromEntries(documents.map(([name, bytes]) => [name, referenceOf(bytes)])),
        routes: Object.fromEntries(
          publicFiles.map(({ path, contentType, bytes, headers }) => [
            path,
            {
              contentType,
              file: referenceOf(bytes),
              br: null,
              gzip: null,
              ...(headers ? { headers: { ...headers } } : {}),
            },
          ]),
        ),
      };
    });
  };
}

/** The counts of intents that a snapshot was made with: one of its own documents. */
async function readIntentsOf(directory: string, manifest: Manifest): Promise<RecordedIntents> {
  const name: DocumentName = 'intents';
  const path = join(directory, paths.file(manifest.documents[name]?.sha256 ?? ''));
  const parsed = RecordedIntents.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!parsed.success)
    throw new CorruptSnapshot(
      `${path} (${name}): ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`,
    );
  return parsed.data;
}

function referenceOf(bytes: Buffer): FileReference {
  return { sha256: sha256Of(bytes), bytes: bytes.length };
}
