import { hash } from 'node:crypto';

/** Bytes that differ from what the manifest or an index says. */
export class CorruptSnapshot extends Error {}

/** Bytes that cannot be read at the moment; a later attempt may succeed. */
export class Unavailable extends Error {}

/** SHA-256 of bytes, in lower-case hexadecimal. */
export function sha256Of(bytes: Buffer | string): string {
  return hash('sha256', bytes);
}
