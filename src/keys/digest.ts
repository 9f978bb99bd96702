import { hash } from 'node:crypto';

/** A key is at most this long; anything longer is refused before it is hashed. */
export const keyCharactersMaximum = 256;

/** SHA-256 of a key, in lower-case hexadecimal. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'hex');
}
