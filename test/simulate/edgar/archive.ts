import { crc32 } from 'node:zlib';

/** A file in an archive. */
export interface Member {
  readonly name: string;
  readonly body: Buffer;
}

/** The first bytes of a member, of its entry in the directory, and of the end of the directory (APPNOTE 4.3.7 to 4.3.16). */
const [memberSignature, entrySignature, endSignature] = [0x04034b50, 0x02014b50, 0x06054b50];
/** 1 January 1980, the first day that a zip file can name. */
const firstDay = 0x0021;

/** Makes a zip file of members that are stored as they are: compressed ones depend on the version of Node. */
export function zipOf(members: readonly Member[]): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { name, body } of members) {
    const path = Buffer.from(name, 'latin1');
    const sum = crc32(body);
    // The version that is needed, flags, the method (0: stored), time, day, checksum, and lengths.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(10, 0);
    facts.writeUInt16LE(firstDay, 8);
    facts.writeUInt32LE(sum, 10);
    facts.writeUInt32LE(body.length, 14);
    facts.writeUInt32LE(body.length, 18);
    facts.writeUInt16LE(path.length, 22);
    // Comment, disk and attributes are 0; then comes where the member is.
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    files.push(numberOf(memberSignature), facts, path, body);
    directory.push(numberOf(entrySignature), Buffer.from([10, 0]), facts, place, path);
    offset += 30 + path.length + body.length;
  }
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(directoryBytes, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, ...directory, numberOf(endSignature), end]);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
