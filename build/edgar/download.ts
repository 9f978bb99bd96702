import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { writeSynced } from '../disk/directories.ts';
import { withLock } from '../disk/lock.ts';
import { madeAtMs } from './cache.ts';
import type { Retry } from './retry.ts';
import type { Requests } from './requests.ts';
import type { ReplyHead } from './reply.ts';
import type { FinalOutcome } from './outcome.ts';
import { makeFolder } from '../../src/files/local.ts';

/** Bounds of a download, and its progress. */
export interface DownloadOptions {
  readonly bytesMaximum: number;
  /** Called with the bytes received so far, and the length of the file if upstream names it. */
  readonly onProgress?: (receivedBytes: number, totalBytes: number | null) => void;
}

/**
 * The result of a download. `changed` is false if upstream still has the version that was stored before.
 * `asOfMs` is when upstream made the file, or now if upstream does not tell, in milliseconds since 1970.
 */
export type Downloaded =
  | { readonly kind: 'ok'; readonly changed: boolean; readonly asOfMs: number }
  | { readonly kind: 'absent'; readonly status: number; readonly reason: string };

/** What `downloadFile` needs. */
export interface Downloading {
  readonly requests: Requests;
  readonly retry: Retry;
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** Ends the waiting for another program. */
  readonly signal: AbortSignal;
}

