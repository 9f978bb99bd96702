import { open, type FileHandle } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { memberHeadBytes, readDirectory, type Directory, type ZipNames } from './zip-directory.ts';

/** A zip file whose directory was read and is consistent. A member takes 37 bytes of memory. */
export interface ZipReader {
  /** The key of each member, ascending. */
  readonly keys: Float64Array;
  /** Unexpected names. */
  readonly unexpectedNames: readonly string[];
  /**
   * Reads the bytes of a member, by its position in `keys`. Throws an `Error` that tells the reason if the
   * member is broken or longer than allowed. Reading members in the order of `keys` is fastest.
   */
  read(at: number, bytesMaximum: number): Promise<Buffer>;
  close(): Promise<void>;
}

const memberSignature = 0x04034b50;
const windowBytes = 4 * 1024 * 1024;
/** Number of members that are checked when the file is opened: whether they are where the directory says. */
const samples = 101;

/**
 * Opens a zip file. Throws an `Error` that tells the reason if it is not a zip file, was cut off, or has a
 * wrong directory.
 */
export async function openZip(path: string, names: ZipNames): Promise<ZipReader> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const directory = await readDirectory(path, size, names);
    await checkSamples(handle, directory, names);
    const windows = createWindows(handle);
    return {
      keys: directory.keys,
      unexpectedNames: directory.unexpectedNames,
      read: (at, bytesMaximum) => readMember(windows, directory, names, at, bytesMaximum),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws if most of the checked members are not where the directory says. A single member may be broken. */
async function checkSamples(handle: FileHandle, directory: Directory, names: ZipNames): Promise<void> {
  const count = Math.min(samples, directory.keys.length);
  let wrong = 0;
  for (let sample = 0; sample < count; sample++) {
    const at = Math.floor((sample * directory.keys.length) / count);
    const name = names.nameOf(directory.keys[at] as number);
    const head = Buffer.alloc(memberHeadBytes + name.length);
    await handle.read(head, 0, head.length, directory.offsets[at]);
    if (!isHeadOf(head, name)) wrong++;
  }
  if (wrong * 2 > count)
    throw new Error(`its directory is wrong: ${wrong} of ${count} members are not where it says`);
}

function isHeadOf(head: Buffer, name: string): boolean {
  return (
    head.readUInt32LE(0) === memberSignature &&
    head.readUInt16LE(26) === name.length &&
    head.toString('latin1', memberHeadBytes, memberHeadBytes + name.length) === name
  );
}

/** Returns bytes of the file from an offset on; fewer at its end. They are valid until the next call. */
type Windows = (offset: number, length: number) => Promise<Buffer>;

/** Reads neighbouring members together in one long read; any other member in a read of its own. */
function createWindows(handle: FileHandle): Windows {
  let window = Buffer.alloc(0);
  let windowAt = 0;
  return async (offset, length) => {
    if (offset < windowAt || offset + length > windowAt + window.length) {
      const isNext = offset >= windowAt && offset <= windowAt + window.length;
      const bytes = Buffer.allocUnsafe(isNext ? Math.max(length, windowBytes) : length);
      window = bytes.subarray(0, (await handle.read(bytes, 0, bytes.length, offset)).bytesRead);
      windowAt = offset;
    }
    return window.subarray(offset - windowAt, offset - windowAt + length);
  };
}

async function readMember(
  windows: Windows,
  directory: Directory,
  names: ZipNames,
  at: number,
  bytesMaximum: number,
): Promise<Buffer> {
  const name = names.nameOf(directory.keys[at] as number);
  const [offset, packedBytes, sizeBytes, method] = [
    directory.offsets[at] as number,
    directory.packedBytes[at] as number,
    directory.sizeBytes[at] as number,
    directory.methods[at],
  ];
  if (method === 255) throw new Error('it is encrypted, or packed in a way that is not known');
  if (Math.max(sizeBytes, packedBytes) > bytesMaximum)
    throw new Error(`it has ${sizeBytes} bytes, ${packedBytes} packed; the most is ${bytesMaximum}`);
  const headBytes = memberHeadBytes + name.length;
  const head = await windows(offset, headBytes + packedBytes);
  if (head.length < headBytes || !isHeadOf(head, name)) throw new Error('it is not where the directory says');
  const extraBytes = head.readUInt16LE(28);
  const whole = extraBytes === 0 ? head : await windows(offset, headBytes + extraBytes + packedBytes);
  const packed = whole.subarray(headBytes + extraBytes);
  if (packed.length < packedBytes) throw new Error('the file ends before it');
  // The buffer is one byte longer than the member, so that zlib does not allocate a second one.
  const bytes =
    method === 0
      ? packed
      : inflateRawSync(packed, {
          maxOutputLength: Math.max(1, sizeBytes),
          chunkSize: Math.max(64, sizeBytes + 1),
        });
  if (bytes.length !== sizeBytes)
    throw new Error(`it has ${bytes.length} bytes, not the ${sizeBytes} that the directory says`);
  if (crc32(bytes) !== directory.sums[at]) throw new Error('its checksum is wrong');
  return bytes;
}
