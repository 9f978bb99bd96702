import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import type { Member } from './archive.ts';

/** 2026-03-02 3:00, as zip files write it. */
const [time, date] = [3 << 11, (46 << 9) | (3 << 5) | 2];
const pieceBytes = 4 * 1024 * 1024;

/**
 * Writes a zip file of any number of members in the long format, as they are made: the package that writes
 * small ones takes a time that grows with the square of their number. The file may have up to 4 GiB.
 */
export function writeLargeZip(path: string, members: Iterable<Member>): void {
  const file = openSync(path, 'w');
  let [offset, count, held] = [0, 0, 0];
  let pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  function write(...parts: Buffer[]): void {
    pieces.push(...parts);
    for (const part of parts) held += part.length;
    if (held >= pieceBytes) flush();
  }
  function flush(): void {
    const bytes = Buffer.concat(pieces);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    [offset, pieces, held] = [offset + bytes.length, [], 0];
  }

  for (const { name, body } of members) {
    const packed = deflateRawSync(body);
    const at = offset + held;
    // What the head of a member and its entry in the directory have in common, from the version that is
    // needed on.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(time, 6);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(name.length, 22);
    write(signature(0x04034b50), common, Buffer.from(name), packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(
      Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), common, rest, Buffer.from(name)]),
    );
    count++;
  }
  flush();
  const directoryAt = offset;
  for (const entry of directory) write(entry);
  flush();
  const [endAt, directoryBytes] = [offset, offset - directoryAt];
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
  locator.writeBigUInt64LE(BigInt(endAt), 4);
  locator.writeUInt32LE(1, 12);
  const end = Buffer.alloc(18, 0xff);
  end.fill(0, 0, 4);
  end.fill(0, 16);
  write(signature(0x06064b50), long, signature(0x07064b50), locator, signature(0x06054b50), end);
  flush();
  closeSync(file);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