/** A version of upstream's file. A file beside each local file and each part names its version. */
const Version = z.object({
  url: z.string(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  totalBytes: z.int().min(0).nullable(),
});
type Version = z.infer<typeof Version>;

/** The file is longer than allowed. Another attempt would not help. */
class TooLong extends Error {}

/**
 * Fetches a file and stores it at `path`. `<path>.json` names its version. During the download, the bytes so
 * far are in `<path>.part`, and `<path>.part.json` names their version. The next attempt, also of a later
 * run, continues the part if upstream still has this version (`If-Range`). Programs that download to the same
 * path take turns: who comes later finds what the first one stored.
 */
export async function downloadFile(
  downloading: Downloading,
  url: string,
  path: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  const { log, signal } = downloading;
  await makeFolder(dirname(path));
  return withLock(`${path}.lock`, () => downloadInTurn(downloading, url, path, options), {
    onWait: () => log(`another program is downloading ${url}; this one waits`),
    signal,
  });
}

async function downloadInTurn(
  { requests, retry, now }: Downloading,
  url: string,
  path: string,
  { bytesMaximum, onProgress = () => {} }: DownloadOptions,
): Promise<Downloaded> {
  const [partPath, partVersionPath, versionPath] = [`${path}.part`, `${path}.part.json`, `${path}.json`];
  const held = (await sizeOf(path)) === null ? null : await readVersion(versionPath, url);
  let farthest = 0;
  let received = 0;

  async function attempt(): Promise<FinalOutcome> {
    const part = await readVersion(partVersionPath, url);
    const validator = part && validatorOf(part);
    // Without a validator the part is not asked for again, so what the attempt before reached counts by itself.
    const reached = received;
    received = part && validator ? ((await sizeOf(partPath)) ?? 0) : 0;
    farthest = Math.max(farthest, reached, received);
    if (part && received > 0 && received === part.totalBytes)
      return {
        kind: 'body',
        answer: {
          status: 206,
          etag: part.etag,
          lastModified: part.lastModified,
          location: null,
          retryAfter: null,
          body: Buffer.alloc(0),
          isWhole: true,
        },
      };
    const headers: Record<string, string> =
      validator && received > 0 ? { range: `bytes=${received}-`, 'if-range': validator } : {};
    let tooLong: string | null = null;
    // A part is never older than the stored file. So if there is a part, the request asks for its rest only,
    // and does not ask whether the stored file has changed.
    const outcome = await requests.ask(
      new URL(url),
      bytesMaximum,
      received > 0 ? undefined : (held ?? undefined),
      {
        headers,
        take: async (head, pieces) => {
          try {
            await take(head, pieces, part);
          } catch (error) {
            if (!(error instanceof TooLong)) throw error;
            tooLong = error.message;
          }
        },
      },
    );
    return tooLong === null ? outcome : { kind: 'failed', as: 'too_large', reason: tooLong };
  }

  async function take(head: ReplyHead, pieces: AsyncIterable<Buffer>, part: Version | null): Promise<void> {
    const from =
      head.status === 206 && part ? continuesAt(head, part, received) : head.status === 200 ? 0 : null;
    if (from === null) {
      // The next attempt asks for the whole file.
      await rm(partVersionPath, { force: true });
      throw new Error(`HTTP ${head.status}: the answer does not continue the part that was fetched before`);
    }
    const totalBytes = head.status === 206 ? totalOf(head) : head.lengthBytes;
    if ((totalBytes ?? 0) > bytesMaximum)
      throw new TooLong(`it has ${totalBytes} bytes, more than ${bytesMaximum}`);
    if (from === 0) await rm(partVersionPath, { force: true });
    const file = await open(partPath, from === 0 ? 'w' : 'r+');
    try {
      // `open` has emptied the part. Its new version is written before its first byte, so that a part never
      // has bytes of another version than its own.
      if (from === 0)
        await writeSynced(
          partVersionPath,
          JSON.stringify({
            url,
            etag: head.etag,
            lastModified: head.lastModified,
            totalBytes,
          } satisfies Version),
        );
      received = from;
      for await (const piece of pieces) {
        await writeWhole(file, piece, received);
        received += piece.length;
        if (received > bytesMaximum) throw new TooLong(`it has more than ${bytesMaximum} bytes`);
        onProgress(received, totalBytes);
      }
      if (totalBytes !== null && received !== totalBytes)
        throw new Error(`received ${received} of ${totalBytes} bytes`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  // An attempt makes progress only if it gets beyond the longest part so far. A server that always begins at
  // the first byte and breaks off makes none.
  const settled = await retry(url, attempt, () => received > farthest);
  if (settled.kind === 'absent') return settled;
  if (settled.kind === 'not_modified') return { kind: 'ok', changed: false, asOfMs: madeAtMs(held, now()) };
  const version = await readVersion(partVersionPath, url);
  // First the old version is removed, last the new one gets its name. If the program ends in between, the
  // stored file has no version, so the next run does not take it for upstream's newest.
  await rm(versionPath, { force: true });
  await rename(partPath, path);
  await rename(partVersionPath, versionPath);
  return { kind: 'ok', changed: true, asOfMs: madeAtMs(version, now()) };
}

/**
 * Returns the validator for `If-Range`. RFC 9110, section 13.1.5: a weak ETag does not say that the bytes are
 * the same.
 */
function validatorOf({ etag, lastModified }: Version): string | null {
  return etag !== null && !etag.startsWith('W/') ? etag : lastModified;
}

/**
 * Returns the position at which a partial answer continues the part. Null if the answer has another version,
 * or does not begin where the part ends.
 */
function continuesAt(head: ReplyHead, part: Version, received: number): number | null {
  const from = /^bytes (\d+)-\d+\/(?:\d+|\*)$/.exec(head.range ?? '')?.[1];
  const isSame =
    (head.etag === null || head.etag === part.etag) &&
    (part.totalBytes === null || (totalOf(head) ?? part.totalBytes) === part.totalBytes);
  return isSame && Number(from) === received && received > 0 ? received : null;
}

/** Returns the length of the whole file from `Content-Range`; null if the header does not tell it. */
function totalOf({ range }: ReplyHead): number | null {
  const total = /\/(\d+)$/.exec(range ?? '')?.[1];
  return total === undefined ? null : Number(total);
}

async function writeWhole(file: FileHandle, piece: Buffer, at: number): Promise<void> {
  for (let done = 0; done < piece.length; )
    done += (await file.write(piece, done, piece.length - done, at + done)).bytesWritten;
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

/** Reads a version file. Null if it is missing, cannot be understood, or belongs to another address. */
async function readVersion(path: string, url: string): Promise<Version | null> {
  try {
    const version = Version.parse(JSON.parse(await readFile(path, 'utf8')));
    return version.url === url ? version : null;
  } catch {
    return null;
  }
}
