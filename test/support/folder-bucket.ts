import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bucket, BucketObject } from '../../src/remote/bucket.ts';
import type { ReadsUnderWay } from '../../src/table/table.ts';
import { filesBelow } from './files-below.ts';
import { sha256Of } from '../../src/files/bytes.ts';

/** What requests begin to read that come one after the other. */
export function ownReads(): () => ReadsUnderWay {
  const own: ReadsUnderWay = { blocks: new Map(), pieces: new Map() };
  return () => own;
}

/** A bucket whose objects are the files of a folder. */
export function folderBucket(directory: string): Bucket {
  return {
    async list({ prefix }) {
      return {
        objects: filesBelow(directory)
          .filter((key) => key.startsWith(prefix))
          .map((key) => ({ key })),
      };
    },
    async put(key, text) {
      await mkdir(dirname(join(directory, key)), { recursive: true });
      await writeFile(join(directory, key), text);
    },
    delete: (key) => rm(join(directory, key), { force: true }),
    async get(key, { range, onlyIf } = {}): Promise<BucketObject | null> {
      const path = join(directory, key);
      if (range) {
        const file = await open(path).catch(() => null);
        if (!file) return null;
        try {
          const { size } = await file.stat();
          const bytes = Buffer.alloc(Math.max(0, Math.min(range.length, size - range.offset)));
          const { bytesRead } = await file.read(bytes, 0, bytes.length, range.offset);
          return {
            etag: key,
            size,
            arrayBuffer: async () => new Uint8Array(bytes.subarray(0, bytesRead)).buffer,
          };
        } finally {
          await file.close();
        }
      }
      const bytes = await readFile(path).catch(() => null);
      if (bytes === null) return null;
      const etag = sha256Of(bytes);
      return onlyIf?.etagDoesNotMatch === etag
        ? { etag, size: bytes.length }
        : { etag, size: bytes.length, text: async () => bytes.toString() };
    },
  };
}
