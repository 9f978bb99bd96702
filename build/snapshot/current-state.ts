import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BulkFile } from '../../src/contract/bulk.ts';
import { firstRules, rulesNumber } from '../../src/domain/rules.ts';
import type { LogList } from '../../src/format/log-files.ts';
import type { AnyManifest } from '../../src/format/older-manifest.ts';
import { paths, snapshotFormat, type Manifest, type Routes } from '../../src/format/snapshot.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { PartFolder } from '../../src/snapshot/folder.ts';
import {
  bulkListOf,
  createSnapshotReader,
  openSnapshot,
  parseRoutes,
  readAnyManifest,
  readChecked,
} from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { beginsWith } from '../ledger/batch.ts';
import { surveyLedger, type Survey } from '../ledger/survey.ts';
import { notOurs, readPointer } from './pointer.ts';
import { publishedSurvey } from './published-survey.ts';
import type { SignPointer } from './sign.ts';
import { readBulkFiles } from './walk.ts';

/** The build does not publish; the message gives the reason. Nothing was changed. */
export class BuildRefused extends Error {}

const cacheBytes = 1024 * 1024;

/** The snapshot that is current when a build begins. */
export interface Current {
  readonly manifest: AnyManifest;
  /** Empty if they cannot be read. */
  readonly routes: Routes;
  /** Its bulk files of the change feed; empty if their list cannot be read. */
  readonly bulk: readonly BulkFile[];
  /** The list of the files of its log; null if it cannot be read or is of an older format. */
  readonly log: LogList | null;
  readonly id: string;
  /** Whether its parts can be reused, as far as is known. */
  readonly isReadable: boolean;
  /** Whether nothing speaks against its pointer: it need not be signed, or is ours. */
  readonly isOurs: boolean;
}

/**
 * Reads the current snapshot; null if there is none, or if its manifest cannot be read. With `sign`, nothing is
 * reused if the pointer is not ours: what somebody else put there would come under the signature. Throws
 * `CorruptSnapshot` if the pointer cannot be understood, because the snapshot that it named is not known.
 */
export async function readCurrent(
  folder: PartFolder,
  log: LineLog,
  sign: SignPointer | null = null,
): Promise<Current | null> {
  const pointerPath = join(folder.directory, paths.pointer);
  if (await isOfFirstFormat(pointerPath)) {
    log(`${pointerPath} is of format 1, which this version does not read: everything is built again`, 'warn');
    return null;
  }
  const pointer = await readPointer(folder.directory);
  if (!pointer) return null;
  const { snapshotId: id } = pointer;
  const isOurs = sign === null || sign.isOurs(pointer);
  const nothing = { routes: {}, bulk: [], log: null, isReadable: false };
  try {
    const { manifest } = await readAnyManifest(folder, id, pointer.manifestSha256);
    if (!isOurs) {
      log(
        `${pointerPath} is no pointer ${notOurs}: nothing of its snapshot is taken over, and everything is made again from the ledger`,
        'warn',
      );
      return { manifest, id, ...nothing, isOurs };
    }
    try {
      return { manifest, id, ...(await readParts(folder, id, manifest, log)), isReadable: true, isOurs };
    } catch (error) {
      log(`the current snapshot cannot be read and is replaced: ${(error as Error).message}`, 'warn');
      return { manifest, id, ...nothing, isOurs };
    }
  } catch (error) {
    log(`the current snapshot cannot be read and is replaced: ${(error as Error).message}`, 'warn');
    return null;
  }
}

async function readParts(
  folder: PartFolder,
  id: string,
  manifest: AnyManifest,
  log: LineLog,
): Promise<Pick<Current, 'routes' | 'bulk' | 'log'>> {
  if (manifest.format !== snapshotFormat) {
    log(
      `the current snapshot is of format ${manifest.format}: everything is made again; services of the version that made it go on with it meanwhile`,
    );
    const bulk = await readBulkFiles(folder, id, manifest);
    return { routes: parseRoutes(await readChecked(folder, manifest.routes)), bulk, log: null };
  }
  const {
    routes,
    documents,
    log: opened,
  } = await openSnapshot(
    createSnapshotReader(folder, createBlockCache(cacheBytes), cacheBytes),
    id,
    manifest,
  );
  return { routes, bulk: bulkListOf(documents).data, log: opened.list };
}

