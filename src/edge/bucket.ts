import { LRUCache } from 'lru-cache';
import { isTable } from '../remote/windows.ts';
import type { PartStore } from '../snapshot/store.ts';
import type { ReadsUnderWay } from '../segments/table.ts';
import { CannotBeHad, sha256Of } from '../table/file.ts';

/** What is used of an R2 bucket (https://developers.cloudflare.com/r2/api/workers/workers-api-reference/). */
export interface Bucket {
  get(key: string, options?: { readonly range?: { readonly offset: number; readonly length: number }; readonly onlyIf?: { readonly etagDoesNotMatch: string } }): Promise<BucketObject | null>;
}

/** An object of a bucket. It has no body where a condition was not met. */
export interface BucketObject {
  readonly etag: string;
  readonly size: number;
  arrayBuffer?(): Promise<ArrayBuffer>;
  text?(): Promise<string>;
}

/** A bucket that holds the files of a folder of snapshots under their paths. */
export interface BucketStore extends PartStore {
  /** How often the bucket was asked for a part or a file. */
  readonly reads: () => number;
}

/** Tables are read in pieces of this length: a block has a tenth of it, and what lies beside it is often wanted next. */
const windowBytes = 64 * 1024;
/** Pieces that stay in memory, as they are stored. */
const windowsMaximumBytes = 8 * 1024 * 1024;

/** Opens the snapshots in a bucket. `underWay` gives what the request that runs has begun to read: no other one waits for that. */
export function openBucket(bucket: Bucket, underWay: () => ReadsUnderWay): BucketStore {
  const windows = new LRUCache<string, Buffer>({ maxSize: windowsMaximumBytes, sizeCalculation: (bytes) => bytes.length + 1 });
  let reads = 0;

  async function ask<Result>(part: string, work: () => Promise<Result>): Promise<Result> {
    reads++;
    try {
      return await work();
    } catch (error) {
      if (error instanceof CannotBeHad) throw error;
      throw new CannotBeHad(`${part}: ${(error as Error).message}`, { cause: error });
    }
  }

  const fetchRange = (part: string, offset: number, length: number) => ask(part, async () => {
    const object = await bucket.get(part, { range: { offset, length } });
    if (!object?.arrayBuffer) throw new CannotBeHad(`${part}: it is not in the bucket`);
    return Buffer.from(await object.arrayBuffer());
  });

  const nameOf = (part: string, at: number) => `${part} ${at}`;

  /** The windows from one to another: those that are not in memory, and that the request has not begun to read, are read at once. */
  function windowsOf(part: string, first: number, last: number): Promise<Buffer[]> {
    const { pieces } = underWay();
    const found = Array.from({ length: last - first + 1 }, (_, at) => windows.get(nameOf(part, first + at)) ?? pieces.get(nameOf(part, first + at)));
    const [from, to] = [found.indexOf(undefined), found.lastIndexOf(undefined)];
    const run = from === -1 ? null : fetchRange(part, (first + from) * windowBytes, (to - from + 1) * windowBytes);
    for (let at = from; run !== null && at <= to; at++) {
      const name = nameOf(part, first + at);
      const window = run.then((bytes) => {
        const own = Buffer.from(bytes.subarray((at - from) * windowBytes, (at - from + 1) * windowBytes));
        windows.set(name, own);
        pieces.delete(name);
        return own;
      });
      pieces.set(name, window);
      found[at] = window;
    }
    return Promise.all(found as (Buffer | Promise<Buffer>)[]);
  }

  async function readThroughWindows(part: string, offset: number, length: number, sha256: string | undefined): Promise<Buffer> {
    const [first, last] = [Math.floor(offset / windowBytes), Math.floor((offset + length - 1) / windowBytes)];
    const from = offset - first * windowBytes;
    const bytes = Buffer.concat(await windowsOf(part, first, last)).subarray(from, from + length);
    // What is wrong is read again by the next request: somebody may have mended it.
    if (sha256 !== undefined && sha256Of(bytes) !== sha256) for (let at = first; at <= last; at++) windows.delete(nameOf(part, at));
    return bytes;
  }

  return {
    underWay,
    nameOf: (part) => part,
    read: (part, offset, length, sha256) => (isTable(part) && length > 0 ? readThroughWindows(part, offset, length, sha256) : fetchRange(part, offset, length)),
    // What R2 calls an ETag is that of the content: the same as long as nobody writes another one.
    readIfChanged: (part, knownState) => ask(part, async () => {
      const object = await bucket.get(part, knownState === '' || knownState === 'none' ? {} : { onlyIf: { etagDoesNotMatch: knownState } });
      if (object === null) return knownState === 'none' ? null : { text: null, state: 'none' };
      return object.text && object.etag !== knownState ? { text: await object.text(), state: object.etag } : null;
    }),
    async release(isWanted) {
      for (const name of Array.from(windows.keys())) if (!isWanted(name.slice(0, name.lastIndexOf(' ')))) windows.delete(name);
    },
    async close() {},
    reads: () => reads,
  };
}
