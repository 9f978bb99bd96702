import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { NetworkAnswer, NetworkRequest } from '../network.ts';

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

/** An archive, and when it was made, in milliseconds since 1970. */
export interface Archive {
  readonly madeMs: number;
  readonly body: Buffer;
}

/** Answers with an archive: with its rest if the client has the beginning of this version, and 304 if it has all. */
export function answerWithArchive(
  { madeMs, body }: Archive,
  headers: NetworkRequest['headers'],
): NetworkAnswer {
  const etag = `"${createHash('sha1').update(body).digest('hex').slice(0, 16)}"`;
  const version = { etag, 'last-modified': new Date(madeMs).toUTCString() };
  if (headers['if-none-match'] === etag) return { status: 304, headers: version, body: Buffer.alloc(0) };
  const asked = headers['if-range'] === etag ? /^bytes=(\d+)-$/.exec(headers['range'] ?? '')?.[1] : undefined;
  const from = Number(asked ?? 0);
  const length = { 'content-length': String(body.length - from) };
  if (asked === undefined) return { status: 200, headers: { ...version, ...length }, body };
  const range = { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` };
  return { status: 206, headers: { ...version, ...length, ...range }, body: body.subarray(from) };
}
