import { readManifest } from '../../src/snapshot/open.ts';
import { readPointer } from './pointer.ts';
import { namesOfSnapshots } from './prune.ts';
import type { Directory } from './walk.ts';

/**
 * Describes the snapshots that a rollback can serve, newest first, in a line each: name, day of the data,
 * batches, filings, and whether it is the current one or its manifest is damaged. Parts are not read. Throws
 * if there is none.
 */
export async function listSnapshots(parts: Directory): Promise<string[]> {
  const pointer = await readPointer(parts.directory);
  const found = await Promise.all(
    (await namesOfSnapshots(parts.directory)).map(async (id) => ({
      id,
      manifest: await readManifest(parts, id).then(
        ({ manifest }) => manifest,
        () => null,
      ),
    })),
  );
  if (found.length === 0) throw new Error(`${parts.directory} has no snapshot`);
  const ageOf = ({ id, manifest }: (typeof found)[number]) =>
    `${manifest?.generatedAt ?? ''} ${String(manifest?.ledger.batches ?? 0).padStart(12, '0')} ${id}`;
  return found
    .toSorted((a, b) => (ageOf(a) < ageOf(b) ? 1 : -1))
    .map(({ id, manifest }) => {
      const isCurrent = id === pointer?.snapshotId ? '  current' : '';
      if (manifest === null) return `${id}  its manifest is damaged${isCurrent}`;
      const { generatedAt, ledger, filingCount } = manifest;
      return `${id}  ${generatedAt.slice(0, 10)}  ${ledger.batches} ${ledger.batches === 1 ? 'batch' : 'batches'}  ${filingCount} ${filingCount === 1 ? 'filing' : 'filings'}${isCurrent}`;
    });
}
