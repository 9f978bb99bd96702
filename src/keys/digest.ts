import { hash } from 'node:crypto';

/** The most characters of a key. Longer ones are refused before they are hashed. */
export const keyCharactersMaximum = 256;

/** SHA-256 of a key, in lower-case hexadecimal. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'hex');
}
