import * as real from 'node:zlib';

/**
 * `node:zlib` without compression: gzip members with stored blocks, which any gunzip reads. The lengths of compressed
 * bytes depend on the version of Node, and so would digests and names; and compressing takes most of a publication.
 */
export function zlibModule(later: <Result>(call: () => Result) => Promise<Result>) {
  const called =
    (work: (bytes: Uint8Array) => Buffer) =>
    (bytes: Uint8Array | string, ...rest: unknown[]) => {
      const callback = rest.at(-1) as (error: Error | null, value?: Buffer) => void;
      later(() => work(bytesOf(bytes))).then(
        (value) => callback(null, value),
        (error: Error) => callback(error),
      );
    };
  return {
    ...real,
    gzipSync: (bytes: Uint8Array | string) => stored(bytesOf(bytes)),
    gunzipSync: (bytes: Uint8Array, options?: { readonly info?: boolean }) =>
      options?.info === true
        ? { buffer: unstored(bytes), engine: { bytesWritten: bytes.length } }
        : unstored(bytes),
    gzip: called(stored),
    gunzip: called(unstored),
    brotliCompressSync: (bytes: Uint8Array | string) => Buffer.concat([mark, bytesOf(bytes)]),
    brotliDecompressSync(bytes: Uint8Array) {
      if (!mark.equals(bytes.subarray(0, mark.length))) throw new Error('it is not compressed by Brotli');
      return Buffer.from(bytes.subarray(mark.length));
    },
  };
}

const bytesOf = (content: Uint8Array | string) =>
  typeof content === 'string' ? Buffer.from(content) : content;

/** What begins the bytes that stand for Brotli. */
const mark = Buffer.from('brotli:');
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** The longest stored block of deflate. */
const blockMaximum = 0xffff;

function stored(bytes: Uint8Array): Buffer {
  const blocks = Math.max(1, Math.ceil(bytes.length / blockMaximum));
  const out = Buffer.allocUnsafe(header.length + bytes.length + 5 * blocks + 8);
  header.copy(out);
  let at = header.length;
  for (let block = 0; block < blocks; block++) {
    const part = bytes.subarray(block * blockMaximum, (block + 1) * blockMaximum);
    out[at] = block === blocks - 1 ? 1 : 0;
    out.writeUInt16LE(part.length, at + 1);
    out.writeUInt16LE(part.length ^ 0xffff, at + 3);
    out.set(part, at + 5);
    at += 5 + part.length;
  }
  out.writeUInt32LE(real.crc32(bytes), at);
  out.writeUInt32LE(bytes.length >>> 0, at + 4);
  return out;
}

/** Reads one member or several. */
function unstored(bytes: Uint8Array): Buffer {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: Buffer[] = [];
  for (let at = 0; at < input.length; ) {
    if (!header.equals(input.subarray(at, at + header.length))) throw failure('incorrect header check');
    at += header.length;
    const member: Buffer[] = [];
    for (let isLast = false; !isLast; ) {
      if (at + 5 > input.length) throw failure('unexpected end of file');
      isLast = input[at] === 1;
      const length = input.readUInt16LE(at + 1);
      if (input.readUInt16LE(at + 3) !== (length ^ 0xffff)) throw failure('invalid stored block lengths');
      if (at + 5 + length > input.length) throw failure('unexpected end of file');
      member.push(input.subarray(at + 5, at + 5 + length));
      at += 5 + length;
    }
    // A copy: callers use the buffer that they gave again.
    const content = Buffer.concat(member);
    if (at + 8 > input.length) throw failure('unexpected end of file');
    if (input.readUInt32LE(at) !== real.crc32(content)) throw failure('incorrect data check');
    parts.push(content);
    at += 8;
  }
  if (parts.length === 0) throw failure('unexpected end of file');
  return Buffer.concat(parts);
}

const failure = (text: string) => Object.assign(new Error(text), { code: 'Z_DATA_ERROR' });