async function isOfFirstFormat(path: string): Promise<boolean> {
  try {
    return (JSON.parse(await readFile(path, 'utf8')) as { format?: unknown } | null)?.format === 1;
  } catch {
    return false;
  }
}

/** The ledger, compared with the current snapshot. */
export interface LedgerState extends Pick<Survey, 'names' | 'newest' | 'latestRun' | 'days' | 'isSample'> {
  /** Segments that can be reused, as they are or merged; none if everything is folded again. */
  readonly known: Manifest['segments'];
  /** The number of rows of each batch after these segments. */
  readonly rowCounts: readonly number[];
  /** Whether the current snapshot has real data and was made from another ledger. */
  readonly isOther: boolean;
  /** Whether the ledger begins with the batches of the current snapshot, so that the feeds begin alike. */
  readonly continues: boolean;
  /**
   * The rules of the current snapshot, if the ledger has to be restated: they are older than those of this
   * version, and the ledger does not keep yet what they had said. Otherwise null.
   */
  readonly restatesFrom: number | null;
}

/**
 * Compares a ledger with the current snapshot. Throws `BuildRefused` if publishing would lose or move entries
 * of the current snapshot, and `BrokenLedger`.
 */
export async function readLedgerState(
  directory: string,
  parts: PartFolder,
  current: Current | null,
  replace: boolean,
): Promise<LedgerState> {
  const manifest = current?.manifest;
  const continues = manifest !== undefined && (await beginsWith(directory, manifest.ledger));
  const isReadable = continues && current?.isReadable === true;
  const rules = manifest?.rules ?? firstRules;
  const kept = isReadable && rules === rulesNumber && manifest.format === snapshotFormat ? manifest : null;
  const published = kept && current ? await publishedSurvey(parts, kept, current.routes) : null;
  const survey = await surveyLedger(directory, published);
  if (survey === null) throw new BuildRefused(`${directory} holds no batch`);
  const isSame = manifest?.ledger.id === survey.names.id;
  if (isSame && rules > rulesNumber)
    throw new BuildRefused(
      `${paths.manifest(current?.id ?? '')} follows rules ${rules} and this version has rules ${rulesNumber}: a newer version made it; nothing was published`,
    );
  // A sample may always be replaced.
  const isGuarded = manifest !== undefined && manifest.sample !== true && !replace;
  if (isGuarded && isSame && !continues)
    throw new BuildRefused(
      `batch ${manifest.ledger.batches} of the ledger is not the one that ${paths.manifest(current?.id ?? '')} was made from; nothing was published (--replace publishes nevertheless)`,
    );
  const stated = survey.newest.head.rules ?? { number: firstRules, since: 0 };
  if (stated.number > rulesNumber)
    throw new BuildRefused(
      `batch ${stated.since} of the ledger restates it by rules ${stated.number}, and this version has rules ${rulesNumber}: update the program; nothing was published`,
    );
  const isRestated = stated.number === rulesNumber && stated.since > (manifest?.ledger.batches ?? 0);
  if (isGuarded && continues && current?.isOurs === false && rules < rulesNumber && !isRestated)
    throw new BuildRefused(
      `the ledger has to be restated by rules ${rulesNumber}, and the published entries that it keeps are those of ${paths.manifest(current.id)}, whose pointer is not one ${notOurs}; nothing was published (if it is the right one, build once without SIGNING_KEY_FILE; --replace publishes without them)`,
    );
  if (isGuarded && !isSame && survey.isSample)
    throw new BuildRefused(
      `the ledger is a sample, and ${paths.manifest(current?.id ?? '')} has real data; nothing was published (--ledger names another ledger, --replace publishes nevertheless)`,
    );
  if (isGuarded && !isSame && manifest.format !== snapshotFormat)
    throw new BuildRefused(
      `${paths.manifest(current?.id ?? '')} was made from another ledger, and nobody can tell which of its filings this one lacks, because it is of format ${manifest.format}; nothing was published (--replace publishes nevertheless)`,
    );
  return {
    ...survey,
    known: kept?.segments ?? [],
    rowCounts: survey.rowCounts.slice(kept ? kept.ledger.batches - (published?.names.batches ?? 0) : 0),
    isOther: isGuarded && !isSame,
    continues,
    restatesFrom: isReadable && rules < rulesNumber && !isRestated ? rules : null,
  };
}
