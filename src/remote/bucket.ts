import { createWindowReader, usualWindows } from './windows.ts';
import type { PartStore } from '../snapshot/store.ts';
import type { ReadsUnderWay } from '../table/table.ts';
import { Unavailable } from '../files/bytes.ts';
import type { SmallFiles } from '../files/small-files.ts';

/**
 * The part of the R2 bucket API that is used here
 * (https://developers.cloudflare.com/r2/api/workers/workers-api-reference/).
 */
export interface Bucket {
  get(
    key: string,
    options?: {
      readonly range?: { readonly offset: number; readonly length: number };
      readonly onlyIf?: { readonly etagDoesNotMatch: string };
    },
  ): Promise<BucketObject | null>;
  /** The objects whose keys begin with a text, at most 1,000. */
  list(options: {
    readonly prefix: string;
  }): Promise<{ readonly objects: readonly { readonly key: string }[] }>;
  put(key: string, text: string): Promise<unknown>;
  delete(key: string): Promise<void>;
}

/** An object of a bucket. It has no body if a condition was not met. */
export interface BucketObject {
  readonly etag: string;
  readonly size: number;
  arrayBuffer?(): Promise<ArrayBuffer>;
  text?(): Promise<string>;
}

/**
 * The small files below a folder of a bucket. What was written is seen by everybody at once
 * (https://developers.cloudflare.com/r2/reference/consistency/).
 */
export function smallFilesInBucket(bucket: Bucket, folder: string): SmallFiles {
  const prefix = `${folder}/`;
  return {
    nameOf: (name) => prefix + name,
    names: async () => (await bucket.list({ prefix })).objects.map(({ key }) => key.slice(prefix.length)),
    read: async (name) => (await (await bucket.get(prefix + name))?.text?.()) ?? null,
    write: async (name, text) => void (await bucket.put(prefix + name, text)),
    remove: (name) => bucket.delete(prefix + name),
  };
}

/** A bucket that holds the files of a snapshots folder under their paths. */
export interface BucketStore extends PartStore {
  /** How often the bucket was asked for a part or a file. */
  readonly reads: () => number;
}

/**
 * Opens the snapshots in a bucket. `underWay` returns the reads that the current request has begun; no other
 * request waits for them.
 */
export function openBucket(bucket: Bucket, underWay: () => ReadsUnderWay): BucketStore {
  let reads = 0;

  async function ask<Result>(part: string, work: () => Promise<Result>): Promise<Result> {
    reads++;
    try {
      return await work();
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      throw new Unavailable(`${part}: ${(error as Error).message}`, { cause: error });
    }
  }

  const fetchRange = (part: string, offset: number, length: number) =>
    ask(part, async () => {
      const object = await bucket.get(part, { range: { offset, length } });
      if (!object?.arrayBuffer) throw new Unavailable(`${part}: it is not in the bucket`);
      return Buffer.from(await object.arrayBuffer());
    });

  const reader = createWindowReader(fetchRange, usualWindows, null, () => underWay().pieces);

  return {
    underWay,
    nameOf: (part) => part,
    read: reader.read,
    // The ETag of R2 is made from the content: it stays the same until other content is written.
    readIfChanged: (part, knownState) =>
      ask(part, async () => {
        const object = await bucket.get(
          part,
          knownState === '' || knownState === 'none' ? {} : { onlyIf: { etagDoesNotMatch: knownState } },
        );
        if (object === null) return knownState === 'none' ? null : { text: null, state: 'none' };
        return object.text && object.etag !== knownState
          ? { text: await object.text(), state: object.etag }
          : null;
      }),
    async release(isWanted) {
      reader.release(isWanted);
    },
    async close() {},
    reads: () => reads,
  };
}
