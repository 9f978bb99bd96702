import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productVersion } from '../../src/contract/product.ts';
import { paths, type DocumentName, type FileReference, type Manifest } from '../../src/format/snapshot.ts';
import { RecordedIntents } from '../../src/contract/intents.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { bulkListOf, createSnapshotReader, openSegments } from '../../src/snapshot/open.ts';
import { openLog } from '../../src/table/open-log.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { deriveFiles } from '../snapshot/derive.ts';
import { parseDocument } from './rows.ts';
import type { DeriveFiles } from './verify-ledger.ts';

const cacheBytes = 32 * 1024 * 1024;

/**
 * Returns a function that derives the documents and public files of a snapshot again. It uses the ledger, and
 * from the snapshot itself what no ledger has: its settings, its counts of intents, and the list of its bulk
 * files, which were compared with the feed before. Only the same product version makes the same files: throws
 * for another one. Throws `CorruptSnapshot` if the counts of intents are not valid.
 */
export function derivingAgain(directory: string, manifest: Manifest): DeriveFiles {
  return async ({ directory: made, segments: entries, log, survey }) => {
    if (manifest.productVersion !== productVersion) {
      throw new Error(
        `the segments match the ledger; documents and pages were made by version ${manifest.productVersion}, and only that version can check them: this is version ${productVersion}`,
      );
    }
    const intents = await readIntentsOf(directory, manifest);
    const {
      data: parts,
      meta: { rowsPerFile },
    } = bulkListOf({
      bulk: await readFile(join(directory, paths.file(manifest.documents['bulk']?.sha256 ?? ''))),
    });
    return withPartFolder(made, async (folder) => {
      const cache = createBlockCache(cacheBytes);
      const segments = await openSegments(createSnapshotReader(folder, cache, 1), { segments: [...entries] });
      const { documents, publicFiles } = await deriveFiles(
        segments,
        [...entries],
        openLog(folder, log, cache),
        {
          settings: manifest.settings,
          intents,
          latestRun: survey.latestRun,
          recordedAt: survey.newest.head.run.createdAt,
          isSample: manifest.sample === true,
          ledger: manifest.ledger,
          bulk: { parts, rowsPerFile },
          days: survey.days,
        },
      );
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

/** Reads the counts of intents with which a snapshot was made; they are one of its documents. */
async function readIntentsOf(directory: string, manifest: Manifest): Promise<RecordedIntents> {
  const name: DocumentName = 'intents';
  const path = join(directory, paths.file(manifest.documents[name]?.sha256 ?? ''));
  return parseDocument(RecordedIntents, name, { path, value: JSON.parse(await readFile(path, 'utf8')) });
}

function referenceOf(bytes: Buffer): FileReference {
  return { sha256: sha256Of(bytes), bytes: bytes.length };
}
