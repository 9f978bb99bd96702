import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { writeSynced } from '../disk/files.ts';
import type { Retry } from './retry.ts';
import type { Requests } from './requests.ts';
import type { WireHead } from './transport.ts';
import type { FinalOutcome } from './outcome.ts';

/** What is wanted of a file. */
export interface DownloadOptions {
  readonly bytesMaximum: number;
  /** Is told how many bytes of the file are here, and how many it has, if upstream says. */
  readonly onProgress?: (receivedBytes: number, totalBytes: number | null) => void;
}

/**
 * What became of a download. `changed` is false if the file that was there is still upstream's; `asOfMs` is
 * when upstream made it.
 */
export type Downloaded =
  | { readonly kind: 'ok'; readonly changed: boolean; readonly asOfMs: number; readonly sizeBytes: number }
  | { readonly kind: 'absent'; readonly status: number; readonly reason: string };

/** What a download is done with. */
export interface Downloading {
  readonly requests: Requests;
  readonly retry: Retry;
  readonly now: () => number;
}

/** Which version of upstream's file a file of ours is, or is a part of. */
const Version = z.object({
  url: z.string(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  totalBytes: z.int().min(0).nullable(),
});
type Version = z.infer<typeof Version>;

/** Why an answer cannot be used, however often it is asked for. */
class TooLong extends Error {}

/**
 * Gets a file to a path. Beside it lie `<path>.json`, which says what version it is, and while it is fetched
 * `<path>.part` and `<path>.part.json`. The part is only continued if upstream says that it is of the same
 * version (`If-Range`).
 */
export async function downloadFile(
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
    received = part && validator ? ((await sizeOf(partPath)) ?? 0) : 0;
    farthest = Math.max(farthest, received);
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
    let strange: string | null = null;
    // A part is of a newer version than what is held, or of the same: with one, only its rest is of interest.
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
            strange = error.message;
          }
        },
      },
    );
    return strange === null ? outcome : { kind: 'failed', as: 'too_large', reason: strange };
  }

  async function take(head: WireHead, pieces: AsyncIterable<Buffer>, part: Version | null): Promise<void> {
    const from =
      head.status === 206 && part ? continuesAt(head, part, received) : head.status === 200 ? 0 : null;
    if (from === null) {
      // Whatever upstream means by this answer, the next attempt asks for the whole file.
      await rm(partVersionPath, { force: true });
      throw new Error(`HTTP ${head.status}: the answer does not continue the part that is here`);
    }
    const totalBytes = head.status === 206 ? totalOf(head) : head.lengthBytes;
    if ((totalBytes ?? 0) > bytesMaximum)
      throw new TooLong(`it has ${totalBytes} bytes, the most is ${bytesMaximum}`);
    if (from === 0) await rm(partVersionPath, { force: true });
    const file = await open(partPath, from === 0 ? 'w' : 'r+');
    try {
      // The version is written once nothing of another one is left, and before anything of this one comes.
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
        throw new Error(`${received} of ${totalBytes} bytes came`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  // A server that begins anew each time makes no progress.
  const settled = await retry(url, attempt, () => received > farthest);
  if (settled.kind === 'absent') return settled;
  if (settled.kind === 'not_modified')
    return { kind: 'ok', changed: false, asOfMs: asOf(held, now), sizeBytes: (await sizeOf(path)) ?? 0 };
  const version = await readVersion(partVersionPath, url);
  // In this order a program that ends in between leaves a file whose version is not known: it is fetched
  // again.
  await rm(versionPath, { force: true });
  await rename(partPath, path);
  await rename(partVersionPath, versionPath);
  return { kind: 'ok', changed: true, asOfMs: asOf(version, now), sizeBytes: received };
}

/** RFC 9110, section 13.1.5: a weak ETag does not say that bytes are the same. */
function validatorOf({ etag, lastModified }: Version): string | null {
  return etag !== null && !etag.startsWith('W/') ? etag : lastModified;
}

/**
 * Where a partial answer goes on, if it is that of the same version from the end of the part on; null
 * otherwise.
 */
function continuesAt(head: WireHead, part: Version, received: number): number | null {
  const from = /^bytes (\d+)-\d+\/(?:\d+|\*)$/.exec(head.range ?? '')?.[1];
  const isSame =
    (head.etag === null || head.etag === part.etag) &&
    (part.totalBytes === null || (totalOf(head) ?? part.totalBytes) === part.totalBytes);
  return isSame && Number(from) === received && received > 0 ? received : null;
}

function totalOf({ range }: WireHead): number | null {
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

/** Null if there is none that can be understood, or it is of another address. */
async function readVersion(path: string, url: string): Promise<Version | null> {
  try {
    const version = Version.parse(JSON.parse(await readFile(path, 'utf8')));
    return version.url === url ? version : null;
  } catch {
    return null;
  }
}

function asOf(version: Version | null, now: () => number): number {
  const modifiedMs = Date.parse(version?.lastModified ?? '');
  return Number.isNaN(modifiedMs) ? now() : modifiedMs;
}
