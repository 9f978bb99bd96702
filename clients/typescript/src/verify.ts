import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FilingEventsError } from './errors.ts';
import type { BulkFile } from './generated.ts';
import { isWhole, readOrNull } from './mirror/files.ts';
import { within } from './pauses.ts';

/** The pointer of a folder of snapshots, `current.json`. Example: `const pointer: Pointer = JSON.parse(text)`. */
export interface Pointer {
  readonly snapshotId: string;
  readonly manifestSha256: string;
  /** Names of the snapshots before it. */
  readonly previous: readonly string[];
  readonly signature?: {
    /** Greater than that of every pointer before it. */
    readonly number: number;
    readonly madeAt: string;
    readonly expiresAt: string;
    /** Ed25519, in base64. */
    readonly signature: string;
  };
}

/** What is checked of a pointer. Example: `{ trustedKey: readFileSync('key.pem', 'utf8') }`. */
export interface TrustSettings {
  /** Public Ed25519 keys: PEM blocks, or the base64 lines of them with commas between. */
  readonly trustedKey: string;
  /** The greatest number that was accepted before: an older pointer would bring back data that was corrected since. */
  readonly atLeast?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: number | undefined;
}

/** A snapshot whose pointer and files of the log are proven. Example: `(await verifySnapshot(folder, trust)).files.length`. */
export interface VerifiedSnapshot {
  readonly snapshotId: string;
  /** The number of the pointer. Keep it, and give it as `atLeast` next time. */
  readonly number: number;
  /** The files of the log, with the digests that follow from the signature. */
  readonly files: readonly BulkFile[];
}

/**
 * Checks that a trusted key signed a pointer, that it has not expired, and that it is not older than one that was
 * accepted before. Throws `untrusted_pointer`. Example: `verifyPointer(pointer, { trustedKey })`.
 */
export function verifyPointer(
  pointer: Pointer,
  { trustedKey, atLeast = 0, now = Date.now() }: TrustSettings,
): void {
  const { snapshotId, manifestSha256, previous, signature: signed } = pointer;
  if (!signed) throw untrusted('it is not signed');
  const { number, madeAt, expiresAt, signature } = signed;
  const members = [snapshotId, manifestSha256, previous.join(','), number, madeAt, expiresAt];
  const text = Buffer.from(`${['filing-event-intelligence pointer', ...members].join('\n')}\n`);
  const isSigned = keysIn(trustedKey).some((key) =>
    verify(null, text, key, Buffer.from(signature, 'base64')),
  );
  if (!isSigned) throw untrusted('its signature was not made by the trusted key, or is of another pointer');
  if (now >= Date.parse(expiresAt)) throw untrusted(`it expired at ${expiresAt}`);
  if (number < atLeast)
    throw untrusted(`its number is ${number}, and one with ${atLeast} was accepted before`);
}

const untrusted = (reason: string) =>
  new FilingEventsError(`the pointer is not to be trusted: ${reason}`, { code: 'untrusted_pointer' });

function keysIn(text: string): KeyObject[] {
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g);
  if (blocks) return blocks.map((block) => createPublicKey(block));
  return text
    .split(',')
    .map((line) => createPublicKey({ key: Buffer.from(line.trim(), 'base64'), format: 'der', type: 'spki' }));
}

/**
 * Reads a folder of snapshots, or its copy on a host, from the signature of the pointer down to the digests of the
 * files of the log. Example: `await verifySnapshot('https://files.example/snapshots', { trustedKey })`.
 */
export async function verifySnapshot(source: string, trust: TrustSettings): Promise<VerifiedSnapshot> {
  const pointer = JSON.parse(String(await read(source, 'current.json'))) as Pointer;
  verifyPointer(pointer, trust);
  const { snapshotId, manifestSha256 } = pointer;
  const manifest = JSON.parse(
    String(await readProven(source, `manifests/${snapshotId}.json`, manifestSha256)),
  ) as { documents: Readonly<Record<string, { readonly sha256: string }>> };
  const sha256 = manifest.documents['bulk']?.sha256 ?? '';
  const list = await readProven(source, `files/${sha256.slice(0, 2)}/${sha256}`, sha256);
  const { data: files } = JSON.parse(String(list)) as { data: readonly BulkFile[] };
  return { snapshotId, number: pointer.signature?.number ?? 0, files };
}

async function readProven(source: string, path: string, sha256: string): Promise<Buffer> {
  const bytes = await read(source, path);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new FilingEventsError(`${path} is not what its SHA-256 says`, { code: 'digest_mismatch' });
  return bytes;
}

async function read(source: string, path: string): Promise<Buffer> {
  if (!/^https?:/.test(source)) return readFile(join(source, path));
  return within(60, async (signal) => {
    const response = await fetch(`${source.replace(/\/+$/, '')}/${path}`, { signal });
    if (!response.ok)
      throw new FilingEventsError(`${source} has no ${path}: ${response.status}`, {
        code: 'unexpected_answer',
        status: response.status,
      });
    return Buffer.from(await response.arrayBuffer());
  });
}

/** What a file of a folder is. Example: `{ name: 'changes-000000000001.jsonl.gz', state: 'ok' }`. */
export interface FileState {
  readonly name: string;
  /** `older`: the open file, which has grown since it was fetched. */
  readonly state: 'ok' | 'missing' | 'older' | 'damaged';
}

/**
 * Compares the files of a mirror with their digests. Example: `await verifyFiles('bulk', (await client.listBulkFiles()).data)`.
 */
export async function verifyFiles(folder: string, files: readonly BulkFile[]): Promise<FileState[]> {
  const states: FileState[] = [];
  for (const file of files) {
    const bytes = await readOrNull(join(folder, file.name));
    if (bytes === null) states.push({ name: file.name, state: 'missing' });
    else if (isWhole(bytes, file)) states.push({ name: file.name, state: 'ok' });
    else states.push({ name: file.name, state: mayHaveGrown(bytes, file) ? 'older' : 'damaged' });
  }
  return states;
}

/** Of the file that is open, or was when it was fetched, only the length can be held against the list. */
function mayHaveGrown(bytes: Uint8Array, { bytes: length, closed }: BulkFile): boolean {
  return !closed && bytes.length < length;
}
