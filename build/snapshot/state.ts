import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BulkFile } from '../../src/contract/bulk.ts';
import { firstRules, rulesNumber } from '../../src/contract/rules.ts';
import { paths, type Manifest, type Routes } from '../../src/contract/snapshot.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { PartFolder } from '../../src/snapshot/folder.ts';
import { bulkListOf, createSnapshotReader, openSnapshot, readManifest } from '../../src/snapshot/open.ts';
import { createChunkCache } from '../../src/table/chunk-cache.ts';
import { batchNumbers, beginsWith, readBatchFile } from '../ledger/batch.ts';
import { readHeads, type BatchHead } from '../ledger/read.ts';
import { readPointer } from './pointer.ts';

/** The build does not publish; the message gives the reason. Nothing was changed. */
export class BuildRefused extends Error {}

const cacheBytes = 1024 * 1024;

/** The snapshot that is current when a build begins. */
export interface Current {
  readonly manifest: Manifest;
  /** Empty if they cannot be read. */
  readonly routes: Routes;
  /** Its bulk files of the change feed; empty if their list cannot be read. */
  readonly bulk: readonly BulkFile[];
  readonly id: string;
  /** Whether its parts can be reused, as far as is known. */
  readonly isReadable: boolean;
}

/**
 * Reads the current snapshot; null if there is none, or if its manifest cannot be read. Throws
 * `CorruptSnapshot` if the pointer cannot be understood, because the snapshot that it named is not known.
 */
export async function readCurrent(folder: PartFolder, log: LineLog): Promise<Current | null> {
  const pointerPath = join(folder.directory, paths.pointer);
  if (await isOfFirstFormat(pointerPath)) {
    log(`${pointerPath} is of format 1, which this version does not read: everything is built again`, 'warn');
    return null;
  }
  const pointer = await readPointer(folder.directory);
  if (!pointer) return null;
  const { snapshotId: id } = pointer;
  try {
    const { manifest } = await readManifest(folder, id, pointer.manifestSha256);
    try {
      const { routes, documents } = await openSnapshot(
        createSnapshotReader(folder, createChunkCache(cacheBytes), cacheBytes),
        id,
        manifest,
      );
      return { manifest, routes, bulk: bulkListOf(documents).data, id, isReadable: true };
    } catch (error) {
      log(`the current snapshot cannot be read and is replaced: ${(error as Error).message}`, 'warn');
      return { manifest, routes: {}, bulk: [], id, isReadable: false };
    }
  } catch (error) {
    log(`the current snapshot cannot be read and is replaced: ${(error as Error).message}`, 'warn');
    return null;
  }
}

async function isOfFirstFormat(path: string): Promise<boolean> {
  try {
    return (JSON.parse(await readFile(path, 'utf8')) as { format?: unknown } | null)?.format === 1;
  } catch {
    return false;
  }
}

/** The ledger, compared with the current snapshot. */
export interface LedgerState {
  /** Segments that can be reused, as they are or merged; none if everything is folded again. */
  readonly known: Manifest['segments'];
  /** The batches after these segments. */
  readonly heads: readonly BatchHead[];
  readonly last: BatchHead;
  readonly names: Manifest['ledger'];
  readonly isSample: boolean;
  /** Whether the current snapshot has real data and was made from another ledger. */
  readonly isOther: boolean;
  /** Whether the ledger begins with the batches of the current snapshot, so that the feeds begin alike. */
  readonly continues: boolean;
  /**
   * The rules of the current snapshot, if the ledger has to be restated: they are older than those of this version, and the ledger
   * does not keep yet what they had said. Otherwise null.
   */
  readonly restatesFrom: number | null;
}

/**
 * Compares a ledger with the current snapshot. Throws `BuildRefused` if publishing would lose or move entries
 * of the current snapshot, and `BrokenLedger`.
 */
export async function readLedgerState(
  directory: string,
  current: Current | null,
  replace: boolean,
): Promise<LedgerState> {
  const numbers = await batchNumbers(directory);
  if (numbers.length === 0) throw new BuildRefused(`${directory} holds no batch`);
  const first = await readBatchFile(directory, 1);
  const manifest = current?.manifest;
  const isSame = manifest?.ledger.id === first.sha256;
  const rules = manifest?.rules ?? firstRules;
  if (isSame && rules > rulesNumber)
    throw new BuildRefused(
      `${paths.manifest(current?.id ?? '')} follows rules ${rules} and this version has rules ${rulesNumber}: a newer version made it; nothing was published`,
    );
  const continues = manifest !== undefined && isSame && (await beginsWith(directory, manifest.ledger));
  const isReadable = continues && current?.isReadable === true;
  const isKept = isReadable && rules === rulesNumber;
  // A sample may always be replaced.
  const isGuarded = manifest !== undefined && manifest.sample !== true && !replace;
  if (isGuarded && isSame && !continues)
    throw new BuildRefused(
      `batch ${manifest.ledger.batches} of the ledger is not the one that ${paths.manifest(current?.id ?? '')} was made from; nothing was published (--replace publishes nevertheless)`,
    );
  const heads = await readHeads(directory, isKept ? manifest.ledger.batches : 0);
  const last = heads.at(-1) ?? (await readBatchFile(directory, numbers.length));
  const stated = last.head.rules ?? { number: firstRules, since: 0 };
  if (stated.number > rulesNumber)
    throw new BuildRefused(
      `batch ${stated.since} of the ledger restates it by rules ${stated.number}, and this version has rules ${rulesNumber}: update the program; nothing was published`,
    );
  const isRestated = stated.number === rulesNumber && stated.since > (manifest?.ledger.batches ?? 0);
  const isSample =
    (isKept ? manifest.sample === true : true) && heads.every(({ head }) => head.sample === true);
  if (isGuarded && !isSame && isSample)
    throw new BuildRefused(
      `the ledger is a sample, and ${paths.manifest(current?.id ?? '')} has real data; nothing was published (--ledger names another ledger, --replace publishes nevertheless)`,
    );
  return {
    known: isKept ? manifest.segments : [],
    heads,
    last,
    isSample,
    isOther: isGuarded && !isSame,
    continues,
    restatesFrom: isReadable && rules < rulesNumber && !isRestated ? rules : null,
    // A batch may have been appended since the numbers were read.
    names: { id: first.sha256, batches: last.head.number, sha256: last.sha256 },
  };
}
