import { crc32 } from 'node:zlib';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { clean } from '../sources/source-text.ts';

/** A line of a member of a zip file, or the end of the member. */
export interface MemberLine {
  /** Name of the member, without folders. */
  readonly member: string;
  readonly line: string;
}

/** Bounds of a zip file of lines: of all members together, and of a line, in bytes. */
export interface LineBounds {
  readonly bytes: number;
  readonly lineBytes: number;
}

/**
 * Reads the lines of the wanted members of a zip file, one member after the other, as UTF-8 without their ends. Memory
 * holds a piece of the file, and a line. Throws an `Error` that tells the reason if the file is no zip file, is cut
 * off, has more bytes than allowed, or a wrong check sum.
 */
export async function* linesOfZip(
  path: string,
  isWanted: (member: string) => boolean,
  bounds: LineBounds,
): AsyncGenerator<MemberLine> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  let left = bounds.bytes;
  try {
    for await (const entry of zip.eachEntry()) {
      const member = entry.fileName.slice(entry.fileName.lastIndexOf('/') + 1);
      if (!isWanted(member)) continue;
      left -= entry.uncompressedSize;
      if (left < 0) throw new Error(`its members have more than ${bounds.bytes} bytes`);
      for await (const line of linesOfMember(zip, entry, bounds.lineBytes)) yield { member, line };
    }
  } finally {
    zip.close();
  }
}

async function* linesOfMember(zip: ZipFile, entry: Entry, lineBytes: number): AsyncGenerator<string> {
  const name = clean(entry.fileName.slice(0, 100));
  let rest = Buffer.alloc(0);
  let sum = 0;
  // The stream refuses a member that is longer or shorter than its entry says.
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    sum = crc32(piece as Buffer, sum);
    const bytes = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer]);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
      yield textOfLine(bytes, from, end);
      from = end + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
    if (rest.length > lineBytes) throw new Error(`${name} has a line of more than ${lineBytes} bytes`);
  }
  if (rest.length > 0) yield textOfLine(rest, 0, rest.length);
  if (sum !== entry.crc32) throw new Error(`the checksum of ${name} is wrong`);
}

const carriageReturn = 0x0d;

function textOfLine(bytes: Buffer, from: number, end: number): string {
  return bytes.toString('utf8', from, end > from && bytes[end - 1] === carriageReturn ? end - 1 : end);
}
