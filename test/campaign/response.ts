import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** An answer as it came. */
export interface Answered {
  readonly status: number;
  /** In lower case, in the order in which they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body without the marks of its chunks. */
  readonly body: Buffer;
}

/** What a server sent that is no HTTP. */
export class MalformedAnswer extends Error {}

/** The value of a header; undefined if it did not come. */
export function headerOf({ headers }: Answered, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

const headBytesMaximum = 64 * 1024;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) ([\t\x20-\x7e]*)$/;

/**
 * Reads the first answer of some bytes as strictly as RFC 9112 allows. Null if it is not there as a whole.
 * Throws `MalformedAnswer`. A body always has a length here: one that ends with its connection cannot be told
 * from a broken one. A stream of events has no end, so it counts as there with its head, and `isStream` is true.
 */
export function readAnswer(
  bytes: Buffer,
  method: string,
): { answer: Answered; length: number; isStream?: boolean } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) {
    const start = bytes.subarray(0, 9).toString('latin1');
    if (bytes.length > headBytesMaximum || !'HTTP/1.1 '.startsWith(start))
      throw new MalformedAnswer(`no head of an answer: ${quoted(bytes)}`);
    return null;
  }
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(statusLine.exec(first)?.[1]);
  if (!status) throw new MalformedAnswer(`no status line: ${JSON.stringify(first.slice(0, 200))}`);
  const headers = lines.map(readHeader);
  const bodyAt = end + 4;
  const values = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value);
  const [lengths, codings] = [values('content-length'), values('transfer-encoding')];
  if (lengths.length + codings.length > 1)
    throw new MalformedAnswer(`several lengths: ${[...lengths, ...codings].join(', ')}`);
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') {
    if (status !== 304 && method !== 'HEAD' && (codings.length > 0 || (lengths[0] ?? '0') !== '0'))
      throw new MalformedAnswer(`${status} with a length`);
    return { answer: { status, headers, body: Buffer.alloc(0) }, length: bodyAt };
  }
  if (codings.length === 1) {
    if (codings[0] !== 'chunked') throw new MalformedAnswer(`Transfer-Encoding: ${codings[0]}`);
    const { pieces, end: bodyEnd, isWhole } = readChunks(bytes, bodyAt);
    const isStream = !isWhole && values('content-type').some((type) => type.startsWith('text/event-stream'));
    if (!isWhole && !isStream) return null;
    const answer = { status, headers, body: Buffer.concat(pieces) };
    return { answer, length: isStream ? bytes.length : bodyEnd, isStream };
  }
  if (lengths[0] === undefined || !/^\d{1,12}$/.test(lengths[0]))
    throw new MalformedAnswer(`an answer has a length: ${status} ${quoted(bytes)}`);
  const length = bodyAt + Number(lengths[0]);
  return bytes.length < length
    ? null
    : { answer: { status, headers, body: bytes.subarray(bodyAt, length) }, length };
}

function readHeader(line: string): [string, string] {
  const at = line.indexOf(':');
  const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()];
  if (at < 1 || !token.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new MalformedAnswer(`no header: ${JSON.stringify(line.slice(0, 200))}`);
  return [name.toLowerCase(), value];
}

/** The chunks that are there as a whole; `isWhole` if the last one is among them. */
function readChunks(bytes: Buffer, from: number): { pieces: Buffer[]; end: number; isWhole: boolean } {
  const pieces: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return { pieces, end: at, isWhole: false };
    const size = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(size))
      throw new MalformedAnswer(`no size of a chunk: ${JSON.stringify(size.slice(0, 100))}`);
    const [start, length] = [lineEnd + 2, Number.parseInt(size, 16)];
    if (bytes.length < start + length + 2) return { pieces, end: at, isWhole: false };
    if (bytes.toString('latin1', start + length, start + length + 2) !== '\r\n')
      throw new MalformedAnswer('a chunk does not end where it says');
    if (length === 0) return { pieces, end: start + 2, isWhole: true };
    pieces.push(bytes.subarray(start, start + length));
    at = start + length + 2;
  }
}

/** The beginning of some bytes, as a text that shows each of them. */
export function quoted(bytes: Buffer, charactersMaximum = 200): string {
  const text = JSON.stringify(bytes.toString('latin1', 0, charactersMaximum));
  return bytes.length > charactersMaximum ? `${text}… (${bytes.length} bytes)` : text;
}

/** The same of a text. */
export function quotedText(text: string | undefined): string {
  return quoted(Buffer.from(text ?? 'nothing'));
}

/** The body of an answer without its compression; null if it cannot be taken away. */
export function bodyOf(answer: Answered): Buffer | null {
  const encoding = headerOf(answer, 'content-encoding');
  try {
    if (encoding === 'br') return brotliDecompressSync(answer.body);
    return encoding === 'gzip' ? gunzipSync(answer.body) : answer.body;
  } catch {
    return null;
  }
}

/** The value of JSON in UTF-8; undefined if it is none. */
export function parsed(body: Buffer | null): unknown {
  if (body === null || body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}
