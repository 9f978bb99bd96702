import { createHash } from 'node:crypto';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { FilingEventsError } from '../errors.ts';
import type { BulkFile, BulkListResponse, Change, Operations } from '../generated.ts';
import { pauseAfter, sleep } from '../pauses.ts';
import type { RequestOptions } from '../transport.ts';

/** Whether bytes are those of a file. Example: `isWhole(bytes, file)`. */
export function isWhole(bytes: Uint8Array, { sha256 }: Pick<BulkFile, 'sha256'>): boolean {
  return createHash('sha256').update(bytes).digest('hex') === sha256;
}

/**
 * Reads a file of a folder. Null if there is none. Of one that is longer than the most, nothing but the first bytes are
 * read, and one more: it is not what anybody asks for. Example: `await readOrNull('current.json', 64 * 1024)`.
 */
export async function readOrNull(path: string, bytesMaximum: number): Promise<Uint8Array | null> {
  let file;
  try {
    file = await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const bytes = Buffer.allocUnsafe(Math.min((await file.stat()).size, bytesMaximum) + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Fetches the bytes of a file of the log. Example: `const fetchBytes: FetchBytes = (file) => fetchListed(client, file)`. */
export type FetchBytes = (file: BulkFile) => Promise<Uint8Array>;

/**
 * Fetches a file of the log and checks its digest: as many bytes as the list says, and no more.
 * Example: `await fetchListed(client, file)`.
 */
export async function fetchListed(
  client: Pick<Operations<RequestOptions>, 'getBulkFile'>,
  file: BulkFile,
  options?: RequestOptions,
): Promise<Uint8Array> {
  const bytes = await client
    .getBulkFile({ file: file.name }, { ...options, bytesMaximum: file.bytes })
    .catch((error: unknown) => {
      // The open file has grown.
      if (error instanceof FilingEventsError && error.code === 'answer_too_long') return null;
      throw error;
    });
  if (bytes !== null && isWhole(bytes, file)) return bytes;
  const Mismatch = file.closed ? FilingEventsError : OpenFileChanged;
  throw new Mismatch(`${file.name} is not what its SHA-256 says`, { code: 'digest_mismatch' });
}

/** The open file is another one than listed: it has grown, or the list was that of another replica of the service. */
class OpenFileChanged extends FilingEventsError {}

/**
 * Fetches a file of the log and checks its digest. With a folder the file is kept there, and fetched only if the
 * folder does not have it. Rejects with `digest_mismatch`, also if the open file has grown since it was listed.
 * Example: `await fetchFile(client, file, 'bulk')`.
 */
export async function fetchFile(
  client: Pick<Operations<RequestOptions>, 'getBulkFile'>,
  file: BulkFile,
  folder?: string,
  options?: RequestOptions,
): Promise<Uint8Array> {
  const path = folder === undefined ? null : join(folder, file.name);
  const kept = path === null ? null : await readOrNull(path, file.bytes);
  if (kept && isWhole(kept, file)) return kept;
  const bytes = await fetchListed(client, file, options);
  if (path !== null && folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(`${path}.new`, bytes);
    await rename(`${path}.new`, path).catch((error: NodeJS.ErrnoException) => {
      // Another mirror of this folder has moved it. Whoever reads it checks its digest.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return bytes;
}

/** How often the list of files is read at most where the open file is another one than listed. */
const listingsMaximum = 5;

/**
 * Waits before the list of files is read anew, if that helps: replicas of a service learn of a publication one after the
 * other. Else throws the error. Example: `await pauseBeforeListing(error, listings, signal)`.
 */
export async function pauseBeforeListing(
  error: unknown,
  listings: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!hasGrown(error) || listings === listingsMaximum) throw error;
  await sleep(pauseAfter(listings, 0), signal);
}

/**
 * Keeps the files of the whole log in a folder, and gives what the service says of them.
 * Example: `(await keepFiles(client, 'filings')).nextCursor`.
 */
export async function keepFiles(
  client: Pick<Operations<RequestOptions>, 'getBulkFile' | 'listBulkFiles'>,
  folder: string,
  options?: RequestOptions,
): Promise<BulkListResponse['meta']> {
  for (let listings = 1; ; listings++) {
    const { data, meta } = await client.listBulkFiles({}, options);
    try {
      for (const file of data) await fetchFile(client, file, folder, options);
      return meta;
    } catch (error) {
      await pauseBeforeListing(error, listings, options?.signal);
    }
  }
}

/** Whether the open file was another one than listed, as it is when it has grown. Example: `if (!hasGrown(error)) throw error`. */
export function hasGrown(error: unknown): boolean {
  return error instanceof OpenFileChanged;
}

/** The most characters of a line. A change has about a thousand; more would fill the memory of whoever waits for its end. */
const lineCharactersMaximum = 4 * 1024 * 1024;

/**
 * The lines of a file of the log, one after the other: a few bytes of gzip can become gigabytes. Throws an `Error` at the
 * first byte that is no gzip, at the end of a file that was cut, and at a line that is too long.
 * Example: `for await (const line of linesOf(bytes)) …`.
 */
export async function* linesOf(bytes: Uint8Array): AsyncGenerator<string> {
  let text = '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  gunzip.end(bytes);
  for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
    if (text.length > lineCharactersMaximum) throw new Error('it has a line that is too long');
  }
  if (text !== '') throw new Error('its last line has no end');
  if (gunzip.bytesWritten !== bytes.length) throw new Error('it has bytes that are no gzip');
}

/** The most changes that are given together: enough for a transaction, few for the memory. */
const rowsTogether = 1000;
const charactersTogether = 4 * 1024 * 1024;

/**
 * The changes in a file of the log, some together. Throws `unexpected_answer` if its rows are not those that the list
 * says. Example: `for await (const changes of changesIn(bytes, file)) store.write(changes)`.
 */
export async function* changesIn(bytes: Uint8Array, file: BulkFile): AsyncGenerator<Change[]> {
  let changes: Change[] = [];
  let [rows, characters] = [0, 0];
  try {
    for await (const line of linesOf(bytes)) {
      const change = JSON.parse(line) as Change;
      if (rows === file.rows || change.sequence !== file.firstSequence + rows)
        throw new Error(`its row ${rows + 1} has another sequence than its name tells, or is one too many`);
      rows++;
      characters += line.length;
      changes.push(change);
      if (changes.length < rowsTogether && characters < charactersTogether) continue;
      yield changes;
      [changes, characters] = [[], 0];
    }
    if (rows !== file.rows) throw new Error(`it has ${rows} rows in place of ${file.rows}`);
  } catch (cause) {
    throw new FilingEventsError(`${file.name} is no file of the log: ${(cause as Error).message}`, {
      code: 'unexpected_answer',
      cause,
    });
  }
  yield changes;
}

/**
 * Whether the rows of a file are the first rows of another one, as those of the open file are of a later one. It has one
 * row at least. Example: `await isBeginning(kept, listed)`.
 */
export async function isBeginning(kept: Uint8Array, listed: Uint8Array): Promise<boolean> {
  const others = linesOf(listed);
  let rows = 0;
  try {
    for await (const line of linesOf(kept)) {
      rows++;
      if ((await others.next()).value !== line) return false;
    }
  } catch {
    return false;
  } finally {
    await others.return(undefined);
  }
  return rows > 0;
}

/** Whether bytes are a file of lines that ends as it should. Example: `await isIntact(kept)`. */
export async function isIntact(bytes: Uint8Array): Promise<boolean> {
  return isBeginning(bytes, bytes);
}
