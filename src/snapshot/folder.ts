import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, read, readSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { FileReference } from '../format/snapshot.ts';
import { readIfChanged } from '../files/local.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import type { PartStore } from './store.ts';

/** A snapshots folder: reads its parts, and can check whole files. */
export interface PartFolder extends PartStore {
  readonly directory: string;
  /**
   * Reads a whole part and compares its length and SHA-256. Throws `CorruptSnapshot`, which names the file.
   */
  check(part: string, expected: FileReference): Promise<void>;
}

/** Ranges up to this length, in bytes, are read into memory that is used again: stored blocks are mostly shorter. */
const roomBytes = 128 * 1024;
/** How many files are open at the same time: several processes share the limit of the system. */
const openFilesMaximum = 128;
/**
 * Files longer than this, in bytes, are hashed in a worker thread: SHA-256 takes half a millisecond for each
 * MiB.
 */
const hashedHereMaximum = 4 * 1024 * 1024;

const outOfDescriptors: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

interface OpenFile {
  readonly descriptor: number;
  /** Reads under way. */
  readers: number;
}

/**
 * Opens a snapshots folder. A file is opened when it is first read. When too many are open, the file that was
 * not used for longest is closed.
 */
export function openPartFolder(directory: string): PartFolder {
  const files = new LRUCache<string, OpenFile>({
    max: openFilesMaximum,
    // A file that is being read is closed by its last reader.
    dispose: ({ readers, descriptor }) => void (readers === 0 && closeSync(descriptor)),
  });
  const room = Buffer.allocUnsafeSlow(roomBytes);

  /** Opens a part. If the system has no file descriptor left, closes one of this folder's idle files and tries again. */
  function openPart(part: string): OpenFile {
    const known = files.get(part);
    if (known) return known;
    try {
      const file = { descriptor: openSync(join(directory, part), 'r'), readers: 0 };
      files.set(part, file);
      return file;
    } catch (error) {
      const idle = Array.from(files.rkeys()).find((each) => files.peek(each)?.readers === 0);
      if (!outOfDescriptors.has((error as NodeJS.ErrnoException).code ?? '') || idle === undefined)
        throw error;
      files.delete(idle);
      return openPart(part);
    }
  }

  const unreadable = (part: string, error: unknown) =>
    new CorruptSnapshot(`${join(directory, part)}: ${(error as Error).message}`, { cause: error });

  return {
    directory,
    nameOf: (part) => join(directory, part),
    readIfChanged: (part, knownState) => readIfChanged(join(directory, part), knownState),
    async read(part, offset, length) {
      let file: OpenFile | null = null;
      try {
        file = openPart(part);
        file.readers++;
        const size = length > openEndedBytes ? fstatSync(file.descriptor).size - offset : length;
        return await readBytes(file.descriptor, offset, Math.max(0, Math.min(length, size)));
      } catch (error) {
        throw unreadable(part, error);
      } finally {
        if (file && --file.readers === 0 && files.peek(part) !== file) closeSync(file.descriptor);
      }
    },
    async check(part, expected) {
      const path = join(directory, part);
      const found = await (expected.bytes > hashedHereMaximum ? hashInThread(path) : hashHere(path)).catch(
        (error: Error) => {
          throw new CorruptSnapshot(`${path}: ${error.message}`, { cause: error });
        },
      );
      if (found.bytes !== expected.bytes)
        throw new CorruptSnapshot(`${path} is ${found.bytes} bytes long, not ${expected.bytes}`);
      if (found.sha256 !== expected.sha256)
        throw new CorruptSnapshot(`${path} does not have the expected SHA-256`);
    },
    readNow(part, offset, length) {
      const into = length > room.length ? Buffer.allocUnsafeSlow(length) : room;
      try {
        return into.subarray(0, readSync(openPart(part).descriptor, into, 0, length, offset));
      } catch (error) {
        throw unreadable(part, error);
      }
    },
    async release(isWanted) {
      for (const part of Array.from(files.keys())) if (!isWanted(part)) files.delete(part);
    },
    async close() {
      files.clear();
    },
  };
}

/** Opens a snapshots folder for a piece of work and closes it afterwards. */
export async function withPartFolder<Result>(
  directory: string,
  work: (folder: PartFolder) => Promise<Result>,
): Promise<Result> {
  const folder = openPartFolder(directory);
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/**
 * Reads a range; fewer bytes if the file is shorter. The callback API takes half the time of the promise API.
 */
function readBytes(descriptor: number, offset: number, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const room = Buffer.allocUnsafeSlow(length);
    read(descriptor, room, 0, length, offset, (error, bytesRead) => {
      if (error) reject(error);
      else resolve(bytesRead === length ? room : room.subarray(0, bytesRead));
    });
  });
}

/** A reader that asks for more than this, in bytes, does not know the length of the part. */
const openEndedBytes = 4 * 1024 * 1024;

async function hashHere(path: string): Promise<FileReference> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    hash.update(piece);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Plain JavaScript: to load the TypeScript compiler in the thread would take longer than most files. */
const hashingThread = `
const { createHash } = require('node:crypto');
const { closeSync, openSync, readSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const descriptor = openSync(workerData, 'r');
const piece = Buffer.allocUnsafe(1024 * 1024);
const hash = createHash('sha256');
let bytes = 0;
for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
  bytes += read;
  hash.update(piece.subarray(0, read));
}
closeSync(descriptor);
parentPort.postMessage({ bytes, sha256: hash.digest('hex') });
`;

function hashInThread(path: string): Promise<FileReference> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(hashingThread, { eval: true, execArgv: [], workerData: path });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
