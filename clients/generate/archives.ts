import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A file of an archive. */
export interface Entry {
  /** Its path in the archive. */
  readonly name: string;
  readonly bytes: Buffer;
  /** Whether it is a program. */
  readonly isExecutable?: boolean;
}

// Archives are not compressed: releases of zlib differ in how they do that. So an archive has the same bytes on every
// machine, and the digests in lock files of customers stay right.
const storedBytesMaximum = 65_535;

/** Makes an archive as `npm pack` does: a tar in gzip, all of whose files are below `package/`. */
export function npmArchive(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, bytes, isExecutable }) => [
    tarHeader(`package/${name}`, bytes.length, isExecutable === true),
    bytes,
    Buffer.alloc(-bytes.length & 511),
  ]);
  return gzipStored(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** The time of npm's own archives, 26 October 1985: a tar with the time zero is refused by some programs. */
const tarSeconds = 499_162_500;

function tarHeader(name: string, length: number, isExecutable: boolean): Buffer {
  if (name.length > 100) throw new Error(`${name} is too long for the archive`);
  const header = Buffer.alloc(512);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(name, 0);
  header.write(octal(isExecutable ? 0o755 : 0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(length, 11), 124);
  header.write(octal(tarSeconds, 11), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${octal(sum, 6)}\u0000 `, 148);
  return header;
}

/** The bytes in gzip (RFC 1952), in blocks that are stored. */
function gzipStored(bytes: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])];
  for (let at = 0; at < bytes.length; at += storedBytesMaximum) {
    const block = bytes.subarray(at, at + storedBytesMaximum);
    const head = Buffer.alloc(5);
    head[0] = at + storedBytesMaximum >= bytes.length ? 1 : 0;
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(0xffff - block.length, 3);
    parts.push(head, block);
  }
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(bytes), 0);
  tail.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([...parts, tail]);
}

/** Makes a ZIP whose files are stored. A wheel is one. */
export function zipArchive(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name);
    // What both headers of a file have: version 2.0, names in UTF-8, stored, 1 January 2026.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(((2026 - 1980) << 9) | (1 << 5) | 1, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    files.push(Buffer.from('PK\u0003\u0004'), common, path, bytes);
    const rest = Buffer.alloc(14);
    // A file of Unix, mode 0644.
    rest.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), common, rest, path);
    offset += 30 + path.length + bytes.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, listed, Buffer.from('PK\u0005\u0006'), end]);
}

/** The SHA-256 of bytes. */
export const sha256Of = (bytes: Buffer, encoding: 'hex' | 'base64url' = 'hex'): string =>
  createHash('sha256').update(bytes).digest(encoding);
