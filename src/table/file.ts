import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ChunkCache } from './cache.ts';
import { toChunk, type Chunk } from './chunk.ts';

/** Bytes that are not what the manifest or an index says they are. */
export class CorruptSnapshot extends Error {}

/** A range of a file together with the digest that its bytes must have. */
export interface Extent {
  readonly offset: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file of which ranges are read, each verified whenever it comes from the disk. */
export interface VerifiedFile {
  readonly path: string;
  /** The lines of an extent. Throws `CorruptSnapshot` if its bytes do not have its digest. */
  read(extent: Extent): Promise<Chunk> | Chunk;
  close(): Promise<void>;
}

/** SHA-256 of bytes, in lower-case hexadecimal. */
export function sha256Of(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Opens a file for verified reads. Chunks are shared through the cache under the file's identity. */
export async function openVerifiedFile(path: string, identity: string, cache: ChunkCache): Promise<VerifiedFile> {
  const handle = await open(path, 'r');
  const underWay = new Map<number, Promise<Chunk>>();

  async function fetch(extent: Extent, key: string): Promise<Chunk> {
    const buffer = Buffer.allocUnsafeSlow(extent.bytes);
    const { bytesRead } = await handle.read(buffer, 0, extent.bytes, extent.offset);
    if (bytesRead !== extent.bytes || sha256Of(buffer) !== extent.sha256 || buffer[buffer.length - 1] !== 0x0a) {
      throw new CorruptSnapshot(`${path}: the ${extent.bytes} bytes at ${extent.offset} are not those that its index names`);
    }
    const chunk = toChunk(buffer, extent.sha256);
    cache.set(key, chunk);
    return chunk;
  }

  return {
    path,
    read(extent) {
      const key = `${identity}:${extent.offset}`;
      const known = cache.get(key);
      if (known) return known;
      // Requests that want the same block at the same time share one read.
      const pending = underWay.get(extent.offset) ?? fetch(extent, key).finally(() => underWay.delete(extent.offset));
      underWay.set(extent.offset, pending);
      return pending;
    },
    close: () => handle.close(),
  };
}
