import { createWindowReader, usualWindows } from './windows.ts';
import type { PartStore } from '../snapshot/store.ts';
import type { ReadsUnderWay } from '../table/table.ts';
import { CannotBeHad } from '../files/bytes.ts';

/** What is used of an R2 bucket (https://developers.cloudflare.com/r2/api/workers/workers-api-reference/). */
export interface Bucket {
  get(
    key: string,
    options?: {
      readonly range?: { readonly offset: number; readonly length: number };
      readonly onlyIf?: { readonly etagDoesNotMatch: string };
    },
  ): Promise<BucketObject | null>;
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

/**
 * Opens the snapshots in a bucket. `underWay` gives what the request that runs has begun to read: no other
 * one waits for that.
 */
export function openBucket(bucket: Bucket, underWay: () => ReadsUnderWay): BucketStore {
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

  const fetchRange = (part: string, offset: number, length: number) =>
    ask(part, async () => {
      const object = await bucket.get(part, { range: { offset, length } });
      if (!object?.arrayBuffer) throw new CannotBeHad(`${part}: it is not in the bucket`);
      return Buffer.from(await object.arrayBuffer());
    });

  const reader = createWindowReader(fetchRange, usualWindows, null, () => underWay().pieces);

  return {
    underWay,
    nameOf: (part) => part,
    read: reader.read,
    // What R2 calls an ETag is that of the content: the same as long as nobody writes another one.
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
