import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FilingEventsError } from '../errors.ts';
import type { BulkFile, Change, Operations } from '../generated.ts';
import type { RequestOptions } from '../transport.ts';

/** Whether bytes are those of a file. Example: `isWhole(bytes, file)`. */
export function isWhole(bytes: Uint8Array, { sha256 }: Pick<BulkFile, 'sha256'>): boolean {
  return createHash('sha256').update(bytes).digest('hex') === sha256;
}

/** Reads a file of a folder. Null if there is none. Example: `await readOrNull('bulk/changes-000000000001.jsonl.gz')`. */
export async function readOrNull(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

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
  const kept = path === null ? null : await readOrNull(path);
  if (kept && isWhole(kept, file)) return kept;
  const bytes = await client.getBulkFile({ file: file.name }, options);
  if (!isWhole(bytes, file))
    throw new FilingEventsError(`${file.name} is not what its SHA-256 says`, { code: 'digest_mismatch' });
  if (path !== null && folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(`${path}.new`, bytes);
    await rename(`${path}.new`, path);
  }
  return bytes;
}

/** The changes in a file of the log. Example: `[...changesIn(await fetchFile(client, file))].length`. */
export function* changesIn(bytes: Uint8Array): Generator<Change> {
  for (const line of gunzipSync(bytes).toString().split('\n'))
    if (line !== '') yield JSON.parse(line) as Change;
}
