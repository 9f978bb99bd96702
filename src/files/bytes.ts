import { createHash } from 'node:crypto';

/** Bytes that are not what the manifest or an index says they are. */
export class CorruptSnapshot extends Error {}

/** Bytes that cannot be had now from where they lie, and may be another time. */
export class CannotBeHad extends Error {}

/** SHA-256 of bytes, in lower-case hexadecimal. */
export function sha256Of(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
