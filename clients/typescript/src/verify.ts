import { join } from 'node:path';
import { bytesOf, fetchWithinOrigin, lostOf, usualBytesMaximum } from './answers.ts';
import { isSha256, requireFile, requireFiles } from './bulk-list.ts';
import { FilingEventsError } from './errors.ts';
import type { BulkFile } from './generated.ts';
import { isBeginning, isIntact, isWhole, readOrNull, type FetchBytes } from './mirror/files.ts';
import { verifyPointer, type Pointer, type TrustSettings } from './pointer.ts';
import { within } from './pauses.ts';

/** A snapshot whose pointer and files of the log are proven. Example: `(await verifySnapshot(folder, trust)).files.length`. */
export interface VerifiedSnapshot {
  readonly snapshotId: string;
  /** The number of the pointer. Keep it, and give it as `atLeast` next time. */
  readonly number: number;
  /** The files of the log, with the digests that follow from the signature. */
  readonly files: readonly BulkFile[];
}

/** A pointer or a manifest is never longer, in bytes. */
const pointerBytesMaximum = 64 * 1024;
/** Nor is the list of the files of the log: it has some 300 bytes for 16,384 changes. */
const listBytesMaximum = 16 * 1024 * 1024;

/**
 * Reads a folder of snapshots, or its copy on a host, from the signature of the pointer down to the digests of the
 * files of the log. Example: `await verifySnapshot('https://files.example/snapshots', { trustedKey })`.
 */
export async function verifySnapshot(source: string, trust: TrustSettings): Promise<VerifiedSnapshot> {
  const pointer = parse(
    await read(source, 'current.json', pointerBytesMaximum),
    'the pointer',
  ) as unknown as Pointer;
  verifyPointer(pointer, trust);
  const { snapshotId, manifestSha256 } = pointer;
  const manifest = parse(
    await readProven(source, `manifests/${snapshotId}.json`, manifestSha256, pointerBytesMaximum),
    'the manifest',
  ) as { documents?: Readonly<Record<string, { readonly sha256?: unknown } | undefined>> };
  const sha256 = manifest.documents?.['bulk']?.sha256;
  if (typeof sha256 !== 'string' || !isSha256(sha256))
    throw unexpected('the manifest names no list of the files of the log');
  const list = parse(await readProven(source, pathOf(sha256), sha256, listBytesMaximum), 'the list');
  requireFiles(list['data']);
  return { snapshotId, number: pointer.signature?.number ?? 0, files: list['data'] };
}

/**
 * Reads a file of the log from a folder of snapshots, or from its copy on a host, and checks its digest.
 * Example: `await readSnapshotFile('https://files.example/snapshots', file)`.
 */
export async function readSnapshotFile(source: string, file: BulkFile): Promise<Uint8Array> {
  requireFile(file);
  return readProven(source, pathOf(file.sha256), file.sha256, file.bytes);
}

const pathOf = (sha256: string) => `files/${sha256.slice(0, 2)}/${sha256}`;

const unexpected = (message: string) => new FilingEventsError(message, { code: 'unexpected_answer' });

function parse(bytes: Uint8Array, name: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    value = null;
  }
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  throw unexpected(`${name} is no JSON object`);
}

async function readProven(
  source: string,
  path: string,
  sha256: string,
  bytesMaximum: number,
): Promise<Uint8Array> {
  const bytes = await read(source, path, bytesMaximum);
  if (!isWhole(bytes, { sha256 }))
    throw new FilingEventsError(`${path} is not what its SHA-256 says`, { code: 'digest_mismatch' });
  return bytes;
}

/** Reads a file, of which nothing counts if it has more bytes than the most. */
async function read(source: string, path: string, bytesMaximum: number): Promise<Uint8Array> {
  if (/^https?:/.test(source)) return readFromHost(source, path, bytesMaximum);
  const bytes = await readOrNull(join(source, path), bytesMaximum);
  if (bytes === null) throw unexpected(`${source} has no ${path}`);
  if (bytes.length > bytesMaximum) throw unexpected(`${path} has more than ${bytesMaximum} bytes`);
  return bytes;
}

function readFromHost(source: string, path: string, bytesMaximum: number): Promise<Uint8Array> {
  const answer = within(60, async (signal) => {
    const response = await fetchWithinOrigin(`${source.replace(/\/+$/, '')}/${path}`, { signal });
    if (!response.ok)
      throw new FilingEventsError(`${source} has no ${path}: ${response.status}`, {
        code: 'unexpected_answer',
        status: response.status,
      });
    return bytesOf(response, bytesMaximum, path);
  });
  return answer.catch((error: unknown) => {
    throw lostOf(error, source);
  });
}

/** What a file of a folder is. Example: `{ name: 'changes-000000000001.jsonl.gz', state: 'ok' }`. */
export interface FileState {
  readonly name: string;
  /**
   * `ok`: what the list says. `older`: its rows are the first rows of the listed file, which was open when this one was
   * fetched. `unproven`: nothing shows that they are. `damaged`: they are not, and the listed file is closed.
   */
  readonly state: 'ok' | 'missing' | 'older' | 'unproven' | 'damaged';
}

/**
 * Compares the files of a mirror with their digests. A file that is not what the list says is compared with the listed
 * one, row by row, if `fetchListed` gives that.
 * Example: `await verifyFiles('bulk', files, ({ name }) => client.getBulkFile({ file: name }))`.
 */
export async function verifyFiles(
  folder: string,
  files: readonly BulkFile[],
  fetchListed?: FetchBytes,
): Promise<FileState[]> {
  const states: FileState[] = [];
  for (const file of files) {
    requireFile(file);
    states.push({ name: file.name, state: await stateOf(join(folder, file.name), file, fetchListed) });
  }
  return states;
}

async function stateOf(path: string, file: BulkFile, fetchListed?: FetchBytes): Promise<FileState['state']> {
  const kept = await readOrNull(path, usualBytesMaximum);
  if (kept === null) return 'missing';
  if (isWhole(kept, file)) return 'ok';
  const listed = await listedBytes(file, fetchListed);
  if (listed !== null && (await isBeginning(kept, listed))) return 'older';
  if (!file.closed || (listed === null && (await isIntact(kept)))) return 'unproven';
  return 'damaged';
}

/** The listed file; null if it cannot be had as it is listed, as when it has grown meanwhile. */
async function listedBytes(file: BulkFile, fetchListed?: FetchBytes): Promise<Uint8Array | null> {
  if (!fetchListed) return null;
  try {
    const bytes = await fetchListed(file);
    return isWhole(bytes, file) ? bytes : null;
  } catch (error) {
    if (error instanceof FilingEventsError && error.code === 'digest_mismatch') return null;
    throw error;
  }
}
