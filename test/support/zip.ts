import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

/** One member of a zip file. */
export interface Member {
  readonly name: string;
  readonly body: Buffer;
  /** False for a member that is stored as it is. */
  readonly compress?: boolean;
}

/** 2026-03-02 3:00, as zip files write it. */
const [time, date] = [3 << 11, (46 << 9) | (3 << 5) | 2];
const pieceBytes = 4 * 1024 * 1024;

/**
 * The pieces of a zip file as its members are made (APPNOTE 4.3.7 to 4.3.16). In the long format it may have any number of
 * members, in the short one 65,535; it may have up to 4 GiB.
 */
export function* zipPieces(members: Iterable<Member>, isLong = false): Generator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, body, compress = true } of members) {
    const path = Buffer.from(name);
    const packed = compress ? deflateRawSync(body) : body;
    // What the head of a member and its entry in the directory have in common, from the version that is
    // needed on.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(compress ? 8 : 0, 4);
    common.writeUInt16LE(time, 6);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(path.length, 22);
    const head = Buffer.concat([signature(0x04034b50), common, path]);
    // Comment, disk and attributes are 0; then comes where the member is.
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), common, rest, path]));
    yield head;
    yield packed;
    offset += head.length + packed.length;
  }
  yield* directory;
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  yield isLong
    ? longEnd(directory.length, directoryBytes, offset)
    : shortEnd(directory.length, directoryBytes, offset);
}

function shortEnd(count: number, directoryBytes: number, directoryAt: number): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directoryBytes, 8);
  end.writeUInt32LE(directoryAt, 12);
  return Buffer.concat([signature(0x06054b50), end]);
}

function longEnd(count: number, directoryBytes: number, directoryAt: number): Buffer {
  const long = Buffer.alloc(52);
  long.writeBigUInt64LE(44n, 0);
  long.writeUInt16LE(45, 8);
  long.writeUInt16LE(45, 10);
  for (const [position, value] of [
    [20, count],
    [28, count],
    [36, directoryBytes],
    [44, directoryAt],
  ] as const)
    long.writeBigUInt64LE(BigInt(value), position);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 4);
  locator.writeUInt32LE(1, 12);
  const end = Buffer.alloc(18, 0xff);
  end.fill(0, 0, 4);
  end.fill(0, 16);
  return Buffer.concat([
    signature(0x06064b50),
    long,
    signature(0x07064b50),
    locator,
    signature(0x06054b50),
    end,
  ]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A zip file of some members. */
export const zipOf = (members: Iterable<Member>, isLong = false): Buffer =>
  Buffer.concat([...zipPieces(members, isLong)]);

/** Writes a long zip file of any number of members, which are never all in memory. */
export function writeLargeZip(path: string, members: Iterable<Member>): void {
  const file = openSync(path, 'w');
  let [pieces, held]: [Buffer[], number] = [[], 0];
  function flush(): void {
    const bytes = Buffer.concat(pieces);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    [pieces, held] = [[], 0];
  }
  for (const piece of zipPieces(members, true)) {
    pieces.push(piece);
    held += piece.length;
    if (held >= pieceBytes) flush();
  }
  flush();
  closeSync(file);
}
