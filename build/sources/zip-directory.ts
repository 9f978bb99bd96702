import { closeSync, openSync, readSync } from 'node:fs';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { clean } from './source-text.ts';

/**
 * Converts member names to numbers and back. Names are not kept: a million of them would not fit into memory
 * beside the rest.
 */
export interface ZipNames {
  /** A number from 0 to 2^53, by which members are sorted; null if the name is not expected. */
  keyOf(name: string): number | null;
  nameOf(key: number): string;
}

/** Length of a member's local header without its name, in bytes. */
export const memberHeadBytes = 30;

const [endSignature, longEndSignature] = [0x06054b50, 0x06064b50];
const [entryBytes, endBytes] = [46, 22];
const windowBytes = 1024 * 1024;
/** With more unexpected names than this, the file is not the expected archive. */
const unexpectedMaximum = 1000;

/** Reads the directory in a few long pieces. An entry has 90 bytes: one read for each would take a minute. */
class DirectoryReader extends RandomAccessReader {
  readonly #file: number;
  #window = Buffer.alloc(0);
  #windowAt = 0;

  constructor(file: number) {
    super();
    this.#file = file;
  }

  bytes(position: number, length: number): Buffer {
    if (position < this.#windowAt || position + length > this.#windowAt + this.#window.length) {
      const window = Buffer.allocUnsafe(Math.max(length, windowBytes));
      this.#window = window.subarray(0, readSync(this.#file, window, 0, window.length, position));
      this.#windowAt = position;
    }
    return this.#window.subarray(position - this.#windowAt, position - this.#windowAt + length);
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const bytes = this.bytes(position, length);
    bytes.copy(buffer, offset);
    callback(bytes.length === length ? null : new Error('the directory ends before its last entry'));
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }
}

/**
 * The directory of a zip file: a column for each fact about the members with expected names, sorted by key.
 */
export interface Directory {
  readonly keys: Float64Array;
  readonly offsets: Float64Array;
  readonly packedBytes: Float64Array;
  readonly sizeBytes: Float64Array;
  readonly sums: Uint32Array;
  /** 0 stored, 8 deflated, 255 anything else. */
  readonly methods: Uint8Array;
  /** Unexpected names. */
  readonly unexpectedNames: string[];
}

/** Reads the directory of a zip file. Throws an `Error` that says why the directory cannot be right. */
export async function readDirectory(path: string, fileBytes: number, names: ZipNames): Promise<Directory> {
  if (fileBytes < endBytes) throw new Error('it is not a zip file');
  const file = openSync(path, 'r');
  try {
    const reader = new DirectoryReader(file);
    const zip = await fromRandomAccessReaderPromise(reader, fileBytes, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: false,
    });
    if (zip.entryCount > fileBytes / (memberHeadBytes + entryBytes))
      throw new Error(`its directory has ${zip.entryCount} entries, more than fit into ${fileBytes} bytes`);
    return sortDirectory(collectEntries(zip, reader, names), names);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the entries in the order of the directory. `DirectoryReader` answers synchronously, so each call of
 * `readEntry` emits one entry before it returns.
 */
function collectEntries(zip: ZipFile, reader: DirectoryReader, names: ZipNames): Directory {
  const count = zip.entryCount;
  const directory: Directory = {
    keys: new Float64Array(count),
    offsets: new Float64Array(count),
    packedBytes: new Float64Array(count),
    sizeBytes: new Float64Array(count),
    sums: new Uint32Array(count),
    methods: new Uint8Array(count),
    unexpectedNames: [],
  };
  // The type of `readEntryCursor` in the package is wrong: it is the position of the next entry.
  const directoryAt = zip.readEntryCursor as unknown as number;
  let failure: Error | null = null;
  let nextAt = directoryAt;
  let known = 0;
  zip.on('error', (error: Error) => void (failure = error));
  zip.on('entry', (entry: Entry) => {
    nextAt += entryBytes + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    const from = entry.relativeOffsetOfLocalHeader;
    const to = from + memberHeadBytes + entry.fileNameLength + entry.compressedSize;
    if (to > directoryAt)
      failure = new Error(`its directory says that a member ends at ${to}, after the directory begins`);
    const name = entry.fileNameRaw.toString('latin1');
    const key = names.keyOf(name);
    if (key === null) directory.unexpectedNames.push(clean(name.slice(0, 100)));
    else {
      directory.keys[known] = key;
      directory.offsets[known] = from;
      directory.packedBytes[known] = entry.compressedSize;
      directory.sizeBytes[known] = entry.uncompressedSize;
      directory.sums[known] = entry.crc32;
      directory.methods[known] =
        entry.generalPurposeBitFlag & 1 || (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
          ? 255
          : entry.compressionMethod;
      known++;
    }
    if (directory.unexpectedNames.length > unexpectedMaximum)
      failure = new Error(
        `it is another archive: ${directory.unexpectedNames.length} members have names like ${JSON.stringify(directory.unexpectedNames[0])}`,
      );
  });
  for (let read = 0; read < count && failure === null; read++) zip.readEntry();
  if (failure !== null) throw failure;
  const after = reader.bytes(nextAt, 4);
  if (after.length < 4 || ![endSignature, longEndSignature].includes(after.readUInt32LE(0)))
    throw new Error(`its directory does not end after ${count} entries, as it says`);
  return eachColumn(directory, (column) => column.subarray(0, known) as typeof column);
}

/** Returns a directory with what `of` makes of each column. */
function eachColumn(
  { unexpectedNames, keys, offsets, packedBytes, sizeBytes, sums, methods }: Directory,
  of: <Column extends Float64Array | Uint32Array | Uint8Array>(column: Column) => Column,
): Directory {
  return {
    unexpectedNames,
    keys: of(keys),
    offsets: of(offsets),
    packedBytes: of(packedBytes),
    sizeBytes: of(sizeBytes),
    sums: of(sums),
    methods: of(methods),
  };
}

/** Sorts a directory by key. Throws if two members have the same name or overlap. */
function sortDirectory(directory: Directory, names: ZipNames): Directory {
  const { keys, offsets, packedBytes } = directory;
  const byOffset = orderOf(offsets);
  for (let at = 1; at < byOffset.length; at++) {
    const [before, here] = [byOffset[at - 1] as number, byOffset[at] as number];
    if (
      (offsets[before] as number) + memberHeadBytes + (packedBytes[before] as number) >
      (offsets[here] as number)
    ) {
      throw new Error(
        `its directory says that ${names.nameOf(keys[before] as number)} and ${names.nameOf(keys[here] as number)} overlap`,
      );
    }
  }
  const order = orderOf(keys);
  const sorted = eachColumn(
    directory,
    (column) => column.map((_, at) => column[order[at] as number] as number) as typeof column,
  );
  for (let at = 1; at < sorted.keys.length; at++)
    if (sorted.keys[at] === sorted.keys[at - 1])
      throw new Error(`its directory has ${names.nameOf(sorted.keys[at] as number)} twice`);
  return sorted;
}

/** Returns the positions of a column's values in ascending order of the values. */
function orderOf(values: Float64Array): Uint32Array {
  const order = Uint32Array.from(values, (_, at) => at);
  const isSorted = values.every((value, at) => at === 0 || (values[at - 1] as number) <= value);
  return isSorted ? order : order.sort((a, b) => (values[a] as number) - (values[b] as number));
}
