import { createPrivateKey, createPublicKey, sign as signText, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Pointer } from '../../src/format/snapshot.ts';
import { earliestMade, isNumberPossible, isSignedBy, keyName, signedText } from '../../src/snapshot/trust.ts';
import { dayMs } from '../../src/time/units.ts';

/** Signs pointers. */
export interface SignPointer {
  /**
   * Signs a pointer. `before` are pointers that are known from before, null where there is none. The numbers
   * of those that are ours are smaller.
   */
  (pointer: Pointer, ...before: readonly (Pointer | null)[]): Pointer;
  /**
   * Whether the signing key or a trusted one signed a pointer, and its number is possible. Whoever can write
   * to the folder can write any other pointer, so nothing of that may come under a signature.
   */
  isOurs(pointer: Pointer | null): boolean;
}

/**
 * How long a signature is valid, in days: longer than EDGAR is ever closed, so that a schedule that runs on
 * business days renews it in time.
 */
const goodForDays = 7;

/** Reads a private Ed25519 key that a setting names. Throws an `Error` that names the setting and the file. */
export function readSigningKey(path: string, setting = 'SIGNING_KEY_FILE'): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).syscall !== undefined;
    throw new Error(
      `${setting}: ${path} ${isMissing ? `cannot be read: ${(error as Error).message}` : 'is no private key in PEM, as "openssl genpkey -algorithm ed25519" makes it'}`,
    );
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${setting}: ${path} must be an Ed25519 key, not ${key.asymmetricKeyType}`);
  return key;
}

/**
 * Returns the function that signs pointers. The number of a pointer is greater than that of each pointer from
 * before that `key` or one of the keys in `trusted` signed, and at least the seconds since 1970: a folder that
 * was lost and made again does not begin with small numbers. If the clock was set back so far that the number
 * would not be possible, the pointer says that it was made later: like those of batches, these times do not go
 * back. It expires by the clock. `now` is in milliseconds.
 */
export function createPointerSigner(
  key: KeyObject,
  now: () => number,
  trusted: readonly KeyObject[] = [],
): SignPointer {
  const publicKey = createPublicKey(key);
  const name = keyName(publicKey);

  function isOurs(pointer: Pointer | null): boolean {
    const signature = pointer?.signature;
    return (
      signature !== undefined &&
      isNumberPossible(signature) &&
      [publicKey, ...trusted].some((each) => isSignedBy(pointer as Pointer, signature, each))
    );
  }

  function sign(pointer: Pointer, ...before: readonly (Pointer | null)[]): Pointer {
    const nowMs = now();
    const used = before.map((each) => (isOurs(each) ? (each?.signature?.number ?? 0) : 0));
    const number = Math.max(...used.map((each) => each + 1), Math.floor(nowMs / 1000));
    const claims = {
      key: name,
      number,
      madeAt: new Date(Math.max(nowMs, earliestMade(number))).toISOString(),
      expiresAt: new Date(nowMs + goodForDays * dayMs).toISOString(),
    };
    const signature = signText(null, signedText(pointer, claims), key).toString('base64');
    return { ...pointer, signature: { ...claims, signature } };
  }

  return Object.assign(sign, { isOurs });
}
